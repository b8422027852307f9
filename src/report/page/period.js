// The period that everything on the page is about: buckets from `first` to `last`.

const period = {first: 0, last: LAST};
const periodListeners = [];

const isWhole = () => period.first === 0 && period.last === LAST;
const seconds = () => Math.max(endOf(period.last) - beginOf(period.first), 1e-3);

function choose(first, last) {
  period.first = Math.max(0, Math.min(first, last));
  period.last = Math.min(LAST, Math.max(first, last));
  for (const listener of periodListeners) listener();
}

const clock = new Intl.DateTimeFormat('sv', {hour: '2-digit', minute: '2-digit', second: '2-digit'});
const calendar = new Intl.DateTimeFormat('sv', {year: 'numeric', month: '2-digit', day: '2-digit'});
const clockText = at => clock.format(new Date(at * 1000));
const dateText = at => `${calendar.format(new Date(at * 1000))} ${clockText(at)}`;

function lengthText(length) {
  if (length < 120) return `${+length.toPrecision(3)} s`;
  const minutes = Math.round(length / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function showPeriod() {
  const [from, to] = [beginOf(period.first), endOf(period.last)];
  byId('period-text').textContent =
      `${isWhole() ? 'Everything' : 'Only'}: ${clockText(from)} to ${clockText(to)} (${lengthText(to - from)})`;
  for (const [id, bucket, at] of [['from', period.first, from], ['to', period.last, to]]) {
    byId(id).value = bucket;
    byId(id).setAttribute('aria-valuetext', clockText(at));
  }
  byId('whole').disabled = isWhole();
  byId('period').classList.toggle('part', !isWhole());
}

function listenForPeriods() {
  byId('period').hidden = LAST === 0;
  for (const id of ['from', 'to']) byId(id).max = LAST;
  byId('from').addEventListener('input', () => {
    const first = Number(byId('from').value);
    choose(first, Math.max(first, period.last));
  });
  byId('to').addEventListener('input', () => {
    const last = Number(byId('to').value);
    choose(Math.min(period.first, last), last);
  });
  byId('whole').addEventListener('click', () => choose(0, LAST));
  byId('period').addEventListener('submit', event => event.preventDefault());
  document.addEventListener('keydown', event => {
    const isBusy = event.target.closest?.('#graph, input[type=search]');
    if (event.key === 'Escape' && !isBusy) choose(0, LAST);
  });
  periodListeners.push(showPeriod);
}

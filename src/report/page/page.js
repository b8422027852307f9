// The page as a whole: what is shown again when the period changes, and the colours.

const kindColumns = () => [
  of('Share', row => row.total, (total, row) => shareText(total, row.all)),
  of('Time', row => row.total, durationText),
  of('Count', row => row.count, countText),
  of('Errors', row => row.errors, countText),
  of('Mean', row => row.mean, durationText),
  of('p50', row => row.quantile(0.5), durationText),
  of('p95', row => row.quantile(0.95), durationText),
  of('p99', row => row.quantile(0.99), durationText),
  of('Max', row => row.max, durationText),
  ...(hasBudgets ? [budgetColumn] : []),
  of('Kind', row => row.text, undefined, {isText: true}),
];

let sums = [];
const kindTable = new Table(byId('kinds'), kindColumns(), {
  most: 25, key: row => row.place, empty: 'No queries.',
  choose: row => {
    shownKind = row.place;
    showKind(sums);
    byId('kind').scrollIntoView({block: 'nearest'});
  },
});
const slowTable = new Table(byId('slow'), slowColumns(), {
  most: 10, key: query => query.profile.index, empty: 'No queries.',
  choose: query => {
    shownKind = query.kind;
    showKind(sums);
    if (query.profile.samples.length > 0) showStacks(query);
    byId('kind').scrollIntoView({block: 'nearest'});
  },
});
const tables = ioTable();
const events = eventTable();
const blocks = blockTable();

function showKinds() {
  const wanted = byId('search').value.trim().toLowerCase();
  kindTable.show(sums.map((of_, place) => Object.assign(of_, {place, text: report.kinds[place].text, all: sums[ALL].total}))
      .filter(({place, count, text}) => place !== ALL && count > 0 && text.toLowerCase().includes(wanted)));
}

function showFigures() {
  const all = sums[ALL];
  const figures = [
    ['Queries', countText(all.count)],
    ['A second', shortNumber.format(all.count / seconds())],
    ['At work', (all.total / 1e9 / seconds()).toPrecision(3)],
    ['Errors', countText(all.errors)],
    ['p50', durationText(all.quantile(0.5))],
    ['p95', durationText(all.quantile(0.95))],
    ['p99', durationText(all.quantile(0.99))],
    ['Longest', durationText(all.max)],
  ];
  byId('figures').replaceChildren(...figures.map(([name, value]) => {
    const figure = element('div');
    figure.append(element('dt', 'dim', name), element('dd', '', value));
    return figure;
  }));
}

function showTime() {
  byId('time-section').hidden = !hasBudgets;
  fillBar(byId('budget'), parts.map((part, i) => ({...part, ns: sums[ALL].causes[i]})));
  const list = element('ul', 'legend');
  fillCauses(list, sums[ALL]);
  byId('causes').replaceChildren(list);
}

function showAll() {
  sums = sumsOf(period.first, period.last);
  showFigures();
  showTime();
  showKinds();
  showKind(sums);
  slowTable.show(slowIn());
  tables.show(ioRows());
  events.show(gathered(report.event_cells, period.first, period.last));
  const rowsOfBlocks = blockRows();
  blocks.show(rowsOfBlocks);
  drawBlocks(rowsOfBlocks);
}

function showAbout() {
  const name = report.file.split('/').at(-1);
  document.title = `${name} – dbtrace report`;
  byId('title').textContent =
      `${name}: ${dateText(report.begin_ms / 1000)} to ${clockText(report.end_ms / 1000)}`;
  byId('servers').textContent = report.servers.join('; ');
  byId('incidents').textContent = report.incidents.map(
      ([at, condition, value]) => `${clockText(at / 1000)}: ${condition}: ${value}`).join('; ');
  byId('remarks').replaceChildren(...(report.remarks.length ? report.remarks : [['Nothing', 'all that was to be recorded was']])
      .map(([what, meaning]) => element('li', '', `${what}: ${meaning}.`)));
  byId('made').textContent = `Recorded by ${report.program}. Times are this browser's. ` +
      'Percentiles of a part of the time, and of plots, are exact to 5 %; those of everything to 2 %.';
  byId('events-section').hidden = report.event_cells.length === 0;
  byId('blocks-section').hidden = report.block_cells.length === 0;
  byId('tables-section').hidden = report.table_cells.length === 0;
}

const darkness = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (document.documentElement.dataset.theme ?? (darkness.matches ? 'dark' : 'light')) === 'dark';
function repaint() {
  byId('theme').textContent = isDark() ? 'Light' : 'Dark';
  readPaint();
  plots.forEach(plot => plot.redraw(false));
  flames.draw();
}
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  repaint();
}

showAbout();
listenForPeriods();
listenForStacks();
addPlots();
periodListeners.push(showAll);
choose(0, LAST);
byId('theme').addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
darkness.addEventListener('change', repaint);
byId('search').addEventListener('input', showKinds);
new ResizeObserver(() => drawBlocks(blockRows())).observe(document.querySelector('main'));
// Paper is light.
let themeOfScreen;
addEventListener('beforeprint', () => {
  themeOfScreen = document.documentElement.dataset.theme;
  setTheme('light');
});
addEventListener('afterprint', () => setTheme(themeOfScreen));
repaint();
document.documentElement.dataset.ready = '';

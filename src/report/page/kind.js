// One kind of queries: its text, histogram, budget, and its slowest with their stacks.

const flames = new Graph(byId('graph'));
let shownKind = null;
let slowOfKind = null;

const textOf = query => query.profile.text;

const slowColumns = () => [
  of('Took', query => query.profile.duration, durationText),
  of('At', query => query.start_ms, at => clockText(at / 1000)),
  of('Connection', query => query.connection, id => (id === null ? '–' : String(id))),
  of('Who', query => [query.user, query.database].filter(Boolean).join(' · '), undefined, {isText: true}),
  of('Rows', query => query.rows, rowsSent => (rowsSent === null ? '–' : countText(rowsSent))),
  of('Error', query => query.error, error => (error ? String(error) : '')),
  {...budgetColumn, value: query => query.profile.budget.reduce((sum, ns) => sum + ns, 0),
   make: query => budgetColumn.make({causes: query.profile.budget})},
  of('Blocked by', query => query.waited_ns ?? 0,
     (waited, query) => (query.blocker ? `${query.blocker}: ${shortDuration(waited)}` : ''), {isText: true}),
  of('Query', textOf, undefined, {isText: true}),
];

function fillCauses(list, sums) {
  const all = sums.budgeted;
  const shown = parts.map((part, i) => ({...part, ns: sums.causes[i]})).filter(({ns}) => ns > 0)
      .sort((a, b) => b.ns - a.ns);
  list.replaceChildren(...shown.map(part => {
    const item = element('li', 'cause');
    const swatch = element('i');
    swatch.style.background = part.color;
    item.append(swatch, `${part.name} `, element('span', 'dim', `${shareText(part.ns, all)}, ${shortDuration(part.ns)}`));
    return item;
  }));
}

// Bars of fewer, wider ranges: two of the buckets each.
function fillHistogram(host, sums) {
  const ranges = [];
  sums.durations.forEach((count, i) => {
    const at = Math.floor(i / 2);
    ranges[at] = {count: (ranges[at]?.count ?? 0) + count, from: ranges[at]?.from ?? report.least_ns[i],
                  to: report.least_ns[i + 1] ?? report.least_ns[i]};
  });
  const used = ranges.map(({count}, i) => (count > 0 ? i : -1)).filter(i => i >= 0);
  const shown = used.length ? ranges.slice(used[0], used.at(-1) + 1) : [];
  const most = Math.max(...shown.map(({count}) => count), 1);
  const bars = element('div', 'bars');
  bars.setAttribute('role', 'img');
  bars.setAttribute('aria-label', `p50 ${shortDuration(sums.quantile(0.5))}, p99 ${shortDuration(sums.quantile(0.99))}`);
  for (const {count, from, to} of shown) {
    const bar = element('span');
    bar.style.height = `${count > 0 ? Math.max(count / most * 100, 2) : 0}%`;
    bar.title = `${shortDuration(from)} to ${shortDuration(to)}: ${countText(count)}`;
    bars.append(bar);
  }
  const scale = element('div', 'bars-scale dim');
  if (shown.length)
    scale.append(element('span', '', shortDuration(shown[0].from)), element('span', '', shortDuration(shown.at(-1).to)));
  host.replaceChildren(bars, scale);
}

function describeBlock(block) {
  byId('status').textContent = `${block.frame ? block.frame.name : 'all stacks'}: ${shortDuration(block.ns)}, ` +
      `${shareText(block.ns, flames.root.ns)}. Click or Enter zooms in, Esc out; arrow keys walk.`;
}

function showStacks(query) {
  const root = mergedBlocks(query.profile, () => true);
  byId('stacks').hidden = root.ns === 0;
  if (root.ns === 0) return;
  byId('stacks-title').textContent = `What the server's code was doing, ${shortDuration(query.profile.duration)}`;
  flames.show(root);
  describeBlock(root);
}

function listenForStacks() {
  const canvas = byId('graph');
  const blockAt = event => {
    const {left, top} = canvas.getBoundingClientRect();
    return flames.at(event.clientX - left, event.clientY - top);
  };
  const zoom = block => {
    flames.selected = null;
    flames.zoom(block);
    describeBlock(block);
  };
  canvas.addEventListener('click', event => {
    const block = blockAt(event);
    if (block) zoom(block);
  });
  canvas.addEventListener('mousemove', event => {
    const block = blockAt(event);
    if (block) describeBlock(block);
  });
  canvas.addEventListener('keydown', event => {
    if (!flames.root) return;
    if (event.key.startsWith('Arrow')) {
      flames.selected = flames.neighbour(event.key);
      flames.draw();
      describeBlock(flames.selected);
    } else if (event.key === 'Enter' && flames.selected) {
      zoom(flames.selected);
    } else if (event.key === 'Escape') {
      zoom(flames.root);
    } else {
      return;
    }
    event.preventDefault();
  });
  new ResizeObserver(() => flames.draw()).observe(canvas.parentElement);
}

const slowIn = () => slow.filter(({bucket}) => bucket >= period.first && bucket <= period.last);

function showKind(sums) {
  byId('kind').hidden = shownKind === null;
  if (shownKind === null) return;
  byId('kind-text').textContent = report.kinds[shownKind].text;
  fillHistogram(byId('kind-histogram'), sums[shownKind]);
  fillBar(byId('kind-budget'), parts.map((part, i) => ({...part, ns: sums[shownKind].causes[i]})));
  fillCauses(byId('kind-causes'), sums[shownKind]);
  slowOfKind ??= new Table(byId('kind-slow'), slowColumns(), {most: 10, choose: showStacks, key: query => query.profile.index, empty: 'None of its slowest in this period.'});
  const ofKind = slowIn().filter(({kind}) => kind === shownKind);
  slowOfKind.show(ofKind);
  const withStacks = ofKind.find(({profile}) => profile.samples.length > 0);
  byId('stacks').hidden = !withStacks;
  if (withStacks) showStacks(withStacks);
}

// The page around the graph: which query, which causes, the search, the zoom.

const byId = id => document.getElementById(id);
const graph = new Graph(byId('graph'));
const hidden = new Set();  // causes that are not shown
let profile = null;
let isOrdered = false;

const causeParts = ns => causes.map((cause, index) => ({...cause, ns: ns[index]}));
const budgetParts = ({budget}) =>
    [...causeParts(budget), {...data.unexplained, ns: budget[causes.length]}];

function describe(block) {
  const {frame} = block;
  const name = frame ? frame.name : 'all stacks';
  const where = frame ? [frame.source, frame.module, KINDS[frame.kind]].filter(Boolean).join(', ') : '';
  const parts = new Map();
  for (const [cause, ns] of block.segments) parts.set(cause, (parts.get(cause) ?? 0) + ns);
  return {
    name,
    where,
    weight: `${shortDuration(block.ns)}, ${shareText(block.ns, graph.root.ns)}` +
        (block.parent ? ` (${shareText(block.ns, block.parent.ns)} of its caller)` : ''),
    stacks: plural(block.stacks, 'stack') +
        (isOrdered ? `, from ${shortDuration(block.from)} on` : ''),
    parts: [...parts].map(([cause, ns]) => ({...causes[cause], ns})).sort((a, b) => b.ns - a.ns),
  };
}

function showTip(block, x, y) {
  const tip = byId('tip');
  const {name, where, weight, stacks, parts} = describe(block);
  const lines = [element('strong', '', name)];
  if (where) lines.push(element('span', 'dim', where));
  lines.push(element('span', '', weight), element('span', 'dim', stacks));
  for (const part of parts) {
    const line = element('span', 'cause');
    const swatch = element('i');
    swatch.style.background = part.color;
    line.append(swatch, `${part.name} ${shortDuration(part.ns)}, ${shareText(part.ns, block.ns)}`);
    lines.push(line);
  }
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const {width, height} = tip.getBoundingClientRect();
  const space = 14;
  const left = Math.min(x + space, document.documentElement.clientWidth - width - 4);
  const below = y + space;
  const top = below + height > window.innerHeight ? y - height - space : below;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

function hideTip() {
  byId('tip').hidden = true;
}

function select(block) {
  graph.selected = block;
  graph.draw();
  const {name, where, weight, parts} = describe(block);
  byId('status').textContent = [name, where, weight, parts.map(part => part.name).join(' and ')]
      .filter(Boolean).join('; ');
  const box = graph.boxOf(block);
  if (!box) return;
  const {left, top} = byId('graph').getBoundingClientRect();
  if (top + box.y < 0 || top + box.y + ROW > window.innerHeight)
    window.scrollBy(0, top + box.y - window.innerHeight / 2);
  const moved = byId('graph').getBoundingClientRect();
  showTip(block, left + box.x + Math.min(box.width / 2, 80), moved.top + box.y + ROW - 10);
}

function zoom(block) {
  hideTip();
  graph.selected = null;
  graph.zoom(block);
  const kept = 3;
  const path = [];
  for (let above = block; above; above = above.parent) path.unshift(above);
  const shown = path.length > kept + 2 ? [path[0], null, ...path.slice(-kept)] : path;
  byId('path').replaceChildren(...shown.map((above, index) => {
    if (!above) return element('span', 'dim', '…');
    const isLast = index === shown.length - 1;
    const step = element(isLast ? 'span' : 'button', '', above.frame ? above.frame.name : 'all');
    if (isLast) step.setAttribute('aria-current', 'location');
    else step.addEventListener('click', () => zoom(above));
    return step;
  }));
  if (block.parent) {
    const reset = element('button', 'reset', 'Reset zoom');
    reset.addEventListener('click', () => zoom(graph.root));
    byId('path').append(reset);
  }
  byId('path').hidden = !block.parent;
}

function search() {
  const wanted = byId('search').value.trim().toLowerCase();
  graph.isMatch = wanted ? frame => frame.searched.includes(wanted) : null;
  graph.draw();
  const output = byId('matched');
  if (!wanted) {
    output.textContent = '';
    return;
  }
  const {ns, functions} = graph.matched();
  output.textContent = functions === 0 ? 'no match' :
      `${shareText(ns, graph.root.ns)} in ${plural(functions, 'function')}`;
}

function showStacks() {
  const isShown = cause => !hidden.has(cause);
  const build = isOrdered ? orderedBlocks : mergedBlocks;
  const root = build(profile, isShown);
  byId('graph').hidden = root.ns === 0;
  byId('none').hidden = root.ns > 0;
  byId('merged').setAttribute('aria-pressed', String(!isOrdered));
  byId('ordered').setAttribute('aria-pressed', String(isOrdered));
  byId('status').textContent = '';
  graph.show(root);
  zoom(root);
  search();
}

function showCauses() {
  const sums = sumByCause(profile.samples);
  const all = sums.reduce((sum, ns) => sum + ns, 0);
  const boxes = [];
  sums.forEach((ns, cause) => {
    if (ns === 0) return;
    const label = element('label', 'cause');
    const box = element('input');
    box.type = 'checkbox';
    box.checked = !hidden.has(cause);
    box.addEventListener('change', () => {
      if (box.checked) hidden.delete(cause);
      else hidden.add(cause);
      showStacks();
    });
    const swatch = element('i');
    swatch.style.background = causes[cause].color;
    label.append(box, swatch, `${causes[cause].name} `,
                 element('span', 'dim', `${shortDuration(ns)}, ${shareText(ns, all)}`));
    boxes.push(label);
  });
  byId('causes').replaceChildren(byId('causes').firstElementChild, ...boxes);
  byId('causes').hidden = boxes.length === 0;
}

function facts({queries, duration, samples}) {
  const stacks = samples.reduce((sum, sample) => sum + sample.count, 0);
  const covered = samples.reduce((sum, sample) => sum + sample.ns, 0);
  return [queries === 1 ? '' : plural(queries, 'query').replace('querys', 'queries'),
          `took ${shortDuration(duration)}`,
          `${plural(stacks, 'stack')} of ${shortDuration(covered)}`].filter(Boolean).join(' · ');
}

function showProfile(shown) {
  profile = shown;
  hidden.clear();
  // Stacks of several queries have no common order.
  const hasOrder = profile.queries === 1;
  if (!hasOrder) isOrdered = false;
  byId('ordered').disabled = !hasOrder;
  byId('ordered').title = hasOrder ? '' : 'These are stacks of several queries.';
  byId('text').textContent = profile.text;
  byId('facts').textContent = facts(profile);
  fillBar(byId('budget'), budgetParts(profile));
  for (const button of byId('queries').querySelectorAll('button'))
    button.setAttribute('aria-current', String(button.value === String(profile.index)));
  showCauses();
  showStacks();
}

function listQueries() {
  const longest = [...profiles].sort((a, b) => b.duration - a.duration);
  byId('queries').querySelector('h2').textContent =
      profiles.some(({queries}) => queries !== 1) ? `${profiles.length} kinds of queries` :
                                                    plural(profiles.length, 'query').replace('querys', 'queries');
  byId('queries').querySelector('ol').replaceChildren(...longest.map(entry => {
    const button = element('button');
    button.value = entry.index;
    const bar = element('span', 'bar');
    fillBar(bar, budgetParts(entry));
    button.append(element('span', 'sql', entry.text), element('span', 'dim', facts(entry)), bar);
    button.addEventListener('click', () => showProfile(entry));
    const item = element('li');
    item.append(button);
    return item;
  }));
  byId('queries').hidden = profiles.length < 2;
  document.body.classList.toggle('several', profiles.length > 1);
  return longest[0];
}

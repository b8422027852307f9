// Who kept whom waiting, as ribbons from the left to the right: the longer it was, the wider.

const MOST_RIBBONS = 14;
const CHARACTER = 6.7;  // pixels of a letter, about

function nameOf(party) {
  if (party.background) return `[${party.text}]`;
  return party.idle ? `idle in transaction after ${party.text}` : party.text;
}

const blockRows = () => gathered(report.block_cells, period.first, period.last, {greatest: true})
    .map(({place, numbers: [count, ns, max]}) => {
      const [from, to, cause] = report.blocks[place] ?? [];
      return {count, ns, max, cause: parts[cause], from: report.parties[from], to: report.parties[to],
              blocker: from === undefined ? '(others)' : nameOf(report.parties[from]),
              blocked: to === undefined ? '(others)' : nameOf(report.parties[to])};
    });

const blockTable = () => new Table(byId('blocks'), [
  of('Waited', row => row.ns, durationText),
  of('Times', row => row.count, countText),
  of('Longest', row => row.max, durationText),
  of('For', row => row.cause?.name ?? '', undefined, {isText: true}),
  of('Blocker', row => row.blocker, undefined, {isText: true, className: 'sql'}),
  of('Blocked', row => row.blocked, undefined, {isText: true, className: 'sql'}),
], {most: 10, empty: 'Nobody kept another waiting.'});

function drawBlocks(rowsToDraw) {
  const svg = byId('blocks-graph');
  const make = (name, attributes, text) => {
    const made = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const shown = rowsToDraw.filter(({from, to}) => from && to).sort((a, b) => b.ns - a.ns).slice(0, MOST_RIBBONS);
  svg.toggleAttribute('hidden', shown.length === 0);
  svg.replaceChildren();
  if (shown.length === 0) return;

  const width = Math.max(svg.parentElement.clientWidth, 240);
  const all = shown.reduce((sum, {ns}) => sum + ns, 0);
  const [gap, least] = [10, 18];
  const side = which => {
    const nodes = new Map();
    for (const row of shown) {
      const node = nodes.get(row[which]) ?? {name: row[which], ns: 0};
      node.ns += row.ns;
      nodes.set(row[which], node);
    }
    let y = 0;
    for (const node of nodes.values()) {
      Object.assign(node, {y, used: 0, height: Math.max(least, node.ns / all * 200)});
      y += node.height + gap;
    }
    return {nodes, height: y};
  };
  const [left, right] = [side('blocker'), side('blocked')];
  const height = Math.max(left.height, right.height);
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('height', height);

  const [x1, x2] = [width * 0.4, width * 0.6];
  const middle = (x1 + x2) / 2;
  for (const row of shown) {
    const [from, to] = [left.nodes.get(row.blocker), right.nodes.get(row.blocked)];
    const [h1, h2] = [row.ns / from.ns * from.height, row.ns / to.ns * to.height];
    const [y1, y2] = [from.y + from.used, to.y + to.used];
    from.used += h1;
    to.used += h2;
    const ribbon = make('path', {
      d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}V${y2 + h2}` +
          `C${middle} ${y2 + h2} ${middle} ${y1 + h1} ${x1} ${y1 + h1}Z`,
      fill: row.cause.color,
    });
    ribbon.append(make('title', {}, `${row.blocker} → ${row.blocked}: ${row.cause.name} ${shortDuration(row.ns)}, ${plural(row.count, 'time')}`));
    svg.append(ribbon);
  }
  const room = Math.max(4, Math.floor((x1 - 14) / CHARACTER));
  for (const [{nodes}, x, anchor] of [[left, x1 - 8, 'end'], [right, x2 + 8, 'start']])
    for (const node of nodes.values()) {
      const characters = Array.from(node.name);
      const text = make('text', {x, y: node.y + node.height / 2, 'text-anchor': anchor},
                        characters.length > room ? `${characters.slice(0, room - 1).join('')}…` : node.name);
      text.append(make('title', {}, node.name));
      svg.append(make('rect', {x: anchor === 'end' ? x1 - 3 : x2, y: node.y, width: 3, height: node.height}), text);
    }
}

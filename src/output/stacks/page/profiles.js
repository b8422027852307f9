// What the page shows, from its data block, and the trees that are drawn of it.
//
// A block is a box of the graph: a function below its caller, over a stretch of time. Times are
// nanoseconds. `segments` says what the thread did in a block, from left to right: pairs of a
// cause (its index) and a time.

const ON_CPU = 0;
const KINDS = {user: '', inlined: 'inlined', kernel: 'kernel', marker: ''};

const data = JSON.parse(document.getElementById('data').textContent);
const causes = data.causes;
const frames = data.frames.map(([name, module, source, kind]) => ({
  name, module, source, kind,
  searched: `${name}\n${module}\n${source}`.toLowerCase(),
}));
const waitFrames = causes.map(cause => ({
  name: `[${cause.name}]`, module: '', source: '', kind: 'marker',
  searched: `[${cause.name}]`.toLowerCase(),
}));

// Rows of numbers that are written as one list.
function rows(list, width) {
  const result = [];
  for (let at = 0; at < list.length; at += width) result.push(list.slice(at, at + width));
  return result;
}

const profiles = data.profiles.map((profile, index) => ({
  index,
  text: profile.text,
  queries: profile.queries,
  duration: profile.duration_ns,
  budget: profile.budget_ns,
  // The parent of each node and its frame; node 0 is the root.
  parents: [0, ...rows(profile.nodes, 2).map(([parent]) => parent)],
  frames: [null, ...rows(profile.nodes, 2).map(([, frame]) => frames[frame])],
  samples: rows(profile.samples, 5).map(
      ([node, ns, cause, time, count]) => ({node, ns, cause, time, count})),
}));

function sumByCause(samples) {
  const sums = new Array(causes.length).fill(0);
  for (const sample of samples) sums[sample.cause] += sample.ns;
  return sums;
}

function newBlock(frame, parent) {
  return {frame, parent, children: [], depth: parent ? parent.depth + 1 : 0, start: 0, ns: 0,
          segments: [], from: Infinity, stacks: 0};
}

// Puts the children of every block beside each other, from its start on.
function place(root) {
  const pending = [root];
  while (pending.length > 0) {
    const block = pending.pop();
    let start = block.start;
    for (const child of block.children) {
      child.start = start;
      child.depth = block.depth + 1;
      start += child.ns;
      pending.push(child);
    }
  }
}

// One block for all calls of a function from the same place, the heaviest first.
function mergedBlocks(profile, isShown) {
  const blocks = profile.frames.map(frame => newBlock(frame, null));
  const sums = blocks.map(() => null);
  const waits = new Map();
  const add = (at, cause, ns, sample) => {
    sums[at] ??= new Float64Array(causes.length);
    sums[at][cause] += ns;
    blocks[at].ns += ns;
    blocks[at].from = Math.min(blocks[at].from, sample.from ?? sample.time);
    blocks[at].stacks += sample.stacks ?? sample.count;
  };
  const parents = profile.parents.slice();
  const waitOf = (node, cause) => {
    const key = node * causes.length + cause;
    if (!waits.has(key)) {
      waits.set(key, blocks.length);
      parents.push(node);
      sums.push(null);
      blocks.push(newBlock(waitFrames[cause], null));
    }
    return waits.get(key);
  };
  for (const sample of profile.samples) {
    if (!isShown(sample.cause)) continue;
    const at = sample.cause === ON_CPU ? sample.node : waitOf(sample.node, sample.cause);
    add(at, sample.cause, sample.ns, sample);
  }
  // Parents come before their children.
  for (let at = blocks.length - 1; at >= 0; --at) {
    const block = blocks[at];
    if (block.ns === 0) continue;
    sums[at].forEach((ns, cause) => {
      if (ns > 0) block.segments.push([cause, ns]);
    });
    if (at === 0) continue;
    const parent = parents[at];
    block.parent = blocks[parent];
    block.parent.children.push(block);
    const {from, stacks} = block;
    sums[at].forEach((ns, cause) => {
      if (ns > 0) add(parent, cause, ns, {from, stacks: 0});
    });
    block.parent.stacks += stacks;
  }
  for (const block of blocks) block.children.reverse().sort((a, b) => b.ns - a.ns);
  place(blocks[0]);
  return blocks[0];
}

function pathOf(profile, sample) {
  const path = [];
  for (let node = sample.node; node !== 0; node = profile.parents[node])
    path.push(profile.frames[node]);
  path.reverse();
  if (sample.cause !== ON_CPU) path.push(waitFrames[sample.cause]);
  return path;
}

function extend(block, sample) {
  const last = block.segments.at(-1);
  if (last && last[0] === sample.cause) last[1] += sample.ns;
  else block.segments.push([sample.cause, sample.ns]);
  block.ns += sample.ns;
  block.from = Math.min(block.from, sample.time);
  block.stacks += sample.count;
}

// One block for calls that follow each other.
function orderedBlocks(profile, isShown) {
  const root = newBlock(null, null);
  let open = [root];
  for (const sample of profile.samples) {
    if (!isShown(sample.cause) || sample.ns === 0) continue;
    const path = pathOf(profile, sample);
    let same = 0;
    while (same < path.length && open[same + 1]?.frame === path[same]) ++same;
    open.length = same + 1;
    for (const frame of path.slice(same)) {
      const block = newBlock(frame, open.at(-1));
      block.parent.children.push(block);
      open.push(block);
    }
    for (const block of open) extend(block, sample);
  }
  place(root);
  return root;
}

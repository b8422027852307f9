// The graph on its canvas: what is drawn where, what is at a point, and the way from one block
// to the next.

const ROW = 20;
const GAP = 1;
const PADDING = 5;
const LEAST_WIDTH = 0.5;  // of a block that is drawn
const LEAST_TEXT = 4;     // characters
// How strong colours are: one cause alone stands out from a mixture.
const PURE = 1;
const MIXED = 0.5;
const UNMATCHED = 0.25;

class Graph {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.root = null;      // of the whole graph
    this.zoomed = null;    // what has the whole width
    this.selected = null;
    this.isMatch = null;   // which frames are searched for; null: nothing is
    this.rows = [];        // what was drawn: boxes by row, from left to right
  }

  show(root) {
    this.root = root;
    this.zoomed = root;
    this.selected = null;
    this.draw();
  }

  zoom(block) {
    this.zoomed = block;
    this.draw();
  }

  // The part of all time that is spent in frames that are searched for.
  matched() {
    let ns = 0;
    const functions = new Set();
    const pending = this.root ? [{block: this.root, inside: false}] : [];
    while (pending.length > 0) {
      const {block, inside} = pending.pop();
      const isMatch = block.frame !== null && this.isMatch(block.frame);
      if (isMatch) functions.add(block.frame);
      if (isMatch && !inside) ns += block.ns;
      for (const child of block.children) pending.push({block: child, inside: inside || isMatch});
    }
    return {ns, functions: functions.size};
  }

  at(x, y) {
    const row = this.rows[Math.floor(y / ROW)] ?? [];
    return row.find(box => x >= box.x && x < box.x + box.width)?.block ?? null;
  }

  // Where a block was drawn, if it was.
  boxOf(block) {
    for (const row of this.rows) {
      const box = row.find(candidate => candidate.block === block);
      if (box) return box;
    }
    return null;
  }

  // The block that an arrow key leads to.
  neighbour(key) {
    const from = this.selected;
    if (!from) return this.zoomed;
    if (key === 'ArrowDown') return from.children[0] ?? from;
    if (key === 'ArrowUp') return from.parent ?? from;
    const row = this.rows.find(boxes => boxes.some(box => box.block === from)) ?? [];
    const index = row.findIndex(box => box.block === from) + (key === 'ArrowRight' ? 1 : -1);
    return row[index]?.block ?? from;
  }

  // All boxes: those above the zoomed block have its width.
  layOut() {
    const width = this.canvas.clientWidth;
    const scale = this.zoomed.ns > 0 ? width / this.zoomed.ns : 0;
    this.rows = [];
    const put = (block, x, boxWidth) => {
      (this.rows[block.depth] ??= []).push({block, x, width: boxWidth, y: block.depth * ROW});
    };
    for (let above = this.zoomed.parent; above; above = above.parent) put(above, 0, width);
    const pending = [this.zoomed];
    while (pending.length > 0) {
      const block = pending.pop();
      const boxWidth = block.ns * scale;
      if (boxWidth < LEAST_WIDTH) continue;
      put(block, (block.start - this.zoomed.start) * scale, boxWidth);
      for (let i = block.children.length - 1; i >= 0; --i) pending.push(block.children[i]);
    }
  }

  draw() {
    if (!this.root) return;
    this.layOut();
    const ratio = window.devicePixelRatio || 1;
    const height = this.rows.length * ROW;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.textBaseline = 'middle';
    this.ink = getComputedStyle(this.canvas).color;
    for (const row of this.rows) for (const box of row) this.drawBox(box);
    const selected = this.selected && this.boxOf(this.selected);
    if (selected) this.outline(selected);
  }

  drawBox({block, x, y, width}) {
    const {context} = this;
    const shownWidth = Math.max(width - GAP, LEAST_WIDTH);
    const strength = this.strength(block);
    context.globalAlpha = strength;
    this.fill(block, x, y, shownWidth);
    if (block.frame?.kind === 'kernel') {
      context.fillStyle = 'rgb(0 0 0 / 9%)';
      context.fillRect(x, y, shownWidth, ROW - GAP);
    }
    context.globalAlpha = 1;
    context.fillStyle = strength === PURE ? '#1c1c1c' : this.ink;
    this.write(block, x, y, shownWidth);
  }

  strength({frame, segments}) {
    if (this.isMatch !== null) return frame && this.isMatch(frame) ? PURE : UNMATCHED;
    return segments.length > 1 ? MIXED : PURE;
  }

  // What the thread did, from left to right.
  fill(block, x, y, width) {
    let at = x;
    for (const [cause, ns] of block.segments) {
      const part = ns / block.ns * width;
      this.context.fillStyle = causes[cause].color;
      this.context.fillRect(at, y, part, ROW - GAP);
      at += part;
    }
  }

  write(block, x, y, width) {
    const {context} = this;
    const text = block.frame ? block.frame.name : 'all';
    context.font = `${block.frame?.kind === 'kernel' ? 'italic ' : ''}12px ${Graph.FONT}`;
    this.characterWidth ??= context.measureText('m').width;
    const room = Math.floor((width - 2 * PADDING) / this.characterWidth);
    if (room < LEAST_TEXT) return;
    const characters = Array.from(text);
    const shown = characters.length <= room ? text : `${characters.slice(0, room - 1).join('')}…`;
    context.fillText(shown, x + PADDING, y + (ROW - GAP) / 2 + 1, width - 2 * PADDING);
  }

  outline({x, y, width}) {
    const {context} = this;
    context.strokeStyle = this.ink;
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, Math.max(width - GAP - 2, 1), ROW - GAP - 2);
  }
}

Graph.FONT = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

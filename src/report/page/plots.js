// Plots over time. They share their axis, their cursor, and the period that is chosen in any of
// them.

const PLOT_HEIGHT = 170;
const AXIS_WIDTH = 66;  // the same for all, so that what happens at one time is below each other
const plots = [];

// The page's colours, as a canvas can use them.
const paint = {};
function readPaint() {
  const style = getComputedStyle(document.body);
  paint.ink = style.color;
  paint.ground = getComputedStyle(document.querySelector('section')).backgroundColor;
  paint.line = getComputedStyle(byId('theme')).borderTopColor;
  paint.accent = getComputedStyle(byId('title')).getPropertyValue('accent-color');
  paint.failed = getComputedStyle(byId('errors-legend')).outlineColor;
}

function axis(values, size = AXIS_WIDTH) {
  const font = '12px system-ui, "DejaVu Sans", sans-serif';
  return {
    stroke: () => paint.ink, font, size, values,
    grid: {stroke: () => paint.line, width: 1},
    ticks: {stroke: () => paint.line, width: 1},
  };
}

// The pixels from one bucket to the next.
function boxOf(plot, bucket) {
  const x = plot.valToPos(beginOf(bucket), 'x', true);
  return {x, width: Math.max(plot.valToPos(endOf(bucket), 'x', true) - x, 1)};
}

function drawRest(plot) {
  if (isWhole()) return;
  const {ctx, bbox} = plot;
  const left = plot.valToPos(beginOf(period.first), 'x', true);
  const right = plot.valToPos(endOf(period.last), 'x', true);
  ctx.save();
  ctx.globalAlpha = 0.78;
  ctx.fillStyle = paint.ground;
  ctx.fillRect(bbox.left, bbox.top, Math.max(left - bbox.left, 0), bbox.height);
  ctx.fillRect(right, bbox.top, Math.max(bbox.left + bbox.width - right, 0), bbox.height);
  ctx.restore();
}

function takeSelection(plot) {
  const {left, width} = plot.select;
  if (width < 2) return;
  const bucketAt = x => Math.floor((plot.posToVal(x, 'x') - beginOf(0)) * 1000 / report.width_ms);
  plot.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
  choose(bucketAt(left), bucketAt(left + width));
}

// `series`: uPlot's, with their values by bucket; `below`: draws what stands behind them;
// `describe`: of a bucket, for its legend.
function addPlot({host, legend, series, y, yAxis, below, describe}) {
  const center = bucket => (beginOf(bucket) + endOf(bucket)) / 2;
  const options = {
    width: Math.max(host.clientWidth, 200), height: PLOT_HEIGHT,
    legend: {show: false}, padding: [8, 28, 0, 0],
    scales: {x: {time: true, range: () => [beginOf(0), endOf(LAST)]}, y},
    axes: [axis((plot, splits) => splits.map(clockText), 34), {...yAxis}],
    series: [{}, ...series.map(({values, ...shown}) => ({points: {show: false}, ...shown}))],
    cursor: {
      y: false, points: {show: false}, sync: {key: 'time'},
      drag: {x: true, y: false, setScale: false},
      bind: {dblclick: () => () => choose(0, LAST)},
    },
    hooks: {
      drawClear: [below], draw: [drawRest], setSelect: [takeSelection],
      setCursor: [plot => {
        const bucket = plot.cursor.idx;
        const isOver = bucket !== null && bucket !== undefined && plot.cursor.left >= 0;
        legend.textContent = isOver ? `${clockText(beginOf(bucket))}: ${describe(bucket)}` : '';
      }],
    },
  };
  options.axes[0].space = 80;
  const xs = overTime.map((sums, bucket) => center(bucket));
  const plot = new uPlot(options, [xs, ...series.map(({values}) => values)], host);
  plots.push(plot);
  new ResizeObserver(() => {
    if (host.clientWidth > 0 && host.clientWidth !== plot.width)
      plot.setSize({width: host.clientWidth, height: PLOT_HEIGHT});
  }).observe(host);
  return plot;
}

const shortNumber = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});
const lengthOf = bucket => Math.max(endOf(bucket) - beginOf(bucket), 1e-3);
const unseen = () => null;  // a series that only tells how high its plot is

function clipped(plot, draw) {
  const {ctx, bbox} = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

// Of each bucket, one above the other: [colour, value].
const drawBars = partsOf => plot => clipped(plot, ctx => {
  for (let bucket = 0; bucket <= LAST; ++bucket) {
    const {x, width} = boxOf(plot, bucket);
    let sum = 0;
    for (const [color, value] of partsOf(bucket)) {
      if (!(value > 0)) continue;
      const bottom = plot.valToPos(sum, 'y', true);
      sum += value;
      const top = plot.valToPos(sum, 'y', true);
      ctx.fillStyle = color;
      ctx.fillRect(x, top, Math.max(width - (width > 4 ? 1 : 0), 1), bottom - top);
    }
  }
});

const fromZero = {range: (plot, least, most) => [0, most > 0 ? most * 1.08 : 1]};

function addRate() {
  const rate = overTime.map((sums, bucket) => sums.count / lengthOf(bucket));
  addPlot({
    host: byId('rate'), legend: byId('errors-legend'),
    series: [{values: rate, paths: unseen}], y: fromZero,
    yAxis: axis((plot, splits) => splits.map(value => shortNumber.format(value))),
    below: drawBars(bucket => {
      const failed = overTime[bucket].errors / lengthOf(bucket);
      return [[paint.failed, failed], [paint.accent, rate[bucket] - failed]];
    }),
    describe: bucket => `${shortNumber.format(rate[bucket])}/s, ${plural(overTime[bucket].errors, 'error')}`,
  });
}

// The more queries took so long, the stronger.
const drawHeat = most => plot => clipped(plot, ctx => {
  ctx.fillStyle = paint.accent;
  overTime.forEach((sums, bucket) => {
    const {x, width} = boxOf(plot, bucket);
    sums.durations.forEach((count, i) => {
      if (count === 0) return;
      const top = plot.valToPos(report.least_ns[i + 1] ?? report.least_ns[i] * 1.1, 'y', true);
      const bottom = plot.valToPos(Math.max(report.least_ns[i], 1), 'y', true);
      ctx.globalAlpha = 0.12 + 0.88 * Math.sqrt(count / lengthOf(bucket) / most);
      ctx.fillRect(x, top, width, Math.max(bottom - top, 1));
    });
  });
});

// Powers of ten around all values: what a log scale is marked with.
function decades(least, most) {
  const marks = [];
  for (let power = Math.floor(Math.log10(least)); marks.length < 2 || marks.at(-1) < most; ++power) marks.push(10 ** power);
  return marks;
}
const decadeText = ns => {
  const unit = Math.floor(Math.log10(ns * 1.0001) / 3);
  return `${Math.round(ns / 1000 ** unit)} ${['ns', 'µs', 'ms', 's', '000 s'][unit]}`;
};

function addLatency() {
  let [least, longest, most] = [Infinity, 0, 0];
  overTime.forEach((sums, bucket) => sums.durations.forEach((count, i) => {
    if (count === 0) return;
    least = Math.min(least, Math.max(report.least_ns[i], 1));
    longest = Math.max(longest, report.least_ns[i + 1] ?? report.least_ns[i]);
    most = Math.max(most, count / lengthOf(bucket));
  }));
  const marks = longest > 0 ? decades(least, longest) : [1e3, 1e6];
  const line = (fraction, dash) => ({
    values: overTime.map(sums => (sums.count ? sums.quantile(fraction) : null)),
    stroke: () => paint.ink, width: 1.5, dash, spanGaps: false,
  });
  addPlot({
    host: byId('latency'), legend: byId('latency-legend'),
    series: [line(0.5), line(0.95, [6, 3]), line(0.99, [2, 3])],
    y: {distr: 3, range: () => [marks[0], marks.at(-1)]},
    yAxis: {...axis((plot, splits) => splits.map(decadeText)), splits: () => marks, filter: (plot, splits) => splits},
    below: drawHeat(most),
    describe: bucket => {
      const sums = overTime[bucket];
      return `p50 ${shortDuration(sums.quantile(0.5))}, p95 ${shortDuration(sums.quantile(0.95))}, ` +
          `p99 ${shortDuration(sums.quantile(0.99))}, longest ${shortDuration(sums.max)}`;
    },
  });
}

function addWork() {
  byId('work-figure').hidden = !hasBudgets;
  if (!hasBudgets) return;
  const work = (bucket, ns) => ns / 1e9 / lengthOf(bucket);
  addPlot({
    host: byId('work'), legend: byId('work-legend'),
    series: [{values: overTime.map((sums, bucket) => work(bucket, sums.budgeted)), paths: unseen}],
    y: fromZero, yAxis: axis((plot, splits) => splits.map(value => shortNumber.format(value))),
    below: drawBars(bucket => parts.map(({color}, i) => [color, work(bucket, overTime[bucket].causes[i])])),
    describe: bucket => {
      const heaviest = [...overTime[bucket].causes].map((ns, i) => ({ns, name: parts[i].name}))
          .filter(({ns}) => ns > 0).sort((a, b) => b.ns - a.ns).slice(0, 3);
      return heaviest.map(({ns, name}) => `${name} ${shortNumber.format(work(bucket, ns))}`).join(', ') || 'nothing';
    },
  });
}

function addPlots() {
  readPaint();
  addRate();
  addLatency();
  addWork();
  periodListeners.push(() => plots.forEach(plot => plot.redraw(false)));
}

// What the page tells of, from its data block. Times are nanoseconds unless their names say
// milliseconds; durations are counted in buckets, 1/8 of a power of two wide.

const byId = id => document.getElementById(id);
const report = JSON.parse(byId('report').textContent);
const UNEXPLAINED = causes.length;
const parts = [...causes, data.unexplained];  // of a budget
const OPERATIONS = ['read', 'write', 'fsync'];
const OTHERS = report.kinds.length - 2;  // the place of the sum of all kinds that are not told apart
const ALL = report.kinds.length - 1;     // …and of all kinds
const LAST = report.buckets - 1;

const beginOf = bucket => (report.from_ms + bucket * report.width_ms) / 1000;  // seconds
const endOf = bucket => Math.min(beginOf(bucket + 1), Math.max(report.end_ms / 1000, beginOf(bucket) + 0.001));

class Sums {
  constructor() {
    this.count = 0;
    this.errors = 0;
    this.total = 0;
    this.max = 0;
    this.causes = new Float64Array(parts.length);
    this.durations = new Float64Array(report.least_ns.length);
  }

  add([, , count, errors, total, max, byCause, durations]) {
    this.count += count;
    this.errors += errors;
    this.total += total;
    this.max = Math.max(this.max, max);
    for (let i = 0; i < byCause.length; i += 2) this.causes[byCause[i]] += byCause[i + 1];
    for (let i = 0; i < durations.length; i += 2) this.durations[durations[i]] += durations[i + 1];
  }

  get budgeted() { return this.causes.reduce((sum, ns) => sum + ns, 0); }
  get mean() { return this.count ? this.total / this.count : 0; }

  // Exact to the half of a bucket: 5 %.
  quantile(fraction) {
    if (this.exact && fraction in this.exact) return this.exact[fraction];
    let left = Math.max(1, Math.ceil(this.count * fraction));
    for (let i = 0; i < this.durations.length; ++i) {
      left -= this.durations[i];
      if (left <= 0)
        return Math.min((report.least_ns[i] + (report.least_ns[i + 1] ?? report.least_ns[i])) / 2, this.max);
    }
    return 0;
  }
}

// By bucket: what all kinds came to.
const overTime = Array.from({length: report.buckets}, () => new Sums());
for (const cell of report.cells) overTime[cell[0]].add(cell);

// Of buckets from `first` to `last`: what each kind came to, and all of them (ALL).
function sumsOf(first, last) {
  const sums = report.kinds.map(() => new Sums());
  for (const cell of report.cells) {
    if (cell[0] < first || cell[0] > last) continue;
    sums[cell[1]].add(cell);
    sums[ALL].add(cell);
  }
  // What was counted finer is known of the whole only.
  if (first === 0 && last === LAST)
    report.kinds.forEach((kind, place) => {
      sums[place].exact = {0.5: kind.p50_ns, 0.95: kind.p95_ns, 0.99: kind.p99_ns};
    });
  return sums;
}

// Rows of [bucket, place, numbers…] by place: the numbers added up, but for the last, the greatest.
function gathered(cells, first, last, {places = 1, greatest = false} = {}) {
  const sums = new Map();
  for (const cell of cells) {
    if (cell[0] < first || cell[0] > last) continue;
    const key = cell.slice(1, 1 + places).join();
    const numbers = cell.slice(1 + places);
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, {place: cell[1], second: cell[2], numbers});
      continue;
    }
    numbers.forEach((number, i) => {
      const isGreatest = greatest && i === numbers.length - 1;
      sum.numbers[i] = isGreatest ? Math.max(sum.numbers[i], number) : sum.numbers[i] + number;
    });
  }
  return [...sums.values()];
}

const hasBudgets = overTime.some(sums => sums.budgeted > 0);
const slow = report.slow.map((query, index) => ({...query, profile: profiles[index]}));

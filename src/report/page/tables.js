// Tables to be sorted by any column.

// Column: {title, value(row), text(value, row), isText}; the first sort is by the column `sort`, from the
// greatest. `choose(row)`: what a row's last cell is a button for; `key(row)`: which of them is chosen.
class Table {
  constructor(host, columns, {sort = 0, most = 50, choose: onChoose = null, key = null, empty = 'None.'} = {}) {
    Object.assign(this, {host, columns, most, onChoose, key, empty});
    this.sort = {column: columns[sort], isAscending: false};
    this.chosen = null;
    this.isOpen = false;
  }

  show(rowsToShow) {
    this.rows = rowsToShow;
    const {column, isAscending} = this.sort;
    const order = (a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      return typeof x === 'string' ? y.localeCompare(x) : (y ?? -1) - (x ?? -1);
    };
    const sorted = [...rowsToShow].sort((a, b) => (isAscending ? -order(a, b) : order(a, b)));
    const hadFocus = this.host.contains(document.activeElement) && document.activeElement.dataset.column;
    this.host.replaceChildren(...this.made(sorted));
    if (hadFocus) this.host.querySelector(`[data-column="${hadFocus}"]`)?.focus();
  }

  made(sorted) {
    if (sorted.length === 0) return [element('p', 'dim', this.empty)];
    const table = element('table');
    const head = element('tr');
    this.columns.forEach((column, index) => head.append(this.heading(column, index)));
    table.append(element('thead'), element('tbody'));
    table.tHead.append(head);
    const shown = this.isOpen ? sorted : sorted.slice(0, this.most);
    table.tBodies[0].append(...shown.map(row => this.line(row)));
    if (shown.length === sorted.length) return [table];
    const more = element('button', 'more', `${sorted.length - shown.length} more`);
    more.addEventListener('click', () => {
      this.isOpen = true;
      this.show(this.rows);
    });
    return [table, more];
  }

  heading(column, index) {
    const cell = element('th', column.isText ? 'text' : '');
    const isSorted = this.sort.column === column;
    if (isSorted) cell.setAttribute('aria-sort', this.sort.isAscending ? 'ascending' : 'descending');
    cell.scope = 'col';
    const button = element('button', '', column.title);
    button.dataset.column = index;
    button.addEventListener('click', () => {
      this.sort = {column, isAscending: isSorted ? !this.sort.isAscending : Boolean(column.isText)};
      this.show(this.rows);
    });
    cell.append(button);
    return cell;
  }

  line(row) {
    const line = element('tr');
    this.columns.forEach((column, index) => {
      const cell = element('td', column.isText ? 'text' : '');
      const text = (column.text ?? String)(column.value(row), row);
      const isButton = this.onChoose && index === this.columns.length - 1;
      if (column.make) cell.append(column.make(row));
      else if (isButton) cell.append(this.button(row, text));
      else cell.textContent = text;
      if (column.className) cell.classList.add(column.className);
      line.append(cell);
    });
    if (this.key && this.key(row) === this.chosen) line.setAttribute('aria-current', 'true');
    return line;
  }

  button(row, text) {
    const button = element('button', 'sql', text);
    button.addEventListener('click', () => {
      this.chosen = this.key?.(row) ?? null;
      for (const line of this.host.querySelectorAll('[aria-current]')) line.removeAttribute('aria-current');
      button.closest('tr').setAttribute('aria-current', 'true');
      this.onChoose(row);
    });
    return button;
  }
}

const number = new Intl.NumberFormat('en');
const countText = count => number.format(count);
const durationText = ns => (ns > 0 ? shortDuration(ns) : '0');
function bytesText(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4);
  return `${(bytes / 1024 ** power).toPrecision(3)} ${'KMGT'[power - 1]}iB`;
}
const of = (title, value, text, more = {}) => ({title, value, text, ...more});

const budgetColumn = {
  title: 'Budget', value: row => row.budgeted ?? 0, className: 'budget',
  make: row => {
    const bar = element('span', 'bar');
    fillBar(bar, parts.map((part, i) => ({...part, ns: row.causes[i]})));
    bar.setAttribute('role', 'img');
    return bar;
  },
};

const ioTable = () => new Table(byId('tables'), [
  of('Time', row => row.ns, durationText),
  of('Reads', row => row.counts[0], countText),
  of('Bytes read', row => row.bytes[0], bytesText),
  of('Writes', row => row.counts[1], countText),
  of('Bytes written', row => row.bytes[1], bytesText),
  of('Fsyncs', row => row.counts[2], countText),
  of('Blocked', row => row.blocked, countText),
  of('Longest', row => row.max, durationText),
  of('Table or file', row => row.name, undefined, {isText: true}),
], {most: 15, empty: 'No operations on files are known.'});

function ioRows() {
  const byTable = new Map();
  for (const {place, second: operation, numbers} of
       gathered(report.table_cells, period.first, period.last, {places: 2, greatest: true})) {
    const [count, blocked, bytes, ns, max] = numbers;
    if (!byTable.has(place))
      byTable.set(place, {name: report.tables[place], counts: [0, 0, 0], bytes: [0, 0, 0], ns: 0, blocked: 0, max: 0});
    const row = byTable.get(place);
    row.counts[operation] += count;
    row.bytes[operation] += bytes;
    row.ns += ns;
    row.blocked += blocked;
    row.max = Math.max(row.max, max);
  }
  return [...byTable.values()];
}

const eventTable = () => new Table(byId('events'), [
  of('Time', row => row.numbers[0], durationText),
  of('Waits', row => row.numbers[1], countText),
  of('Mean', row => row.numbers[0] / Math.max(row.numbers[1], 1), durationText),
  of('Event', row => report.events[row.place], undefined, {isText: true}),
], {most: 15});

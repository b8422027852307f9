'use strict';

// Numbers for a person: three digits.
function shortDuration(ns) {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  let value = ns;
  let unit = '';
  for (const larger of ['µs', 'ms', 's']) {
    if (unit && value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${unit}`;
}

function shareText(part, whole) {
  if (whole <= 0) return '0 %';
  const percent = part / whole * 100;
  return `${percent < 99.95 ? percent.toFixed(1) : '100'} %`;
}

function plural(count, word) {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

// An element with text, and nothing that is read as HTML.
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// A bar of colours: `parts` are {name, color, ns}.
function fillBar(bar, parts) {
  const all = parts.reduce((sum, part) => sum + part.ns, 0);
  const shown = parts.filter(part => part.ns > 0);
  bar.replaceChildren(...shown.map(part => {
    const piece = element('span');
    piece.style.flexGrow = part.ns / all;
    piece.style.background = part.color;
    piece.title = `${part.name} ${shortDuration(part.ns)}, ${shareText(part.ns, all)}`;
    return piece;
  }));
  bar.setAttribute('aria-label', shown.map(part => `${part.name} ${shareText(part.ns, all)}`).join(', '));
}

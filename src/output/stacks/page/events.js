// What the reader does.

function blockUnder(event) {
  const {left, top} = byId('graph').getBoundingClientRect();
  return graph.at(event.clientX - left, event.clientY - top);
}

function zoomOut() {
  if (graph.zoomed.parent) zoom(graph.root);
  hideTip();
}

function onGraphKey(event) {
  if (event.key.startsWith('Arrow')) select(graph.neighbour(event.key));
  else if (event.key === 'Enter' && graph.selected) zoom(graph.selected);
  else if (event.key === 'Home') select(graph.root);
  else return;
  event.preventDefault();
}

function onPageKey(event) {
  if (event.key === 'Escape') {
    if (event.target === byId('search')) {
      byId('search').value = '';
      search();
      byId('graph').focus();
    } else {
      zoomOut();
    }
  } else if (event.key === '/' && event.target !== byId('search')) {
    byId('search').focus();
    event.preventDefault();
  }
}

function listen() {
  const canvas = byId('graph');
  canvas.addEventListener('click', event => {
    const block = blockUnder(event);
    if (block) zoom(block);
  });
  canvas.addEventListener('mousemove', event => {
    const block = blockUnder(event);
    canvas.style.cursor = block ? 'pointer' : '';
    if (block) showTip(block, event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener('mouseleave', hideTip);
  canvas.addEventListener('blur', hideTip);
  canvas.addEventListener('keydown', onGraphKey);
  document.addEventListener('keydown', onPageKey);
  byId('search').addEventListener('input', search);
  for (const [id, order] of [['merged', false], ['ordered', true]])
    byId(id).addEventListener('click', () => {
      isOrdered = order;
      showStacks();
    });
  new ResizeObserver(() => graph.draw()).observe(canvas.parentElement);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => graph.draw());
}

document.querySelector('main').hidden = false;
if (profiles.length > 0) {
  showProfile(listQueries());
  listen();
} else {
  byId('text').textContent = 'No stacks were taken.';
  for (const part of document.querySelectorAll('main > :not(header)')) part.hidden = true;
}

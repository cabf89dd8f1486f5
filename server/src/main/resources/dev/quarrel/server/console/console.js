// The console's pages. What the server sends is put into them as text, never as HTML.
'use strict';

const $ = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const SAMPLE_MS = 2000, SAMPLES = 150, MOST_BARS = 50, MOST_SERIES = 4;

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// ---- numbers

const whole = new Intl.NumberFormat('en');
const count = n => n === null || n === undefined ? '' : whole.format(n);
const counted = (n, one, many) => n === null || n === undefined ? '' : whole.format(n) + ' ' + (n === 1 ? one : many || one + 's');

function bytes(n) {
  if (n === null || n === undefined) return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0, value = n;
  while (value >= 1000 && unit < units.length - 1) { value /= 1024; unit++; }
  return (unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)) + ' ' + units[unit];
}

function millis(ms) {
  if (ms === null || ms === undefined) return '';
  if (ms < 10) return ms.toFixed(2) + ' ms';
  if (ms < 1000) return ms.toFixed(0) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(1) + ' s';
  return Math.floor(ms / 60000) + ' min ' + Math.round(ms % 60000 / 1000) + ' s';
}

function short(n) {
  const size = Math.abs(n);
  for (const [unit, by] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]]) {
    if (size >= by) return String(+(n / by).toPrecision(3)) + unit;
  }
  return String(+n.toPrecision(6));
}

const cut = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + '…';

// ---- the server

let database = '';

async function ask(method, path, body, signal) {
  let response;
  try {
    response = await fetch('/console/' + path, {
      method, signal, credentials: 'same-origin', cache: 'no-store',
      headers: body ? {'content-type': 'application/json'} : {},
      body: body ? JSON.stringify(body) : undefined
    });
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    throw {message: 'The server does not answer.', isLost: true};
  }
  let answer;
  try {
    answer = await response.json();
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    answer = {error: {message: 'The server answered ' + response.status + '.'}};
  }
  if (response.status === 401 && path !== 'login') showLogin(answer.needsPassword);
  if (!response.ok) throw {...answer.error, status: response.status};
  return answer;
}

const get = path => ask('GET', 'api/' + path + (database ? '?database=' + encodeURIComponent(database) : ''));

function trouble(failure) {
  $('trouble').textContent = failure ? failure.message : '';
  $('trouble').hidden = !failure || failure.status === 401;
}

// ---- login

function showLogin(needsPassword) {
  $('app').hidden = true;
  $('login').hidden = false;
  if (needsPassword !== undefined) {
    $('login-password-row').hidden = !needsPassword;
    $('login-trust').hidden = needsPassword;
  }
  $('login-user').focus();
}

function showApp(session) {
  $('login').hidden = true;
  $('app').hidden = false;
  $('user').textContent = session.user;
  database = session.databases.length > 1 ? session.databases[0] : '';
  $('database').replaceChildren(...session.databases.map(name => el('option', {}, name)));
  $('database-row').hidden = session.databases.length < 2;
  show(location.hash.slice(1) || 'editor');
}

$('login-form').addEventListener('submit', async event => {
  event.preventDefault();
  const button = event.target.querySelector('button');
  button.disabled = true;
  $('login-error').textContent = '';
  try {
    const session = await ask('POST', 'login', {user: $('login-user').value, password: $('login-password').value});
    $('login-password').value = '';
    showApp(session);
  } catch (failure) {
    $('login-error').textContent = failure.message;
  }
  button.disabled = false;
});

$('logout').addEventListener('click', async () => {
  try {
    await ask('POST', 'logout', {});
  } catch (failure) {
    trouble(failure);
  }
  sessionStorage.clear();
  location.hash = '';
  location.reload();
});

$('database').addEventListener('change', event => {
  database = event.target.value;
  show(view);
});

// ---- views

let view = 'editor';
const views = {editor: () => {}, queries: loadQueries, tables: loadTables, server: drawServer};

function show(name) {
  view = Object.hasOwn(views, name) ? name : 'editor';
  for (const each of Object.keys(views)) $('view-' + each).hidden = each !== view;
  for (const button of document.querySelectorAll('nav button')) {
    if (button.dataset.view === view) button.setAttribute('aria-current', 'page');
    else button.removeAttribute('aria-current');
  }
  if (location.hash.slice(1) !== view) location.hash = view;
  trouble(null);
  views[view]();
}

for (const button of document.querySelectorAll('nav button')) {
  button.addEventListener('click', () => show(button.dataset.view));
}
addEventListener('hashchange', () => { if (!$('app').hidden) show(location.hash.slice(1)); });

// ---- tables of data

// Columns: {title, note, isNumber, cell(row)}; a cell is a text, null, or a node.
function table(columns, rows, props) {
  const head = el('tr', {}, ...columns.map(column => el('th', {scope: 'col', class: column.isNumber ? 'num' : ''},
    column.title, column.note ? el('small', {}, column.note) : null)));
  const body = rows.map(row => {
    const line = el('tr', {}, ...columns.map(column => {
      const value = column.cell(row);
      if (value === null) return el('td', {class: 'null' + (column.isNumber ? ' num' : '')}, 'null');
      const cell = el('td', {class: (column.isNumber ? 'num ' : '') + (column.class ? column.class(row) : '')}, value);
      if (typeof value === 'string' && value.length > 60) cell.title = value;
      return cell;
    }));
    if (props && props.isChosen && props.isChosen(row)) line.className = 'chosen';
    return line;
  });
  return el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': (props && props.label) || 'rows'},
    el('table', {}, el('thead', {}, head), el('tbody', {}, ...body)));
}

// ---- the editor

let running = null, result = null, plan = null, resultOf = '', planOf = '', shift = 0;

const sql = $('sql');
sql.value = sessionStorage.getItem('sql') || '';
sql.addEventListener('input', () => sessionStorage.setItem('sql', sql.value));
sql.addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});

function statement() {
  const part = sql.value.slice(sql.selectionStart, sql.selectionEnd);
  shift = part.trim() ? sql.selectionStart : 0;
  return part.trim() ? part : sql.value;
}

async function work(text, request, done) {
  if (running || !text.trim()) return;
  running = new AbortController();
  $('error').hidden = true;
  $('outcome').textContent = 'running …';
  $('run').disabled = $('explain').disabled = true;
  $('stop').hidden = false;
  try {
    done(await request(running.signal));
  } catch (failure) {
    $('outcome').textContent = '';
    $('result').hidden = true;
    showError($('error'), failure.name === 'AbortError' ? {message: 'stopped'} : failure, text, sql, shift);
  }
  running = null;
  $('run').disabled = $('explain').disabled = false;
  $('stop').hidden = true;
}

function run() {
  const text = statement();
  work(text, signal => ask('POST', 'api/run', {text, database, limit: +$('limit').value}, signal), answer => {
    result = answer;
    resultOf = text;
    const rows = answer.columns.length || answer.rows.length ? counted(answer.rows.length, 'row') : answer.tag;
    $('outcome').textContent = [rows + (answer.isCut ? ', cut here' : ''), millis(answer.ms), answer.device]
      .filter(part => part).join(' · ');
    drawRows();
    drawChart();
    if (planOf !== text) { plan = null; drawPlan(); }
    choose(tab === 'plan' ? 'rows' : tab);
    $('result').hidden = false;
  });
}

function explain() {
  const text = statement();
  work(text, signal => ask('POST', 'api/explain', {text, database, analyze: true}, signal), answer => {
    plan = answer;
    planOf = text;
    if (resultOf !== text) { result = null; drawRows(); drawChart(); }
    $('outcome').textContent = 'planned in ' + millis(answer.planningMs) + ', ran in ' + millis(answer.executionMs);
    $('result').hidden = false;
    choose('plan');
    drawPlan();
  });
}

$('run').addEventListener('click', run);
$('explain').addEventListener('click', explain);
$('stop').addEventListener('click', () => { if (running) running.abort(); });

// Shows what went wrong, and where in the text; the cursor goes there as well.
function showError(box, failure, text, field, from) {
  box.replaceChildren(el('div', {}, el('strong', {}, failure.message || String(failure)),
    failure.code ? el('span', {class: 'dim'}, '  ' + failure.code) : null));
  for (const more of [failure.detail, failure.hint]) {
    if (more) box.append(el('div', {}, more));
  }
  if (failure.position && text) {
    const at = Array.from(text).slice(0, failure.position - 1).join('').length;
    const start = text.lastIndexOf('\n', at - 1) + 1;
    const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    const lead = 'line ' + text.slice(0, at).split('\n').length + ': ';
    const left = Math.max(start, at - 60);
    box.append(el('pre', {}, lead + text.slice(left, Math.min(end, left + 160)) + '\n' + ' '.repeat(lead.length + at - left),
      el('span', {class: 'at'}, '^')));
    if (field) {
      field.focus();
      field.setSelectionRange(from + at, from + at);
    }
  }
  box.hidden = false;
}

let tab = 'rows';
function choose(name) {
  tab = name;
  for (const button of document.querySelectorAll('.tabs button')) {
    const isIt = button.dataset.tab === tab;
    button.setAttribute('aria-selected', isIt);
    button.tabIndex = isIt ? 0 : -1;
    $('pane-' + button.dataset.tab).hidden = !isIt;
  }
  if (tab === 'chart') drawChart();
}
for (const button of document.querySelectorAll('.tabs button')) {
  button.addEventListener('click', () => choose(button.dataset.tab));
  button.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) {
      const all = [...document.querySelectorAll('.tabs button')];
      const next = all[(all.indexOf(button) + step + all.length) % all.length];
      choose(next.dataset.tab);
      next.focus();
    }
  });
}

function drawRows() {
  const pane = $('pane-rows');
  if (!result) {
    pane.replaceChildren(el('p', {class: 'dim'}, 'Run shows rows here.'));
    return;
  }
  const parts = result.notices.map(notice => el('p', {class: 'dim'}, notice.severity + ': ' + notice.message));
  if (result.columns.length) {
    parts.push(table(result.columns.map((column, index) => ({
      title: column.name, note: column.type, isNumber: column.kind === 'number', cell: row => row[index]
    })), result.rows));
    if (result.isCut) parts.push(el('p', {class: 'dim'}, 'There are more rows, or longer texts, than are shown.'));
  } else {
    parts.push(el('p', {class: 'dim'}, result.tag || 'nothing'));
  }
  pane.replaceChildren(...parts);
}

// ---- charts

let chart = {};

function drawChart() {
  const pane = $('pane-chart');
  if (!result || $('result').hidden || pane.hidden) return;
  const columns = result.columns.map((column, index) => ({...column, index}));
  const numbers = columns.filter(column => column.kind === 'number');
  const xs = columns.filter(column => column.kind === 'time' || column.kind === 'text').concat(numbers);
  if (chart.of !== result) {
    const x = xs[0];
    const y = numbers.find(column => x && column.index !== x.index);
    chart = {of: result, x: x && x.index, y: y && y.index, kind: x && x.kind === 'text' ? 'bar' : 'line'};
  }
  if (!result.rows.length || chart.x === undefined || chart.y === undefined) {
    pane.replaceChildren(el('p', {class: 'dim'},
      'A chart needs a column of numbers, and one beside it of texts, times or numbers.'));
    return;
  }
  const pick = (label, value, options, set) => el('label', {}, label + ' ', el('select', {
    onchange: event => { set(event.target.value); drawChart(); }
  }, ...options.map(option => el('option', {value: option[0], selected: String(option[0]) === String(value)}, option[1]))));
  const bar = el('div', {class: 'bar'},
    pick('Chart', chart.kind, [['bar', 'bars'], ['line', 'line']], value => { chart.kind = value; }),
    pick('by', chart.x, xs.map(column => [column.index, column.name]), value => { chart.x = +value; }),
    pick('of', chart.y, numbers.map(column => [column.index, column.name]), value => { chart.y = +value; }));
  const width = Math.max(280, pane.clientWidth);
  const drawn = chart.kind === 'bar' ? bars(width) : lines(width, columns);
  pane.replaceChildren(bar, drawn);
}

function nice(low, high, most) {
  if (low === high) { low -= Math.abs(low) / 2 || 1; high += Math.abs(high) / 2 || 1; }
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(by => by * power).find(by => by >= rough);
  const ticks = [];
  for (let tick = Math.floor(low / step) * step; tick < high + step * 0.999; tick += step) ticks.push(+tick.toPrecision(12));
  return ticks;
}

function bars(width) {
  const rows = result.rows.filter(row => row[chart.y] !== null);
  const shown = rows.slice(0, MOST_BARS);
  const values = shown.map(row => +row[chart.y]);
  const low = Math.min(0, ...values), high = Math.max(0, ...values, low + 1e-9);
  const label = Math.min(Math.round(width * 0.32), 14 + 7 * Math.max(...shown.map(row => (row[chart.x] ?? 'null').length), 4));
  const height = shown.length * 24 + 8, room = width - label - 80;
  const place = value => label + (value - low) / (high - low) * room;
  const picture = svg('svg', {width, height, role: 'img', 'aria-label': 'bars of ' + result.columns[chart.y].name});
  shown.forEach((row, index) => {
    const top = index * 24 + 4, from = Math.min(place(0), place(values[index])), to = Math.max(place(0), place(values[index]));
    picture.append(svg('g', {},
      svg('title', {}, (row[chart.x] ?? 'null') + ': ' + row[chart.y]),
      svg('text', {x: label - 8, y: top + 14, 'text-anchor': 'end'}, cut(row[chart.x] ?? 'null', Math.floor((label - 10) / 7))),
      svg('rect', {class: 'bar0', x: from, y: top, width: Math.max(1, to - from), height: 18, rx: 3}),
      svg('text', {class: 'tick', x: Math.max(to, place(0)) + 6, y: top + 13}, short(values[index]))));
  });
  return el('div', {}, picture, rows.length > shown.length
    ? el('p', {class: 'dim'}, 'The first ' + MOST_BARS + ' of ' + count(rows.length) + ' rows.') : null);
}

function lines(width, columns) {
  const x = columns[chart.x], isTime = x.kind === 'time', isNumber = x.kind === 'number';
  const series = [columns[chart.y], ...columns.filter(column => column.kind === 'number'
    && column.index !== chart.y && column.index !== chart.x)].slice(0, MOST_SERIES);
  const at = (row, index) => isTime ? Date.parse(row[x.index].replace(' ', 'T').replace(/(T.*[+-]\d\d)$/, '$1:00')) : isNumber ? +row[x.index] : index;
  let points = result.rows.map((row, index) => ({row, x: row[x.index] === null ? NaN : at(row, index)}))
    .filter(point => Number.isFinite(point.x));
  if (isTime || isNumber) points = points.sort((one, other) => one.x - other.x);
  const value = (point, column) => point.row[column.index] === null ? NaN : +point.row[column.index];
  const main = points.map(point => value(point, series[0])).filter(Number.isFinite);
  if (!points.length || !main.length) return el('p', {class: 'dim'}, 'No values.');
  // Others only where they are of the same size: one axis is all there is.
  const size = Math.max(...main.map(Math.abs));
  const drawn = series.filter((column, index) => {
    const most = Math.max(...points.map(point => Math.abs(value(point, column))).filter(Number.isFinite), 0);
    return index === 0 || most > size / 20 && most < size * 20;
  });
  const all = points.flatMap(point => drawn.map(column => value(point, column))).filter(Number.isFinite);
  const lowest = Math.min(...all), highest = Math.max(...all);
  const ticks = nice(lowest > 0 && lowest < highest / 2 ? 0 : lowest, highest, 5);
  const low = ticks[0], high = ticks.at(-1);
  const left = 14 + 7 * Math.max(...ticks.map(tick => short(tick).length)), height = 300, bottom = height - 28, right = width - 14;
  const first = points[0].x, last = points.at(-1).x;
  const px = v => last === first ? (left + right) / 2 : left + (v - first) / (last - first) * (right - left);
  const py = v => bottom - (v - low) / (high - low) * (bottom - 12);
  const picture = svg('svg', {width, height, role: 'img', 'aria-label': 'line of ' + drawn.map(column => column.name).join(', ')});
  for (const tick of ticks) {
    picture.append(svg('line', {class: 'grid', x1: left, x2: right, y1: py(tick), y2: py(tick)}),
      svg('text', {class: 'tick', x: left - 6, y: py(tick) + 4, 'text-anchor': 'end'}, short(tick)));
  }
  const labels = Math.max(2, Math.min(7, Math.floor(width / 140), points.length));
  const span = last - first;
  for (let index = 0; index < labels; index++) {
    const near = labels === 1 ? first : first + span * index / (labels - 1);
    const text = isTime ? new Date(near).toISOString().slice(0, span > 3 * 864e5 ? 10 : 16).replace('T', ' ')
      : isNumber ? short(near) : cut(points[Math.round(near)].row[x.index], 14);
    picture.append(svg('text', {class: 'tick', x: px(near), y: height - 8,
      'text-anchor': index === 0 ? 'start' : index === labels - 1 ? 'end' : 'middle'}, text));
    if (span === 0) break;
  }
  drawn.forEach((column, number) => {
    let path = '', isOn = false;
    for (const point of points) {
      const y = value(point, column);
      if (Number.isFinite(y)) path += (isOn ? 'L' : 'M') + px(point.x).toFixed(1) + ' ' + py(y).toFixed(1);
      isOn = Number.isFinite(y);
    }
    picture.append(svg('path', {class: 'line s' + number, d: path}));
    if (points.length <= 60 && number === 0) {
      for (const point of points) {
        const y = value(point, column);
        if (Number.isFinite(y)) picture.append(svg('circle', {class: 'dot', cx: px(point.x), cy: py(y), r: 3},
          svg('title', {}, point.row[x.index] + ': ' + point.row[column.index])));
      }
    }
  });
  const legend = svg('svg', {width, height: 20});
  let place = left;
  drawn.forEach((column, number) => {
    legend.append(svg('line', {class: 'line s' + number, x1: place, x2: place + 18, y1: 11, y2: 11}),
      svg('text', {x: place + 24, y: 15}, cut(column.name, 24)));
    place += 44 + 7 * Math.min(24, column.name.length);
  });
  return el('div', {}, picture, legend);
}

let wasWide = innerWidth > 800;
addEventListener('resize', () => {
  drawChart();
  if (wasWide !== innerWidth > 800) {
    wasWide = !wasWide;
    drawPlan();
  }
});

// ---- plans

function drawPlan() {
  const pane = $('pane-plan');
  if (!plan) {
    pane.replaceChildren(el('p', {class: 'dim'}, 'Plan runs the statement, and shows here what each step of it did.'));
  } else {
    pane.replaceChildren(planView(plan));
  }
}

function planView(ofPlan) {
  const detail = el('div', {});
  const text = el('pre', {class: 'lines', hidden: true, tabindex: '0'}, ofPlan.lines.join('\n'));
  const picture = el('div', {class: 'plan'}, ofPlan.plan ? planPicture(ofPlan.plan, node => planDetail(detail, node)) : '');
  const toggle = el('button', {onclick: () => {
    text.hidden = !text.hidden;
    picture.hidden = detail.hidden = !text.hidden;
    toggle.textContent = text.hidden ? 'As text' : 'As a picture';
  }}, 'As text');
  return el('div', {}, picture, detail, text, el('div', {class: 'bar'}, toggle));
}

function planDetail(box, node) {
  box.replaceChildren(el('h3', {}, node.name), el('dl', {}, ...Object.entries(node.properties)
    .flatMap(([label, value]) => [el('dt', {}, label), el('dd', {class: 'mono'}, value)])));
}

function planPicture(root, onChoose) {
  const WIDTH = 200, HEIGHT = 84, GAP = 18, DROP = 42;
  const nodes = [];
  let leaves = 0, total = 0;
  (function place(node, depth, parent) {
    const placed = {node, depth, parent};
    nodes.push(placed);
    total += node.ms || 0;
    const below = node.inputs.map(input => place(input, depth + 1, placed));
    placed.column = below.length ? (below[0].column + below.at(-1).column) / 2 : leaves++;
    return placed;
  })(root, 0, null);
  // From left to right where there is room, otherwise from above.
  const depth = Math.max(...nodes.map(each => each.depth)) + 1, isWide = innerWidth > 800;
  const left = each => 2 + (isWide ? each.depth * (WIDTH + DROP) : each.column * (WIDTH + GAP));
  const top = each => 2 + (isWide ? each.column * (HEIGHT + GAP) : each.depth * (HEIGHT + DROP));
  const width = 4 + (isWide ? depth * (WIDTH + DROP) - DROP : leaves * (WIDTH + GAP) - GAP);
  const height = 4 + (isWide ? leaves * (HEIGHT + GAP) - GAP : depth * (HEIGHT + DROP) - DROP);
  const picture = svg('svg', {width, height, role: 'group', 'aria-label': 'plan'});
  for (const each of nodes.filter(one => one.parent)) {
    const rows = each.node.rows ?? each.node.readRows ?? each.node.expectedRows;
    const x1 = left(each) + (isWide ? 0 : WIDTH / 2), y1 = top(each) + (isWide ? HEIGHT / 2 : 0);
    const x2 = left(each.parent) + (isWide ? WIDTH : WIDTH / 2), y2 = top(each.parent) + (isWide ? HEIGHT / 2 : HEIGHT);
    const bend = isWide ? `${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2}` : `${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2}`;
    picture.append(svg('path', {class: 'edge', d: `M${x1} ${y1}C${bend} ${x2} ${y2}`,
      'stroke-width': (1 + Math.log10(1 + (rows || 0)) * 0.9).toFixed(1)}));
    if (rows !== undefined) {
      picture.append(svg('text', isWide ? {class: 'small', x: x1 - 5, y: y1 + (y1 > y2 ? 15 : -7), 'text-anchor': 'end'} : {class: 'small', x: x1 + 9, y: y1 - 7},
        short(rows)));
    }
  }
  let chosen = null;
  for (const each of nodes) {
    const node = each.node;
    const share = total && node.ms !== undefined ? node.ms / total : 0;
    const rows = node.rows !== undefined ? counted(node.rows, 'row')
      : node.readRows !== undefined ? count(node.readRows) + ' rows read' : '';
    const expected = node.expectedRows !== undefined ? (rows ? ' (expected ' : 'expected ') + short(node.expectedRows) + (rows ? ')' : ' rows') : '';
    const time = node.ms !== undefined ? millis(node.ms) + (total ? ' · ' + Math.round(share * 100) + ' %' : '') : '';
    const where = [node.device, node.tier, bytes(node.bytes)].filter(part => part).join(' · ');
    const choose = () => {
      if (chosen) chosen.classList.remove('chosen');
      chosen = group;
      group.classList.add('chosen');
      onChoose(node);
    };
    const group = svg('g', {class: 'node', tabindex: '0', role: 'button', transform: `translate(${left(each)} ${top(each)})`,
      'aria-label': [node.name, rows, time, where].filter(part => part).join(', ')},
    svg('title', {}, node.name),
    svg('rect', {class: 'box', width: WIDTH, height: HEIGHT, rx: 8}),
    svg('rect', {class: 'share', x: 1, y: 1, width: Math.max(0, (WIDTH - 2) * share), height: HEIGHT - 2, rx: 7}),
    svg('text', {class: 'name', x: 10, y: 20}, cut(node.name, 26)),
    svg('text', {x: 10, y: 38}, cut(rows + expected, 31)),
    svg('text', {x: 10, y: 55}, time),
    svg('text', {class: node.spilledBytes ? 'warn' : 'small', x: 10, y: 72},
      cut(node.spilledBytes ? 'spilled ' + bytes(node.spilledBytes) + ' · ' + where : where, 34)));
    group.addEventListener('click', choose);
    group.addEventListener('keydown', event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(); }
    });
    picture.append(group);
  }
  return picture;
}

// ---- queries

let newest = -1, chosenQuery = null;

async function loadQueries() {
  let answer;
  try {
    answer = await get('queries');
  } catch (failure) {
    trouble(failure);
    return;
  }
  trouble(null);
  $('running').replaceChildren(answer.running.length ? table([
    {title: '', cell: row => el('button', {class: 'danger', onclick: () => cancel(row.pid)}, 'Cancel')},
    {title: 'Time', isNumber: true, cell: row => millis(row.ms)},
    {title: 'Session', isNumber: true, cell: row => String(row.pid)},
    {title: 'Client', cell: row => row.application},
    {title: 'Statement', cell: row => el('button', {class: 'link', onclick: () => drawQuery(row)}, cut(row.text.replace(/\s+/g, ' '), 160))}
  ], answer.running, {label: 'running statements'}) : el('p', {class: 'dim'}, 'Nothing of yours runs now.'));
  const last = answer.past.length ? answer.past[0].number : 0;
  if (last !== newest) {
    newest = last;
    drawPast(answer.past);
  }
}

function drawPast(past) {
  $('past').replaceChildren(past.length ? table([
    {title: 'Ended', cell: row => new Date(row.end).toLocaleTimeString('en-GB')},
    {title: 'Time', isNumber: true, cell: row => millis(row.ms)},
    {title: 'Statement', cell: row => el('button', {class: 'link', onclick: () => { chosenQuery = row.number; drawPast(past); drawQuery(row); }},
      cut(row.text.replace(/\s+/g, ' '), 160))},
    {title: 'Outcome', cell: row => row.outcome + (row.error ? ' ' + row.error : ''), class: row => row.error ? 'bad' : ''},
    {title: 'Rows', isNumber: true, cell: row => count(row.rows)},
    {title: 'Sent', isNumber: true, cell: row => bytes(row.bytes)},
    {title: 'Device', cell: row => row.device},
    {title: 'Client', cell: row => row.application}
  ], past, {label: 'past statements', isChosen: row => row.number === chosenQuery}) : el('p', {class: 'dim'}, 'None yet.'));
}

async function cancel(pid) {
  try {
    await ask('POST', 'api/cancel', {pid});
  } catch (failure) {
    trouble(failure);
  }
  loadQueries();
}

function drawQuery(row) {
  const picture = el('div', {}), isPlain = row.kind === 'select' && !row.isCut;
  const show = async analyze => {
    picture.replaceChildren(el('p', {class: 'dim'}, 'planning …'));
    try {
      const answer = await ask('POST', 'api/explain', {text: row.text, database: row.database, analyze});
      picture.replaceChildren(planView(answer));
    } catch (failure) {
      const box = el('div', {class: 'card error'});
      showError(box, failure, row.text, null, 0);
      picture.replaceChildren(box);
    }
  };
  $('query-detail').hidden = false;
  $('query-detail').replaceChildren(
    el('div', {class: 'bar'}, el('h2', {}, 'Statement'),
      el('span', {class: 'dim'}, [row.number ? millis(row.ms) : 'running', counted(row.rows, 'row'), row.application, 'query ' + row.queryId]
        .filter(part => part).join(' · '))),
    el('pre', {class: 'text'}, row.text + (row.isCut ? ' …' : '')),
    el('div', {class: 'bar'},
      el('button', {onclick: () => edit(row.text)}, 'To the editor'),
      isPlain ? el('button', {onclick: () => show(false)}, 'Plan') : null,
      isPlain ? el('button', {onclick: () => show(true)}, 'Run again for its plan') : null,
      el('button', {onclick: () => { $('query-detail').hidden = true; chosenQuery = null; newest = -1; loadQueries(); }}, 'Close')),
    picture);
  $('query-detail').scrollIntoView({block: 'nearest'});
}

function edit(text) {
  sql.value = text;
  sessionStorage.setItem('sql', text);
  show('editor');
  sql.focus();
}

// ---- tables

let tables = [], chosenTable = null;

async function loadTables() {
  try {
    tables = (await get('tables')).tables;
    drawTables();
  } catch (failure) {
    trouble(failure);
  }
}

$('table-filter').addEventListener('input', drawTables);

function drawTables() {
  const words = $('table-filter').value.toLowerCase();
  const shown = tables.filter(each => (each.schema + '.' + each.name).toLowerCase().includes(words));
  $('table-list').replaceChildren(shown.length ? table([
    {title: 'Schema', cell: row => row.schema},
    {title: 'Table', cell: row => el('button', {class: 'link', onclick: () => loadTable(row)}, row.name)},
    {title: 'Rows', isNumber: true, cell: row => row.state || count(row.rows), class: row => row.state ? 'bad' : ''},
    {title: 'Size', isNumber: true, cell: row => bytes(row.bytes)},
    {title: 'Columns', isNumber: true, cell: row => count(row.columns)},
    {title: 'Batches', isNumber: true, cell: row => count(row.batches)}
  ], shown, {label: 'tables', isChosen: row => chosenTable === row}) : el('p', {class: 'dim'}, 'None.'));
}

const quoted = name => /^[a-z_][a-z0-9_]*$/.test(name) ? name : '"' + name.replaceAll('"', '""') + '"';

async function loadTable(row) {
  const box = $('table-detail');
  chosenTable = row;
  drawTables();
  box.hidden = false;
  try {
    const facts = await get('tables/' + encodeURIComponent(row.schema) + '/' + encodeURIComponent(row.name));
    const keys = facts.keys.map(key => key.kind + ' ' + key.name + ' (' + key.columns.join(', ') + ')');
    const inKey = name => facts.keys.some(key => key.columns.includes(name));
    box.className = 'card';
    box.replaceChildren(
      el('div', {class: 'bar'}, el('h2', {}, row.schema + '.' + row.name),
        el('span', {class: 'dim'}, [counted(facts.rows, 'row'), bytes(facts.bytes), counted(facts.batches, 'batch', 'batches')].filter(part => part).join(' · '))),
      table([
        {title: 'Column', cell: column => column.name},
        {title: 'Type', cell: column => column.type},
        {title: 'Key', cell: column => inKey(column.name) ? 'key' : ''},
        {title: 'Null', cell: column => column.isNullable ? column.nullShare === null ? '' : nulls(column.nullShare) : 'never'},
        {title: 'Distinct', isNumber: true, cell: column => column.distinct === null ? '' : count(column.distinct)},
        {title: 'Width', isNumber: true, cell: column => column.width === null ? '' : String(Math.round(column.width * 10) / 10)}
      ], facts.columns, {label: 'columns'}),
      el('dl', {}, ...[['Keys', keys.join('; ')], ['Sorted by', facts.sortedBy.join(', ')]].filter(each => each[1])
        .flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])),
      el('div', {class: 'bar'},
        el('button', {onclick: () => edit('select *\nfrom ' + quoted(row.schema) + '.' + quoted(row.name) + '\nlimit 100')}, 'Query it'),
        el('button', {onclick: () => { box.hidden = true; chosenTable = null; drawTables(); }}, 'Close')));
  } catch (failure) {
    box.className = 'card error';
    showError(box, failure, '', null, 0);
  }
  box.scrollIntoView({block: 'nearest'});
}

function nulls(share) {
  const meter = el('meter', {min: 0, max: 1, value: share});
  return el('span', {}, meter, ' ' + (share === 0 || share === 1 ? share * 100 : (share * 100).toPrecision(2)) + ' %');
}

// ---- the server over time

const samples = [];

async function sample() {
  if (document.hidden || $('app').hidden) return;
  try {
    const status = await get('status');
    samples.push({...status, at: Date.now()});
    if (samples.length > SAMPLES) samples.shift();
    trouble(null);
    if (view === 'server') drawServer();
    if (view === 'queries') loadQueries();
  } catch (failure) {
    trouble(failure);
  }
}

function spark(values, most) {
  const WIDTH = 240, HEIGHT = 48, high = Math.max(most || 0, ...values, 1e-9);
  const x = index => WIDTH - (values.length - 1 - index) * WIDTH / (SAMPLES - 1), y = value => HEIGHT - 2 - value / high * (HEIGHT - 6);
  const line = values.map((value, index) => (index ? 'L' : 'M') + x(index).toFixed(1) + ' ' + y(value).toFixed(1)).join('');
  return svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: '100%', height: HEIGHT, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
    svg('line', {class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT - 2, y2: HEIGHT - 2}),
    svg('path', {class: 'area', d: line + `L${WIDTH} ${HEIGHT - 2}L${x(0).toFixed(1)} ${HEIGHT - 2}Z`}),
    svg('path', {class: 'line s0', d: line, 'vector-effect': 'non-scaling-stroke'}));
}

function drawServer() {
  const now = samples.at(-1);
  if (!now) { sample(); return; }
  const of = name => samples.map(each => each[name]);
  const rate = samples.map((each, index) => index === 0 ? 0
    : Math.max(0, each.planHits + each.planMisses - samples[index - 1].planHits - samples[index - 1].planMisses)
      / Math.max(0.1, (each.at - samples[index - 1].at) / 1000));
  const spills = samples.map((each, index) => index === 0 ? 0 : each.spilled - samples[index - 1].spilled);
  const states = Object.entries(now.sessionStates).map(([state, n]) => n + ' ' + state).join(', ');
  const planned = now.planHits + now.planMisses;
  const gauge = (title, value, note, values, most) => el('section', {class: 'card'}, el('h2', {}, title),
    el('div', {class: 'value'}, value, ' ', el('small', {}, note)), spark(values, most));
  $('gauges').replaceChildren(
    gauge('Memory of queries', bytes(now.memory), 'of ' + bytes(now.memoryLimit), of('memory'), 0),
    gauge('Workers that run', String(now.busyWorkers), 'of ' + now.workers, of('busyWorkers'), now.workers),
    gauge('Sessions', String(now.sessions), 'of ' + now.maxSessions + (states ? ': ' + states : ''), of('sessions'), 4),
    gauge('Statements planned, a second', rate.at(-1).toFixed(1), planned ? Math.round(100 * now.planHits / planned) + ' % found their plan made' : '', rate, 1),
    gauge('Spilled', bytes(now.spilled), 'since the start', spills, 1),
    gauge('Heap of the JVM', bytes(now.heap), 'of ' + bytes(now.heapLimit), of('heap'), now.heapLimit));
  const devices = now.devices.map(each => [each.name, each.bytes === null ? 'there' : bytes(each.bytes) + ' in use'])
    .concat(Object.entries(now.missingDevices).map(([name, reason]) => [name, 'not there: ' + reason]));
  $('devices').replaceChildren(el('dl', {}, ...devices.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])));
}

setInterval(sample, SAMPLE_MS);

// ---- the start

choose('rows');
drawRows();
drawPlan();
ask('GET', 'api/session').then(session => { showApp(session); sample(); }, failure => {
  if (failure.status !== 401) { showLogin(); $('login-error').textContent = failure.message; }
});

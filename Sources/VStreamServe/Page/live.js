const TARGET_DELAY = 0.15, CATCH_UP_DELAY = 0.25, SEEK_DELAY = 1, KEPT_SECONDS = 12;
const tiles = new Map();
let cameras = [];

/** The live view of one camera. */
class Player extends Screen {
  constructor(name, screen, hasSound) {
    super(screen, `Live video of ${name}`);
    this.name = name;
    this.hasSound = hasSound;
    this.video.muted = !hasSound;
    this.video.autoplay = true;
    this.timer = setInterval(() => this.keepLive(), 200);
    this.connect();
  }

  connect() {
    const url = new URL(`api/v1/cameras/${encodeURIComponent(this.name)}/live${this.hasSound ? '?sound=1' : ''}`, BASE);
    url.protocol = url.protocol.replace('http', 'ws');
    this.socket = new WebSocket(url);
    this.socket.binaryType = 'arraybuffer';
    let isOpened = false;
    this.socket.onopen = () => { isOpened = true; this.report('connection'); };
    this.socket.onmessage = event => {
      if (typeof event.data === 'string') this.receive(JSON.parse(event.data));
      else this.append(new Uint8Array(event.data));
    };
    this.socket.onclose = () => {
      if (this.isClosed) return;
      this.report('connection', isOpened ? 'The connection to the server was lost.'
        : 'The server, or a proxy in front of it, refuses the live view.');
      this.retry = setTimeout(() => this.connect(), 1000 + 1000 * Math.random());
    };
  }

  receive(message) {
    switch (message.type) {
    case 'video': this.start(message); break;
    case 'noVideo': this.report('video', message.reason); break;
    case 'state':
      this.report('camera', message.state === 'live' ? '' : message.problem || `The camera is ${message.state}.`);
      break;
    case 'frame':
      this.records.push(message);
      if (this.records.length > 400) this.records.splice(0, 100);
      // A record that comes after its frame was shown.
      if (Math.abs(message.pts - this.shownTime) < 0.005 && this.drawsReported()) this.draw(this.shownTime);
      break;
    }
  }

  /** Prepares for a video, the first one or another one. */
  start(description) {
    this.pending = [];
    this.records = [];
    this.buffer = null;
    this.size = [description.width, description.height];
    this.source = null;
    const isPlayable = Source && Source.isTypeSupported(description.mimeType);
    this.report('video', isPlayable ? '' : `This browser does not play ${description.mimeType}.`);
    if (!isPlayable) return;
    const source = new Source();
    this.show(source);
    this.source = source;
    source.addEventListener('sourceopen', () => {
      if (this.source !== source) return;
      this.buffer = source.addSourceBuffer(description.mimeType);
      this.buffer.addEventListener('updateend', () => this.appendNext());
      this.appendNext();
    }, { once: true });
    this.video.play().catch(() => {});
  }

  append(bytes) {
    if (!this.source) return;
    this.pending.push(bytes);
    this.appendNext();
  }

  appendNext() {
    const buffer = this.buffer;
    if (!buffer || buffer.updating || this.source.readyState !== 'open') return;
    const ranges = this.video.buffered;
    if (ranges.length && this.video.currentTime - ranges.start(0) > 2 * KEPT_SECONDS) {
      buffer.remove(0, this.video.currentTime - KEPT_SECONDS);
      return;
    }
    if (!this.pending.length) return;
    const count = this.pending.reduce((sum, bytes) => sum + bytes.length, 0);
    const joined = new Uint8Array(count);
    let offset = 0;
    for (const bytes of this.pending) { joined.set(bytes, offset); offset += bytes.length; }
    this.pending = [];
    try { buffer.appendBuffer(joined); } catch (error) { this.restart(); }
  }

  restart() { this.socket.close(); }

  /** Keeps the video near its newest frame: by its rate, or by a jump where it is far behind. */
  keepLive() {
    const video = this.video, ranges = video.buffered;
    if (!ranges.length) return;
    const end = ranges.end(ranges.length - 1), delay = end - video.currentTime;
    const isOutside = video.currentTime < ranges.start(ranges.length - 1) - 0.01;
    if (isOutside || delay > SEEK_DELAY) video.currentTime = Math.max(ranges.start(ranges.length - 1), end - TARGET_DELAY);
    video.playbackRate = delay > CATCH_UP_DELAY ? 1 + Math.min(0.5, delay) : delay < TARGET_DELAY / 2 ? 0.97 : 1;
    this.delay = delay;
    if (video.paused && !document.hidden) video.play().catch(() => {});
  }

  close() {
    super.close();
    clearInterval(this.timer);
    clearTimeout(this.retry);
    this.socket.close();
  }
}

/** A camera on the page, with or without its player. */
class Tile {
  constructor(name) {
    this.name = name;
    this.screen = make('div', { className: 'screen' });
    this.state = make('span', { className: 'state' });
    this.figures = make('p', { className: 'figures' });
    const link = make('a', { href: `#${encodeURIComponent(name)}`, textContent: name });
    this.element = make('article', {}, [
      make('header', {}, [make('h2', {}, [link]), this.state]), this.screen, this.figures,
    ]);
    this.element.setAttribute('aria-label', `Camera ${name}`);
  }

  /** Plays with or without sound. */
  play(hasSound) {
    if (this.player && this.player.hasSound !== hasSound) this.stop();
    if (!this.player) this.player = new Player(this.name, this.screen, hasSound);
  }

  stop() {
    if (!this.player) return;
    this.player.close();
    this.player = null;
    this.screen.replaceChildren();
  }

  update(camera) {
    this.state.textContent = camera.state;
    this.state.className = `state ${camera.state}`;
    if (camera.width) this.screen.style.aspectRatio = `${camera.width} / ${camera.height}`;
    if (this.player) this.player.regions = { zones: camera.zones, lines: camera.lines };
    const count = camera.now ? items(camera.now).length : 0;
    this.figures.textContent = camera.state === 'live'
      ? `${camera.framesPerSecond.toFixed(1)} frames/s · ${camera.passesPerSecond.toFixed(1)} passes/s`
        + `${camera.passesMet ? '' : ' (fewer than wanted)'} · ${count} ${count === 1 ? 'object' : 'objects'}`
      : camera.problem || '';
  }
}

function items(record) { return ['objects', 'faces', 'poses'].flatMap(kind => (record[kind] || []).map(item => ({ kind, ...item }))); }

/** The camera and the moment of the address: `#front`, `#front@1795593600.50`; the moment is null where it is live. */
function selected() {
  const [name, time] = location.hash.slice(1).split('@');
  return { name: decodeURIComponent(name), time: time && Number.isFinite(Number(time)) ? Number(time) : null };
}

function selectedName() { return selected().name; }

/** Shows the grid or the selected camera, and plays what is visible. */
function arrange() {
  const { name, time } = selected(), isSingle = tiles.has(name);
  arrangePast(cameras.find(camera => camera.name === name), time);
  document.getElementById('grid').hidden = isSingle;
  document.getElementById('single').hidden = !isSingle;
  for (const { name: each, sound: hasSound } of cameras) {
    const tile = tiles.get(each);
    const isVisible = !document.hidden && (!isSingle || tile.name === name);
    const parent = document.getElementById(isSingle && tile.name === name ? 'large' : 'grid');
    parent.append(tile.element);
    if (tile === past?.tile && past.player) continue;
    if (isVisible) tile.play(isSingle && options.sound && hasSound); else tile.stop();
  }
  if (isSingle) showDetails(cameras.find(camera => camera.name === name));
  document.getElementById('soundLabel').hidden = !isSingle || !cameras.some(camera => camera.name === name && camera.sound);
  document.title = isSingle ? `${name} – vstream` : 'vstream';
}

/** Shows the recordings of the selected camera, at a moment of theirs. */
function arrangePast(camera, time) {
  const isRecorded = Boolean(camera && camera.recorded);
  document.getElementById('past').hidden = !isRecorded;
  if (past && (!isRecorded || past.camera.name !== camera.name)) { past.close(); past = null; }
  if (!isRecorded) return;
  past ??= new Past(camera, tiles.get(camera.name));
  if (past.player) past.player.video.muted = !options.sound;
  if (time !== past.shown) { past.shown = time; past.show(time); }
}

function showDetails(camera) {
  if (!camera) return;
  const figures = [
    ['State', camera.state], ['For', duration(camera.stateSeconds)], ['Source', camera.source],
    ['Video', `${camera.codec} ${camera.width}×${camera.height}`],
    ['Frames', `${camera.framesPerSecond.toFixed(1)} /s, ${camera.decodedPerSecond.toFixed(1)} decoded`],
    ['Passes', `${camera.passesPerSecond.toFixed(1)} of ${camera.passesWanted} /s`],
    ['Latency, 99 %', camera.latencyP99Seconds ? `≤ ${Math.round(1000 * camera.latencyP99Seconds)} ms` : '–'],
    ['Late, dropped', `${camera.frames.late}, ${camera.frames.dropped}`], ['Reconnected', `${camera.reconnects} times`],
    ['Viewers', camera.viewers],
  ];
  document.getElementById('figures').replaceChildren(
    ...figures.flatMap(([name, value]) => [make('dt', { textContent: name }), make('dd', { textContent: value })]));
  const found = camera.now ? items(camera.now) : [];
  document.getElementById('tracks').replaceChildren(found.length
    ? table(['ID', 'Label', 'Score'], found.map(item => [item.id || '', item.label || item.kind, item.score.toFixed(2)]))
    : make('p', { className: 'empty', textContent: 'None' }));
  const counts = camera.now ? regionRows(camera.now) : [];
  document.getElementById('counts').replaceChildren(counts.length
    ? table(['Name', 'Count'], counts) : make('p', { className: 'empty', textContent: 'None' }));
  document.getElementById('chart').replaceChildren(chart(camera.history));
}

function regionRows(record) {
  const zones = Object.entries(record.zones || {}).map(([name, inside]) => [name, `${sum(inside)} inside`]);
  const lines = Object.entries(record.lines || {}).map(([name, counts]) =>
    [name, `${sum(counts.toRight)} to the right, ${sum(counts.toLeft)} to the left`]);
  return [...zones, ...lines];
}

function sum(counts) { return Object.values(counts || {}).reduce((total, count) => total + count, 0); }

function table(headings, rows) {
  return make('table', {}, [
    make('thead', {}, [make('tr', {}, headings.map(text => make('th', { scope: 'col', textContent: text })))]),
    make('tbody', {}, rows.map(row => make('tr', {}, row.map(text => make('td', { textContent: text }))))),
  ]);
}

function chart(history) {
  const space = 'http://www.w3.org/2000/svg', svg = document.createElementNS(space, 'svg');
  const most = Math.max(1, ...history.map(count => count || 0));
  svg.setAttribute('viewBox', '0 0 240 64');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `In the last ${history.length} minutes at most ${most} at once; now ${history.at(-1) || 0}.`);
  const add = (name, attributes) => {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    svg.append(element);
  };
  add('line', { x1: 0, x2: 240, y1: 63.5, y2: 63.5 });
  history.forEach((count, index) => {
    const height = 60 * (count || 0) / most, x = 240 - 4 * (history.length - index);
    add('rect', { x, y: 63 - height, width: 3, height });
  });
  return svg;
}

function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

async function refresh() {
  try {
    const response = await fetch(new URL('api/v1/cameras', BASE));
    if (!response.ok) throw new Error(response.status === 401 ? 'A token is needed: open this page with ?token=TOKEN.' : `The server answers ${response.status}.`);
    cameras = (await response.json()).cameras;
    document.getElementById('problem').textContent = '';
  } catch (error) {
    document.getElementById('problem').textContent = error.message.startsWith('Failed') ? 'The server does not answer.' : error.message;
    return;
  }
  const names = new Set(cameras.map(camera => camera.name));
  for (const [name, tile] of tiles) if (!names.has(name)) { tile.stop(); tile.element.remove(); tiles.delete(name); }
  let isChanged = false;
  for (const camera of cameras) {
    if (!tiles.has(camera.name)) { tiles.set(camera.name, new Tile(camera.name)); isChanged = true; }
    tiles.get(camera.name).update(camera);
  }
  const live = cameras.filter(camera => camera.state === 'live').length;
  document.getElementById('summary').textContent = `${live} of ${cameras.length} ${cameras.length === 1 ? 'camera' : 'cameras'} live`;
  if (isChanged) arrange(); else if (!document.getElementById('single').hidden) showDetails(cameras.find(camera => camera.name === selectedName()));
}

for (const name of Object.keys(options)) {
  const box = document.getElementById(name);
  box.addEventListener('change', () => {
    options[name] = box.checked;
    if (name === 'sound') arrange();
  });
}
addEventListener('hashchange', arrange);
document.addEventListener('visibilitychange', arrange);
addEventListener('keydown', event => {
  if (['INPUT', 'SELECT', 'BUTTON'].includes(event.target.tagName) && event.key !== 'Escape') return;
  if (!event.ctrlKey && !event.metaKey && !event.altKey && pastKey(event.key)) return event.preventDefault();
  const names = cameras.map(camera => camera.name), index = names.indexOf(selectedName());
  if (event.key === 'Escape') location.hash = '';
  if (index < 0) return;
  if (event.key === 'ArrowRight') location.hash = encodeURIComponent(names[(index + 1) % names.length]);
  if (event.key === 'ArrowLeft') location.hash = encodeURIComponent(names[(index + names.length - 1) % names.length]);
});
refresh();
setInterval(refresh, 2000);

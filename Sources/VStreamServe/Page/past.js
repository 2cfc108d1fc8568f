// Seconds of video that are fetched at once, that are kept before the moment that is shown, and that are fetched ahead of it.
const PART_SECONDS = 20, PAST_KEPT = 60, PAST_AHEAD = 30;
// Parts of the time line in which tracks are counted.
const PARTS = 240;
const DAY = 86400, SCALES = { day: DAY, '6 hours': DAY / 4, hour: 3600, '10 minutes': 600 };

/** The answer of an address of the interface, or null where there is none. */
async function ask(path, parameters, signal) {
  const url = new URL(`api/v1/${path}`, BASE);
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value);
  const response = await fetch(url, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`The server answers ${response.status}.`);
  return response;
}

/** The recordings of one camera. Times are seconds since 1970; the video's own begin at `origin`. */
class PastPlayer extends Screen {
  constructor(name, element) {
    super(element, `Recorded video of ${name}`);
    this.name = name;
    this.video.muted = !options.sound;
    this.timer = setInterval(() => this.advance(), 250);
  }

  get time() { return this.origin === undefined ? null : this.origin + (this.wanted ?? this.video.currentTime); }

  /** Shows a moment: at once where it is there, or else with another source. */
  async seek(time, plays = !this.video.paused) {
    this.report('video');
    if (this.origin !== undefined && this.isBuffered(time - this.origin)) {
      this.video.currentTime = time - this.origin;
      return;
    }
    this.abort?.abort();
    this.abort = new AbortController();
    const signal = this.abort.signal;
    // Not before the first key frame that is shown.
    this.origin = Math.floor(time) - 100;
    this.wanted = time - this.origin;
    this.next = time;
    this.records = [];
    this.buffer = this.mimeType = null;
    if (!Source) return this.report('video', 'This browser does not play recordings.');
    const source = new Source();
    const opened = new Promise(resolve => source.addEventListener('sourceopen', resolve, { once: true }));
    this.show(source);
    this.source = source;
    try {
      await opened;
      await this.fetch(signal);
    } catch (error) {
      if (!signal.aborted) this.report('video', error.message);
    }
    if (plays && !signal.aborted && this.wanted === undefined) this.video.play().catch(() => {});
  }

  /** Another source begins with the default. */
  setSpeed(speed) { this.video.defaultPlaybackRate = this.video.playbackRate = speed; }

  isBuffered(time) {
    const ranges = this.video.buffered;
    for (let index = 0; index < ranges.length; index += 1) {
      if (ranges.start(index) - 0.001 <= time && time < ranges.end(index)) return true;
    }
    return false;
  }

  /** Fetches the next part, with its boxes, or finds where the recording goes on. */
  async fetch(signal) {
    if (this.isFetching === signal) return;
    this.isFetching = signal;
    try {
      const parameters = { from: this.next, to: this.next + PART_SECONDS };
      const boxes = await ask(`recordings/${encodeURIComponent(this.name)}/boxes.jsonl`, parameters, signal);
      const { file, description } = this.addBoxes(boxes ? await boxes.text() : '');
      // Of one file, whose boxes have the same times.
      const part = { ...parameters, to: Math.min(parameters.to, file?.end) };
      // The rest of a file may be shorter than a part of a frame.
      const video = description && part.to > this.next + 0.001 && await ask(`recordings/${encodeURIComponent(this.name)}/video.mp4`, part, signal);
      if (!video) return await this.findNext(file, signal);
      if (!Source.isTypeSupported(description.mimeType)) throw new Error(`This browser does not play ${description.mimeType}.`);
      const bytes = await video.arrayBuffer();
      this.size = [description.width, description.height];
      if (!this.buffer) this.buffer = this.source.addSourceBuffer(description.mimeType);
      // Otherwise a gap in the sound alone would lose the video up to its next key frame.
      else this.buffer.abort();
      if (this.mimeType && this.mimeType !== description.mimeType) this.buffer.changeType(description.mimeType);
      this.mimeType = description.mimeType;
      this.buffer.timestampOffset = Number(video.headers.get('Vstream-Start')) - this.origin;
      await this.change(() => this.buffer.appendBuffer(bytes));
      if (signal.aborted) return;
      const ranges = this.video.buffered, end = ranges.length ? this.origin + ranges.end(ranges.length - 1) : this.next;
      // The newest part of a file that is being written may have nothing new; that of another one is whole, also where its sound is not.
      if (file.open && end <= this.next) this.restUntil = performance.now() + 1000;
      this.next = Math.max(this.next, file.open ? Math.min(end, part.to) : part.to);
      if (this.wanted !== undefined && ranges.length) {
        this.video.currentTime = Math.max(this.wanted, ranges.start(0));
        this.wanted = undefined;
      }
    } finally {
      if (this.isFetching === signal) this.isFetching = null;
    }
  }

  /** Where nothing was recorded, or a file has nothing more, the next recording is shown. */
  async findNext(file, signal) {
    const answer = await ask('recordings', { camera: this.name, from: this.next, limit: 3 }, signal);
    const files = answer ? (await answer.json()).recordings : [];
    const next = files.find(each => each.name !== file?.name && each.start >= this.next - 0.001);
    if (next) {
      this.next = next.start;
      if (this.wanted !== undefined) this.wanted = next.start - this.origin;
      return this.fetchAgain(signal);
    }
    if (this.wanted !== undefined) throw new Error('Nothing was recorded then.');
    this.restUntil = performance.now() + 1000;
  }

  async fetchAgain(signal) {
    this.isFetching = null;
    await this.fetch(signal);
  }

  change(body) {
    const buffer = this.buffer;
    return new Promise((resolve, reject) => {
      const finish = event => {
        for (const name of ['updateend', 'error']) buffer.removeEventListener(name, finish);
        if (event.type === 'error') reject(new Error('The recording cannot be played.')); else resolve();
      };
      for (const name of ['updateend', 'error']) buffer.addEventListener(name, finish);
      body();
    });
  }

  /** Adds the boxes of the first file; the file and the description of its video. */
  addBoxes(text) {
    let file = null, description = null;
    const known = new Set(this.records.map(record => record.pts));
    for (const line of text.split('\n')) {
      if (!line) continue;
      const item = JSON.parse(line);
      if (item.type === 'file') {
        if (file) break;
        file = item;
      } else if (item.type === 'video') {
        description = item;
      } else if (item.type === 'frame' && file?.time !== undefined) {
        const pts = file.start + item.pts - file.time - this.origin;
        if (!known.has(pts)) this.records.push({ ...item, pts });
      }
    }
    this.records.sort((one, other) => one.pts - other.pts);
    return { file, description };
  }

  /** Fetches ahead, frees the parts shown before, and steps over gaps. */
  async advance() {
    const video = this.video;
    if (this.isClosed || !this.buffer || this.buffer.updating || this.isFetching) return;
    const ranges = video.buffered;
    // The browser waits at the end of the video or of its sound, at a high speed somewhat before it.
    const isWaiting = !video.seeking && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    if (isWaiting && !this.isBuffered(video.currentTime + 0.5)) {
      for (let index = 0; index < ranges.length; index += 1) {
        if (ranges.start(index) > video.currentTime) { video.currentTime = ranges.start(index); break; }
      }
    }
    const signal = this.abort.signal;
    try {
      if (ranges.length && video.currentTime - ranges.start(0) > 2 * PAST_KEPT) return await this.forget(video.currentTime - PAST_KEPT);
      const ahead = ranges.length ? ranges.end(ranges.length - 1) - video.currentTime : 0;
      if (ahead <= PAST_AHEAD && performance.now() >= (this.restUntil || 0)) await this.fetch(signal);
    } catch (error) {
      this.restUntil = performance.now() + 2000;
      if (signal.aborted) return;
      if (error.name === 'QuotaExceededError') await this.forget(video.currentTime - 5).catch(() => {});
      else this.report('video', error.message);
    }
  }

  /** Frees the video and the records before a time. */
  async forget(end) {
    if (end <= 0) return;
    this.records = this.records.filter(record => record.pts >= end);
    await this.change(() => this.buffer.remove(0, end));
  }

  /** Shows the next frame, or the one before. */
  step(direction) {
    this.video.pause();
    const now = this.video.currentTime;
    const times = this.records.map(record => record.pts).filter(time => direction > 0 ? time > now + 0.004 : time < now - 0.004);
    const time = direction > 0 ? Math.min(...times) : Math.max(...times);
    if (Number.isFinite(time)) this.video.currentTime = time + 0.002;
  }

  /** The record of the frame that is shown at a time: there is one for each, and some browsers report the time that was sought. */
  record(time) {
    let best = null;
    for (const record of this.records) if (record.pts <= time + 0.0001) best = record; else break;
    return best && time - best.pts < 0.5 ? best : null;
  }

  close() {
    this.abort?.abort();
    clearInterval(this.timer);
    super.close();
  }
}

function clock(time, withSeconds = true) {
  return new Date(1000 * time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', ...withSeconds && { second: '2-digit' } });
}

function startOfDay(time) { return new Date(1000 * time).setHours(0, 0, 0, 0) / 1000; }

/** The time line of a camera, its tracks, and the moment that is shown. */
class Past {
  constructor(camera, tile) {
    [this.camera, this.tile] = [camera, tile];
    this.scale = DAY;
    this.start = startOfDay(Date.now() / 1000);
    this.marks = [];
    this.element = document.getElementById('past');
    this.line = document.getElementById('line');
    this.timer = setInterval(() => this.showMoment(), 250);
    this.refresher = setInterval(() => this.load(), 15000);
    this.load();
  }

  /** Shows a moment of the past, or the live view. */
  show(time) {
    if (time === null) {
      if (this.player) { this.player.close(); this.tile.screen.replaceChildren(); }
      this.player = null;
    } else {
      if (!this.player) {
        this.tile.stop();
        this.player = new PastPlayer(this.camera.name, this.tile.screen);
        this.player.setSpeed(Number(document.getElementById('speed').value));
      }
      this.player.regions = { zones: this.camera.zones, lines: this.camera.lines };
      this.player.seek(time, true);
      if (time < this.start || time >= this.start + this.scale) this.move(time);
    }
    this.showMoment();
  }

  go(time) { location.hash = `${encodeURIComponent(this.camera.name)}@${time.toFixed(2)}`; }

  /** Moves the time line to the day, or the part of it, with a moment. */
  move(time) {
    const day = startOfDay(time);
    this.start = day + Math.floor((time - day) / this.scale) * this.scale;
    this.load();
  }

  async load() {
    const [camera, from, to] = [this.camera.name, this.start, this.start + this.scale];
    document.getElementById('day').value = new Date(1000 * (from + 43200)).toLocaleDateString('sv');
    if (this.scale < DAY) document.getElementById('day').value = new Date(1000 * from).toLocaleDateString('sv');
    try {
      const answer = await ask('timeline', { camera, from, to, step: this.scale / PARTS });
      if (this.isClosed || from !== this.start || to !== this.start + this.scale) return;
      this.data = answer ? await answer.json() : { recorded: [], tracks: {} };
    } catch (error) {
      this.data = { recorded: [], tracks: {} };
    }
    if (this.isClosed) return;
    this.draw();
    await this.list();
  }

  draw() {
    const space = 'http://www.w3.org/2000/svg', add = (name, attributes, text) => {
      const element = document.createElementNS(space, name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      if (text) element.textContent = text;
      // The page's style has another colour for all.
      if (attributes.fill) element.style.fill = attributes.fill;
      this.line.append(element);
      return element;
    };
    this.width = this.line.clientWidth || 960;
    this.line.setAttribute('viewBox', `0 0 ${this.width} 64`);
    this.line.replaceChildren();
    const x = time => this.width * (time - this.start) / this.scale;
    for (const [start, end] of this.data.recorded) {
      const [left, right] = [Math.max(0, x(start)), Math.min(this.width, x(end))];
      add('rect', { class: 'recorded', x: left, y: 18, width: Math.max(1, right - left), height: 46 });
    }
    const labels = Object.keys(this.data.tracks);
    const most = Math.max(1, ...labels.flatMap(label => Object.values(this.data.tracks[label])));
    labels.forEach((label, row) => {
      const high = 44 / labels.length;
      for (const [part, count] of Object.entries(this.data.tracks[label])) {
        const height = Math.max(2, (high - 2) * count / most);
        add('rect', {
          x: this.width * part / PARTS, y: 19 + high * (row + 1) - height, width: Math.max(1, 0.9 * this.width / PARTS), height, fill: COLOURS[row % COLOURS.length],
        });
      }
    });
    const count = [12, 6, 4, 2].find(each => this.width / each > 70) || 1;
    for (let index = 0; index < count; index += 1) {
      const left = this.width * index / count;
      add('text', { x: left + 2, y: 12 }, clock(this.start + index * this.scale / count, this.scale < 3600));
      add('line', { x1: left, x2: left, y1: 0, y2: 64 });
    }
    this.cursor = add('rect', { class: 'cursor', x: -9, y: 0, width: 2, height: 64 });
    document.getElementById('legend').replaceChildren(...labels.map((label, row) => {
      const total = Object.values(this.data.tracks[label]).reduce((sum, count) => sum + count, 0);
      const item = make('span', { textContent: `${label} ${total}` });
      item.style.setProperty('--colour', COLOURS[row % COLOURS.length]);
      return item;
    }));
    fill(document.getElementById('label'), labels);
    fill(document.getElementById('zone'), Object.keys(this.camera.zones || {}));
    this.showMoment();
  }

  /** The newest tracks of the time line that have the label and the zone. */
  async list() {
    const [label, zone] = ['label', 'zone'].map(id => document.getElementById(id).value);
    const [from, to] = [this.start, this.start + this.scale];
    let tracks = [];
    try {
      const answer = await ask('tracks', { camera: this.camera.name, from, to, label, zone, limit: 60 });
      tracks = answer ? (await answer.json()).tracks : [];
    } catch (error) { /* The next call may succeed. */ }
    const isCurrent = ['label', 'zone'].map(id => document.getElementById(id).value).join() === [label, zone].join();
    if (this.isClosed || from !== this.start || !isCurrent) return;
    const list = document.getElementById('history');
    const shown = tracks.map(track => `${track.id} ${track.last}`).join();
    if (shown === this.listed) return;
    this.listed = shown;
    list.replaceChildren(...tracks.map(track => {
      const text = `${track.label} ${track.track}`;
      const image = make('img', { loading: 'lazy', alt: '', src: new URL(`api/v1/tracks/${track.id}/picture.jpg`, BASE).href });
      image.addEventListener('error', () => image.remove());
      const details = [clock(track.first), duration(track.last - track.first), ...track.zones, ...track.crossings];
      const link = make('a', { href: `#${encodeURIComponent(this.camera.name)}@${(track.first - 1).toFixed(2)}` }, [
        image, make('span', { textContent: text }), make('small', { textContent: details.join(' · ') }),
      ]);
      // Once more, where the address stays the same.
      link.addEventListener('click', () => { if (link.hash === location.hash) this.show(track.first - 1); });
      return make('li', {}, [link]);
    }));
    if (!tracks.length) list.append(make('li', { className: 'empty', textContent: 'None' }));
  }

  /** Shows the cursor, its time and the names of the buttons. */
  showMoment() {
    const time = this.player?.time ?? null, shown = time ?? Date.now() / 1000;
    const fraction = (shown - this.start) / this.scale;
    this.cursor?.setAttribute('x', fraction * this.width - 1);
    document.getElementById('slider').setAttribute('aria-valuenow', fraction.toFixed(3));
    const text = time === null ? 'Live' : `${new Date(1000 * time).toLocaleDateString()} ${clock(time)}`;
    document.getElementById('moment').textContent = text;
    document.getElementById('slider').setAttribute('aria-valuetext', text);
    document.getElementById('play').textContent = this.player && this.player.video.paused ? 'Play' : 'Pause';
    document.getElementById('goLive').disabled = time === null;
  }

  /** Sets the beginning or the end of the span that is saved. */
  mark(index) {
    this.marks[index] = this.player?.time ?? Date.now() / 1000;
    const [from, to] = this.marks, link = document.getElementById('save');
    link.hidden = !(to > from);
    if (link.hidden) return;
    const url = new URL(`api/v1/recordings/${encodeURIComponent(this.camera.name)}/video.mp4`, BASE);
    url.searchParams.set('from', from.toFixed(3));
    url.searchParams.set('to', to.toFixed(3));
    Object.assign(link, { href: url.href, download: `${this.camera.name}.mp4`, textContent: `Save ${clock(from)} to ${clock(to)}` });
  }

  /** Moves by seconds, from now on where it is live. */
  skip(seconds) { this.go((this.player?.time ?? Date.now() / 1000) + seconds); }

  pause() {
    if (!this.player) return this.go(Date.now() / 1000 - 2);
    if (this.player.video.paused) this.player.video.play(); else this.player.video.pause();
    return this.showMoment();
  }

  close() {
    this.isClosed = true;
    clearInterval(this.timer);
    clearInterval(this.refresher);
    document.getElementById('save').hidden = true;
    this.player?.close();
    if (this.player) this.tile.screen.replaceChildren();
  }
}

/** Gives a choice the values that are there, and keeps its own. */
function fill(select, values) {
  const value = select.value, all = [...new Set([...values, ...value ? [value] : []])];
  select.replaceChildren(make('option', { value: '', textContent: 'all' }), ...all.map(each => make('option', { value: each, textContent: each })));
  select.value = value;
}

let past = null;
addEventListener('resize', () => past?.data && past.draw());

/** The keys of the past: whether the key was one of them. */
function pastKey(key) {
  if (!past) return false;
  const actions = {
    ' ': () => past.pause(), ',': () => past.player?.step(-1), '.': () => past.player?.step(1), l: () => leavePast(),
    j: () => past.skip(-10), k: () => past.skip(10),
  };
  if (!actions[key]) return false;
  actions[key]();
  return true;
}

function leavePast() { location.hash = encodeURIComponent(past.camera.name); }

for (const [id, action] of Object.entries({
  play: () => past.pause(), back: () => past.player?.step(-1), forward: () => past.player?.step(1), goLive: leavePast,
  before: () => { past.start -= past.scale; past.load(); }, after: () => { past.start += past.scale; past.load(); },
  markStart: () => past.mark(0), markEnd: () => past.mark(1),
})) document.getElementById(id).addEventListener('click', action);
document.getElementById('scale').replaceChildren(
  ...Object.entries(SCALES).map(([name, value]) => make('option', { value, textContent: name })));
document.getElementById('scale').addEventListener('change', event => {
  past.scale = Number(event.target.value);
  past.move(past.player?.time ?? Date.now() / 1000);
});
document.getElementById('day').addEventListener('change', event => {
  if (event.target.value) past.move(new Date(`${event.target.value}T00:00`).getTime() / 1000);
});
document.getElementById('speed').addEventListener('change', event => {
  past.player?.setSpeed(Number(event.target.value));
});
for (const id of ['label', 'zone']) document.getElementById(id).addEventListener('change', () => past.list());
document.getElementById('slider').addEventListener('click', event => {
  const area = document.getElementById('slider').getBoundingClientRect();
  past.go(past.start + past.scale * (event.clientX - area.left) / area.width);
});
document.getElementById('slider').addEventListener('keydown', event => {
  const part = past.scale / PARTS, moves = { ArrowLeft: -part, ArrowRight: part, PageUp: -10 * part, PageDown: 10 * part };
  if (!moves[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  past.skip(moves[event.key]);
});

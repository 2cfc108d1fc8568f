'use strict';
const COLOURS = ['#ff6b57', '#3ddc84', '#4da3ff', '#ffd23f', '#c58cff', '#2ee6d6', '#ff8fc7', '#b8e04a'];
// A video's frame may be shown sooner than what is drawn over it, so the frame is drawn with its boxes. Chromium draws the frame that
// it reports; others draw it only from the refresh of the screen on with which they expect to show it, and soon the next one. These are
// milliseconds after that refresh; what comes too late is not drawn, unless the browser is always late.
const DRAWS_REPORTED_FRAME = 'webkitDecodedFrameCount' in HTMLVideoElement.prototype;
const DRAWN_AFTER = 4, DRAWN_BEFORE = 15, MOST_SKIPPED = 3;
// The page's own address with a slash at its end, from which all others are named: a proxy may have put it below any path.
const BASE = new URL(location.pathname.replace(/\/?$/, '/'), location.href);
// iPhones have only the second one.
const Source = window.MediaSource || window.ManagedMediaSource;
const options = { boxes: true, labels: true, regions: true, sound: false };

function make(tag, properties = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A video with the boxes over it. */
class Screen {
  constructor(element, label) {
    this.records = [];
    this.regions = null;
    this.video = make('video', { playsInline: true });
    this.video.setAttribute('aria-label', label);
    this.canvas = make('canvas');
    this.canvas.setAttribute('aria-hidden', 'true');
    this.notice = make('div', { className: 'notice' });
    this.problems = {};
    // Otherwise a ManagedMediaSource is not opened.
    this.video.disableRemotePlayback = true;
    this.shown = null;
    this.skipped = 0;
    this.drawnUntil = Infinity;
    element.append(this.video, this.canvas, this.notice);
    this.follow();
  }

  /** Sets or removes the problem of the connection, the camera or the video; the first one of these is shown. */
  report(kind, problem = '') {
    this.problems[kind] = problem;
    this.notice.textContent = ['connection', 'camera', 'video'].map(each => this.problems[each]).find(text => text) || '';
  }

  /** Plays a source in the place of the one before. */
  show(source) {
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = URL.createObjectURL(source);
    this.video.src = this.url;
  }

  close() {
    this.isClosed = true;
    if (this.url) URL.revokeObjectURL(this.url);
    this.video.removeAttribute('src');
    this.video.load();
  }

  /** Draws with each frame that the browser shows. */
  follow() {
    const next = (now, frame) => {
      if (this.isClosed) return;
      this.request(next);
      if (!frame || DRAWS_REPORTED_FRAME) return this.draw(frame ? frame.mediaTime : this.video.currentTime);
      const wait = frame.expectedDisplayTime - performance.now();
      if (wait > 1) setTimeout(() => this.drawReported(frame), wait + DRAWN_AFTER); else this.drawReported(frame);
    };
    this.request(next);
  }

  /** Draws a frame that was reported, unless that comes too late. */
  drawReported(frame) {
    if (this.isClosed) return;
    this.drawnUntil = frame.expectedDisplayTime + DRAWN_BEFORE;
    this.skipped = this.drawsReported() || this.video.paused ? 0 : this.skipped + 1;
    if (!this.skipped || this.skipped > MOST_SKIPPED) this.draw(frame.mediaTime);
  }

  /** Whether the browser still draws the frame that it reported last. */
  drawsReported() { return performance.now() < this.drawnUntil; }

  request(next) {
    if (this.video.requestVideoFrameCallback) this.video.requestVideoFrameCallback(next);
    else requestAnimationFrame(now => next(now));
  }

  /** The record of the frame at a time. */
  record(time) {
    let best = null;
    for (const record of this.records) {
      if (!best || Math.abs(record.pts - time) < Math.abs(best.pts - time)) best = record;
    }
    return best && Math.abs(best.pts - time) < 0.5 ? best : null;
  }

  /** The frame that the browser shows, with its own time; null where browsers do not give it, as without HTTPS and in Firefox. */
  currentFrame() {
    try { return DRAWS_REPORTED_FRAME && window.VideoFrame ? new VideoFrame(this.video) : null; } catch (error) { return null; }
  }

  /** Draws the boxes of the frame at a time, over the frame itself. */
  draw(time) {
    const frame = this.currentFrame();
    this.drawOver(frame ? frame.timestamp / 1e6 : time, frame || this.video);
    frame?.close();
  }

  drawOver(time, frame) {
    const [width, height] = this.size || [0, 0];
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = [this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio];
    if (this.canvas.width !== Math.round(across) || this.canvas.height !== Math.round(down)) {
      [this.canvas.width, this.canvas.height] = [Math.round(across), Math.round(down)];
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (!width || !height) return;
    const scale = Math.min(this.canvas.width / width, this.canvas.height / height);
    context.setTransform(scale, 0, 0, scale, (this.canvas.width - scale * width) / 2, (this.canvas.height - scale * height) / 2);
    this.shown = this.record(time);
    this.shownTime = time;
    const pixel = ratio / scale;
    if (this.drawsItems()) context.drawImage(frame, 0, 0, width, height);
    if (options.regions && this.regions) this.drawRegions(context, pixel);
    if (!this.shown) return;
    for (const kind of ['objects', 'faces', 'poses']) {
      for (const item of this.shown[kind] || []) this.drawItem(context, item, kind, pixel);
    }
  }

  /** Whether there are boxes or labels, which must be over the frame that they belong to. */
  drawsItems() { return (options.boxes || options.labels) && this.shown && items(this.shown).length > 0; }

  drawItem(context, item, kind, pixel) {
    const colour = COLOURS[(item.id || 0) % COLOURS.length], [x, y, width, height] = item.box;
    if (options.boxes) {
      context.lineWidth = 2 * pixel;
      context.strokeStyle = colour;
      context.setLineDash(item.predicted ? [6 * pixel, 4 * pixel] : []);
      context.strokeRect(x, y, width, height);
      context.setLineDash([]);
    }
    if (!options.labels) return;
    const text = [item.label || kind.slice(0, -1), item.id || ''].join(' ').trim();
    context.font = `${13 * pixel}px system-ui, sans-serif`;
    const wide = context.measureText(text).width + 8 * pixel, high = 18 * pixel;
    context.fillStyle = colour;
    context.fillRect(x - pixel, Math.max(0, y - high), wide, high);
    context.fillStyle = '#000';
    context.fillText(text, x + 3 * pixel, Math.max(0, y - high) + 13.5 * pixel);
  }

  drawRegions(context, pixel) {
    context.lineWidth = 2 * pixel;
    context.strokeStyle = 'rgb(255 255 255 / 80%)';
    context.font = `${13 * pixel}px system-ui, sans-serif`;
    for (const [names, isClosed] of [[this.regions.zones, true], [this.regions.lines, false]]) {
      for (const [name, points] of Object.entries(names || {})) {
        context.beginPath();
        points.forEach(([x, y], index) => index ? context.lineTo(x, y) : context.moveTo(x, y));
        if (isClosed) context.closePath();
        context.stroke();
        context.fillStyle = '#fff';
        context.fillText(name, points[0][0] + 4 * pixel, points[0][1] + 16 * pixel);
      }
    }
  }
}

"""Measures the delay and the boxes that viewers of vstream-serve see, and the viewers' cost, in a real browser and with clients that only
read.

    scripts/bench/serve-viewers [--browser chromium firefox] [--only page boxes viewers stuck silent] [--screenshots 100]
                                [--seconds 20] [--rounds 3] [--keep FOLDER]

Four cameras send a drawn clock that moves, in H.264 of 720p25 by RTSP, prerecorded, with a key frame each second. Each frame
shows its number, and an own client of the cameras notes when they are sent; while screenshots are taken, the page shows the
time. So a screenshot alone shows the age of each view, and the position that the boxes should have.

page      whether all four play; the time from opening the page to the first picture of each; the delay from the sending of a
          frame to the screenshot
boxes     one camera at its own size: the largest distance of a side of the box, as it is drawn, from the record of the frame
          that is shown; and of the box's centre from the clock's, with the detector's mean offset, and without it
viewers   the processors that vstream-serve uses with 20 viewers less those without, alternately
stuck     the memory that a viewer holds that reads nothing for a minute, and the longest pause of another one meanwhile
silent    the processors that it uses with a fifth camera that never answers less those without, alternately

page and boxes run in each browser. --keep has some of the screenshots. Needs the tests' dependencies (scripts/bootstrap
--for-tests), the release build of vstream-serve and, for its part, Debian's firefox-esr.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import cv2
import numpy as np
from websockets.sync.client import ClientConnection, connect

from ..common import log, parser
from ..measuring import BackgroundLoad
from ..serving import RATE, Sender, Server, cores, memory, wait_for
from .browser import PROGRAMS, Browser
from .moving_clock import (
    BITS,
    DIAMETER,
    FRAMES,
    SQUARE,
    TOP,
    WIDTH,
    SenderClock,
    drawn_box,
    frame_number,
    left_edge,
    make_clip,
    read_bits,
)

CAMERAS = ["a", "b", "c", "d"]
VIEWERS, STUCK_SECONDS, OPENINGS, KEPT_SCREENSHOTS = 20, 60, 5, 5
# Of the grid, and of one camera at its own size.
GRID_SIZE, SINGLE_SIZE = (1280, 900), (1650, 900)
# The time in milliseconds as a row of squares, as in the clip.
TIME_BITS, TIME_SQUARE = 20, 16

# Notes the milliseconds from the opening of the page to the first picture of each video.
NOTE_FIRST_PICTURES = """
window.firstPictures = [];
document.addEventListener('loadstart', ({target: video}) => {
  if (!video.isNoted) video.requestVideoFrameCallback(() => window.firstPictures.push(performance.now()));
  video.isNoted = true;
}, true);
"""
SHOW_TIME = f"""(() => {{
  const canvas = document.createElement('canvas'), context = canvas.getContext('2d');
  [canvas.width, canvas.height] = [{TIME_BITS * TIME_SQUARE}, {TIME_SQUARE}];
  Object.assign(canvas.style, {{position: 'fixed', left: 0, bottom: 0, zIndex: 9}});
  document.body.append(canvas);
  const draw = () => {{
    for (let bit = 0, time = Date.now(); bit < {TIME_BITS}; bit++) {{
      context.fillStyle = Math.floor(time / 2 ** bit) % 2 ? 'white' : 'black';
      context.fillRect({TIME_SQUARE} * bit, 0, {TIME_SQUARE}, {TIME_SQUARE});
    }}
    requestAnimationFrame(draw);
  }};
  draw();
}})()"""
VIDEO_RECTANGLES = """[...tiles.values()].filter(tile => tile.player).map(tile => tile.player.video.getBoundingClientRect())
  .map(at => [at.left, at.top, at.width, at.height])"""
PLAYED_SECONDS = "[...tiles.values()].map(tile => tile.player.video.currentTime)"
# The boxes of the newest frames, by their times.
RECORDS = "tiles.get('a').player.records.slice(-100).map(each => [each.pts, (each.objects[0] || {}).box])"
# Counts the frames whose boxes are drawn, and those that are drawn with another frame's boxes.
COUNT_DRAWN = """(() => {
  window.drawn = [0, 0];
  const draw = Player.prototype.draw;
  Player.prototype.draw = function (time) {
    draw.call(this, time);
    window.drawn[0] += 1;
    if (!this.shown || Math.abs(this.shown.pts - time) > 0.01) window.drawn[1] += 1;
  };
})()"""
# The number and the time of a frame, once every browser draws the one that it reported.
NUMBER_AND_TIME = f"""new Promise(done => {{
  const video = tiles.get('a').player.video, context = new OffscreenCanvas({WIDTH}, {SQUARE}).getContext('2d');
  const read = frame => {{
    context.drawImage(video, 0, 0);
    const bits = [...Array({BITS}).keys()].map(bit => context.getImageData({SQUARE} * (bit + 0.5), {SQUARE} / 2, 1, 1).data[0] > 128);
    done([bits.reduce((sum, isSet, bit) => sum + isSet * 2 ** bit, 0), frame.mediaTime]);
  }};
  video.requestVideoFrameCallback((now, frame) => setTimeout(
    () => read(frame), Math.max(0, frame.expectedDisplayTime - performance.now()) + 4));
}})"""


def row(what: str, measured: str, limit: str = "") -> None:
    print(f"{what:<78}{measured:>22}  {limit}", flush=True)


@contextmanager
def serving(folder: Path, clip: Path) -> Iterator[tuple[Server, list[SenderClock]]]:
    """vstream-serve with four live cameras."""
    with ExitStack() as stack:
        senders = [Sender(clip, is_shared=True) for _ in CAMERAS]
        for sender in senders:
            stack.callback(sender.stop)
        clocks = [SenderClock(sender) for sender in senders]
        cameras = "".join(f"  {name}: {{source: '{sender.url}'}}\n" for name, sender in zip(CAMERAS, senders))
        server = Server(folder, f"defaults: {{classes: [clock], max-objects: 1}}\ncameras:\n{cameras}")
        stack.callback(server.stop)
        server.wait_until_live(len(CAMERAS))
        yield server, clocks


# --- The page ---


class Page:
    """The page in a browser, and its screenshots."""

    def __init__(self, name: str, folder: Path, address: str, options: argparse.Namespace) -> None:
        self.name, self.address, self.options = name, address, options
        self.browser = Browser(name, folder, GRID_SIZE)
        self.browser.before_each_page(NOTE_FIRST_PICTURES)

    def open(self) -> list[float]:
        """Seconds until the first picture of each camera."""
        self.browser.open(f"http://{self.address}/")
        wait_for("the first pictures", lambda: self.browser.run("window.firstPictures.length") == len(CAMERAS))
        return [milliseconds / 1000 for milliseconds in self.browser.run("window.firstPictures")]

    def screenshots(self, part: str) -> Iterator[tuple[float, list[np.ndarray]]]:
        """Unix times of screenshots, and the views of the cameras in them."""
        rectangles = [[round(edge) for edge in each] for each in self.browser.run(VIDEO_RECTANGLES)]
        for number in range(self.options.screenshots):
            image = self.browser.screenshot()
            if self.options.keep and number < KEPT_SCREENSHOTS:
                cv2.imwrite(str(self.options.keep / f"{self.name}-{part}-{number}.png"), image)
            milliseconds = read_bits(image[-TIME_SQUARE:, :TIME_BITS * TIME_SQUARE], TIME_BITS)
            now = round(1000 * time.time())
            yield (now - (now - milliseconds) % 2**TIME_BITS) / 1000, [
                image[top:top + height, left:left + width] for left, top, width, height in rectangles]

    def measure_grid(self, clocks: list[SenderClock]) -> None:
        first = [seconds for _ in range(OPENINGS) for seconds in self.open()]
        before = self.browser.run(PLAYED_SECONDS)
        time.sleep(3)
        played = sum(after - seconds > 2 for after, seconds in zip(self.browser.run(PLAYED_SECONDS), before))
        row(f"{self.name}: cameras of {len(CAMERAS)} that play", str(played), str(len(CAMERAS)))
        row(f"{self.name}: first picture, median, longest of {len(first)}", f"{statistics.median(first):.2f}, {max(first):.2f} s", "1 s")
        self.browser.run(SHOW_TIME)
        delays = [clock.age(frame_number(view), moment) for moment, views in self.screenshots("grid") for clock, view in zip(clocks, views)]
        p95 = statistics.quantiles(delays, n=20, method="inclusive")[-1]
        row(f"{self.name}: delay of {len(delays)} pictures in {self.options.screenshots} screenshots, median, 95 %, longest",
            f"{statistics.median(delays):.2f}, {p95:.2f}, {max(delays):.2f} s", "95 %: 0.5 s")

    def measure_boxes(self) -> None:
        """One camera at its own size, with boxes alone."""
        self.open()
        self.browser.resize(SINGLE_SIZE)
        self.browser.run("location.hash = 'a', document.getElementById('labels').click()")
        wait_for("the single view", lambda: self.browser.run(
            "!tiles.get('b').player && tiles.get('a').player.video.currentTime > 1 && tiles.get('a').player.shown !== null"))
        self.browser.run(SHOW_TIME)
        self.browser.run(COUNT_DRAWN)
        offset = statistics.median(seconds - number / RATE for number, seconds in (self.browser.run(NUMBER_AND_TIME) for _ in range(5)))
        records: dict[int, list[float]] = {}
        drawn: list[tuple[int, tuple | None]] = []
        for _, [view] in self.screenshots("single"):
            drawn.append((frame_number(view), drawn_box(view)))
            records |= {round((pts - offset) * RATE) % FRAMES: box for pts, box in self.browser.run(RECORDS)}
        frames, others = self.browser.run("window.drawn")
        row(f"{self.name}: of {frames} frames, drawn before their records came", str(others), "0")
        boxes = [(number, np.array(box)) for number, box in drawn if box and records.get(number)]
        row(f"{self.name}: screenshots of {len(drawn)} with a box", str(len(boxes)), str(len(drawn)))
        from_record, from_clock = [], []
        for number, box in boxes:
            left, top, width, height = records[number]
            from_record.append(np.abs(box - [left, top, left + width, top + height]).max())
            from_clock.append((box[:2] + box[2:]) / 2 - (left_edge(number) + DIAMETER / 2, TOP + DIAMETER / 2))
        for what, distances in (
                ("sides of the box from those of the frame's record", from_record),
                ("centre of the box from the clock's", np.linalg.norm(from_clock, axis=1)),
                ("the same without the detector's constant offset", np.linalg.norm(from_clock - np.median(from_clock, axis=0), axis=1))):
            row(f"{self.name}: {what}, median, farthest", f"{np.median(distances):.1f}, {np.max(distances):.1f} px", "2 px")


# --- Clients that only read ---


def view(server: Server, camera: str) -> ClientConnection:
    return connect(f"ws://{server.address}/api/v1/cameras/{camera}/live", max_size=None, compression=None, max_queue=1)


class Reader:
    """A viewer that reads the messages, and discards them."""

    def __init__(self, server: Server, camera: str) -> None:
        self.connection, self.pauses = view(server, camera), [0.0]
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        last = time.monotonic()
        for _ in self.connection:
            now = time.monotonic()
            self.pauses.append(now - last)
            last = now


def measure_alternately(what: str, server: Server, options: argparse.Namespace, begin: Callable[[], Callable[[], object]],
                        limit: str) -> None:
    """Processors of vstream-serve without and with something."""
    without, having = [], []
    for _ in range(options.rounds):
        without.append(cores([server.program.pid], options.seconds))
        end = begin()
        having.append(cores([server.program.pid], options.seconds))
        end()
    differences = [b - a for a, b in zip(without, having)]
    row(f"processors without and with {what}", f"{statistics.median(without):.3f}, {statistics.median(having):.3f}")
    row("    difference, median (least to most)",
        f"{statistics.median(differences):+.3f} ({min(differences):+.3f} to {max(differences):+.3f})", limit)


def measure_viewers(server: Server, options: argparse.Namespace) -> None:
    def begin() -> Callable[[], object]:
        readers = [Reader(server, CAMERAS[number % len(CAMERAS)]) for number in range(VIEWERS)]
        return lambda: [reader.connection.close() for reader in readers]

    measure_alternately(f"{VIEWERS} viewers", server, options, begin, "0.1")


def most_memory(server: Server) -> float:
    """Megabytes that are not of files, at most."""
    end, most = time.monotonic() + STUCK_SECONDS, 0.0
    while time.monotonic() < end:
        most = max(most, memory(server.program.pid, "Anonymous"))
        time.sleep(0.2)
    return most


def measure_stuck(server: Server, _: argparse.Namespace) -> None:
    for what, count in (("no viewer more", 0), ("a viewer that reads nothing", 1)):
        reader = Reader(server, CAMERAS[0])
        before = most_memory(server)
        # With a full queue of messages, the client reads no more from its socket.
        stuck = [view(server, CAMERAS[0]) for _ in range(count)]
        row(f"memory in {STUCK_SECONDS} s with {what} less that in {STUCK_SECONDS} s before", f"{most_memory(server) - before:+.1f} MB",
            "8 MB" if count else "")
        for connection in [reader.connection, *stuck]:
            connection.close()
        row("    longest pause of a viewer that reads, in all that time", f"{max(reader.pauses):.2f} s")


def measure_silent(server: Server, options: argparse.Namespace) -> None:
    """A camera at a port at which no connection is ever made, as its queue is full."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())

        def begin() -> Callable[[], object]:
            source = f"rtsp://127.0.0.1:{listener.getsockname()[1]}/live"
            server.request("/api/v1/cameras/never", "PUT", f'{{"source": "{source}"}}')
            return lambda: server.request("/api/v1/cameras/never", "DELETE")

        measure_alternately("a camera that never answers", server, options, begin, "not measurable")


PARTS = {"viewers": measure_viewers, "silent": measure_silent, "stuck": measure_stuck}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--browser", nargs="+", choices=PROGRAMS, default=["chromium"])
    options.add_argument("--only", nargs="+", choices=["page", "boxes", *PARTS], default=["page", "boxes", *PARTS])
    options.add_argument("--screenshots", type=int, default=100)
    options.add_argument("--seconds", type=float, default=20, help="of each measurement of processors")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--keep", type=Path, help="a folder for screenshots")
    arguments = options.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder, load = Path(name), BackgroundLoad()
        log("making the clip…")
        clip = make_clip(folder)
        print(f"{'':<78}{'measured':>22}  limit", flush=True)
        for browser in arguments.browser if {"page", "boxes"} & set(arguments.only) else []:
            with serving(folder, clip) as (server, clocks):
                page = Page(browser, folder, server.address, arguments)
                try:
                    if "page" in arguments.only:
                        page.measure_grid(clocks)
                    if "boxes" in arguments.only:
                        page.measure_boxes()
                finally:
                    page.browser.stop()
        for measure in [measure for part, measure in PARTS.items() if part in arguments.only]:
            with serving(folder, clip) as (server, _):
                measure(server, arguments)
        print(f"load of the machine, 1 minute: {os.getloadavg()[0]:.1f}; processors in use by other programs: {load.processors:.1f}")

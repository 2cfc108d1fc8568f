"""Measures what viewers of vstream-serve see, and what they cost, in a real browser and with clients that only read.

    scripts/bench/serve-viewers [--browser chromium firefox] [--only page boxes viewers stuck silent] [--screenshots 100]
                                [--seconds 20] [--rounds 3] [--keep FOLDER] [--page FILE]

Four cameras send a drawn clock that moves, in H.264 of 720p25 by RTSP, prerecorded, with a key frame each second. Each frame
shows its number, and an own client of the cameras notes when they are sent; while screenshots are taken, the page shows the
time. So a screenshot alone tells how old each picture is, and what the boxes should be around.

page      whether all four play; the time from opening the page to the first picture of each; the delay from the sending of a
          frame to the screenshot
boxes     one camera at its own size: the largest distance of a side of the box, as it is drawn, from the record of the frame
          that is shown; and of the box's centre from the clock's, with what the detector is off on average, and without that
viewers   the processors that vstream-serve uses with 20 viewers less those without, in turn
stuck     the memory that a viewer holds that reads nothing for a minute, and the longest pause of another one meanwhile
silent    the processors that it uses with a fifth camera that never answers less those without, in turn

page and boxes run in each browser. --keep has some of the screenshots. Needs the tests' dependencies (scripts/bootstrap
--for-tests), the release build of vstream-serve and, for its part, Debian's firefox-esr.
"""

from __future__ import annotations

import argparse
import os
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


from ..environments import BENCH

import cv2
import numpy as np

from .browser import PROGRAMS, Browser
from ..common import log
from ..measuring import BackgroundLoad
from .moving_clock import (
    BITS, DIAMETER, FRAMES, SQUARE, TOP, WIDTH, drawn_box, frame_number, left_edge, make_clip, read_bits)
from .page_proxy import PageProxy
from .sender_clock import SenderClock
from .serving import RATE, Sender, Server, cores, memory, wait_for

CAMERAS = ["a", "b", "c", "d"]
VIEWERS, STUCK_SECONDS = 20, 60
OPENINGS = 5
KEPT_SCREENSHOTS = 5
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
  video.requestVideoFrameCallback((now, frame) => setTimeout(() => read(frame), Math.max(0, frame.expectedDisplayTime - performance.now()) + 4));
}})"""


class Table:
    def __init__(self) -> None:
        print(f"{'':<78}{'measured':>22}  limit", flush=True)

    def add(self, what: str, measured: str, limit: str = "") -> None:
        print(f"{what:<78}{measured:>22}  {limit}", flush=True)


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


@contextmanager
def serving(folder: Path, clip: Path) -> Iterator[tuple[Server, list[SenderClock]]]:
    """vstream-serve with four live cameras."""
    with ExitStack() as stack:
        senders = [Sender(clip, is_shared=True) for _ in CAMERAS]
        for sender in senders:
            stack.callback(sender.stop)
        clocks = [SenderClock(sender) for sender in senders]
        cameras = "".join(f"  {name}: {{source: '{sender.url}'}}\n" for name, sender in zip(CAMERAS, senders, strict=True))
        server = Server(folder, f"defaults: {{classes: [clock], max-objects: 1}}\ncameras:\n{cameras}")
        stack.callback(server.stop)
        server.wait_until_live(len(CAMERAS))
        yield server, clocks


class Page:
    """The page in a browser, and its screenshots."""

    def __init__(self, name: str, folder: Path, address: str, kept: Path | None) -> None:
        self.name, self.address, self.kept = name, address, kept
        self.browser = Browser(name, folder, *GRID_SIZE)
        self.browser.before_each_page(NOTE_FIRST_PICTURES)

    def open(self) -> list[float]:
        """Seconds until the first picture of each camera."""
        self.browser.open(f"http://{self.address}/")
        wait_for("the first pictures", lambda: self.browser.run("window.firstPictures.length") == len(CAMERAS))
        return [milliseconds / 1000 for milliseconds in self.browser.run("window.firstPictures")]

    def played(self) -> int:
        """How many cameras play on."""
        before, end = self.browser.run(PLAYED_SECONDS), time.monotonic() + 3
        wait_for("three seconds", lambda: time.monotonic() > end)
        return sum(after - seconds > 2 for after, seconds in zip(self.browser.run(PLAYED_SECONDS), before, strict=True))

    def screenshots(self, part: str, count: int) -> Iterator[tuple[np.ndarray, float, list[np.ndarray]]]:
        """Screenshots, their Unix times, and the views of the cameras in them."""
        rectangles = [[round(edge) for edge in each] for each in self.browser.run(VIDEO_RECTANGLES)]
        for number in range(count):
            image = self.browser.screenshot()
            if self.kept and number < KEPT_SCREENSHOTS:
                cv2.imwrite(str(self.kept / f"{self.name}-{part}-{number}.png"), image)
            milliseconds = read_bits(image[-TIME_SQUARE:, :TIME_BITS * TIME_SQUARE], TIME_BITS)
            now = round(1000 * time.time())
            yield (now - (now - milliseconds) % 2**TIME_BITS) / 1000, [
                image[top:top + height, left:left + width] for left, top, width, height in rectangles]

    def show_one(self) -> None:
        """One camera at its own size, with boxes alone."""
        width, height = SINGLE_SIZE
        self.browser.command("browsingContext.setViewport", context=self.browser.page, viewport={"width": width, "height": height})
        self.browser.run("location.hash = 'a', document.getElementById('labels').click()")
        wait_for("the single view", lambda: self.browser.run(
            "!tiles.get('b').player && tiles.get('a').player.video.currentTime > 1 && tiles.get('a').player.shown !== null"))


def measure_page(page: Page, clocks: list[SenderClock], screenshots: int, table: Table) -> None:
    first = [seconds for _ in range(OPENINGS) for seconds in page.open()]
    table.add(f"{page.name}: cameras of {len(CAMERAS)} that play", str(page.played()), str(len(CAMERAS)))
    table.add(f"{page.name}: first picture, median, longest of {len(first)}",
              f"{statistics.median(first):.2f}, {max(first):.2f} s", "1 s")
    page.browser.run(SHOW_TIME)
    delays = [clock.age(frame_number(view), moment)
              for moment, views in page.screenshots("grid", screenshots) for clock, view in zip(clocks, views, strict=True)]
    table.add(f"{page.name}: delay of {len(delays)} pictures in {screenshots} screenshots, median, 95 %, longest",
              f"{statistics.median(delays):.2f}, {p95(delays):.2f}, {max(delays):.2f} s", "95 %: 0.5 s")


def measure_boxes(page: Page, screenshots: int, table: Table) -> None:
    page.open()
    page.show_one()
    page.browser.run(SHOW_TIME)
    page.browser.run(COUNT_DRAWN)
    pairs = [page.browser.run(NUMBER_AND_TIME) for _ in range(5)]
    offset = statistics.median(seconds - number / RATE for number, seconds in pairs)
    records: dict[int, list[float]] = {}
    drawn: list[tuple[int, tuple]] = []
    for _, [view] in page.screenshots("single", screenshots):
        drawn.append((frame_number(view), drawn_box(view)))
        records |= {round((pts - offset) * RATE) % FRAMES: box for pts, box in page.browser.run(RECORDS)}
    frames, others = page.browser.run("window.drawn")
    table.add(f"{page.name}: of {frames} frames, drawn before their records came", str(others), "0")
    report_boxes(page.name, drawn, records, table)


def report_boxes(name: str, drawn: list[tuple[int, tuple]], records: dict[int, list[float]], table: Table) -> None:
    boxes = [(number, np.array(box)) for number, box in drawn if box and records.get(number)]
    from_record, from_clock = [], []
    for number, box in boxes:
        left, top, width, height = records[number]
        from_record.append(np.abs(box - [left, top, left + width, top + height]).max())
        middle = np.array([left_edge(number) + DIAMETER / 2, TOP + DIAMETER / 2])
        from_clock.append((box[:2] + box[2:]) / 2 - middle)
    bias = np.median(from_clock, axis=0)
    off, scatter = np.linalg.norm(from_clock, axis=1), np.linalg.norm(from_clock - bias, axis=1)
    table.add(f"{name}: screenshots of {len(drawn)} with a box", str(len(boxes)), str(len(drawn)))
    table.add(f"{name}: sides of the box from those of the frame's record, median, farthest",
              f"{statistics.median(from_record):.1f}, {max(from_record):.1f} px", "2 px")
    table.add(f"{name}: centre of the box from the clock's, median, farthest", f"{np.median(off):.1f}, {off.max():.1f} px", "2 px")
    table.add(f"{name}: the same without the detector's constant offset", f"{np.median(scatter):.1f}, {scatter.max():.1f} px", "2 px")


# --- Clients that only read ---


class Readers:
    """Viewers that read what they are sent, and discard it."""

    def __init__(self, server: Server, count: int) -> None:
        self.selector = selectors.DefaultSelector()
        self.pauses: list[float] = []
        self.ended, end = socket.socketpair()
        self.selector.register(end, selectors.EVENT_READ)
        self.connections = [server.connect(f"/api/v1/cameras/{CAMERAS[number % len(CAMERAS)]}/live") for number in range(count)]
        for connection in self.connections:
            self.selector.register(connection, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self) -> None:
        last = time.monotonic()
        while True:
            for key, _ in self.selector.select():
                if key.fileobj not in self.connections:
                    return
                key.fileobj.recv(1 << 20)
            now = time.monotonic()
            self.pauses.append(now - last)
            last = now

    def close(self) -> None:
        self.ended.close()
        self.thread.join()
        for connection in self.connections:
            connection.close()


def in_turn(server: Server, rounds: int, seconds: float, begin: Callable[[], Callable[[], None]]) -> tuple[float, float, list[float]]:
    """Processors of vstream-serve without and with something, medians, and the differences of the rounds."""
    without, having = [], []
    for _ in range(rounds):
        without.append(cores([server.program.pid], seconds))
        end = begin()
        having.append(cores([server.program.pid], seconds))
        end()
    return statistics.median(without), statistics.median(having), [b - a for a, b in zip(without, having, strict=True)]


def report_turns(what: str, result: tuple[float, float, list[float]], limit: str, table: Table) -> None:
    without, having, differences = result
    table.add(f"processors without and with {what}", f"{without:.3f}, {having:.3f}")
    table.add("    difference, median (least to most)",
              f"{statistics.median(differences):+.3f} ({min(differences):+.3f} to {max(differences):+.3f})", limit)


def measure_viewers(server: Server, options: argparse.Namespace, table: Table) -> None:
    result = in_turn(server, options.rounds, options.seconds, lambda: Readers(server, VIEWERS).close)
    report_turns(f"{VIEWERS} viewers", result, "0.1", table)


def most_memory(server: Server, seconds: float) -> float:
    """Megabytes that are not of files, at most."""
    end, most = time.monotonic() + seconds, 0.0
    while time.monotonic() < end:
        most = max(most, memory(server.program.pid, "Anonymous"))
        time.sleep(0.2)
    return most


def measure_stuck(server: Server, table: Table) -> None:
    for what, count in (("no viewer more", 0), ("a viewer that reads nothing", 1)):
        reader = Readers(server, 1)
        before = most_memory(server, STUCK_SECONDS)
        stuck = [server.connect(f"/api/v1/cameras/{CAMERAS[0]}/live", buffer=4096) for _ in range(count)]
        during = most_memory(server, STUCK_SECONDS)
        reader.close()
        for connection in stuck:
            connection.close()
        table.add(f"memory in {STUCK_SECONDS} s with {what} less that in {STUCK_SECONDS} s before",
                  f"{during - before:+.1f} MB", "8 MB" if count else "")
        table.add("    longest pause of a viewer that reads, in all that time", f"{max(reader.pauses):.2f} s")


def silent_port() -> tuple[int, list[socket.socket]]:
    """A port at which no connection is ever made, as its queue is full; and the sockets that keep it so."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    address = listener.getsockname()
    waiting = [socket.socket() for _ in range(4)]
    for each in waiting:
        each.setblocking(False)
        each.connect_ex(address)
    return address[1], [listener, *waiting]


def measure_silent(server: Server, options: argparse.Namespace, table: Table) -> None:
    port, sockets = silent_port()

    def add() -> Callable[[], None]:
        server.request("/api/v1/cameras/never", "PUT", f'{{"source": "rtsp://127.0.0.1:{port}/live"}}')
        return lambda: server.request("/api/v1/cameras/never", "DELETE")

    report_turns("a camera that never answers", in_turn(server, options.rounds, options.seconds, add), "not measurable", table)
    for each in sockets:
        each.close()


PARTS = ["page", "boxes", "viewers", "stuck", "silent"]


def command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", nargs="+", choices=PROGRAMS, default=["chromium"])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--screenshots", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement of processors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="a folder for screenshots")
    parser.add_argument("--page", type=Path, help="a file that is served as the page, instead of the server's own")
    return parser.parse_args()


def measure_browser(name: str, folder: Path, clip: Path, options: argparse.Namespace, table: Table) -> None:
    with serving(folder, clip) as (server, clocks):
        address = PageProxy(options.page, server.address).address if options.page else server.address
        page = Page(name, folder, address, options.keep)
        try:
            if "page" in options.only:
                measure_page(page, clocks, options.screenshots, table)
            if "boxes" in options.only:
                measure_boxes(page, options.screenshots, table)
        finally:
            page.browser.stop()


def main() -> None:
    options = command_line()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder, load = Path(name), BackgroundLoad()
        log("making the clip…")
        clip = make_clip(folder)
        table = Table()
        for browser in options.browser if {"page", "boxes"} & set(options.only) else []:
            measure_browser(browser, folder, clip, options, table)
        for part, measure in (("viewers", measure_viewers), ("silent", measure_silent)):
            if part in options.only:
                with serving(folder, clip) as (server, _):
                    measure(server, options, table)
        if "stuck" in options.only:
            with serving(folder, clip) as (server, _):
                measure_stuck(server, table)
        print(f"load of the machine, 1 minute: {os.getloadavg()[0]:.1f}; processors in use by other programs: {load.processors:.1f}")

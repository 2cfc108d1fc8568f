"""Runs vstream-serve with many cameras that are lost again and again, and checks that each comes back and harms no other.

    scripts/checks/serve-endurance [--cameras 24] [--minutes 30] [--losses 1000] [--kinds cut,away,silent,garbage,resized,stepped]
                                   [--passes 0.5] [--back-within 5] [--memory-limit 20]

The cameras are H.264 of 320×240 with 10 frames a second, by RTSP, each through a proxy of its own. A loss is one of: the
connection is cut, the camera is away for a while, it sends nothing more on an open connection, it sends garbage, it returns
with another size, or its clock is set by up to an hour, which must lose nothing. One more camera has an address that never
answers, and two are never lost.

Checked are: the seconds from the moment at which a camera can be reached again until it is live; the latency of the two
cameras that are never lost, in the first and in the last third, and while nothing was lost (before); and resident memory, from
a third of the time on, by a fitted line. Prints a table; exit status 1 if a check fails. Needs the tests' dependencies
(scripts/bootstrap --for-tests) and the release build of vstream-serve.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from ..common import fail, log, parser
from ..serving import Checks, Sender, Server, memory, slope, street_clip

KINDS = ["cut", "away", "silent", "garbage", "resized", "stepped"]
SIZES = {"usual": "320:240", "small": "192:144"}
TIMEOUT = 3  # seconds, of vstream-serve's cameras
AWAY = (0.5, 4.0)  # seconds
QUIET = 30  # seconds without losses, at the start
UNTOUCHED = ["c0", "c1"]  # cameras that are never lost


class ClockStep:
    """Shifts the timestamps of RTP packets in an RTSP connection (RFC 2326, section 10.12)."""

    def __init__(self) -> None:
        self.pending = bytearray()

    def shifted(self, data: bytes, seconds: float) -> bytes:
        self.pending += data
        complete = bytearray()
        while length := self.message_length():
            if self.pending[0] == ord("$") and self.pending[1] % 2 == 0:
                ticks = int.from_bytes(self.pending[8:12]) + int(90_000 * seconds)
                self.pending[8:12] = (ticks % (1 << 32)).to_bytes(4)
            complete += self.pending[:length]
            del self.pending[:length]
        return bytes(complete)

    def message_length(self) -> int:
        """The length of the first packet or answer; 0 if it is not complete."""
        if self.pending[:1] == b"$":
            length = 4 + int.from_bytes(self.pending[2:4]) if len(self.pending) >= 4 else 0
        else:
            head, end, _ = self.pending.partition(b"\r\n\r\n")
            body = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            length = len(head) + len(end) + (int(body[1]) if body else 0) if end else 0
        return length if length <= len(self.pending) else 0


class Camera:
    """A proxy between vstream-serve and an RTSP server, which makes the losses."""

    def __init__(self, ports: dict[str, int]) -> None:
        self.ports, self.size, self.offset = ports, "usual", 0.0
        self.connections: set[asyncio.StreamWriter] = set()
        self.is_away = self.is_silent = False

    async def start(self) -> int:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_away:
            return writer.close()
        up, down = await asyncio.open_connection("127.0.0.1", self.ports[self.size])
        self.connections.add(writer)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(self.pump(reader, down, False), self.pump(up, writer, True), return_exceptions=True)
        self.connections.discard(writer)
        for each in (writer, down):
            each.close()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_down: bool) -> None:
        step = ClockStep()
        # Errors are a lost camera, or the end of the check.
        with contextlib.suppress(ConnectionError, asyncio.CancelledError), contextlib.closing(writer):
            while data := await reader.read(65536):
                if is_down:
                    data = step.shifted(data, self.offset)
                if not (is_down and self.is_silent):
                    writer.write(data)
                    await writer.drain()

    async def lose(self, kind: str) -> None:
        """Loses the camera, or sets its clock, and returns when it can be reached again."""
        if kind == "stepped":
            self.offset = random.uniform(-3600, 3600)
            return
        self.is_away = True
        if kind == "garbage":
            for writer in list(self.connections):
                writer.write(random.randbytes(4000))
            await asyncio.sleep(0.2)
        if kind == "resized":
            self.size = "small" if self.size == "usual" else "usual"
        if kind == "silent":
            self.is_silent = True
            await asyncio.sleep(TIMEOUT + 0.5)
        for writer in list(self.connections):
            writer.transport.abort()
        if kind != "cut":
            await asyncio.sleep(random.uniform(*AWAY))
        self.is_away = self.is_silent = False


def p99(before: str, after: str, camera: str) -> float:
    """The latency that 99 % of a camera's records between two states of the metrics did not exceed."""
    pattern = rf'^vstream_latency_seconds_bucket{{camera="{camera}",le="([^"]+)"}} (\d+)$'
    first, last = ({float(limit): int(count) for limit, count in re.findall(pattern, text, re.MULTILINE)} for text in (before, after))
    counts = {limit: count - first.get(limit, 0) for limit, count in last.items()}
    total = max(counts.values(), default=0)
    return min((limit for limit, count in counts.items() if total and count >= 0.99 * total), default=float("nan"))


class Endurance(Checks):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.options = options
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.never_back: list[str] = []
        self.memory: list[tuple[float, float]] = []
        self.states: dict[str, str] = {}
        self.metrics: list[tuple[float, str]] = []

    async def watch(self, server: Server, end: float) -> None:
        while time.monotonic() < end:
            listed = json.loads(await asyncio.to_thread(server.request, "/api/v1/cameras"))["cameras"]
            self.states = {camera["name"]: camera["state"] for camera in listed}
            self.memory.append((time.monotonic(), memory(server.program.pid, "Rss")))
            if not self.metrics or time.monotonic() - self.metrics[-1][0] > 5:
                self.metrics.append((time.monotonic(), await asyncio.to_thread(server.metrics)))
            await asyncio.sleep(0.25)

    async def wait_until(self, name: str, state: str, limit: float) -> bool:
        end = time.monotonic() + limit
        while self.states.get(name) != state and time.monotonic() < end:
            await asyncio.sleep(0.05)
        return self.states.get(name) == state

    async def lose_repeatedly(self, name: str, camera: Camera, pause: float, end: float) -> None:
        await asyncio.sleep(random.uniform(0, pause))
        while time.monotonic() < end - 20:
            kind = random.choice(self.options.kinds)
            await camera.lose(kind)
            if kind == "stepped" and await self.wait_until(name, "lost", TIMEOUT + 1):
                self.never_back.append(f"{name}, lost as its clock was set")
            start = time.monotonic()
            await self.wait_until(name, "lost", 0.5)
            if await self.wait_until(name, "live", 30):
                self.seconds[kind].append(time.monotonic() - start)
            else:
                self.never_back.append(f"{name}, {kind}")
            await asyncio.sleep(max(0.5, random.uniform(0.5, 1.5) * pause))

    async def run(self, folder: Path, ports: dict[str, int]) -> None:
        options = self.options
        cameras = {f"c{number}": Camera(ports) for number in range(options.cameras + len(UNTOUCHED))}
        lines = [f'  {name}: {{source: "rtsp://127.0.0.1:{await camera.start()}/live"}}' for name, camera in cameras.items()]
        configuration = "\n".join([f"defaults: {{passes-per-second: {options.passes}, timeout: {TIMEOUT}}}", "cameras:", *lines,
                                   '  never: {source: "rtsp://10.255.255.1/live"}', ""])
        server = await asyncio.to_thread(Server, folder, configuration)
        try:
            start = time.monotonic()
            end = start + 60 * options.minutes
            watching = asyncio.create_task(self.watch(server, end))
            for name in cameras:
                if not await self.wait_until(name, "live", 60):
                    fail(f"{name} is not live; {server.log.read_text()[-800:]}")
            await asyncio.sleep(QUIET)
            lost = {name: camera for name, camera in cameras.items() if name not in UNTOUCHED}
            pause = (60 * options.minutes - QUIET) * len(lost) / options.losses
            await asyncio.gather(watching, *(self.lose_repeatedly(name, camera, pause, end) for name, camera in lost.items()))
            self.check("server", server.program.poll() is None, "runs to the end")
            self.report(start)
        finally:
            server.stop()

    def report(self, start: float) -> None:
        for kind, seconds in self.seconds.items():
            self.check(kind, max(seconds) <= self.options.back_within,
                       f"{len(seconds)} losses, live after {statistics.median(seconds):.2f} s (median), {max(seconds):.2f} s (longest)")
        self.check("never back", not self.never_back, ", ".join(self.never_back) or "none")
        third = (self.metrics[-1][0] - start) / 3
        periods = {"without losses": (0, QUIET), "first third": (QUIET, third), "last third": (2 * third, 3 * third + 1)}
        for name in UNTOUCHED:
            found = {period: [text for at, text in self.metrics if first <= at - start < last] for period, (first, last) in periods.items()}
            self.note(f"{name}, never lost", "latency p99 " + ", ".join(
                f"{period} {p99(texts[0], texts[-1], name):g} s" for period, texts in found.items() if texts))
        points = [(at - start, megabytes) for at, megabytes in self.memory if at > start + third]
        growth = slope(points) * (points[-1][0] - points[0][0])
        each = 1024 * growth / max(1, sum(map(len, self.seconds.values())) * 2 / 3)
        self.check("memory", each < self.options.memory_limit,
                   f"{points[0][1]:.0f} to {points[-1][1]:.0f} MB, most {max(value for _, value in points):.0f} MB; fitted line: "
                   f"{growth:+.1f} MB in two thirds, {each:+.1f} kB for each loss")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--cameras", type=int, default=24)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--losses", type=int, default=1000)
    options.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS, help="of losses, separated by commas")
    options.add_argument("--passes", type=float, default=0.5, help="of each camera, in a second")
    options.add_argument("--back-within", type=float, default=5, help="seconds")
    options.add_argument("--memory-limit", type=float, default=20, help="kB for each loss")
    arguments = options.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        options.error(f"--kinds '{unknown.pop()}' is none of {', '.join(KINDS)}")
    random.seed(1)
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as senders:
        folder, ports = Path(name), {}
        log("making the clips…")
        for size, pixels in SIZES.items():
            # Longer than the run: the clip's end would be a loss.
            sender = Sender(street_clip(folder, 60 * arguments.minutes + 120, pixels, 10, 1, size))
            senders.callback(sender.stop)
            ports[size] = sender.port
        endurance = Endurance(arguments)
        asyncio.run(endurance.run(folder, ports))
    raise SystemExit(endurance.failed > 0)

"""Runs vstream-serve with many cameras that are lost again and again, and checks that each comes back and harms no other.

    scripts/checks/serve-endurance [--cameras 24] [--minutes 30] [--losses 1000] [--kinds cut,away,silent,garbage,resized,stepped]
                                   [--passes 0.5] [--back-within 5] [--memory-limit 20]

The cameras are H.264 of 320×240 with 10 frames a second, by RTSP, each through a proxy of its own. A loss is one of: the
connection is cut, the camera is away for a while, it sends nothing more on an open connection, it sends garbage, it comes
back with another size, or its clock is set by up to an hour, which must lose nothing. One more camera has an address that never answers, and two are never lost.

Checked are: the seconds from the moment at which a camera can be reached again until it is live; the latency of the two
cameras that are never lost, in the first and in the last third, and while nothing was lost (before); and resident memory, from a
third of the time on, by a fitted line. Prints a table; exit status 1 if a check fails. Needs the tests' dependencies
(scripts/bootstrap --for-tests) and the release build of vstream-serve.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from pathlib import Path


from ..common import ROOT, VIDEOS, fail, log, vstream_path

KINDS = ["cut", "away", "silent", "garbage", "resized", "stepped"]
TIMEOUT = 3  # seconds, of vstream-serve's cameras
AWAY = (0.5, 4.0)  # seconds
QUIET = 30  # seconds without losses, at the start
STEADY = 2  # cameras that are never lost
ADDRESS = "127.0.0.1:18491"


class ClockStep:
    """Shifts the timestamps of RTP packets in an RTSP connection (RFC 2326, section 10.12)."""

    def __init__(self) -> None:
        self.rest = bytearray()

    def shifted(self, data: bytes, seconds: float) -> bytes:
        self.rest += data
        complete = bytearray()
        while length := self.message_length():
            if self.rest[0] == ord("$") and self.rest[1] % 2 == 0:
                ticks = int.from_bytes(self.rest[8:12]) + int(90_000 * seconds)
                self.rest[8:12] = (ticks % (1 << 32)).to_bytes(4)
            complete += self.rest[:length]
            del self.rest[:length]
        return bytes(complete)

    def message_length(self) -> int:
        """The length of the first packet or answer; 0 if it is not complete."""
        if self.rest[:1] == b"$":
            length = 4 + int.from_bytes(self.rest[2:4]) if len(self.rest) >= 4 else 0
        else:
            head, end, _ = self.rest.partition(b"\r\n\r\n")
            body = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            length = len(head) + len(end) + (int(body[1]) if body else 0) if end else 0
        return length if length <= len(self.rest) else 0


class Camera:
    """A proxy between vstream-serve and an RTSP server, which makes the losses."""

    def __init__(self, senders: dict[str, int]) -> None:
        self.senders = senders
        self.size = "usual"
        self.connections: set[asyncio.StreamWriter] = set()
        self.is_away = self.is_silent = False
        self.offset = 0.0  # seconds of the clock
        self.port = 0

    async def start(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_away:
            writer.close()
            return
        up, down = await asyncio.open_connection("127.0.0.1", self.senders[self.size])
        self.connections.add(writer)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(self.pump(reader, down, False), self.pump(up, writer, True), return_exceptions=True)
        self.connections.discard(writer)
        for each in (writer, down):
            each.close()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_down: bool) -> None:
        step = ClockStep()
        try:
            while data := await reader.read(65536):
                if is_down:
                    data = step.shifted(data, self.offset)
                if not (is_down and self.is_silent):
                    writer.write(data)
                    await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass  # the camera is lost, or the check has ended
        finally:
            writer.close()

    def cut(self) -> None:
        for writer in list(self.connections):
            writer.transport.abort()

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
        self.cut()
        if kind != "cut":
            await asyncio.sleep(random.uniform(*AWAY))
        self.is_away = self.is_silent = False


def clip(folder: Path, name: str, width: int, height: int, seconds: float) -> Path:
    """The street, over and over, for longer than the run: its end would be a loss."""
    path = folder / f"{name}.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", VIDEOS / "street.avi", "-vf", f"scale={width}:{height}", "-c:v", "libx264",
                    "-preset", "veryfast", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p", "-t", str(seconds), path], check=True)
    return path


def sender(path: Path) -> tuple[subprocess.Popen, int]:
    program = subprocess.Popen([ROOT / "Tests/VStreamTestSupport/rtsp-server", "0", path], stdout=subprocess.PIPE, text=True)
    for line in program.stdout:
        if found := re.match(r"ready (\d+)", line):
            return program, int(found[1])
    fail("the RTSP server does not start")


def get(path: str) -> str:
    with urllib.request.urlopen(f"http://{ADDRESS}{path}", timeout=20) as answer:
        return answer.read().decode()


def latencies(text: str, name: str) -> dict[float, float]:
    """The cumulative counts of a camera's latencies, by limit."""
    found = re.findall(rf'^vstream_latency_seconds_bucket{{camera="{name}",le="([^"]+)"}} (\d+)$', text, re.MULTILINE)
    return {float(limit): float(count) for limit, count in found}


def p99(before: dict[float, float], after: dict[float, float]) -> float:
    counts = {limit: after[limit] - before.get(limit, 0) for limit in after}
    total = max(counts.values(), default=0)
    return min((limit for limit, count in counts.items() if total and count >= 0.99 * total), default=float("nan"))


class Check:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.never_back: list[str] = []
        self.memory: list[tuple[float, float]] = []
        self.states: dict[str, str] = {}
        self.latencies: list[tuple[float, str]] = []

    async def watch(self, process: int, end: float) -> None:
        while time.monotonic() < end:
            listed = json.loads(await asyncio.to_thread(get, "/api/v1/cameras"))["cameras"]
            self.states = {camera["name"]: camera["state"] for camera in listed}
            resident = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            self.memory.append((time.monotonic(), resident))
            if not self.latencies or time.monotonic() - self.latencies[-1][0] > 5:
                self.latencies.append((time.monotonic(), await asyncio.to_thread(get, "/metrics")))
            await asyncio.sleep(0.25)

    async def wait_until(self, name: str, state: str, limit: float) -> bool:
        end = time.monotonic() + limit
        while self.states.get(name) != state:
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.05)
        return True

    async def lose_again_and_again(self, name: str, camera: Camera, pause: float, end: float) -> None:
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

    async def run(self, folder: Path, senders: dict[str, int]) -> bool:
        options = self.options
        cameras = {f"c{number}": Camera(senders) for number in range(options.cameras + STEADY)}
        for camera in cameras.values():
            await camera.start()
        lines = [f'  {name}: {{source: "rtsp://127.0.0.1:{camera.port}/live"}}' for name, camera in cameras.items()]
        configuration = folder / "cameras.yaml"
        configuration.write_text("\n".join(
            [f"defaults: {{passes-per-second: {options.passes}, timeout: {TIMEOUT}}}", "cameras:", *lines,
             '  never: {source: "rtsp://10.255.255.1/live"}', ""]))
        with (folder / "log").open("w") as messages:
            server = subprocess.Popen(
                [vstream_path().with_name("vstream-serve"), configuration, "--listen", ADDRESS], stderr=messages)
        try:
            await asyncio.sleep(2)
            start = time.monotonic()
            end = start + 60 * options.minutes
            watching = asyncio.create_task(self.watch(server.pid, end))
            for name in cameras:
                if not await self.wait_until(name, "live", 60):
                    fail(f"{name} is not live; {(folder / 'log').read_text()[-800:]}")
            await asyncio.sleep(QUIET)
            lost = [(name, camera) for name, camera in cameras.items()][STEADY:]
            pause = (60 * options.minutes - QUIET) * len(lost) / options.losses
            losing = [self.lose_again_and_again(name, camera, pause, end) for name, camera in lost]
            await asyncio.gather(watching, *losing)
            return self.report(start, server.poll() is None)
        finally:
            server.terminate()
            server.wait()

    def report(self, start: float, is_running: bool) -> bool:
        options = self.options
        good = is_running and not self.never_back
        print(f"{'loss':<10}{'count':>7}{'median s':>10}{'most s':>8}")
        for kind in options.kinds:
            seconds = self.seconds[kind]
            if seconds:
                print(f"{kind:<10}{len(seconds):>7}{statistics.median(seconds):>10.2f}{max(seconds):>8.2f}")
        late = [value for values in self.seconds.values() for value in values if value > options.back_within]
        print(f"losses {sum(map(len, self.seconds.values()))}, back later than {options.back_within:g} s: {len(late)}, "
              f"never back: {self.never_back or 'none'}")
        good &= not late
        third = (self.latencies[-1][0] - start) / 3
        quiet = [text for at, text in self.latencies if at < start + QUIET]
        first = [text for at, text in self.latencies if start + QUIET <= at < start + third]
        last = [text for at, text in self.latencies if at >= start + 2 * third]
        for name in [f"c{number}" for number in range(STEADY)]:
            found = [p99(latencies(part[0], name), latencies(part[-1], name)) for part in (quiet, first, last)]
            print(f"{name}, never lost: latency p99 without losses {found[0]:g} s, first third {found[1]:g} s, last {found[2]:g} s")
        points = [(at - start, bytes_ / 1e6) for at, bytes_ in self.memory if at > start + third]
        slope, _ = statistics.linear_regression([at for at, _ in points], [value for _, value in points])
        losses = max(1, sum(map(len, self.seconds.values()))) * 2 / 3
        growth = slope * (points[-1][0] - points[0][0])
        print(f"memory {points[0][1]:.0f} to {points[-1][1]:.0f} MB, most {max(value for _, value in points):.0f} MB; "
              f"fitted line: {growth:+.1f} MB in two thirds, {1e3 * growth / losses:+.1f} kB a loss")
        good &= 1e3 * growth / losses < options.memory_limit
        print("passed" if good else "failed")
        return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameras", type=int, default=24)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--losses", type=int, default=1000)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=KINDS, help="of losses, separated by commas")
    parser.add_argument("--passes", type=float, default=0.5, help="of each camera, in a second")
    parser.add_argument("--back-within", type=float, default=5, help="seconds")
    parser.add_argument("--memory-limit", type=float, default=20, help="kB for each loss")
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log("making the clips…")
        started = {size: sender(clip(folder, size, *pixels, 60 * options.minutes + 120)) for size, pixels in
                   {"usual": (320, 240), "small": (192, 144)}.items()}
        try:
            ports = {size: port for size, (_, port) in started.items()}
            sys.exit(0 if asyncio.run(Check(options).run(folder, ports)) else 1)
        finally:
            for program, _ in started.values():
                program.kill()

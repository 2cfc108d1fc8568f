"""Measures how many cameras one vstream-serve takes: cameras of 720p25 in H.264 by RTSP, prerecorded, at 5 passes a second each.

    scripts/bench/serve [--cameras 4 8 12] [--passes 5] [--seconds 30] [--still] [--peers]

For each number of cameras it prints the processor time of vstream-serve, and of the sender, in cores, the frames, passes and
late or dropped frames in a second, the fractions of the frames whose records were ready 50, 100 and 150 ms after their packets
arrived, and the memory. The first row has no detection: decoding alone.

With --still the cameras show a street where nothing moves but the sensor's noise. With --peers, the same cameras are also
read by Python programs: one with a thread for each camera, and one for each camera.

Needs the tests' dependencies (scripts/bootstrap --for-tests), as the cameras are served by Tests/VStreamTestSupport/rtsp-server,
and the release build of vstream-serve.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import TypeVar

from ..common import ROOT, VIDEOS, fail, log, parser, vstream_path
from ..environments import BENCH
from ..measuring import ffmpeg

RATE = 25
# Seconds within which servers and all cameras have to be ready.
START_LIMIT = 60
LIMITS = ["0.05", "0.1", "0.15"]
# Seconds after all cameras are live that are not measured, and as many more for each camera, and seconds for which a clip must
# last besides.
SETTLING, SETTLING_EACH, STARTING = 5, 0.5, 25
# Seconds between the clips' key frames.
KEY_INTERVAL = 2

Value = TypeVar("Value")


def wait_for(what: str, value: Callable[[], Value]) -> Value:
    """Waits until a function returns something true, and ends the command if that takes too long."""
    deadline = time.monotonic() + START_LIMIT
    while not (found := value()):
        if time.monotonic() > deadline:
            fail(f"waited {START_LIMIT} s for {what}")
        time.sleep(0.05)
    return found


def make_clip(folder: Path, seconds: float, is_still: bool) -> Path:
    """The street over and over, or its first frame with a sensor's noise; prerecorded, so that the sender does not encode."""
    path, filters = folder / "street.mp4", f"scale=1280:720,fps={RATE}"
    if is_still:
        filters = f"loop=-1:1,setpts=N/FRAME_RATE/TB,{filters},noise=alls=4:allf=t"
    ffmpeg("-stream_loop", -1, "-i", VIDEOS / "street.avi", "-vf", filters, "-t", seconds, "-g", KEY_INTERVAL * RATE, "-c:v", "libx264",
           "-preset", "veryfast", "-b:v", "2M", "-maxrate", "2M", "-bufsize", "2M", "-bf", 0, "-pix_fmt", "yuv420p", path)
    return path


class Sender:
    """An RTSP server, which sends a clip to each client from its start."""

    def __init__(self, clip: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        self.url = f"rtsp://127.0.0.1:{port}/live"
        command = [ROOT / "Tests/VStreamTestSupport/rtsp-server", str(port), clip]
        self.program = Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)

        def is_listening() -> bool:
            if self.program.poll() is not None:
                fail("the RTSP server does not start: scripts/bootstrap --for-tests installs what it needs")
            # As the kernel lists them: the local address with its port, the remote address, and the state; 0A listens.
            rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines())
            return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)

        wait_for("the RTSP server", is_listening)

    def stop(self) -> None:
        self.program.kill()
        self.program.wait()


class Server:
    """A vstream-serve."""

    def __init__(self, folder: Path, configuration: str) -> None:
        program = vstream_path().with_name("vstream-serve")
        if not program.exists():
            fail(f"there is no {program}: run 'VSTREAM_SERVE=1 swift build -c release --product vstream-serve'", 69)
        file, self.log = folder / "cameras.yaml", folder / "log"
        file.write_text(configuration)
        with self.log.open("w") as messages:
            self.program = Popen([program, file, "--listen", "127.0.0.1:0"], stderr=messages)
        self.address = wait_for("vstream-serve", self.printed_address)

    def printed_address(self) -> str | None:
        messages = self.log.read_text()
        if self.program.poll() is not None:
            fail(f"vstream-serve ended: {messages[-500:]}")
        found = re.search(r"serving .* at http://([\d.]+:\d+)/", messages)
        return found and found[1]

    def request(self, path: str, method: str = "GET", body: str | None = None) -> str:
        request = urllib.request.Request(f"http://{self.address}{path}", body and body.encode(), method=method)
        with urllib.request.urlopen(request, timeout=START_LIMIT) as answer:
            return answer.read().decode()

    def stop(self) -> None:
        self.program.terminate()
        self.program.wait()


def total(metrics: str, name: str, label: str = "") -> float:
    """The sum of a metric over the cameras."""
    pattern = rf"^{name}(?:{{[^}}]*{re.escape(label)}[^}}]*}})? ([\d.]+)$"
    return sum(map(float, re.findall(pattern, metrics, re.MULTILINE)))


def processor_seconds(processes: Iterable[int]) -> float:
    """User and system time of all threads of the processes."""
    fields = (Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in processes)
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> float:
    """Megabytes; of pages that n processes share, 1/n counts in each."""
    return int(re.search(r"^Pss: +(\d+) kB$", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)[1]) / 1024


def measure(folder: Path, clip: Path, count: int, detect: str, passes: float, seconds: float) -> str:
    """A row of the table for a vstream-serve of so many cameras."""
    sender = Sender(clip)
    settings = f'{{detect: {detect}, passes-per-second: {passes}, source: "{sender.url}"}}'
    server = Server(folder, f"cameras:\n  c0: {settings}\n")

    def counts() -> dict[str, float]:
        metrics = server.request("/metrics")
        return {"cpu": total(metrics, "process_cpu_seconds_total"), "senders": processor_seconds([sender.program.pid]),
                "passes": total(metrics, "vstream_detector_passes_total"),
                **{state: total(metrics, "vstream_frames_total", f'state="{state}"') for state in ("in", "late", "dropped")},
                **{limit: total(metrics, "vstream_latency_seconds_bucket", f'le="{limit}"') for limit in [*LIMITS, "+Inf"]}}

    try:
        # Each camera has its key frames at another moment, as real ones have.
        for number in range(1, count):
            time.sleep(KEY_INTERVAL / count)
            server.request(f"/api/v1/cameras/c{number}", "PUT", settings)
        wait_for(f"{count} live cameras", lambda: total(server.request("/metrics"), "vstream_camera_up") == count)
        time.sleep(SETTLING + SETTLING_EACH * count)
        before, start = counts(), time.monotonic()
        time.sleep(seconds)
        after, elapsed = counts(), time.monotonic() - start
        megabytes = total(server.request("/metrics"), "process_resident_memory_bytes") / 1e6
    finally:
        server.stop()
        sender.stop()
    rate = {key: (after[key] - before[key]) / elapsed for key in before}
    fractions = "".join(f"{rate[limit] / max(rate['+Inf'], 1e-9):>10.1%}" for limit in LIMITS)
    return (f"{count:>8}{rate['cpu']:>8.2f}{rate['senders']:>9.2f}{rate['in']:>10.1f}{rate['passes']:>10.1f}{rate['late']:>8.1f}"
            f"{rate['dropped']:>9.2f}{fractions}{megabytes:>9.0f}")


def measure_peer(clip: Path, count: int, passes: float, seconds: float, is_shared: bool) -> str:
    """The cameras as read by one Python program, or by one each."""
    sender = Sender(clip)
    groups = [[sender.url] * count] if is_shared else [[sender.url]] * count
    programs = [Popen([*map(str, BENCH.command("bench/peers", "cameras", passes, *group))], stdout=PIPE, text=True) for group in groups]
    processes = [program.pid for program in programs]
    try:
        time.sleep(SETTLING + count)
        for program in programs:
            program.send_signal(signal.SIGUSR1)
        before, start = processor_seconds(processes), time.monotonic()
        time.sleep(seconds)
        cpu = (processor_seconds(processes) - before) / (time.monotonic() - start)
        megabytes = sum(map(memory, processes))
        for program in programs:
            program.terminate()
        figures = [json.loads(program.communicate()[0]) for program in programs]
    finally:
        for program in programs:
            program.kill()
        sender.stop()
    frames, done = (sum(figure[key] for figure in figures) for key in ("frames", "passes"))
    name = "one Python program" if is_shared else "a Python program each"
    return f"{count:>8}{cpu:>8.2f}{frames:>10.1f}{done:>10.1f}{megabytes:>9.0f}  {name}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--cameras", type=int, nargs="+", default=[4, 8, 12])
    options.add_argument("--passes", type=float, default=5)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--still", action="store_true")
    options.add_argument("--peers", action="store_true")
    arguments = options.parse_args()
    if arguments.peers:
        BENCH.prepare()
    with tempfile.TemporaryDirectory() as name:
        folder, given = Path(name), (arguments.passes, arguments.seconds)
        log("making the clip…")
        length = SETTLING + STARTING + (1 + SETTLING_EACH) * max(arguments.cameras) + arguments.seconds
        clip = make_clip(folder, length, arguments.still)
        print(" cameras   cores  senders  frames/s  passes/s  late/s dropped/s   <=50ms   <=100ms   <=150ms       MB", flush=True)
        for count, detect in [(arguments.cameras[0], "none"), *((count, "objects") for count in arguments.cameras)]:
            print(measure(folder, clip, count, detect, *given), flush=True)
        print("\n cameras   cores  frames/s  passes/s       MB" * arguments.peers, flush=True)
        for count in arguments.cameras if arguments.peers else []:
            for is_shared in (True, False):
                print(measure_peer(clip, count, *given, is_shared), flush=True)

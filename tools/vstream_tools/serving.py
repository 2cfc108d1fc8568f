"""Senders and servers on this machine, and the use of processors and memory, for measurements of live streams and vstream-serve."""

from __future__ import annotations

import os
import re
import signal
import socket
import statistics
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from .common import ROOT, VIDEOS, fail, vstream_path
from .measuring import ffmpeg

RATE = 25
# Seconds within which a server, a browser or all cameras have to be ready.
START_LIMIT = 60
H264 = ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "2M", "-maxrate", "2M", "-bufsize", "2M", "-bf", "0", "-pix_fmt", "yuv420p"]

Value = TypeVar("Value")


def wait_for(what: str, value: Callable[[], Value], limit: float = START_LIMIT) -> Value:
    """Waits until a function returns something true, and ends the command if that takes too long."""
    deadline = time.monotonic() + limit
    while not (found := value()):
        if time.monotonic() > deadline:
            fail(f"waited {limit:g} s for {what}")
        time.sleep(0.05)
    return found


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    with socket.socket(type=kind) as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


# --- Cameras ---


def street_clip(folder: Path, seconds: float, size: str = "1280:720", rate: int = RATE, interval: int = 2, name: str = "street") -> Path:
    """The street over and over, prerecorded, so that the sender does not encode; `interval`: seconds between key frames."""
    path = folder / f"{name}.mp4"
    ffmpeg("-stream_loop", -1, "-i", VIDEOS / "street.avi", "-vf", f"scale={size},fps={rate}", "-t", seconds, "-g", interval * rate,
           *H264, path)
    return path


def still_clip(folder: Path, seconds: float) -> Path:
    """The first frame of the street with a sensor's noise, in 720p25."""
    path, image = folder / "still.mp4", folder / "first.png"
    ffmpeg("-i", VIDEOS / "street.avi", "-frames:v", 1, image)
    ffmpeg("-loop", 1, "-framerate", RATE, "-i", image, "-vf", "scale=1280:720,noise=alls=4:allf=t", "-t", seconds, "-g", 2 * RATE,
           *H264, path)
    return path


class Sender:
    """A program that sends a clip at its own pace: an RTSP server, or ffmpeg by another protocol.

    The RTSP server sends it to each client from its start; if it is shared, the same to all.
    """

    def __init__(self, clip: Path, kind: str = "rtsp", is_shared: bool = False) -> None:
        self.kind, self.port = kind, free_port(socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
        self.url = f"{kind}://127.0.0.1:{self.port}" + "/live" * (kind == "rtsp")
        send = ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", clip, "-c", "copy", "-f", "mpegts"]
        self.command = {
            "rtsp": [ROOT / "Tests/VStreamTestSupport/rtsp-server", *(["--shared"] if is_shared else []), str(self.port), clip],
            "udp": [*send, f"{self.url}?pkt_size=1316"], "tcp": [*send, f"{self.url}?listen=1"],
            "http": [*send, "-listen", "1", self.url]}[kind]
        self.start()

    def start(self, *options: str) -> None:
        """Starts the program, with output options of ffmpeg, and waits until it listens; by UDP it sends in any case."""
        command = [*self.command[:-1], *options, self.command[-1]]
        self.program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(f"the {self.kind} server", lambda: self.kind == "udp" or self.program.poll() is not None or self.is_listening())
        if self.program.poll() is not None:
            fail(f"the {self.kind} server does not start: {' '.join(map(str, command))}")

    def is_listening(self) -> bool:
        # As the kernel lists them: the local address with its port, the remote address, and the state; 0A listens.
        rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines())
        return any(row[1].endswith(f":{self.port:04X}") and row[3] == "0A" for row in rows)

    def stop(self) -> None:
        # By UDP, half a packet would arrive as a damaged one.
        self.program.send_signal(signal.SIGTERM if self.kind == "udp" else signal.SIGKILL)
        self.program.wait()


# --- vstream-serve ---


class Server:
    """A vstream-serve."""

    def __init__(self, folder: Path, configuration: str) -> None:
        program = vstream_path().with_name("vstream-serve")
        if not program.exists():
            fail(f"there is no {program}: run 'VSTREAM_SERVE=1 swift build -c release --product vstream-serve'", 69)
        file, self.log = folder / "cameras.yaml", folder / "log"
        file.write_text(configuration)
        with self.log.open("w") as messages:
            self.program = subprocess.Popen([program, file, "--listen", "127.0.0.1:0"], stderr=messages)
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

    def metrics(self) -> str:
        return self.request("/metrics")

    def wait_until_live(self, cameras: int) -> None:
        wait_for(f"{cameras} live cameras", lambda: total(self.metrics(), "vstream_camera_up") == cameras)

    def stop(self) -> None:
        self.program.terminate()
        self.program.wait()


def total(metrics: str, name: str, label: str = "") -> float:
    """The sum of a metric over the cameras."""
    pattern = rf"^{name}(?:{{[^}}]*{re.escape(label)}[^}}]*}})? ([\d.]+)$"
    return sum(map(float, re.findall(pattern, metrics, re.MULTILINE)))


# --- Processes ---


def processor_seconds(processes: Iterable[int]) -> float:
    """User and system time of all threads of the processes."""
    fields = (Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in processes)
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def cores(processes: list[int], seconds: float) -> float:
    """The processors that the processes use together, on average."""
    before, start = processor_seconds(processes), time.monotonic()
    time.sleep(seconds)
    return (processor_seconds(processes) - before) / (time.monotonic() - start)


def memory(process: int, kind: str) -> float:
    """Megabytes: `Rss`, resident; `Pss`, where pages shared by n processes count 1/n in each; `Anonymous`, not of files."""
    return int(re.search(rf"^{kind}: +(\d+) kB$", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)[1]) / 1024


def children(parent: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            found += [int(word) for word in path.read_text().split()]
        except OSError:
            continue
    return found


def slope(points: list[tuple[float, float]]) -> float:
    """The slope of the line that fits points best."""
    return statistics.linear_regression([x for x, _ in points], [y for _, y in points]).slope


class Checks:
    """The results of checks, printed line by line."""

    def __init__(self) -> None:
        self.failed = 0

    def check(self, name: str, is_right: bool, figures: str) -> None:
        self.failed += not is_right
        print(f"{'ok' if is_right else 'WRONG':7}{name:24}{figures}", flush=True)

    @staticmethod
    def note(name: str, figures: str) -> None:
        print(f"{'':7}{name:24}{figures}", flush=True)

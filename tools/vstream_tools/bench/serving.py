"""What the scripts that measure vstream-serve share: cameras by RTSP, the server, and the use of processors and memory."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from ..common import ROOT, VIDEOS, fail, vstream_path
from ..measuring import ffmpeg

RATE = 25
# Seconds that a server, a browser or all cameras may take to be ready.
START_LIMIT = 60
H264 = ["-c:v", "libx264", "-preset", "veryfast", "-b:v", "2M", "-maxrate", "2M", "-bufsize", "2M", "-bf", "0", "-pix_fmt", "yuv420p"]

Value = TypeVar("Value")


def wait_for(what: str, value: Callable[[], Value], limit: float = START_LIMIT) -> Value:
    """Waits until a function returns something true, and ends the script if that takes too long."""
    deadline = time.monotonic() + limit
    while not (found := value()):
        if time.monotonic() > deadline:
            fail(f"waited {limit:g} s for {what}")
        time.sleep(0.05)
    return found


def street_clip(folder: Path, seconds: float = 60) -> Path:
    """The street in 720p25, prerecorded, so that the sender does not encode."""
    path = folder / "street.mp4"
    source = ["-stream_loop", -1, "-i", VIDEOS / "street.avi"]
    ffmpeg(*source, "-vf", f"scale=1280:720,fps={RATE}", "-t", seconds, "-g", 2 * RATE, *H264, path)
    return path


def still_clip(folder: Path, seconds: float) -> Path:
    """The first frame of the street with a sensor's noise, in 720p25."""
    path = folder / "still.mp4"
    image = ["-loop", 1, "-framerate", RATE, "-i", folder / "first.png"]
    ffmpeg("-i", VIDEOS / "street.avi", "-frames:v", 1, folder / "first.png")
    ffmpeg(*image, "-vf", "scale=1280:720,noise=alls=4:allf=t", "-t", seconds, "-g", 2 * RATE, *H264, path)
    return path


class Sender:
    """An RTSP server that sends a clip to each client, from its start and at its own pace; if it is shared, the same to all."""

    def __init__(self, clip: Path, is_shared: bool = False) -> None:
        command = [ROOT / "Tests/VStreamTestSupport/rtsp-server", *(["--shared"] if is_shared else []), "0", clip]
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in self.program.stdout:
            if found := re.match(r"ready (\d+)", line):
                self.port = int(found[1])
                self.url = f"rtsp://127.0.0.1:{self.port}/live"
                return
        fail("the RTSP server does not start")

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

    def connect(self, path: str, buffer: int | None = None) -> socket.socket:
        """A WebSocket whose messages are not read yet. `buffer`: bytes that the kernel keeps for it."""
        connection = socket.socket()
        if buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        host, port = self.address.split(":")
        connection.settimeout(START_LIMIT)
        connection.connect((host, int(port)))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dnN0cmVhbS12aWV3ZXItMA==\r\n\r\n".encode())
        if b" 101 " not in connection.recv(16):
            fail(f"vstream-serve opens no WebSocket of {path}")
        return connection

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

"""Runs of programs, and ffprobe's and ffmpeg's reading of files."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROBE = ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-show_chapters", "-show_packets", "-show_data_hash", "CRC32",
         "-of", "json"]


@dataclass
class Run:
    """The result of a run beside its files."""

    # Negative for a signal.
    status: int
    output: bytes
    errors: str
    seconds: float
    peak_megabytes: float
    is_timeout: bool


def run(command: list, *, limit: float = 60, folder: Path | None = None, pipe: Path | None = None,
        output: Path | None = None) -> Run:
    """Runs a program, with the contents of `pipe` as standard input, and kills it after `limit` seconds, without those in which it
    waited for a processor. Standard output goes to `output`, and otherwise to the result."""
    source = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) if pipe else None
    with open(output, "w+b") if output else tempfile.TemporaryFile() as written, tempfile.TemporaryFile() as errors:
        start, is_timeout = time.monotonic(), False
        process = subprocess.Popen([*map(str, command)], cwd=folder, stdin=source.stdout if source else subprocess.DEVNULL,
                                   stdout=written, stderr=errors)
        if source and source.stdout:
            source.stdout.close()
        end, poll = os.pidfd_open(process.pid), select.poll()
        poll.register(end, select.POLLIN)
        while not poll.poll(200):
            elapsed = time.monotonic() - start
            if elapsed > limit and elapsed - seconds_waiting(process.pid) > limit:
                is_timeout = True
                process.kill()
        seconds = time.monotonic() - start
        os.close(end)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if source:
            source.wait()
        written.seek(0)
        errors.seek(0)
        return Run(process.returncode, b"" if output else written.read(), errors.read().decode(errors="replace"), seconds,
                   usage.ru_maxrss / 1024, is_timeout)


def seconds_waiting(process: int) -> float:
    """The longest time that a thread of a process was ready to run and others did."""
    waiting = [0.0]
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            waiting.append(int(path.read_text().split()[1]) / 1e9)
        except (OSError, IndexError):
            continue  # the thread has ended, or the kernel keeps no such times
    return max(waiting)


def probe(path: Path) -> dict:
    """ffprobe's description of a file; empty if it cannot be read."""
    done = run([*PROBE, path])
    return json.loads(done.output) if done.status == 0 else {}


def frames_of(path: Path, *options: str) -> int:
    """The number of frames of the first video, cover images apart, that ffmpeg decodes; 0 if it cannot be read."""
    done = run(["ffmpeg", "-v", "quiet", "-nostdin", *options, "-i", path, "-map", "0:V:0", "-fps_mode", "passthrough",
                "-f", "framecrc", "-"])
    return 0 if done.is_timeout else len(re.findall(rb"^\d", done.output, re.MULTILINE))


def can_read(path: Path, *options: str) -> bool:
    """Whether ffmpeg reads a packet of the first video when it reads all streams, as damaged sound may end the reading."""
    command = ["ffprobe", "-v", "quiet", *options, "-of", "csv=p=0", path, "-show_entries"]
    packets, videos = (run([*command, *entries]).output.replace(b",", b" ").split()
                       for entries in (["packet=stream_index"], ["stream=index", "-select_streams", "V:0"]))
    return not videos or videos[0] in packets


def similarity(one: Path, other: Path) -> float:
    """The PSNR of two videos in decibels, 100 for equal ones; 0 if they cannot be compared."""
    graph = "[0:V:0]setpts=N,format=yuv420p[a];[1:V:0]setpts=N,format=yuv420p[b];[a][b]psnr"
    done = run(["ffmpeg", "-nostdin", "-i", one, "-i", other, "-filter_complex", graph, "-f", "null", "-"])
    found = re.search(r"PSNR y:\S+ u:\S+ v:\S+ average:(\S+)", done.errors)
    return 0.0 if done.status != 0 or not found else min(100.0, float(found[1]))

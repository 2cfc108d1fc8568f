"""Runs of programs with their time, processor time and memory, and the clips that they are measured on."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .common import ASTRONAUT, ROOT, fail, log

# The first frames of each clip, which are not measured.
WARM_UP = 50
# The minimum number of frames of a measured clip.
MINIMUM_FRAMES = 1000


@dataclass
class Run:
    """A run of a program, from start to exit."""

    seconds: float
    # User and system time of all threads; hardly depends on the load of the machine.
    processor_seconds: float
    peak_megabytes: float


def run(command: list, source: Path | None = None, target: Path | None = None, environment: dict | None = None) -> Run:
    """Runs a command, with the words IN and OUT replaced by the files."""
    words = [str({"IN": source, "OUT": target}.get(word, word)) for word in command]
    with tempfile.TemporaryFile("w+") as errors:
        start = time.monotonic()
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                              env={**os.environ, **(environment or {})}) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        if process.returncode != 0:
            errors.seek(0)
            fail(f"failed with exit code {process.returncode}: {' '.join(words)}\n{''.join(errors.readlines()[-5:]).strip()}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def swift_build(product: str, build_log: Path, *options: object, environment: dict[str, str] | None = None) -> Path:
    """Builds a release product of the checkout, and returns its program."""
    command = ["swift", "build", "-c", "release", *map(str, options)]
    variables = {**os.environ, **(environment or {})}
    with build_log.open("w") as output:
        built = subprocess.run([*command, "--product", product, "--explicit-target-dependency-import-check", "error"], cwd=ROOT,
                               env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    if built.returncode != 0:
        fail(f"{product} could not be built; see {build_log}:\n{build_log.read_text()[-3000:]}")
    shown = subprocess.run([*command, "--show-bin-path"], cwd=ROOT, env=variables, check=True, text=True, capture_output=True)
    return Path(shown.stdout.strip()) / product


# --- Clips ---


@dataclass(frozen=True)
class Clip:
    """A video, and its first frames in a file of their own."""

    path: Path
    frames: int
    head: Path
    head_frames: int


def count_frames(video: Path) -> int:
    answer = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets",
         "-of", "csv=p=0", video], capture_output=True, text=True)
    count = answer.stdout.strip().rstrip(",")
    if answer.returncode != 0 or not count.isdecimal():
        fail(f"'{video}' has no readable video stream: {answer.stderr.strip()}")
    return int(count)


def ffmpeg(*arguments: object) -> None:
    if subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)]).returncode != 0:
        fail(f"ffmpeg could not make a clip: {' '.join(map(str, arguments))}")


def make_clip(target: Path, source: Path, *options: object, before: tuple = ()) -> Path:
    """Makes a file with ffmpeg, unless it exists and is not older than its source. `before` are the input's options."""
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        log(f"making {target.name}…")
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"part-{target.name}")
        ffmpeg(*before, "-i", source, "-an", *options, part)
        part.rename(target)
    return target


def looped(source: Path, folder: Path) -> Clip:
    """The video repeated to over 1,000 frames, without re-encoding."""
    count = count_frames(source)
    if count <= WARM_UP:
        fail(f"'{source}' has {count} frame{'s' * (count != 1)}, and the first {WARM_UP} are not measured; use a longer video")
    path = source
    if repetitions := MINIMUM_FRAMES // count:
        path = make_clip(folder / f"{source.stem}-looped{source.suffix}", source, "-c", "copy", before=("-stream_loop", repetitions))
    head = make_clip(folder / f"{source.stem}-head{source.suffix}", source, "-c", "copy", "-frames:v", WARM_UP)
    return Clip(path, count_frames(path), head, count_frames(head))


def moving_astronaut(folder: Path) -> Path:
    """A clip of five seconds that sways, nods and zooms the astronaut's portrait."""
    motion = ("scale=900:900,rotate=0.25*sin(2*t):fillcolor=gray,"
              "crop=640:480:130+110*sin(1.3*t):120+100*sin(0.9*t)")
    return make_clip(folder / "astronaut-moving.mkv", ASTRONAUT, "-vf", motion, "-crf", "10", "-pix_fmt", "yuv420p",
                     before=("-loop", "1", "-framerate", "30", "-t", "5"))


# --- Measurements ---


@dataclass(frozen=True)
class Measurement:
    """Figures of one contender in one round; `None` where a figure does not apply."""

    frames_per_second: float | None = None
    processor_milliseconds: float | None = None
    peak_megabytes: float | None = None
    first_frame_seconds: float | None = None


def measure(command: list, clip: Clip, folder: Path) -> Measurement:
    """Measures a run on the clip less a run on its first frames: the cost of a frame without the start of the program."""
    target = folder / "out.mp4"
    head, whole = run(command, clip.head, target), run(command, clip.path, target)
    frames, seconds = clip.frames - clip.head_frames, whole.seconds - head.seconds
    if seconds <= 0:
        fail(f"the first {WARM_UP} frames took longer than all of {clip.path.name}; the machine is too busy to measure on")
    if "OUT" in command and abs((written := count_frames(target)) - clip.frames) > 1:
        fail(f"{written} of {clip.frames} frames were written: {' '.join(map(str, command))}")
    return Measurement(frames / seconds, (whole.processor_seconds - head.processor_seconds) / frames * 1000, whole.peak_megabytes)

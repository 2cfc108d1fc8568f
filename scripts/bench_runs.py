"""How scripts/bench and the evaluations run programs and measure them, and the clips that they run on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Frames at the beginning that do not count.
WARM_UP = 50
# How many frames of a clip there are at least.
ENOUGH = 1000


def fail(message: str) -> None:
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def vstream() -> Path:
    """The program: VSTREAM_BINARY, else that of this checkout."""
    return Path(os.environ.get("VSTREAM_BINARY") or ROOT / ".build/release/vstream")


def make_vstream_ready() -> None:
    """Sets up and builds what is missing, so that none of it is timed."""
    program = vstream() if os.environ.get("VSTREAM_BINARY") else ROOT / "scripts/vstream"
    status = subprocess.run([program, "--version"], stdout=subprocess.DEVNULL).returncode
    if status != 0:
        sys.exit(status)


# --- Runs ---


@dataclass
class Run:
    """A run of a program, from start to exit."""

    seconds: float
    # Of all threads together, in user and kernel; hardly depends on what else the machine does.
    processor_seconds: float
    peak_megabytes: float
    output: str


def run(command: list, source: Path | None = None, target: Path | None = None, environment: dict | None = None) -> Run:
    """Runs a command, in which IN and OUT stand for the files."""
    words = [str({"IN": source, "OUT": target}.get(word, word)) for word in command]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.monotonic()
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                   env={**os.environ, **(environment or {})})
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            said = "".join(errors.readlines()[-5:]).strip()
            fail(f"failed with {process.returncode}: {' '.join(words)}\n{said}")
        output.seek(0)
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read())


class Disturbance:
    """How many processors are busy with what this program did not start, from its making on."""

    def __init__(self) -> None:
        self._start = self._times()

    @property
    def processors(self) -> float:
        seconds, used, own = (now - before for now, before in zip(self._times(), self._start, strict=True))
        return max(0.0, used - own) / seconds

    @staticmethod
    def _times() -> tuple[float, float, float]:
        """The clock's, that of all processors in use, and that of the programs that were run here."""
        user, nice, system, _, _, *others = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
        own = os.times()
        return (own.elapsed, (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK"),
                own.user + own.system + own.children_user + own.children_system)


# --- Clips ---


@dataclass(frozen=True)
class Clip:
    """A video, and its first 50 frames in a file of their own."""

    path: Path
    frames: int
    head: Path
    head_frames: int

    @property
    def beginning(self) -> Clip:
        """These alone."""
        return Clip(self.head, self.head_frames, self.head, self.head_frames)


def count_frames(video: Path) -> int:
    answer = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries",
         "stream=nb_read_packets", "-of", "csv=p=0", video], capture_output=True, text=True)
    count = answer.stdout.strip().rstrip(",")
    if answer.returncode != 0 or not count.isdecimal():
        fail(f"'{video}' has no video that can be read: {answer.stderr.strip()}")
    return int(count)


def ffmpeg(*arguments: object) -> None:
    if subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)]).returncode != 0:
        fail(f"ffmpeg could not make a clip: {' '.join(map(str, arguments))}")


def made(target: Path, source: Path, *filters: object, before: tuple = ()) -> Path:
    """What ffmpeg makes of a file, unless it is there and not older."""
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return target
    print(f"{Path(sys.argv[0]).name}: making {target.name}…", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"part-{target.name}")
    ffmpeg(*before, "-i", source, "-an", *filters, part)
    part.rename(target)
    return target


def looped(source: Path, folder: Path) -> Clip:
    """The video over and over, until it has over 1,000 frames; what is coded stays as it is."""
    count = count_frames(source)
    if count <= WARM_UP:
        fail(f"'{source}' has {count} frame{'s' * (count != 1)}, and the first {WARM_UP} do not count; give a longer video")
    more = ENOUGH // count
    path = source
    if more:
        path = made(folder / f"{source.stem}-looped{source.suffix}", source, "-c", "copy", before=("-stream_loop", more))
    head = made(folder / f"{source.stem}-head{source.suffix}", source, "-c", "copy", "-frames:v", WARM_UP)
    return Clip(path, count_frames(path), head, count_frames(head))


def scaled(source: Path, folder: Path, width: int, height: int) -> Clip:
    """The middle of the video, scaled to the size, as H.264 of over 1,000 frames."""
    picture = f"crop=iw:iw*{height}/{width},scale={width}:{height}:flags=lanczos"
    path = made(folder / f"{source.stem}-{height}p.mp4", source, "-vf", picture, "-frames:v", ENOUGH + WARM_UP, "-c:v", "libx264",
                "-preset", "fast", "-crf", "18", before=("-stream_loop", ENOUGH // count_frames(source) + 1))
    return looped(path, folder)


# --- Measurements ---


@dataclass(frozen=True)
class Measurement:
    """Figures of one contender in one round; those that it has not are left out."""

    frames_per_second: float | None = None
    processor_milliseconds: float | None = None
    peak_megabytes: float | None = None
    first_frame_seconds: float | None = None


def measure(command: list, clip: Clip, folder: Path) -> Measurement:
    """A run on the clip, less one on its first 50 frames: what a frame takes once all is in motion."""
    target = folder / "out.mp4"
    head = run(command, clip.head, target)
    whole = run(command, clip.path, target)
    frames, seconds = clip.frames - clip.head_frames, whole.seconds - head.seconds
    if seconds <= 0:
        fail(f"the first {WARM_UP} frames took longer than all of {clip.path.name}; the machine is too busy to measure on")
    if "OUT" in command and abs((written := count_frames(target)) - clip.frames) > 1:
        fail(f"{written} of {clip.frames} frames were written: {' '.join(map(str, command))}")
    processor = (whole.processor_seconds - head.processor_seconds) / frames * 1000
    return Measurement(frames / seconds, processor, whole.peak_megabytes)

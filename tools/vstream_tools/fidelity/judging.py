"""The requirements on a run with a damaged input, whatever the damage."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

from .inputs import Input
from .running import Run, can_read, frames_of

DONE, USAGE, UNREADABLE, CANNOT_CREATE, FAILED = 0, 64, 65, 73, 74
# The frames of an input, and of splices of two, and of repeated blocks.
MOST_FRAMES = 120 * 100
SUMMARY = re.compile(r"^(\S+): (\d+) frames? in [\d.]+ s ")
# Usage errors that damage can cause, though the options were valid: video that the output cannot hold, and too early an end.
USAGE_REASONS = re.compile(
    r"supports a constant frame rate only|ends before \d.*\(--start\)|has no frame from \d.*\(--start, --duration\)"
    r"|cannot hold the video as it is|has no presentation times, so its video cannot be copied \(--overlay-track\)"
    r"|is one image, and the input has more frames|cannot encode \d+×\d+ |cannot hold \S+ \(--codec\): .*frame rate")
# Containers that store each frame once, at its own time.
EXACT = {".mkv", ".mp4", ".mov", ".nut"}
# One output in so many is decoded.
PLAYED = 3


def findings(number: int, source: Input, kind: str, arguments: tuple[str, ...], files: set[str], done: Run, folder: Path, memory: float) -> list[str]:
    """The defects of a run, one line each. kind: of the options; files: those of the input."""
    if done.is_timeout:
        return [f"runs longer than {done.seconds:.0f} s"]
    if done.status < 0 or done.status >= 128 or "Sanitizer" in done.errors or "Fatal error" in done.errors:
        return [f"exit status {done.status}: {done.errors[-1500:]}"]
    output = arguments[arguments.index("-o") + 1]
    # The number of the processed video among several is no warning.
    lines = [line for line in done.errors.splitlines() if " videos, stream #" not in line]
    frames = next((int(match[2]) for line in lines if (match := SUMMARY.match(line))), None)
    found = [f"took {done.peak_megabytes:.0f} MB"] if done.peak_megabytes > memory else []
    found += message_findings(done.status, lines) if kind != "verbose" else []
    found += file_findings(kind, output, {path.name for path in folder.iterdir()} - files, done.status, folder)
    found += [f"{frames} frames of at most {MOST_FRAMES}"] if (frames or 0) > MOST_FRAMES else []
    is_compared = done.status == DONE and frames and number % PLAYED == 1 and output != "-" and kind not in {"trim", "pipe"}
    if is_compared or done.status == UNREADABLE and kind not in {"strict", "trim", "pipe"}:
        decoded = decoded_frames(source, arguments, folder)
        # A single frame is not compared: dav1d with threads keeps it back and loses it with damage that follows, where ffmpeg's
        # reading has ended.
        found += [f"{frames or 0} frames, though ffmpeg decodes {decoded}"] if decoded > 1 and (frames or 0) < decoded // 2 else []
    elif done.status == DONE and output == "-":
        found += [] if done.output else ["nothing on standard output"]
    elif done.status == DONE and not frames:
        found.append("the summary counts no frames")
    elif done.status == DONE and output != "null" and kind != "overlay" and number % PLAYED == 0:
        written = frames_of(folder / output)
        is_wrong = written == 0 or Path(output).suffix in EXACT and written != frames
        found += [f"{written} of {frames} frames can be decoded from the output"] if is_wrong else []
    return found + ([f"status {done.status}: {done.errors.strip()[-400:]}"] if found else [])


def message_findings(status: int, lines: list[str]) -> list[str]:
    """Lines on standard error that are no warnings, no summary and not the one error."""
    others = [line for line in lines if not line.startswith("vstream: warning: ") and not SUMMARY.match(line)]
    if status == DONE:
        return [f"unexpected line: {line}" for line in others]
    if status not in (USAGE, UNREADABLE, CANNOT_CREATE, FAILED):
        return ["exit code without a reason"]
    if len(others) != 1 or not others[0].startswith("vstream: ") or lines[-1] != others[0]:
        return [f"{len(others)} lines instead of one error"]
    found = ["the error has no remedy"] if status != FAILED and not re.search(r"; \S", others[0]) else []
    return found + (["a usage error, though the options are valid"] if status == USAGE and not USAGE_REASONS.search(lines[-1]) else [])


def file_findings(kind: str, output: str, added: set[str], status: int, folder: Path) -> list[str]:
    """Wrong files in the folder."""
    output = output.replace("%03d", "*")
    allowed = ["records.jsonl", "records.jsonl.part", output, "*.ass" if kind == "overlay" else "out*.ts" if output == "out.m3u8" else ""]
    if status != DONE:
        # The written part plays and is called so, and the message names it.
        allowed = [*allowed, f"{output}.part"] if kind == "strict" or status == FAILED or "*" in output else []
    wrong = sorted(name for name in added if not any(fnmatch(name, each) for each in allowed))
    found = [f"left {', '.join(wrong)}"] if wrong else []
    found += ["left no output"] if status == DONE and output not in ("-", "null") and not any(fnmatch(name, output) for name in added) else []
    return found + [f"'{name}' does not play" for name in sorted(added) if name.endswith(".part") and not name.startswith("records")
                    and frames_of(folder / name) == 0]


def decoded_frames(source: Input, arguments: tuple[str, ...], folder: Path) -> int:
    """The number of frames that ffmpeg decodes of the input."""
    forced = ["-f", arguments[arguments.index("--input-format") + 1]] if "--input-format" in arguments else []
    options, path = [*source.reading_options, *forced], folder / source.file
    frames = frames_of(path, *options) if can_read(path, *options) else 0
    # FFmpeg's own decoder ignores the alpha channel.
    return min(frames, frames_of(path, *options, "-c:v", "libvpx-vp9")) if source.special == "alpha.webm" else frames

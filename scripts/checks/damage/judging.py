"""What scripts/checks/damaged-inputs expects of a run, whatever the damage."""

from __future__ import annotations

import re
import subprocess
import threading
from fnmatch import fnmatch
from pathlib import Path

from cases import Case
from inputs import MAXIMUM_FRAMES
from running import Result

DONE, USAGE, UNREADABLE, NOT_FOUND, CANNOT_CREATE, FAILED = 0, 64, 65, 66, 73, 74
# Splices contain two inputs, and repeated blocks several copies of one.
MOST_FRAMES = 100 * MAXIMUM_FRAMES
SUMMARY = re.compile(r"^(\S+): (\d+) frames? in [\d.]+ s ")
# Usage errors that damage can cause, though the options were valid: what the output cannot hold, and too early an end.
USAGE_REASONS = (r"supports a constant frame rate only", r"ends before \d.*\(--start\)",
                 r"has no frame from \d.*\(--start, --duration\)", r"cannot hold the video as it is",
                 r"has no presentation times, so its video cannot be copied \(--overlay-track\)",
                 r"is one image, and the input has more frames", r"cannot encode \d+×\d+ ",
                 r"cannot hold \S+ \(--codec\): .*frame rate")
REMEDY = re.compile(r"; \S")
# Containers that store each frame once, at its own time.
EXACT = {".mkv", ".mp4", ".mov", ".nut"}
# FFmpeg's own decoder ignores the alpha channel.
DECODERS = {"alpha.webm": "libvpx-vp9"}
# One output in so many is decoded.
PLAYED = 3


def generic(line: str) -> str:
    """A message without numbers and names, for counting."""
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"'[^']*'", "'…'", line))[:300]


class Judge:
    """Checks runs. Threads share it."""

    def __init__(self, memory: float, limit: float) -> None:
        self._memory = memory
        self._limit = limit
        self._lock = threading.Lock()
        self.played = 0
        self.compared = 0

    def findings(self, case: Case, result: Result, folder: Path) -> list[str]:
        """What is wrong with a run, one line each."""
        if result.is_timeout:
            return [f"runs longer than {self._limit:.0f} s"]
        if result.status < 0 or result.status >= 128 or "Sanitizer" in result.errors or "Fatal error" in result.errors:
            return [f"exit status {result.status}: {result.errors[-1500:]}"]
        found = [] if result.peak_megabytes <= self._memory else [f"took {result.peak_megabytes:.0f} MB"]
        # Which of several videos is processed is no warning.
        lines = [line for line in result.errors.splitlines() if " videos, stream #" not in line]
        frames = next((int(match[2]) for line in lines if (match := SUMMARY.match(line))), None)
        if case.kind != "verbose":
            found += message_findings(result.status, lines)
        found += self._file_findings(case, result, folder, frames)
        if frames is not None and frames > MOST_FRAMES:
            found.append(f"{frames} frames of at most {MAXIMUM_FRAMES}")
        if result.status == DONE:
            found += self._output_findings(case, result, folder, frames)
        elif result.status == UNREADABLE and case.kind not in ("strict", "trim", "pipe"):
            found += self._refusal_findings(case, result, folder)
        return found + ([f"status {result.status}: {result.errors.strip()[-400:]}"] if found else [])

    def _file_findings(self, case: Case, result: Result, folder: Path, frames: int | None) -> list[str]:
        """Wrong files in the folder."""
        added = {path.name for path in folder.iterdir()} - case.files.keys()
        output = case.output.replace("%03d", "*")
        extra = {".ass": "*.ass", ".m3u8": "out*.ts"}.get(".ass" if case.kind == "overlay" else Path(output).suffix, "")
        allowed = ["records.jsonl", "records.jsonl.part", output, extra]
        if result.status != DONE:
            # What was written plays and is called so, and the message names it.
            allowed.append(f"{output}.part")
            if case.kind != "strict" and result.status != FAILED and not fnmatch(output, "*[*]*"):
                allowed = []
        wrong = sorted(name for name in added if not any(fnmatch(name, each) for each in allowed))
        found = [f"left {', '.join(wrong)}"] if wrong else []
        if result.status == DONE and output not in ("-", "null") and not any(fnmatch(name, output) for name in added):
            found.append("left no output")
        for name in added:
            if name.endswith(".part") and not name.startswith("records") and frames_of(folder / name) == 0:
                found.append(f"'{name}' does not play")
        return found

    def _output_findings(self, case: Case, result: Result, folder: Path, frames: int | None) -> list[str]:
        """An output that does not play, or has other frames than the summary says."""
        if frames is None or frames == 0:
            return ["the summary counts no frames"] if case.output != "-" or frames == 0 else []
        if case.output == "-":
            return [] if result.output_size > 0 else ["nothing on standard output"]
        if case.number % PLAYED == 1 and case.kind not in ("trim", "pipe"):
            return self._loss_findings(case, folder, frames)
        if case.output == "null" or case.kind == "overlay" or case.number % PLAYED:
            return []
        with self._lock:
            self.played += 1
        written = frames_of(folder / case.output)
        if written == 0 or (Path(case.output).suffix in EXACT and written != frames):
            return [f"{written} of {frames} frames can be decoded from the output"]
        return []

    def _loss_findings(self, case: Case, folder: Path, frames: int) -> list[str]:
        """Frames that another program decodes of an input, and this one does not."""
        decoded = self._decoded_frames(case, folder)
        return [f"{frames} frames, though ffmpeg decodes {decoded}"] if frames < decoded // 2 else []

    def _refusal_findings(self, case: Case, result: Result, folder: Path) -> list[str]:
        """Frames that another program decodes of an input that was refused.

        A single one is not compared: dav1d with threads keeps it back and loses it with damage that follows, where ffmpeg's
        reading has ended.
        """
        decoded = self._decoded_frames(case, folder)
        return [f"was refused, though ffmpeg decodes {decoded} frames"] if decoded > 1 else []

    def _decoded_frames(self, case: Case, folder: Path) -> int:
        with self._lock:
            self.compared += 1
        options = [] if case.item.format is None else ["-f", case.item.format, "-video_size", case.item.size]
        if "--input-format" in case.arguments:
            options += ["-f", case.arguments[case.arguments.index("--input-format") + 1]]
        frames = frames_of(folder / case.source, *options)
        if not can_read(folder / case.source, *options):
            return 0
        if case.item.name in DECODERS:
            frames = min(frames, frames_of(folder / case.source, *options, "-c:v", DECODERS[case.item.name]))
        return frames


def message_findings(status: int, lines: list[str]) -> list[str]:
    """Lines on standard error that are no warnings, no summary and not the one error."""
    others = [line for line in lines if not line.startswith("vstream: warning: ") and not SUMMARY.match(line)]
    found = []
    if status == DONE:
        found += [f"unexpected line: {line}" for line in others]
    elif status not in (USAGE, UNREADABLE, CANNOT_CREATE, FAILED):
        found.append("exit code without a reason")
    elif len(others) != 1 or not others[0].startswith("vstream: ") or lines[-1] != others[0]:
        found.append(f"{len(others)} lines instead of one error")
    elif status in (USAGE, UNREADABLE, CANNOT_CREATE) and not REMEDY.search(others[0]):
        found.append("the error has no remedy")
    if status == USAGE and not any(re.search(reason, lines[-1]) for reason in USAGE_REASONS):
        found.append("a usage error, though the options are valid")
    return found


def can_read(path: Path, *options: str) -> bool:
    """Whether ffmpeg reads a packet of the first video when it reads all streams, as damaged sound may end the reading."""
    command = ["ffprobe", "-v", "quiet", *options, "-of", "csv=p=0", str(path), "-show_entries"]
    packets, videos = (subprocess.run([*command, *entries], capture_output=True, timeout=60, text=True).stdout.split()
                       for entries in (["packet=stream_index"], ["stream=index", "-select_streams", "V:0"]))
    return videos[:1] == [] or videos[0].strip(",") in {packet.strip(",") for packet in packets}


def frames_of(path: Path, *options: str) -> int:
    """The number of frames of the first video, cover images apart, that ffmpeg decodes; 0 if it cannot be read."""
    command = ["ffmpeg", "-v", "quiet", "-nostdin", *options, "-i", str(path), "-map", "0:V:0", "-fps_mode", "passthrough",
               "-f", "framecrc", "-"]
    try:
        output = subprocess.run(command, capture_output=True, timeout=60).stdout
    except subprocess.TimeoutExpired:
        return 0
    return sum(1 for line in output.splitlines() if line[:1].isdigit())

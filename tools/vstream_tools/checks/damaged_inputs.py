"""Runs the program on damaged inputs: no crash, no hang, right exit codes and messages, and outputs that play.

Small inputs of every format are made by ffmpeg and damaged: flipped bits, cuts, overwritten and repeated blocks, wrong sizes, times
and counts, units (packets, boxes, chunks, pages) in another order, splices of two files, and packets changed by ffmpeg's filters.
Case N of a seed is always the same. Each case runs one command line. It fails if

  - the program ends by a signal or a trap, or a sanitizer reports something,
  - it runs longer than --limit, without the time in which other processes had the processor, twice: the second time alone,
  - it takes more memory than --memory,
  - its exit status is not that of the documentation (docs/cli.md), for example 66 for a file that exists,
  - an error is not exactly one line that starts with `vstream: ` and has a remedy, or another line is no warning or summary,
  - a file is left that docs/guarantees.md does not promise, or a promised one is missing,
  - an output has far more frames than the input, or not as many as the summary says, or does not play,
  - it refuses an input of which ffmpeg decodes two frames or more, or decodes less than half of them.

Of the first failures, simpler cases are searched for. The program is --program, else VSTREAM_BINARY, else the release build of this
checkout; for a build with the address sanitizer, give --limit 60 --memory 4000. Exit status 1 if a case failed.
"""

from __future__ import annotations

import functools
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ..common import fail, prepare_vstream
from ..fidelity.inputs import SPECIAL, Draw, Input, chance, inputs
from ..fidelity.mutations import WAYS, Choices, Damage, damages, filter_packets, mutate, splice
from ..fidelity.running import Run, can_read, frames_of, run
from ..fidelity.suite import Outcome, Suite, drawn, option_parser, parsed

DRAWN_INPUTS = 120
# Outputs, and kinds of options beside the output, and how often they are chosen. Those that run a detector are slower.
OUTPUTS = {"out.mkv": 6, "out.mp4": 6, "out.mov": 2, "out.ts": 3, "out.avi": 3, "out.gif": 2, "out.nut": 2, "out.webm": 1,
           "out.flv": 1, "out.mpg": 1, "out.mxf": 1, "frame-%03d.png": 1, "out.m3u8": 1, "-": 1}
IMAGE_OUTPUTS = {"out.png": 3, "out.jpg": 3, "out.webp": 1, "out.tiff": 1, "out.mp4": 2, "out.mkv": 1}
KINDS = {"": 54, "pipe": 8, "null": 8, "records": 6, "trim": 10, "strict": 6, "keep-start": 2, "no audio": 2, "verbose": 1,
         "overlay": 3, "detect": 2, "redact": 1}
DAMAGES = {"simple": 14, "twice": 4, "splice": 5, "packets": 3}
FORMATS = {"mkv": "matroska", "ts": "mpegts", "mp4": "mp4", "avi": "avi"}


@dataclass(frozen=True)
class Case:
    """A damaged input, and a command line that reads it."""

    source: Input
    damage: tuple[Damage, ...]
    # The second input of a splice.
    other: Input
    kind: str
    # For a pipe, the input is standard input.
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.source.name}, {'; '.join(each.way for each in self.damage)}: vstream {' '.join(self.arguments)}"


@st.composite
def cases(draw: Draw, pool: list[Input]) -> Case:
    def pick(weights: dict[str, int]) -> Any:
        return draw(st.sampled_from([name for name, weight in weights.items() for _ in range(weight)]))

    source, way = draw(st.sampled_from(pool)), pick(DAMAGES)
    first = [] if source.is_folder else {"splice": ["splice"], "packets": ["packets"]}.get(way, [])
    count = {"simple": 1, "twice": 2}.get(way, 1 if source.is_folder else int(chance(draw, 50)))
    damage = [draw(damages([each])) for each in first] + [draw(damages(WAYS)) for _ in range(count)]
    alike = [each for each in pool if each.suffix == source.suffix and each != source and not each.is_folder]
    other = draw(st.sampled_from(alike if alike and chance(draw, 40) else pool)) if first == ["splice"] else source
    kind = pick(KINDS)
    kind = "" if kind == "pipe" and source.is_folder else kind
    output = pick(IMAGE_OUTPUTS if "-frames:v 1" in SPECIAL.get(source.special, "") and chance(draw, 80) else OUTPUTS)
    track = draw(st.sampled_from(["out.mkv", "out.mp4", "out.ts"]))
    output = {"null": "null", "records": "null", "overlay": track}.get(kind, output)
    options = {
        "trim": f"--start {draw(st.sampled_from([0, 0.2, 0.5, 0.9, 5]))} --duration {draw(st.sampled_from([0.1, 0.5, 3]))}",
        "strict": "--strict", "keep-start": "--keep-start", "no audio": "--audio none", "verbose": "--verbose",
        "records": "--records records.jsonl"}.get(kind, "")
    detect = {"overlay": "faces --overlay-track ass", "detect": "objects --detect-every 5"}.get(kind, "none")
    options += " --redact blur" if kind == "redact" else f" --detect {detect}"
    if source.reading_options:
        options += " --input-format rawvideo --input-option video_size=64x48"
    elif source.suffix in FORMATS and chance(draw, 5):
        options += f" --input-format {FORMATS[source.suffix]}"  # a user who names the right format
    return Case(source, tuple(damage), other, kind, ("-" if kind == "pipe" else source.file, "-o", output, *options.split()))


@functools.cache
def whole_files(source: Input, materials: Path) -> dict[str, bytes]:
    """The names and contents of an input's files; none if ffmpeg refuses it."""
    with tempfile.TemporaryDirectory(dir=materials) as folder:
        is_made = source.make(materials, Path(folder))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if is_made}


def damaged_files(case: Case, materials: Path, folder: Path) -> tuple[dict[str, bytes], str]:
    """The files of a case, and a description of the damage. Of a folder, one file is damaged, removed or exchanged, or all are."""
    files, done = dict(whole_files(case.source, materials)), []
    chosen, choices = [case.source.file], Choices(case.damage[0].numbers[::-1])
    if case.source.is_folder and files:
        names = sorted(files)
        chosen = [choices.of([*names, names[-1]])]
        action = choices.of(("damaged", "damaged", "damaged", "all damaged", "removed", "emptied", "exchanged"))
        other = choices.of(names)
        if action == "removed" and chosen != [case.source.file]:
            return {name: files[name] for name in names if name not in chosen}, f"{chosen} removed"
        if action in {"emptied", "exchanged"}:
            changed = {chosen[0]: b""} if action == "emptied" else {chosen[0]: files[other], other: files[chosen[0]]}
            return files | changed, f"{[*changed]} {action}"
        chosen = names if action == "all damaged" else chosen
    for name in chosen if files else ():
        data = bytearray(files[name])
        for each in case.damage:
            if each.way == "splice":
                other_data = next(iter(whole_files(case.other, materials).values()), b"")
                done.append(f"{splice(data, other_data, each)} ({case.other.name})")
            elif each.way == "packets":
                (folder / name).write_bytes(data)
                done.append(filter_packets(folder / name, case.source.reading_options, each))
                data[:] = (folder / name).read_bytes()
            else:
                done.append(mutate(data, each, name.rpartition(".")[2]))
        files[name] = bytes(data)
    return files, "; ".join(done)


# --- The requirements on a run, whatever the damage ---

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


def findings(number: int, case: Case, files: set[str], done: Run, folder: Path, memory: float) -> list[str]:
    """The defects of a run, one line each. files: those of the input."""
    if done.is_timeout:
        return [f"runs longer than {done.seconds:.0f} s"]
    if done.status < 0 or done.status >= 128 or "Sanitizer" in done.errors or "Fatal error" in done.errors:
        return [f"exit status {done.status}: {done.errors[-1500:]}"]
    output, kind = case.arguments[2], case.kind
    # The number of the processed video among several is no warning.
    lines = [line for line in done.errors.splitlines() if " videos, stream #" not in line]
    frames = next((int(match[2]) for line in lines if (match := SUMMARY.match(line))), None)
    found = [f"took {done.peak_megabytes:.0f} MB"] if done.peak_megabytes > memory else []
    found += message_findings(done.status, lines) if kind != "verbose" else []
    found += file_findings(kind, output, {path.name for path in folder.iterdir()} - files, done.status, folder)
    found += [f"{frames} frames of at most {MOST_FRAMES}"] if (frames or 0) > MOST_FRAMES else []
    is_done = done.status == DONE
    # With --case, everything is checked.
    is_compared = is_done and frames and (number < 0 or number % PLAYED == 1) and output != "-"
    if (is_compared or (done.status == UNREADABLE and kind != "strict")) and kind not in {"trim", "pipe"}:
        decoded = decoded_frames(case, folder)
        # A single frame is not compared: dav1d with threads keeps it back and loses it with damage that follows, where ffmpeg's
        # reading has ended.
        found += [f"{frames or 0} frames, though ffmpeg decodes {decoded}"] if decoded > 1 and (frames or 0) < decoded // 2 else []
    if is_done and output == "-":
        found += [] if done.output else ["nothing on standard output"]
    elif is_done and not frames:
        found.append("the summary counts no frames")
    elif is_done and output != "null" and kind != "overlay" and (number < 0 or number % PLAYED == 0):
        written = frames_of(folder / output)
        is_wrong = written == 0 or (Path(output).suffix in EXACT and written != frames)
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
    found += ["a usage error, though the options are valid"] if status == USAGE and not USAGE_REASONS.search(lines[-1]) else []
    return found


def file_findings(kind: str, output: str, added: set[str], status: int, folder: Path) -> list[str]:
    """Wrong files in the folder."""
    output = output.replace("%03d", "*")
    allowed = ["records.jsonl", "records.jsonl.part", output]
    allowed += ["*.ass"] * (kind == "overlay") + ["out*.ts"] * (output == "out.m3u8")
    if status != DONE:
        # The written part plays and is called so, and the message names it.
        allowed = [*allowed, f"{output}.part"] if kind == "strict" or status == FAILED or "*" in output else []
    wrong = sorted(name for name in added if not any(fnmatch(name, each) for each in allowed))
    found = [f"left {', '.join(wrong)}"] if wrong else []
    is_missing = status == DONE and output not in {"-", "null"} and not any(fnmatch(name, output) for name in added)
    found += ["left no output"] if is_missing else []
    return found + [f"'{name}' does not play" for name in sorted(added) if name.endswith(".part") and not name.startswith("records")
                    and frames_of(folder / name) == 0]


def decoded_frames(case: Case, folder: Path) -> int:
    """The number of frames that ffmpeg decodes of the input."""
    source, words = case.source, case.arguments
    forced = ["-f", words[words.index("--input-format") + 1]] if "--input-format" in words else []
    options, path = [*source.reading_options, *forced], folder / source.file
    frames = frames_of(path, *options) if can_read(path, *options) else 0
    # FFmpeg's own decoder ignores the alpha channel.
    return min(frames, frames_of(path, *options, "-c:v", "libvpx-vp9")) if source.special == "alpha.webm" else frames


# --- Runs ---


def check(suite: Suite, number: int, case: Case, folder: Path) -> list[Outcome]:
    options = suite.options
    files, description = damaged_files(case, suite.materials, folder)
    for name, contents in files.items():
        (folder / name).write_bytes(contents)
    if not files:
        return []
    pipe = folder / case.source.file if case.arguments[0] == "-" else None
    done = run([options.program, *case.arguments], limit=options.limit, folder=folder, pipe=pipe)
    found = findings(number, case, {*files}, done, folder, options.memory)
    text = "\n       ".join([f"FAILED {number}: {case.name} ({description})", *found])
    by_kind = {generic(found[0]): text} if found else {}
    return [Outcome(number, case, by_kind, [shlex.join(["vstream", *case.arguments])], done.is_timeout, done)]


def generic(line: str) -> str:
    """A message without numbers and names, for counting."""
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"'[^']*'", "'…'", line))[:300]


def main() -> None:
    parser = option_parser(__doc__, 1000)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first case [0]")
    parser.add_argument("--limit", type=float, default=20, metavar="S", help="seconds that a case may take [20]")
    parser.add_argument("--memory", type=float, default=1000, metavar="MB", help="megabytes that a case may take [1000]")
    parser.add_argument("--messages", action="store_true", help="print all messages at the end")
    options = parser.parse_args()
    prepare_vstream()
    # The drawn inputs are the same for all seeds.
    pool = [source for number in range(DRAWN_INPUTS) if not (source := drawn(inputs(), 0, number)).sample]
    strategy = cases(pool + [Input(special=name) for name in SPECIAL])
    named = [(number, drawn(strategy, options.seed, number)) for number in range(options.first, options.first + options.cases)]
    named = [(-1, parsed(Case, options.case))] if options.case else [pair for pair in named if options.only in pair[1].name]
    if options.list:
        sys.exit(print("\n".join(f"{number}: {case.name}" for number, case in named)))
    suite = Suite("damaged-inputs", options, strategy, check)
    outcomes = list(suite.outcomes(named))
    if not outcomes:
        fail("no case was run", 64)
    counted: dict[tuple[int, str], list[int]] = {}
    for outcome in outcomes if options.messages else ():
        for line in {*map(generic, outcome.details.errors.splitlines())}:
            counted.setdefault((outcome.details.status, line), []).append(outcome.number)
    for (status, line), numbers in sorted(counted.items(), key=lambda pair: (pair[0][0], -len(pair[1]))):
        print(f"{len(numbers):6} × {status:3} (case {numbers[0]}) {line}")
    slowest, largest = (max(outcomes, key=lambda each: getattr(each.details, name)) for name in ("seconds", "peak_megabytes"))
    failed, statuses = sum(bool(each.findings) for each in outcomes), Counter(each.details.status for each in outcomes)
    codes = ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items()))
    print(f"slowest {slowest.details.seconds:.1f} s: {slowest.number}: {slowest.case.name}")
    print(f"largest {largest.details.peak_megabytes:.0f} MB: {largest.number}: {largest.case.name}")
    seconds = time.monotonic() - suite.start
    print(f"{len(outcomes)} cases of seed {options.seed}, {failed} failed; exit codes: {codes} ({seconds:.0f} s)")
    suite.finish(failed > 0)

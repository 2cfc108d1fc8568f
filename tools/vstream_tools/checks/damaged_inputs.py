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
import random
import re
import shlex
import tempfile
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ..common import fail
from ..fidelity.inputs import SPECIAL, Draw, Input, chance, inputs
from ..fidelity.mutations import WAYS, Damage, damages, filter_packets, mutate, splice
from ..fidelity.running import Run, can_read, frames_of, run
from ..fidelity.suite import Outcome, Suite, drawn, option_parser

DRAWN_INPUTS = 120
# Outputs, and kinds of options beside the output, and how often they are chosen. Those that run a detector are slower.
OUTPUTS = {"out.mkv": 6, "out.mp4": 6, "out.mov": 2, "out.ts": 3, "out.avi": 3, "out.gif": 2, "out.nut": 2, "out.webm": 1,
           "out.flv": 1, "out.mpg": 1, "out.mxf": 1, "frame-%03d.png": 1, "out.m3u8": 1, "-": 1}
IMAGE_OUTPUTS = {"out.png": 3, "out.jpg": 3, "out.webp": 1, "out.tiff": 1, "out.mp4": 2, "out.mkv": 1}
KINDS = {"": 55, "pipe": 8, "null": 8, "records": 6, "trim": 10, "strict": 6, "keep-start": 2, "no audio": 2,
         "overlay": 3, "detect": 2, "redact": 1}
DAMAGES = {"simple": 14, "twice": 4, "splice": 5, "packets": 3}


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
    first = [way] if way in {"splice", "packets"} and not source.is_folder else []
    count = {"simple": 1, "twice": 2}.get(way, 1 if source.is_folder else int(chance(draw, 50)))
    damage = [draw(damages([each])) for each in first] + [draw(damages(WAYS)) for _ in range(count)]
    alike = [each for each in pool if each.suffix == source.suffix and each != source and not each.is_folder]
    other = draw(st.sampled_from(alike if alike and chance(draw, 40) else pool)) if first == ["splice"] else source
    kind = pick(KINDS)
    kind = "" if kind == "pipe" and source.is_folder else kind
    output = pick(IMAGE_OUTPUTS if "-frames:v 1" in SPECIAL.get(source.special, "") and chance(draw, 80) else OUTPUTS)
    output = {"null": "null", "records": "null", "overlay": draw(st.sampled_from(["out.mkv", "out.mp4", "out.ts"]))}.get(kind, output)
    options = {
        "trim": f"--start {draw(st.sampled_from([0, 0.2, 0.5, 0.9, 5]))} --duration {draw(st.sampled_from([0.1, 0.5, 3]))} --detect none",
        "strict": "--strict --detect none", "keep-start": "--keep-start --detect none", "no audio": "--audio none --detect none",
        "records": "--records records.jsonl --detect none", "redact": "--redact blur", "overlay": "--detect faces --overlay-track ass",
        "detect": "--detect objects --detect-every 5"}.get(kind, "--detect none")
    options += " --input-format rawvideo --input-option video_size=64x48" if source.reading_options else ""
    return Case(source, tuple(damage), other, kind, ("-" if kind == "pipe" else source.file, "-o", output, *options.split()))


@functools.cache
def whole_files(source: Input, materials: Path) -> dict[str, bytes]:
    """The names and contents of an input's files; none if ffmpeg refuses it."""
    with tempfile.TemporaryDirectory(dir=materials) as folder:
        is_made = source.make(materials, Path(folder))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if is_made}


def damaged_files(case: Case, materials: Path, folder: Path) -> tuple[dict[str, bytes], str]:
    """The files of a case, and a description of the damage. Of a folder, one file is damaged or removed, or all are damaged."""
    files, done = dict(whole_files(case.source, materials)), []
    chosen, rng = [case.source.file], random.Random(case.damage[0].seed)
    if case.source.is_folder and files:
        chosen = rng.choice(([rng.choice(sorted(files))], sorted(files)))
        if rng.random() < 0.2 and chosen == [chosen[0]] != [case.source.file]:
            del files[chosen[0]]
            return files, f"{chosen[0]} removed"
    for name in chosen if files else ():
        data = bytearray(files[name])
        for each in case.damage:
            if each.way == "splice":
                other = next(iter(whole_files(case.other, materials).values()), b"")
                done.append(f"{splice(data, other, each)} ({case.other.name})")
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
# Of one case in so many the output is decoded, of another one the input; of a case by itself, both.
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
    frames = next((int(match[2]) for line in lines if (match := SUMMARY.match(line))), 0)
    found = [f"took {done.peak_megabytes:.0f} MB"] if done.peak_megabytes > memory else []
    found += message_findings(done.status, lines)
    found += file_findings(kind, output, {path.name for path in folder.iterdir()} - files, done.status, folder)
    found += [f"{frames} frames of at most {MOST_FRAMES}"] if frames > MOST_FRAMES else []
    is_done = done.status == DONE
    is_compared = is_done and frames and (number < 0 or number % PLAYED == 1) and output != "-"
    if (is_compared or (done.status == UNREADABLE and kind != "strict")) and kind not in {"trim", "pipe"}:
        decoded = decoded_frames(case.source, folder)
        # A single frame is not compared: dav1d with threads keeps it back and loses it with damage that follows, where ffmpeg's
        # reading has ended.
        found += [f"{frames} frames, though ffmpeg decodes {decoded}"] if decoded > 1 and frames < decoded // 2 else []
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
    return found + ["a usage error, though the options are valid"] * (status == USAGE and not USAGE_REASONS.search(lines[-1]))


def file_findings(kind: str, output: str, added: set[str], status: int, folder: Path) -> list[str]:
    """Wrong files in the folder."""
    output = output.replace("%03d", "*")
    allowed = ["records.jsonl", "records.jsonl.part", output]
    allowed += ["*.ass"] * (kind == "overlay") + ["out*.ts"] * (output == "out.m3u8")
    if status != DONE:
        # The written part plays and is called so, and the message names it.
        allowed = [*allowed, f"{output}.part"] if kind == "strict" or status == FAILED or "*" in output else []
    wrong = sorted(name for name in added if not any(fnmatch(name, each) for each in allowed))
    is_missing = status == DONE and output not in {"-", "null"} and not any(fnmatch(name, output) for name in added)
    return [f"left {', '.join(wrong)}"] * bool(wrong) + ["left no output"] * is_missing + [
        f"'{name}' does not play" for name in sorted(added)
        if name.endswith(".part") and not name.startswith("records") and frames_of(folder / name) == 0]


def decoded_frames(source: Input, folder: Path) -> int:
    """The number of frames that ffmpeg decodes of the input."""
    options, path = source.reading_options, folder / source.file
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
    # By a message without numbers and names.
    by_kind = {re.sub(r"\d+(\.\d+)?", "N", re.sub(r"'[^']*'", "'…'", found[0]))[:300]: text} if found else {}
    return [Outcome(number, case, by_kind, [shlex.join(["vstream", *case.arguments])], done.is_timeout, done)]


def main() -> None:
    parser = option_parser(__doc__, 1000)
    parser.add_argument("--limit", type=float, default=20, metavar="S", help="seconds that a case may take [20]")
    parser.add_argument("--memory", type=float, default=1000, metavar="MB", help="megabytes that a case may take [1000]")
    # The drawn inputs are the same for all seeds.
    pool = [source for number in range(DRAWN_INPUTS) if not (source := drawn(inputs(), 0, number)).sample]
    suite = Suite("damaged-inputs", parser.parse_args(), cases(pool + [Input(special=name) for name in SPECIAL]), check)
    numbered = [(number, suite.drawn(number)) for number in range(suite.options.cases)]
    outcomes = list(suite.outcomes([pair for pair in numbered if suite.options.only in pair[1].name], Case, Input, Damage))
    if not outcomes:
        fail("no case was run", 64)
    for name, unit in (("seconds", "s"), ("peak_megabytes", "MB")):
        most = max(outcomes, key=lambda each: getattr(each.details, name))
        print(f"most: {getattr(most.details, name):.1f} {unit}: {most.number}: {most.case.name}")
    failed, statuses = sum(bool(each.findings) for each in outcomes), Counter(each.details.status for each in outcomes)
    codes = ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items()))
    print(f"{len(outcomes)} cases, {failed} failed; exit codes: {codes}")
    suite.finish(failed > 0)

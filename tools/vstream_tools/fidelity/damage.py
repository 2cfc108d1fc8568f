"""Runs the program on damaged inputs: no crash, no hang, right exit codes and messages, and outputs that play.

Small inputs of every container are made by ffmpeg and damaged: flipped bits, cuts, overwritten and repeated blocks, wrong sizes,
times and counts, units (packets, boxes, chunks, pages) in another order, splices of two files, and packets changed by ffmpeg's
filters. Case N of a seed is always the same. Each case runs one command line. It fails if

  - the program ends by a signal or a trap, or a sanitizer reports something,
  - it runs longer than --limit, without the time in which other processes had the processor, twice: the second time alone,
  - it takes more memory than --memory,
  - its exit status is not that of the documentation (docs/cli.md), for example 66 for a file that exists,
  - an error is not exactly one line that starts with `vstream: ` and has a remedy, or another line is no warning or summary,
  - a file is left that docs/guarantees.md does not promise, or a promised one is missing,
  - an output has far more frames than the input, or not as many as the summary says, or does not play,
  - it refuses an input of which ffmpeg decodes two frames or more, or decodes less than half of them.

Of the first failures, a simpler case is searched for. --keep FOLDER keeps the files of all cases. --messages prints all messages,
counted, with a case of each. The program is --program, else VSTREAM_BINARY, else the release build of this checkout; for a build
with the address sanitizer, give --limit 60 --memory 4000. Exit status 1 if a case failed.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ..common import fail, vstream_path
from .generation import drawn, parsed
from .inputs import SPECIAL, Draw, Input, chance, some_inputs
from .judging import findings
from .mutations import WAYS, Choices, Damage, damages, filter_packets, mutate, splice
from .running import run
from .suite import Outcome, Suite, option_parser

DRAWN_INPUTS = 120
# Outputs, and kinds of options beside the output, and how often they are chosen. Those that run a detector are slower.
OUTPUTS = {"out.mkv": 6, "out.mp4": 6, "out.mov": 2, "out.ts": 3, "out.avi": 3, "out.gif": 2, "out.nut": 2, "out.webm": 1, "out.flv": 1,
           "out.mpg": 1, "out.mxf": 1, "frame-%03d.png": 1, "out.m3u8": 1, "-": 1}
IMAGE_OUTPUTS = {"out.png": 3, "out.jpg": 3, "out.webp": 1, "out.tiff": 1, "out.mp4": 2, "out.mkv": 1}
KINDS = {"": 54, "pipe": 8, "null": 8, "records": 6, "trim": 10, "strict": 6, "keep-start": 2, "no audio": 2, "verbose": 1, "overlay": 3,
         "detect": 2, "redact": 1}
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
    output = {"null": "null", "records": "null", "overlay": draw(st.sampled_from(["out.mkv", "out.mp4", "out.ts"]))}.get(kind, output)
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


class WholeInputs:
    """Makes each input when it is first needed. Threads may share it."""

    def __init__(self) -> None:
        self._locks: dict[Input, threading.Lock] = defaultdict(threading.Lock)
        self._files: dict[Input, dict[str, bytes]] = {}

    def files(self, source: Input, materials: Path) -> dict[str, bytes]:
        """The names and contents of an input's files; none if ffmpeg refuses it."""
        with self._locks[source]:
            if source not in self._files:
                with tempfile.TemporaryDirectory(dir=materials) as folder:
                    is_made = source.make(materials, Path(folder))
                    self._files[source] = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if is_made}
        return self._files[source]


WHOLE = WholeInputs()


def damaged_files(case: Case, materials: Path, folder: Path) -> tuple[dict[str, bytes], str]:
    """The files of a case, and a description of the damage. Of a folder, one file is damaged, removed, emptied or exchanged, or all."""
    files, done = dict(WHOLE.files(case.source, materials)), []
    chosen, choices = [case.source.file], Choices(case.damage[0].numbers[::-1])
    if case.source.is_folder and files:
        names = sorted(files)
        chosen = [choices.of([*names, names[-1]])]
        match choices.of(("damaged", "damaged", "damaged", "all damaged", "removed", "emptied", "exchanged")):
            case "all damaged": chosen = names
            case "removed" if chosen != [case.source.file]: return {name: files[name] for name in names if name not in chosen}, f"{chosen} removed"
            case "emptied": return files | {chosen[0]: b""}, f"{chosen} emptied"
            case "exchanged":
                other = choices.of(names)
                return files | {chosen[0]: files[other], other: files[chosen[0]]}, f"{chosen} and {other} exchanged"
    for name in chosen if files else ():
        data = bytearray(files[name])
        for each in case.damage:
            if each.way == "splice":
                done.append(f"{splice(data, next(iter(WHOLE.files(case.other, materials).values()), b''), each)} ({case.other.name})")
            elif each.way == "packets":
                (folder / name).write_bytes(data)
                done.append(filter_packets(folder / name, case.source.reading_options, each))
                data[:] = (folder / name).read_bytes()
            else:
                done.append(mutate(data, each, name.rpartition(".")[2]))
        files[name] = bytes(data)
    return files, "; ".join(done)


def check(suite: Suite, number: int, case: Case, folder: Path) -> list[Outcome]:
    options = suite.options
    files, description = damaged_files(case, suite.materials, folder)
    for name, contents in files.items():
        (folder / name).write_bytes(contents)
    if not files:
        return []
    pipe = folder / case.source.file if case.arguments[0] == "-" else None
    done = run([options.program, *case.arguments], limit=options.limit, folder=folder, pipe=pipe)
    found = findings(number, case.source, case.kind, case.arguments, {*files}, done, folder, options.memory)
    text = "\n       ".join([f"FAILED {number}: {case.name} ({description})", *found])
    return [Outcome(number, case, {generic(found[0]): text} if found else {}, [shlex.join(["vstream", *case.arguments])], done.is_timeout, done)]


def generic(line: str) -> str:
    """A message without numbers and names, for counting."""
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"'[^']*'", "'…'", line))[:300]


def main() -> None:
    parser = option_parser(__doc__, 1000)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first case [0]")
    parser.add_argument("--program", type=Path, default=vstream_path(), metavar="FILE", help="the program")
    parser.add_argument("--limit", type=float, default=20, metavar="S", help="seconds that a case may take [20]")
    parser.add_argument("--memory", type=float, default=1000, metavar="MB", help="megabytes that a case may take [1000]")
    parser.add_argument("--messages", action="store_true", help="print all messages at the end")
    options = parser.parse_args()
    options.program = options.program.resolve()
    if not os.access(options.program, os.X_OK):
        fail(f"there is no program '{options.program}'; build it first", 66)
    strategy = cases(some_inputs(DRAWN_INPUTS))
    named = [(number, drawn(strategy, options.seed, number)) for number in range(options.first, options.first + options.cases)]
    named = [(0, parsed(Case, options.case))] if options.case else [pair for pair in named if options.only in pair[1].name]
    if options.list:
        sys.exit(print("\n".join(f"{number}: {case.name}" for number, case in named)))
    suite = Suite("damaged-inputs", options, strategy, check)
    outcomes = list(suite.outcomes(named))
    if not outcomes:
        fail("no case was run", 64)
    counted = Counter((outcome.details.status, line) for outcome in outcomes for line in {*map(generic, outcome.details.errors.splitlines())})
    for (status, line), count in sorted(counted.items(), key=lambda pair: (pair[0][0], -pair[1])) if options.messages else ():
        first = next(each.number for each in outcomes if each.details.status == status and line in map(generic, each.details.errors.splitlines()))
        print(f"{count:6} × {status:3} (case {first}) {line}")
    slowest, largest = (max(outcomes, key=lambda each: getattr(each.details, name)) for name in ("seconds", "peak_megabytes"))
    failed, statuses = sum(bool(each.findings) for each in outcomes), Counter(each.details.status for each in outcomes)
    print(f"slowest {slowest.details.seconds:.1f} s: {slowest.number}: {slowest.case.name}")
    print(f"largest {largest.details.peak_megabytes:.0f} MB: {largest.number}: {largest.case.name}")
    print(f"{len(outcomes)} cases of seed {options.seed}, {failed} failed; exit codes: "
          f"{', '.join(f'{count} of {status}' for status, count in sorted(statuses.items()))} ({time.monotonic() - suite.start:.0f} s)")
    suite.finish(failed > 0)


if __name__ == "__main__":
    main()

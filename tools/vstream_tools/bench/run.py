"""Measures vstream beside the programs that a user might choose instead, and compares the ratios with our targets.

    scripts/bench/run [--rounds N] [--only GROUP[,GROUP…]] [--input VIDEO] [--json FILE]

Sets up missing dependencies and builds the program first. Groups: objects (with ffmpeg, OpenVINO alone, and Python loops), 720p, 1080p,
faces and poses (with MediaPipe), redaction (with deface), start. The contenders of a group run one after the other, in
alternating order, for N rounds, so that a temporarily busy machine slows all of them; ratios are computed per round, and
their medians are reported.

Clips have over 1,000 frames; shorter videos are looped. Frames per second and processor time are measured from the 50th
frame on, in the same way for all contenders: a whole run, less a run on a copy of the clip's first 50 frames. Memory is the
peak of the run's largest process. All contenders encode with libx264 veryfast, CRF 20, except for redaction, where all
use their defaults. Exit status 0 if everything could be measured, whether or not the targets are met.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import tempfile
from pathlib import Path

from ..common import ROOT, log, parser, prepare_vstream
from ..measuring import WARM_UP, BackgroundLoad, Clip, measure
from .contenders import CORES, GROUPS, INFERENCES, Goal, Group, Results

CLIPS = ROOT / ".deps/bench"


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "processor")


def measure_group(name: str, group: Group, clip: Clip, rounds: int) -> Results:
    results: Results = {contender: [] for contender in group.contenders}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            # In alternating order, so that a machine that slows down over time favours no contender.
            contenders = list(group.contenders.items())
            for contender, how in contenders if number % 2 == 0 else reversed(contenders):
                log(f"{name}, round {number + 1} of {rounds}: {contender}…")
                results[contender].append(how(clip, Path(folder)) if callable(how) else measure(how, clip, Path(folder)))
    return results | {row: rounds_of(results) for row, rounds_of in group.derived.items()}


def show_table(heading: str, results: Results) -> None:
    print(f"\n{heading}\n\n{'':32}{'fps':>8}{'lowest':>8}{'highest':>9}{'CPU a frame':>13}{'memory':>9}{'1st frame':>11}")
    for name, rows in results.items():
        def cell(form: str, how, column: str, rows=rows) -> str:
            values = [getattr(row, column) for row in rows]
            return "–" if None in values else form.format(how(values))

        print(f"{name:32}{cell('{:.1f}', statistics.median, 'frames_per_second'):>8}{cell('{:.1f}', min, 'frames_per_second'):>8}"
              f"{cell('{:.1f}', max, 'frames_per_second'):>9}{cell('{:.1f} ms', statistics.median, 'processor_milliseconds'):>13}"
              f"{cell('{:.0f} MB', max, 'peak_megabytes'):>9}{cell('{:.2f} s', statistics.median, 'first_frame_seconds'):>11}")


def verdict(goal: Goal, value: float) -> str:
    if goal.target is None:
        return ""
    target = f"target: {'at most' if goal.is_limit else 'at least'} {goal.target:g} {goal.unit}".rstrip()
    if (value <= goal.target) if goal.is_limit else (value >= goal.target):
        return f"{target}: met"
    return f"{target}: {'over' if goal.is_limit else 'short'} by {100 * abs(value / goal.target - 1):.0f} %"


def show_goal(name: str, goal: Goal, values: list[float]) -> None:
    digits = 0 if goal.unit == "MB" else 2
    figure = f"{statistics.median(values):.{digits}f} {goal.unit}".rstrip()
    print(f"{name}: {goal.name}: {figure} ({min(values):.{digits}f} to {max(values):.{digits}f})  "
          f"{verdict(goal, statistics.median(values))}".rstrip())


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each contender [3]")
    options.add_argument("--only", default=",".join(GROUPS), metavar="GROUP[,GROUP…]", help="only these groups [all]")
    options.add_argument("--input", type=Path, metavar="VIDEO", help="this video instead of each group's default")
    options.add_argument("--json", type=Path, metavar="FILE", help="write all figures of all rounds to a file")
    arguments = options.parse_args()
    names = list(dict.fromkeys(arguments.only.split(",")))
    if arguments.rounds < 1:
        options.error(f"--rounds {arguments.rounds} is not 1 or more")
    if unknown := [name for name in names if name not in GROUPS]:
        options.error(f"--only '{unknown[0]}' is none of {', '.join(GROUPS)}")
    if arguments.input and not arguments.input.exists():
        options.error(f"there is no file '{arguments.input}'")
    prepare_vstream()
    for environment in dict.fromkeys(needed for name in names for needed in GROUPS[name].environments):
        environment.prepare()
    print(f"{processor()}, {CORES} cores; rounds: {arguments.rounds}\n"
          f"From the {WARM_UP}th frame on: whole runs less runs on the first {WARM_UP} frames. "
          f"OpenVINO alone: {INFERENCES} inferences on one thread.\n"
          "Bound: cores ÷ CPU a frame of ffmpeg's decoding and encoding and of OpenVINO, each alone "
          "(beside: the same while both run). Memory: the maximum of all rounds.")
    goals, figures = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            group = GROUPS[name]
            clip = group.clip(arguments.input, Path(folder) if arguments.input else CLIPS)
            background = BackgroundLoad()
            results = measure_group(name, group, clip, arguments.rounds)
            video = arguments.input.name if arguments.input else group.video
            show_table(f"{name}: {video}, {clip.frames:,} frames; {group.what}", results)
            print(f"\nBackground load: other programs used {background.processors:.1f} of {CORES} processors.", flush=True)
            goals += [(name, goal, goal.values(results)) for goal in group.goals]
            figures[name] = {"clip": clip.path.name, "frames": clip.frames, "processorsBusyElsewhere": background.processors,
                             "contenders": {row: [dataclasses.asdict(one) for one in rows] for row, rows in results.items()},
                             "goals": [{"name": goal.name, "values": goal.values(results), "wanted": goal.target} for goal in group.goals]}
    print("\nRatios of frames per second, computed per round; medians (lowest to highest)\n")
    for goal in goals:
        show_goal(*goal)
    if arguments.json:
        arguments.json.write_text(json.dumps({"processor": processor(), "cores": CORES, "groups": figures}, indent=1) + "\n")

"""Measures vstream beside the programs that a user might choose instead, and compares the ratios with our targets.

    scripts/bench/run [--rounds N] [--only GROUP[,GROUP…]] [--input VIDEO] [--json FILE]

Sets up and builds what is missing first. Groups: objects (with ffmpeg, OpenVINO alone, and Python loops), 720p, 1080p,
faces and poses (with MediaPipe), redaction (with deface), start. The contenders of a group run one after the other, in
alternating order, for N rounds, so that a temporarily busy machine slows all of them; ratios are computed per round, and
their medians are reported.

Clips have over 1,000 frames; shorter videos are looped. Frames per second and processor time are measured from the 50th
frame on, in the same way for all contenders: a whole run, less a run on a copy of the clip's first 50 frames. Memory is the
peak of the run's largest process. All contenders encode with libx264 veryfast, CRF 20, except for redaction, where all
use their defaults. Exit status 0 if everything could be measured, whether or not the targets are met.
"""

import argparse
import dataclasses
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


from ..common import ROOT, prepare_vstream
from .contenders import CORES, GROUPS, INFERENCES, Goal, Group, Results, measure_contender
from ..measuring import WARM_UP, BackgroundLoad, Clip

CLIPS = ROOT / ".deps/bench"
COLUMNS = ["frames_per_second", "processor_milliseconds", "peak_megabytes", "first_frame_seconds"]


@dataclass
class Outcome:
    """The results of a group."""

    group: Group
    clip: Clip
    results: Results
    # The mean number of processors in use by other programs.
    background_load: float

    @property
    def goals(self) -> list[tuple[Goal, list[float]]]:
        return [(goal, goal.values(self.results)) for goal in self.group.goals]


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "processor")


def measure(name: str, group: Group, clip: Clip, rounds: int) -> Results:
    results: Results = {contender: [] for contender in group.contenders}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            # In alternating order, so that a machine that slows down over time favours no contender.
            contenders = list(group.contenders.items())
            for contender, how in contenders if number % 2 == 0 else reversed(contenders):
                print(f"bench: {name}, round {number + 1} of {rounds}: {contender}…", file=sys.stderr, flush=True)
                results[contender].append(measure_contender(how, clip, Path(folder)))
    return results | {row: rounds_of(results) for row, rounds_of in group.derived.items()}


def show_table(heading: str, results: Results) -> None:
    print(f"\n{heading}\n")
    print(f"{'':32}{'fps':>8}{'lowest':>8}{'highest':>9}{'CPU a frame':>13}{'memory':>9}{'1st frame':>11}")
    for name, rows in results.items():
        columns = [[getattr(row, column) for row in rows] for column in COLUMNS]
        rates, processor_times, peaks, starts = ([] if None in column else column for column in columns)
        cells = [f"{how(rates):.1f}" if rates else "–" for how in (statistics.median, min, max)]
        cells += [f"{statistics.median(processor_times):.1f} ms" if processor_times else "–",
                  f"{max(peaks):.0f} MB" if peaks else "–",
                  f"{statistics.median(starts):.2f} s" if starts else "–"]
        print(f"{name:32}{cells[0]:>8}{cells[1]:>8}{cells[2]:>9}{cells[3]:>13}{cells[4]:>9}{cells[5]:>11}")


def verdict(goal: Goal, value: float) -> str:
    if goal.target is None:
        return ""
    bound = "at most" if goal.is_limit else "at least"
    target = f"target: {bound} {goal.target:g}{' ' * bool(goal.unit)}{goal.unit}"
    if (value <= goal.target) if goal.is_limit else (value >= goal.target):
        return f"{target}: met"
    return f"{target}: {'over' if goal.is_limit else 'short'} by {100 * abs(value / goal.target - 1):.0f} %"


def show_goals(name: str, goals: list[tuple[Goal, list[float]]]) -> None:
    for goal, values in goals:
        median = statistics.median(values)
        unit = f" {goal.unit}" if goal.unit else ""
        digits = 0 if goal.unit == "MB" else 2
        figure = f"{median:.{digits}f}{unit} ({min(values):.{digits}f} to {max(values):.{digits}f})"
        print(f"{name}: {goal.name}: {figure}  {verdict(goal, median)}".rstrip())


def as_json(rounds: int, outcomes: dict[str, Outcome]) -> dict:
    groups = {}
    for name, outcome in outcomes.items():
        contenders = {row: [dataclasses.asdict(one) for one in rows] for row, rows in outcome.results.items()}
        goals = [{"name": goal.name, "values": values, "median": statistics.median(values), "wanted": goal.target,
                  "isLimit": goal.is_limit, "unit": goal.unit} for goal, values in outcome.goals]
        groups[name] = {"clip": outcome.clip.path.name, "frames": outcome.clip.frames, "contenders": contenders,
                        "goals": goals, "processorsBusyElsewhere": outcome.background_load}
    machine = {"processor": processor(), "cores": CORES}
    return machine | {"rounds": rounds, "warmUpFrames": WARM_UP, "groups": groups}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each contender [3]")
    parser.add_argument("--only", default=",".join(GROUPS), metavar="GROUP[,GROUP…]", help="only these groups [all]")
    parser.add_argument("--input", type=Path, metavar="VIDEO", help="this video instead of each group's default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures of all rounds to a file")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds} is not 1 or more")
    options.only = list(dict.fromkeys(options.only.split(",")))
    for name in options.only:
        if name not in GROUPS:
            parser.error(f"--only '{name}' is none of {', '.join(GROUPS)}")
    if options.input and not options.input.exists():
        parser.error(f"there is no file '{options.input}'")
    return options


def main() -> None:
    options = arguments()
    prepare_vstream()
    for environment in dict.fromkeys(needed for name in options.only for needed in GROUPS[name].environments):
        environment.prepare()
    print(f"{processor()}, {CORES} cores; rounds: {options.rounds}")
    print(f"From the {WARM_UP}th frame on: whole runs less runs on the first {WARM_UP} frames. "
          f"OpenVINO alone: {INFERENCES} inferences on one thread.")
    print("Bound: cores ÷ CPU a frame of ffmpeg's decoding and encoding and of OpenVINO, each alone "
          "(beside: the same while both run). Memory: the maximum of all rounds.")
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            group = GROUPS[name]
            clip = group.clip(options.input, Path(folder) if options.input else CLIPS)
            background = BackgroundLoad()
            results = measure(name, group, clip, options.rounds)
            outcomes[name] = Outcome(group, clip, results, background.processors)
            video = options.input.name if options.input else group.video
            show_table(f"{name}: {video}, {clip.frames:,} frames; {group.what}", results)
            print(f"\nBackground load: other programs used {outcomes[name].background_load:.1f} of {CORES} processors.", flush=True)
    print("\nRatios of frames per second, computed per round; medians (lowest to highest)\n")
    for name, outcome in outcomes.items():
        show_goals(name, outcome.goals)
    if options.json:
        options.json.write_text(json.dumps(as_json(options.rounds, outcomes), indent=1, ensure_ascii=False) + "\n")

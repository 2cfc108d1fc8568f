"""Checks the costs of the pipeline's steps that do not depend on time: instructions and memory allocations per frame.

    scripts/checks/guard              prints the table, and fails if a step exceeds Tests/Guards/thresholds.txt
    scripts/checks/guard --record     records the thresholds: the counted instructions plus 15 %, and the counted allocations

Each step runs under callgrind; a warm-up is not counted.
"""

from __future__ import annotations

import math
import os
import platform
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path


from ..common import ROOT, fail, log
from ..environments import bootstrap

THRESHOLDS = ROOT / "Tests/Guards/thresholds.txt"
# The output of callgrind stays here for inspection.
FOLDER = ROOT / ".build-guard"
PROBE = FOLDER / "StageProbe"
# Counting starts when the probe enters this function.
COUNTED = "*StageProbe*counted*"
# The factor from recorded instructions to the threshold.
MARGIN = 1.15
# The C library's allocation functions; Swift's and FFmpeg's call these.
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
# The architecture that the thresholds of instructions are valid for.
ARCHITECTURE = "x86_64"

HEADER = f"""\
# The maximum cost of each step of the pipeline per frame. Recorded by scripts/checks/guard --record, which counts
# {ARCHITECTURE} instructions and adds {MARGIN - 1:.0%}; allocations are as counted.
#
# step              instructions  allocations
"""


@dataclass
class Cost:
    instructions: float
    allocations: float


# --- The thresholds ---


def read_thresholds() -> dict[str, Cost]:
    thresholds: dict[str, Cost] = {}
    for number, line in enumerate(THRESHOLDS.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 3 or not (words[1] + words[2]).isdecimal() or words[0] in thresholds:
            fail(f"line {number} of {THRESHOLDS.relative_to(ROOT)} is not a unique step with two whole numbers: {line}")
        thresholds[words[0]] = Cost(int(words[1]), int(words[2]))
    return thresholds


def record(costs: dict[str, Cost]) -> None:
    def threshold_for(instructions: float) -> int:
        """The threshold, rounded up to three significant digits."""
        threshold = instructions * MARGIN
        unit = 10 ** max(0, math.floor(math.log10(max(1, threshold))) - 2)
        return math.ceil(threshold / unit) * unit

    lines = (f"{name:18}{threshold_for(cost.instructions):14}{allowed(cost.allocations):13}\n" for name, cost in costs.items())
    THRESHOLDS.write_text(HEADER + "".join(lines))
    log(f"wrote {THRESHOLDS.relative_to(ROOT)}")


def allowed(allocations: float) -> int:
    """Allocations per frame, rounded up."""
    return math.ceil(allocations)


# --- Counting ---


def build() -> None:
    """Builds the probe and strips the debug information, which valgrind cannot read."""
    command = ["swift", "build", "-c", "release", "--product", "StageProbe", "--explicit-target-dependency-import-check", "error"]
    FOLDER.mkdir(exist_ok=True)
    build_log = FOLDER / "build.log"
    with build_log.open("w") as output:
        status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode
    if status != 0:
        print(build_log.read_text(), file=sys.stderr)
        fail("the probe could not be built")
    binaries = subprocess.run(["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, check=True, text=True,
                              capture_output=True).stdout.strip()
    subprocess.run(["strip", "--strip-debug", "-o", PROBE, Path(binaries) / "StageProbe"], check=True)


def steps() -> dict[str, int]:
    """The probe's steps, and the number of runs of each."""
    lines = subprocess.run([PROBE], check=True, text=True, capture_output=True).stdout.splitlines()
    return {name: int(count) for name, count in map(str.split, lines)}


def measure(name: str, count: int) -> Cost:
    """The mean cost of one run of a step, over `count` runs."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    output = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--zero-before={COUNTED}", "--compress-strings=no", "--compress-pos=no",
               f"--callgrind-out-file={output}", PROBE, name, str(count)]
    # The order of dictionaries is random otherwise.
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"'{name}' failed: {done.stdout}{done.stderr}")
    total = read_costs(output)
    if total.instructions == 0:
        fail(f"callgrind counted no instructions of '{name}'; see {output}")
    return Cost(total.instructions / count, total.allocations / count)


def read_costs(output: Path) -> Cost:
    """The totals of an output file of callgrind: all instructions, and the calls of allocation functions."""
    instructions = allocations = 0
    caller = callee = ""
    with output.open() as lines:
        for line in lines:
            key, _, value = line.partition("=")
            if key == "fn":
                caller = value.strip()
            elif key == "cfn":
                callee = value.strip()
            elif key == "calls" and callee in ALLOCATORS and caller not in ALLOCATORS:
                allocations += int(value.split()[0])
            elif line.startswith("totals:"):
                instructions = int(line.split()[1])
    return Cost(instructions, allocations)


def measure_all(counts: dict[str, int]) -> dict[str, Cost]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(counts, pool.map(measure, counts.keys(), counts.values())))


# --- Main ---


def compare(costs: dict[str, Cost], thresholds: dict[str, Cost]) -> list[str]:
    """Prints the table, and returns the violations: exceeded thresholds, and steps or thresholds without a counterpart."""
    violations = [f"'{name}' is in the thresholds, but the probe has no such step" for name in thresholds.keys() - costs.keys()]
    counts_instructions = platform.machine() == ARCHITECTURE
    if not counts_instructions:
        log(f"the thresholds of instructions are for {ARCHITECTURE}, not {platform.machine()}: only allocations are compared")
    print(f"{'step':18}{'instructions':>14}{'threshold':>12}{'allocations':>13}{'threshold':>12}")
    for name, cost in costs.items():
        threshold = thresholds.get(name)
        if threshold is None:
            violations.append(f"'{name}' has no threshold")
            threshold = Cost(math.nan, math.nan)
        print(f"{name:18}{cost.instructions:14.0f}{threshold.instructions:12.0f}"
              f"{cost.allocations:13.2f}{threshold.allocations:12.0f}")
        if counts_instructions and cost.instructions > threshold.instructions:
            violations.append(f"'{name}' takes {cost.instructions:.0f} instructions, more than {threshold.instructions}")
        if allowed(cost.allocations) > threshold.allocations:
            violations.append(f"'{name}' allocates {cost.allocations:.2f} times, more than {threshold.allocations}")
    return violations


def main() -> None:
    arguments = sys.argv[1:]
    if arguments not in ([], ["--record"]):
        fail("usage: scripts/checks/guard [--record]", 64)
    if arguments and platform.machine() != ARCHITECTURE:
        fail(f"thresholds are recorded on {ARCHITECTURE} only, and this is {platform.machine()}", 64)
    bootstrap("--for-tests")
    log("building the probe…")
    build()
    log("counting instructions and allocations…")
    costs = measure_all(steps())
    if arguments:
        return record(costs)
    violations = compare(costs, read_thresholds())
    for violation in violations:
        log(violation)
    if violations:
        fail("for the callers: callgrind_annotate --threshold=100 --tree=caller .build-guard/STEP/callgrind.out; if the cost is"
             " justified, record new thresholds: scripts/checks/guard --record")

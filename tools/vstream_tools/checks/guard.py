"""Checks the costs of the pipeline's steps that do not depend on time: instructions and memory allocations per frame.

    scripts/checks/guard              prints the table, and fails if a step exceeds Tests/Guards/thresholds.txt
    scripts/checks/guard --record     records the thresholds: the counted instructions plus 15 %, and the counted allocations

Each step runs under callgrind; a warm-up is not counted.
"""

from __future__ import annotations

import math
import os
import platform
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from ..common import ROOT, fail, log, parser
from ..environments import bootstrap
from ..measuring import swift_build

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


class Cost(NamedTuple):
    instructions: float
    allocations: float


def read_thresholds() -> dict[str, Cost]:
    rows = (line.split() for line in THRESHOLDS.read_text().splitlines() if line and not line.startswith("#"))
    return {name: Cost(int(instructions), int(allocations)) for name, instructions, allocations in rows}


def record(costs: dict[str, Cost]) -> None:
    def threshold(instructions: float) -> int:
        """Rounded up to three significant digits."""
        unit = 10 ** max(0, math.floor(math.log10(max(1, instructions * MARGIN))) - 2)
        return math.ceil(instructions * MARGIN / unit) * unit

    rows = (f"{name:18}{threshold(cost.instructions):14}{math.ceil(cost.allocations):13}\n" for name, cost in costs.items())
    THRESHOLDS.write_text(HEADER + "".join(rows))
    log(f"wrote {THRESHOLDS.relative_to(ROOT)}")


def measure(name: str, count: int) -> Cost:
    """The mean cost of one run of a step, over `count` runs."""
    output = FOLDER / f"{name}.callgrind"
    command = ["valgrind", "--tool=callgrind", f"--zero-before={COUNTED}", "--compress-strings=no", "--compress-pos=no",
               f"--callgrind-out-file={output}", PROBE, name, str(count)]
    # The order of dictionaries is random otherwise.
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    done = subprocess.run(command, cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
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


def compare(costs: dict[str, Cost], thresholds: dict[str, Cost]) -> list[str]:
    """Prints the table, and returns the violations: exceeded thresholds, and steps or thresholds without a counterpart."""
    violations = [f"'{name}' has thresholds, but the probe has no such step" for name in thresholds.keys() - costs.keys()]
    violations += [f"'{name}' has no threshold" for name in costs.keys() - thresholds.keys()]
    if platform.machine() != ARCHITECTURE:
        log(f"the thresholds of instructions are for {ARCHITECTURE}, not {platform.machine()}: only allocations are compared")
    print(f"{'step':18}{'instructions':>14}{'threshold':>12}{'allocations':>13}{'threshold':>12}")
    for name, cost in costs.items():
        limit = thresholds.get(name, Cost(math.nan, math.nan))
        print(f"{name:18}{cost.instructions:14.0f}{limit.instructions:12.0f}{cost.allocations:13.2f}{limit.allocations:12.0f}")
        if platform.machine() == ARCHITECTURE and cost.instructions > limit.instructions:
            violations.append(f"'{name}' takes {cost.instructions:.0f} instructions, more than {limit.instructions}")
        if math.ceil(cost.allocations) > limit.allocations:
            violations.append(f"'{name}' allocates {cost.allocations:.2f} times, more than {limit.allocations}")
    return violations


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--record", action="store_true", help="record the thresholds")
    is_recording = options.parse_args().record
    if is_recording and platform.machine() != ARCHITECTURE:
        fail(f"thresholds are recorded on {ARCHITECTURE} only, and this is {platform.machine()}", 64)
    bootstrap("--for-tests")
    log("building the probe…")
    FOLDER.mkdir(exist_ok=True)
    # Without the debug information, which valgrind cannot read.
    subprocess.run(["strip", "--strip-debug", "-o", PROBE, swift_build("StageProbe", FOLDER / "build.log")], check=True)
    log("counting instructions and allocations…")
    steps = dict(line.split() for line in subprocess.run([PROBE], check=True, text=True, capture_output=True).stdout.splitlines())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        costs = dict(zip(steps, pool.map(measure, steps.keys(), map(int, steps.values()))))
    if is_recording:
        return record(costs)
    if violations := compare(costs, read_thresholds()):
        fail("\n".join([*violations, "for the callers: callgrind_annotate --threshold=100 --tree=caller .build-guard/STEP.callgrind; "
                        "if the cost is justified, record new thresholds: scripts/checks/guard --record"]))

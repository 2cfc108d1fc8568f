"""Fuzzes the parsers of untrusted input, guided by coverage (libFuzzer): no trap, no hang, and the properties of each hold.

    scripts/checks/fuzz [TARGET…] [--seconds N]       fuzzes these targets, or all, for N seconds each (default: 1800)

The targets are in Tests/VStreamFuzzTests, each with its seeds (Fixtures/Seeds) and its dictionary. They are built with the
coverage of all modules in a folder of their own, .build-fuzz, which also keeps the inputs that reached new code: a later run
starts from them. The table has each target's executions, and the edges of the program that its inputs reached.

A finding ends the run of its target. Its input is minimised and copied to the seeds, to be fixed and committed: the ordinary
tests run all seeds (SeedTests). An input that takes over 20 seconds, or 2 GB of memory, is a finding.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


from ..common import ROOT, fail, log
from ..environments import bootstrap

TESTS = ROOT / "Tests/VStreamFuzzTests"
SEEDS = TESTS / "Fixtures/Seeds"
FOLDER = ROOT / ".build-fuzz"
# Optimised, with the overflow checks; the targets test internal declarations.
BUILD = ["swift", "build", "-c", "release", "--scratch-path", FOLDER, "--sanitize", "fuzzer", "-Xswiftc", "-sanitize=fuzzer",
         "-Xswiftc", "-parse-as-library", "-Xswiftc", "-enable-testing"]
SECONDS = 1800
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=4096"]
# Inputs that take less time are varied more often.
STRATEGY = ["-entropic_scale_per_exec_time=1"]
MINIMISING_SECONDS = 60


@dataclass
class Run:
    target: str
    status: int
    executions: int
    edges: int
    # The files of inputs that are findings, as they were copied to the seeds.
    findings: list[Path] = field(default_factory=list)


def environment(target: str) -> dict[str, str]:
    # Swift's own report of a crash would end the process before libFuzzer saves the input.
    return {**os.environ, "VSTREAM_FUZZ_TARGET": target, "SWIFT_BACKTRACE": "enable=no"}


def build() -> Path:
    """Builds the fuzzer and returns its path."""
    FOLDER.mkdir(exist_ok=True)
    variables = {**os.environ, "VSTREAM_FUZZ": "1"}
    build_log = FOLDER / "build.log"
    with build_log.open("w") as output:
        status = subprocess.run([*BUILD, "--product", "Fuzzer"], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL,
                                stdout=output, stderr=output).returncode
    if status != 0:
        print(build_log.read_text(), file=sys.stderr)
        fail("the fuzzer could not be built")
    folder = subprocess.run([*BUILD, "--show-bin-path"], cwd=ROOT, env=variables, check=True, text=True,
                            capture_output=True).stdout.strip()
    return Path(folder) / "Fuzzer"


def fuzz(program: Path, target: str, seconds: int) -> Run:
    """Runs one target until the time is over or there is a finding."""
    folder = FOLDER / target
    # An empty working directory, since command lines name files.
    for name in ("corpus", "work"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for old in artifacts(folder):
        old.unlink()
    command = [program, folder / "corpus", SEEDS / target, f"-dict={TESTS / 'Fixtures/Dictionaries' / target}.dict",
               f"-artifact_prefix={folder}/", f"-max_total_time={seconds}", *LIMITS, *STRATEGY,
               "-print_final_stats=1"]
    text_log = folder / "run.log"
    with text_log.open("w") as output:
        status = subprocess.run(command, cwd=folder / "work", env=environment(target), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=output).returncode
    text = text_log.read_text(errors="replace")
    run = Run(target, status, last_number(r"number_of_executed_units:\s+(\d+)", text), last_number(r"\bcov: (\d+)", text))
    for path in artifacts(folder):
        run.findings.append(keep(program, target, path))
    return run


def artifacts(folder: Path) -> list[Path]:
    """The inputs that libFuzzer saved as findings."""
    return sorted(path for kind in ("crash", "timeout", "oom", "leak") for path in folder.glob(f"{kind}-*"))


def last_number(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def keep(program: Path, target: str, path: Path) -> Path:
    """Minimises a finding, unless it is a hang, and copies it to the seeds."""
    smaller = path.with_name("minimised")
    smaller.unlink(missing_ok=True)
    if path.name.startswith("crash-"):
        log(f"minimising {path.name} of '{target}'…")
        subprocess.run([program, path, "-minimize_crash=1", f"-exact_artifact_path={smaller}", *LIMITS,
                        f"-max_total_time={MINIMISING_SECONDS}"], cwd=path.parent / "work", env=environment(target),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    source = smaller if smaller.exists() else path
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
    seed = SEEDS / target / f"found-{digest}"
    shutil.copyfile(source, seed)
    return seed


def reason(program: Path, run: Run, seed: Path) -> str:
    """What the fuzzer prints for a finding."""
    done = subprocess.run([program, *LIMITS, seed], cwd=FOLDER / run.target / "work", env=environment(run.target),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    lines = [line for line in done.stderr.splitlines() if re.match(r"finding: |.*Fatal error: |.*ERROR: libFuzzer", line)]
    return lines[0] if lines else f"exit status {done.returncode}"


def parse(arguments: list[str]) -> tuple[list[str], int]:
    known = sorted(path.name for path in SEEDS.iterdir())
    usage = f"usage: scripts/checks/fuzz [TARGET…] [--seconds N]; targets: {', '.join(known)}"
    targets, seconds = [], SECONDS
    rest = iter(arguments)
    for argument in rest:
        if argument == "--seconds":
            value = next(rest, "")
            if not value.isdecimal() or int(value) == 0:
                fail(usage, 64)
            seconds = int(value)
        elif argument in known:
            targets.append(argument)
        else:
            fail(usage, 64)
    return targets or known, seconds


def main() -> None:
    targets, seconds = parse(sys.argv[1:])
    bootstrap("--for-tests")
    log("building the fuzzer…")
    program = build()
    runs = []
    for target in targets:
        log(f"fuzzing '{target}' for {seconds} s…")
        runs.append(fuzz(program, target, seconds))
    print(f"{'target':20}{'executions':>14}{'edges':>10}{'findings':>10}")
    for run in runs:
        print(f"{run.target:20}{run.executions:14,}{run.edges:10,}{len(run.findings):10}")
    wrong = False
    for run in runs:
        for seed in run.findings:
            log(f"{seed.relative_to(ROOT)}: {reason(program, run, seed)}")
        if not run.findings and (run.status != 0 or run.executions == 0 or run.edges == 0):
            log(f"'{run.target}' ended with exit status {run.status}; see {FOLDER / run.target / 'run.log'}")
            wrong = True
    if wrong or any(run.findings for run in runs):
        fail("fix each finding at its cause, and commit its seed")

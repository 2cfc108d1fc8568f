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
from pathlib import Path

from ..common import ROOT, fail, log, parser
from ..environments import bootstrap
from ..measuring import swift_build

TESTS = ROOT / "Tests/VStreamFuzzTests"
SEEDS = TESTS / "Fixtures/Seeds"
FOLDER = ROOT / ".build-fuzz"
# Optimised, with the overflow checks; the targets test internal declarations.
BUILD = ("--scratch-path", FOLDER, "--sanitize", "fuzzer", "-Xswiftc", "-sanitize=fuzzer", "-Xswiftc", "-parse-as-library", "-Xswiftc",
         "-enable-testing")
LIMITS = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=4096"]
# Inputs that take less time are varied more often.
STRATEGY = ["-entropic_scale_per_exec_time=1", "-print_final_stats=1"]
MINIMISING_SECONDS = 60


class Target:
    """One fuzz target, and its folder of inputs."""

    def __init__(self, program: Path, name: str) -> None:
        self.program, self.name, self.folder = program, name, FOLDER / name
        # An empty working directory, since command lines name files.
        for folder in ("corpus", "work"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)

    def run(self, *words: object) -> subprocess.CompletedProcess:
        # Swift's own report of a crash would end the process before libFuzzer saves the input.
        environment = {**os.environ, "VSTREAM_FUZZ_TARGET": self.name, "SWIFT_BACKTRACE": "enable=no"}
        return subprocess.run([self.program, *map(str, words), *LIMITS], cwd=self.folder / "work", env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")

    def artifacts(self) -> list[Path]:
        """The inputs that libFuzzer saved as findings."""
        return sorted(path for kind in ("crash", "timeout", "oom", "leak") for path in self.folder.glob(f"{kind}-*"))

    def fuzz(self, seconds: int) -> list[str]:
        """Runs until the time is over or there is a finding; prints a row of the table, and returns the problems."""
        for old in self.artifacts():
            old.unlink()
        done = self.run(self.folder / "corpus", SEEDS / self.name, f"-dict={TESTS / 'Fixtures/Dictionaries' / self.name}.dict",
                        f"-artifact_prefix={self.folder}/", f"-max_total_time={seconds}", *STRATEGY)
        (self.folder / "run.log").write_text(done.stderr)
        executions, edges = (int((re.findall(pattern, done.stderr) or ["0"])[-1])
                             for pattern in (r"number_of_executed_units:\s+(\d+)", r"\bcov: (\d+)"))
        findings = [self.keep(path) for path in self.artifacts()]
        print(f"{self.name:20}{executions:14,}{edges:10,}{len(findings):10}", flush=True)
        if not findings and (done.returncode != 0 or executions == 0 or edges == 0):
            return [f"'{self.name}' ended with exit status {done.returncode}; see {self.folder / 'run.log'}"]
        return [f"{seed.relative_to(ROOT)}: {self.reason(seed)}" for seed in findings]

    def keep(self, path: Path) -> Path:
        """Minimises a finding, unless it is a hang, and copies it to the seeds."""
        smaller = path.with_name("minimised")
        smaller.unlink(missing_ok=True)
        if path.name.startswith("crash-"):
            log(f"minimising {path.name} of '{self.name}'…")
            self.run(path, "-minimize_crash=1", f"-exact_artifact_path={smaller}", f"-max_total_time={MINIMISING_SECONDS}")
        source = smaller if smaller.exists() else path
        seed = SEEDS / self.name / f"found-{hashlib.sha256(source.read_bytes()).hexdigest()[:8]}"
        shutil.copyfile(source, seed)
        return seed

    def reason(self, seed: Path) -> str:
        done = self.run(seed)
        lines = [line for line in done.stderr.splitlines() if re.match(r"finding: |.*Fatal error: |.*ERROR: libFuzzer", line)]
        return lines[0] if lines else f"exit status {done.returncode}"


def main() -> None:
    known = sorted(path.name for path in SEEDS.iterdir())
    options = parser(__doc__)
    options.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(known))
    options.add_argument("--seconds", type=int, default=1800, metavar="N", help="for each target [1800]")
    arguments = options.parse_args()
    if unknown := set(arguments.targets) - set(known):
        options.error(f"'{unknown.pop()}' is no target; the targets are {', '.join(known)}")
    bootstrap("--for-tests")
    log("building the fuzzer…")
    FOLDER.mkdir(exist_ok=True)
    program = swift_build("Fuzzer", FOLDER / "build.log", *BUILD, environment={"VSTREAM_FUZZ": "1"})
    print(f"{'target':20}{'executions':>14}{'edges':>10}{'findings':>10}")
    if problems := [problem for name in arguments.targets or known for problem in Target(program, name).fuzz(arguments.seconds)]:
        fail("\n".join([*problems, "fix each finding at its cause, and commit its seed"]))

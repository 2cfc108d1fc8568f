"""The common part of both commands: options, runs of cases in threads, and the shrinking of those that fail."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from .generation import as_text, shrunk
from .inputs import write_materials
from .running import set_environment

SHRINKING_SECONDS = 60
MOST_SHRUNK = 3  # kinds of failures


def option_parser(description: str | None, cases: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the cases [1]")
    parser.add_argument("--cases", type=int, default=cases, metavar="N", help=f"the number of cases [{cases}]")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="start no more cases after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="cases that run at the same time [the processors]")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose names contain this")
    parser.add_argument("--case", metavar="JSON", help="only this case, as it is printed for one that failed")
    parser.add_argument("--list", action="store_true", help="list the cases")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all files in this folder, which must not exist")
    return parser


@dataclass
class Outcome:
    """The findings of a case, by their kind, and the command lines that repeat it."""

    number: int
    case: Any
    findings: dict[str, str]
    commands: list[str]
    is_timeout: bool
    details: Any


class Suite:
    def __init__(self, command: str, options: argparse.Namespace, strategy: st.SearchStrategy,
                 check: Callable[[Suite, int, Any, Path], list[Outcome]]) -> None:
        self.command, self.options, self.strategy, self._check = command, options, strategy, check
        self.start = time.monotonic()
        # The first case of each kind of finding.
        self.failures: dict[str, int] = {}
        self.folder = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="vstream-fidelity-"))
        self.materials = self.folder / "materials"
        write_materials(self.materials)
        set_environment(self.folder / "cache")

    def checked(self, number: int, case: Any, name: str = "") -> list[Outcome]:
        """Runs a case in a folder of its own."""
        folder = self.folder / (name or str(number))
        folder.mkdir()
        try:
            return self._check(self, number, case, folder)
        finally:
            if not self.options.keep:
                shutil.rmtree(folder, ignore_errors=True)

    def outcomes(self, cases: list[tuple[int, Any]]) -> Iterator[Outcome]:
        """Runs cases until the time is over, and prints their findings. Those that take too long run again, alone."""
        end, late = self.start + self.options.seconds, []
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for pair, found in zip(cases, pool.map(lambda pair: self.checked(*pair) if time.monotonic() < end else [], cases)):
                if any(outcome.is_timeout for outcome in found):
                    late.append(pair)
                else:
                    yield from map(self._printed, found)
        for pair in late:
            yield from map(self._printed, self.checked(*pair, f"{pair[0]}-alone"))

    def _printed(self, outcome: Outcome) -> Outcome:
        for kind, text in outcome.findings.items():
            self.failures.setdefault(kind, outcome.number)
            print(text, flush=True)
        return outcome

    def finish(self, status: int) -> None:
        """Prints simpler cases of the first kinds of findings, and ends the program."""
        for kind, number in [*self.failures.items()][:0 if self.options.case else MOST_SHRUNK]:
            runs = iter(range(10_000))

            def findings(case: Any) -> list[Outcome]:
                return [each for each in self.checked(number, case, f"{number}-simpler-{next(runs)}") if kind in each.findings]

            simple = shrunk(self.strategy, self.options.seed, number, lambda case: bool(findings(case)), SHRINKING_SECONDS)
            for outcome in findings(simple):
                case = f"scripts/checks/{self.command} --keep FOLDER --case {shlex.quote(as_text(outcome.case))}"
                print(f"A simple case of: {kind}", outcome.findings[kind], case, *outcome.commands, sep="\n    ")
        if not self.options.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        sys.exit(status)

"""The common part of both commands: cases drawn by Hypothesis, their runs in threads, and the shrinking of those that fail."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import dataclasses
import json
import os
import shlex
import shutil
import sys
import tempfile
import time
import typing
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from ..common import ROOT, fail, vstream_path
from .inputs import write_materials
from .running import set_environment

Case = TypeVar("Case")
set_hypothesis_home_dir(ROOT / ".deps/hypothesis")
SHRINKING_SECONDS = 60
MOST_SHRUNK = 3  # kinds of failures


class _Found(Exception):
    """Ends a search."""


def _search(strategy: st.SearchStrategy[Case], seed: str, is_found: Callable[[Case], bool], *phases: Phase) -> None:
    """Draws cases until one is found; with the phase `shrink`, then also simpler ones."""
    # With 10 or more, Hypothesis starts with small cases.
    @seeded(seed)
    @settings(max_examples=9, phases=phases, database=None, deadline=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet)
    @given(strategy)
    def visit(case: Case) -> None:
        if is_found(case):
            raise _Found

    with contextlib.suppress(_Found):
        visit()


def drawn(strategy: st.SearchStrategy[Case], seed: int, number: int) -> Case:
    """Case `number` of a seed."""
    cases: list[Case] = []

    def is_second(case: Case) -> bool:
        # The first one is always the simplest.
        cases.append(case)
        return len(cases) > 1

    _search(strategy, f"{seed}/{number}", is_second, Phase.generate)
    return cases[-1]


def shrunk(strategy: st.SearchStrategy[Case], seed: int, number: int, fails: Callable[[Case], bool], seconds: float) -> Case:
    """The simplest case found within `seconds` that fails as well as case `number`."""
    end = time.monotonic() + seconds
    best = drawn(strategy, seed, number)
    results = {best: True}

    def is_found(case: Case) -> bool:
        nonlocal best
        if case not in results:
            results[case] = time.monotonic() < end and fails(case)
        best = case if results[case] else best
        return results[case]

    _search(strategy, f"{seed}/{number}", is_found, Phase.generate, Phase.shrink)
    return best


def as_text(case: Any) -> str:
    return json.dumps(dataclasses.asdict(case), separators=(",", ":"))


def parsed(kind: type[Case], text: str) -> Case:
    """A case whose text is given."""
    return _built(kind, json.loads(text))


def _built(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _built(hints[name], member) for name, member in value.items()})
    return tuple(_built((*typing.get_args(kind), None)[0], each) for each in value) if isinstance(value, list) else value


def option_parser(description: str | None, cases: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the cases [1]")
    parser.add_argument("--cases", type=int, default=cases, metavar="N", help=f"the number of cases [{cases}]")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="start no more cases after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="cases at the same time [the processors]")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose names contain this")
    parser.add_argument("--case", metavar="JSON", help="only this case, as it is printed for one that failed")
    parser.add_argument("--list", action="store_true", help="list the cases")
    parser.add_argument("--program", type=lambda text: Path(text).resolve(), default=vstream_path().resolve(), metavar="FILE",
                        help="the program")
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
        if not os.access(options.program, os.X_OK):
            fail(f"there is no program '{options.program}'; build it first", 66)
        self.start, self._runs = time.monotonic(), count()
        # The first case of each kind of finding.
        self.failures: dict[str, int] = {}
        self.folder = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="vstream-fidelity-"))
        if not options.keep:
            atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
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
            self._print_simple(kind, number)
        sys.exit(status)

    def _print_simple(self, kind: str, number: int) -> None:
        def failed(case: Any) -> list[Outcome]:
            return [each for each in self.checked(number, case, f"{number}-{next(self._runs)}-simpler") if kind in each.findings]

        simple = shrunk(self.strategy, self.options.seed, number, lambda case: bool(failed(case)), SHRINKING_SECONDS)
        for outcome in failed(simple):
            command = f"scripts/checks/{self.command} --keep FOLDER --case {shlex.quote(as_text(outcome.case))}"
            print(f"A simple case of: {kind}", outcome.findings[kind], command, *outcome.commands, sep="\n    ")

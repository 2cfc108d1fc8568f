"""The common part of both commands: cases drawn by Hypothesis, their runs in threads, and the shrinking of those that fail."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from ..common import ROOT, fail, parser, prepare_vstream, vstream_path
from .inputs import write_materials

set_hypothesis_home_dir(ROOT / ".deps/hypothesis")
SHRINKING_SECONDS = 60
MOST_SHRUNK = 3  # kinds of failures


class _Found(Exception):
    """Ends a search."""


def _search(strategy: st.SearchStrategy, seed: str, is_found: Callable[[Any], bool], *phases: Phase) -> None:
    """Draws cases until one is found; with the phase `shrink`, then also simpler ones."""
    # With 10 or more, Hypothesis starts with small cases.
    @seeded(seed)
    @settings(max_examples=9, phases=phases, database=None, deadline=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet)
    @given(strategy)
    def visit(case: Any) -> None:
        if is_found(case):
            raise _Found

    with contextlib.suppress(_Found):
        visit()


def drawn(strategy: st.SearchStrategy, seed: int, number: int) -> Any:
    """Case `number` of a seed."""
    cases: list[Any] = []

    def is_second(case: Any) -> bool:
        # The first one is always the simplest.
        cases.append(case)
        return len(cases) > 1

    _search(strategy, f"{seed}/{number}", is_second, Phase.generate)
    return cases[-1]


def option_parser(description: str | None, cases: int) -> argparse.ArgumentParser:
    options = parser(description)
    options.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the cases [1]")
    options.add_argument("--cases", type=int, default=cases, metavar="N", help=f"the number of cases [{cases}]")
    options.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="start no more cases after this time")
    options.add_argument("--only", default="", metavar="TEXT", help="only cases whose names contain this")
    options.add_argument("--case", metavar="CASE", help="only this case, as it is printed for one that failed")
    options.add_argument("--program", type=lambda text: Path(text).resolve(), metavar="FILE", help="the program")
    options.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all files in this folder, which must not exist")
    return options


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
        if not options.program:
            prepare_vstream()
            options.program = vstream_path().resolve()
        self.start, self._runs = time.monotonic(), count()
        # The first case of each kind of finding.
        self.failures: dict[str, int] = {}
        self.folder = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="vstream-fidelity-"))
        if not options.keep:
            atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.materials = self.folder / "materials"
        write_materials(self.materials)
        os.environ.update({
            "XDG_CACHE_HOME": str(self.folder / "cache"), "VSTREAM_MODELS": f"{ROOT}/.deps/models",
            "VSTREAM_OPENVINO": f"{ROOT}/.deps/openvino/libs", "TBB_ENABLE_SANITIZERS": "1",
            "LSAN_OPTIONS": f"suppressions={ROOT}/Tests/Sanitizers/leaks.supp:print_suppressions=0"})

    def drawn(self, number: int) -> Any:
        return drawn(self.strategy, self.options.seed, number)

    def checked(self, number: int, case: Any, name: str = "") -> list[Outcome]:
        """Runs a case in a folder of its own."""
        folder = self.folder / (name or str(number))
        folder.mkdir()
        try:
            return self._check(self, number, case, folder)
        finally:
            if not self.options.keep:
                shutil.rmtree(folder, ignore_errors=True)

    def outcomes(self, cases: list[tuple[int, Any]], *kinds: type) -> Iterator[Outcome]:
        """Runs cases until the time is over, and prints their findings. Those that take too long run again, alone. `--case` is an
        expression of the `kinds`."""
        if self.options.case:
            cases = [(-1, eval(self.options.case, {kind.__name__: kind for kind in kinds}))]
        elif not cases:
            fail(f"no case's name contains '{self.options.only}'", 64)
        end, late = self.start + self.options.seconds, []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
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
        print(f"{time.monotonic() - self.start:.0f} s, seed {self.options.seed}")
        for kind, number in [*self.failures.items()][:0 if self.options.case else MOST_SHRUNK]:
            self._print_simple(kind, number)
        sys.exit(status)

    def _print_simple(self, kind: str, number: int) -> None:
        """The simplest case that is found in time and fails as well."""
        end, best = time.monotonic() + SHRINKING_SECONDS, self.drawn(number)
        results = {best: True}

        def failed(case: Any) -> list[Outcome]:
            return [each for each in self.checked(number, case, f"{number}-{next(self._runs)}-simpler") if kind in each.findings]

        def is_found(case: Any) -> bool:
            nonlocal best
            if case not in results:
                results[case] = time.monotonic() < end and bool(failed(case))
            best = case if results[case] else best
            return results[case]

        _search(self.strategy, f"{self.options.seed}/{number}", is_found, Phase.generate, Phase.shrink)
        for outcome in failed(best):
            command = f"scripts/checks/{self.command} --keep FOLDER --case {shlex.quote(repr(outcome.case))}"
            print(f"A simple case of: {kind}", outcome.findings[kind], command, *outcome.commands, sep="\n    ")

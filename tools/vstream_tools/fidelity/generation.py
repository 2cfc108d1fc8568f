"""Cases drawn by Hypothesis: the same for the same seed, and a simpler one for a case that fails."""

from __future__ import annotations

import dataclasses
import json
import time
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, given, seed as seeded, settings
from hypothesis import strategies as st

Case = TypeVar("Case")


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

    try:
        visit()
    except _Found:
        pass


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

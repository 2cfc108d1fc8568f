"""The differences of scripts/checks/compare-with-ffmpeg that are intended, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conversions.cases import Case


@dataclass(frozen=True)
class Difference:
    """A fact in which the two files of a case differ."""

    case: Case
    fact: str
    ffmpeg: object
    vstream: object
    # All facts of either file.
    reference: dict[str, object]
    ours: dict[str, object]


@dataclass(frozen=True)
class Intended:
    name: str
    reason: str
    applies: Callable[[Difference], bool]


def starts_at_zero(difference: Difference) -> bool:
    return difference.fact == "starts at" and difference.case.container == "ts" and near(difference.ffmpeg - difference.vstream, 1.4)


def near(one: float, other: float) -> bool:
    return abs(one - other) < 0.0011


def is_default_by_itself(difference: Difference) -> bool:
    return difference.fact.endswith(" disposition") and sorted({*difference.vstream, "default"}) == difference.ffmpeg


def is_colour_of_rgb(difference: Difference) -> bool:
    return difference.fact in {"video0 color_range", "video0 color_space"} and difference.ffmpeg in {None, "gbr"} \
        and difference.case.source.container == "gif"


INTENDED: list[Intended] = [
    Intended("transport streams start at 0", "ffmpeg delays them by its option muxdelay; vstream's outputs start at 0", starts_at_zero),
    Intended("no default by itself", "ffmpeg marks the first of several streams as default if none is; vstream keeps dispositions",
             is_default_by_itself),
    Intended("colours of RGB", "vstream tags the matrix and the range that its conversion from RGB used; ffmpeg tags nothing",
             is_colour_of_rgb),
]

"""Sequences in MOTChallenge's format: folders with gt/gt.txt, det/det.txt, seqinfo.ini, and times.txt if the rate varies.

Folders with gt.txt and det.txt beside each other are read as well, and a rate that is given where there is no seqinfo.ini."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common import fail


@dataclass(frozen=True)
class Sequence:
    """A folder in MOTChallenge's format."""

    folder: Path
    rate: float
    frames: int

    @staticmethod
    def read(folder: Path, rate: float | None = None) -> Sequence:
        parser = configparser.ConfigParser()
        if parser.read(folder / "seqinfo.ini"):
            info = parser["Sequence"]
            return Sequence(folder, float(info["frameRate"]), int(info["seqLength"]))
        if rate is None:
            fail(f"{folder}/seqinfo.ini is missing; it contains the frame rate (frameRate=…), as does --fps")
        truth = Sequence(folder, rate, 0).truth
        return Sequence(folder, rate, int(read_boxes(truth)[:, 0].max()))

    @property
    def detections(self) -> Path:
        return self._file("det")

    @property
    def truth(self) -> Path:
        return self._file("gt")

    def _file(self, name: str) -> Path:
        path = self.folder / f"{name}.txt"
        return path if path.exists() else self.folder / f"{name}/{name}.txt"

    def times(self) -> np.ndarray | None:
        """The frames' times in seconds if the rate varies, else `None`."""
        path = self.folder / "times.txt"
        return np.loadtxt(path) if path.exists() else None


def read_boxes(path: Path) -> np.ndarray:
    """The lines of a MOTChallenge file, ten columns each; missing ones are -1."""
    rows = np.full((0, 10), -1.0)
    with open(path) as lines:
        values = [[float(value) for value in line.split(",")][:10] for line in lines if line.strip()]
    if values:
        rows = np.array([row + [-1.0] * (10 - len(row)) for row in values])
    return rows


def by_frame(rows: np.ndarray, frames: int) -> list[np.ndarray]:
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return np.split(rows, np.searchsorted(rows[:, 0], np.arange(2, frames + 1)))


def overlaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes (left, top, width, height), for all pairs."""
    corner = np.maximum(one[:, None, :2], other[None, :, :2])
    end = np.minimum((one[:, :2] + one[:, 2:])[:, None], (other[:, :2] + other[:, 2:])[None])
    intersections = np.prod(np.clip(end - corner, 0, None), axis=2)
    areas = np.prod(one[:, 2:], axis=1)[:, None] + np.prod(other[:, 2:], axis=1)[None]
    return intersections / np.maximum(areas - intersections, 1e-9)

"""Which pixels of a frame a redaction with `fill` covered, and how much of a face or a head is covered."""

from __future__ import annotations

import cv2
import numpy as np

# A pixel with a lower luma is black: covered, or as dark in the input.
BLACK = 24
# Closes the gaps that encoding leaves in a covered area, and dark pixels of the input within it.
CLOSING = np.ones((9, 9), np.uint8)
# A face is uncovered if less of the visible pixels of the ellipse inscribed in its box is covered.
MINIMUM_FACE_COVERAGE = 0.8
# The upper part of a person's box contains the head: 30 % of a standing person, more of a bust. The fraction of it that is
# covered at least if the face is.
HEAD_BY_HEIGHT, HEAD_BY_WIDTH = 0.3, 0.6
MINIMUM_HEAD_COVERAGE = 0.1


def covered_pixels(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the pixels that are covered, and of those that show something in the output or are covered.

    Pixels that are black in both frames, outside of covered areas, are in neither: nobody can say whether they are covered,
    and they show nothing.
    """
    dark_before, dark_after = (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) < BLACK for frame in (before, after))
    covered = (dark_after & ~dark_before).astype(np.uint8)
    covered = cv2.morphologyEx(covered, cv2.MORPH_CLOSE, CLOSING).astype(bool)
    return covered, covered | ~(dark_before & dark_after)


class Coverage:
    """What is covered of a frame."""

    def __init__(self, before: np.ndarray, after: np.ndarray) -> None:
        self._covered, self._shown = covered_pixels(before, after)

    def of_face(self, box: list[float], degrees: float = 0) -> float:
        """The covered fraction of the ellipse in a box (left, top, width, height) that is rotated about its centre."""
        x, y, radius = box[0] + box[2] / 2, box[1] + box[3] / 2, max(box[2:]) / 2
        part = self._part(x - radius, y - radius, x + radius, y + radius)
        rows, columns = np.ogrid[part]
        dx, dy = columns + 0.5 - x, rows + 0.5 - y
        cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        across, along = (dx * cosine - dy * sine) / (box[2] / 2), (dx * sine + dy * cosine) / (box[3] / 2)
        return self._fraction(part, across ** 2 + along ** 2 <= 1)

    def of_head(self, box: list[float]) -> float:
        """The covered fraction of the head's part of a person's box."""
        left, top, width, height = box
        head = min(height, max(HEAD_BY_HEIGHT * height, HEAD_BY_WIDTH * width))
        return self._fraction(self._part(left, top, left + width, top + head))

    def _part(self, left: float, top: float, right: float, bottom: float) -> tuple[slice, slice]:
        height, width = self._covered.shape
        rows, columns = np.clip((top, bottom + 1), 0, height).astype(int), np.clip((left, right + 1), 0, width).astype(int)
        return slice(*rows), slice(*columns)

    def _fraction(self, part: tuple[slice, slice], mask: np.ndarray | bool = True) -> float:
        """1 where there is nothing to see."""
        shown = np.count_nonzero(self._shown[part] & mask)
        return np.count_nonzero(self._covered[part] & mask) / shown if shown else 1.0

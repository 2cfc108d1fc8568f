"""Which pixels of a frame a redaction with `fill` covered, and how much of a face or a head is covered."""

from __future__ import annotations

import cv2
import numpy as np

# A pixel with a lower luma is black: covered, or as dark in the input.
BLACK = 24
# The luma of a covered pixel is lower by at least this than in the input. Encoding alone darkens dark footage by less.
MINIMUM_DROP = 12
# A square closes the gaps that encoding leaves in a covered area, and dark pixels of the input within it. Its side has
# at most this many pixels, and this fraction of the smaller side of the face, so that it closes no strip that contains
# a fifth of an uncovered face.
WIDEST_CLOSING, CLOSING_FRACTION = 9, 1 / 6
# A face is uncovered if less of the visible pixels of the ellipse inscribed in its box is covered.
MINIMUM_FACE_COVERAGE = 0.8
# The upper part of a person's box contains the head: 30 % of a standing person, more of a bust. The fraction of it that
# is covered at least if the face is.
HEAD_BY_HEIGHT, HEAD_BY_WIDTH = 0.3, 0.6
MINIMUM_HEAD_COVERAGE = 0.1


class Coverage:
    """What is covered of a frame."""

    def __init__(self, before: np.ndarray, after: np.ndarray) -> None:
        luma_before, luma_after = (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in (before, after))
        dark_before, dark_after = luma_before < BLACK, luma_after < BLACK
        dropped = cv2.subtract(luma_before, luma_after) >= MINIMUM_DROP
        self._covered = (dark_after & ~dark_before & dropped).astype(np.uint8)
        # Nobody can say whether these are covered, and they show nothing.
        self._unknown = dark_before & dark_after

    def of_face(self, box: list[float], degrees: float = 0) -> float:
        """The covered fraction of the ellipse in a box (left, top, width, height) that is rotated about its centre."""
        x, y, radius = box[0] + box[2] / 2, box[1] + box[3] / 2, max(box[2:]) / 2
        part = self._part(x - radius, y - radius, x + radius, y + radius)
        rows, columns = np.ogrid[part]
        dx, dy = columns + 0.5 - x, rows + 0.5 - y
        cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        across, along = (dx * cosine - dy * sine) / (box[2] / 2), (dx * sine + dy * cosine) / (box[3] / 2)
        return self._fraction(part, min(box[2:]), across ** 2 + along ** 2 <= 1)

    def of_head(self, box: list[float]) -> float:
        """The covered fraction of the head's part of a person's box."""
        left, top, width, height = box
        head = min(height, max(HEAD_BY_HEIGHT * height, HEAD_BY_WIDTH * width))
        return self._fraction(self._part(left, top, left + width, top + head), min(width, head))

    def _part(self, left: float, top: float, right: float, bottom: float) -> tuple[slice, slice]:
        height, width = self._covered.shape
        rows = np.clip((top, bottom + 1), 0, height).astype(int)
        columns = np.clip((left, right + 1), 0, width).astype(int)
        return slice(*rows), slice(*columns)

    def _fraction(self, part: tuple[slice, slice], smaller_side: float, mask: np.ndarray | bool = True) -> float:
        """1 where there is nothing to see."""
        covered = self._closed(part, smaller_side)
        shown = np.count_nonzero((covered | ~self._unknown[part]) & mask)
        return np.count_nonzero(covered & mask) / shown if shown else 1.0

    def _closed(self, part: tuple[slice, slice], smaller_side: float) -> np.ndarray:
        """The covered pixels of a part of the frame, with gaps closed that are small for what is checked there."""
        rows, columns = part
        visible_side = min(smaller_side, rows.stop - rows.start, columns.stop - columns.start)
        side = int(min(WIDEST_CLOSING, visible_side * CLOSING_FRACTION))
        if side < 2:
            return self._covered[part].astype(bool)
        # A kernel of even length would move the mask.
        side -= 1 - side % 2
        # The closing of a part depends on the pixels around it, as far as this.
        top, left = max(0, rows.start - side), max(0, columns.start - side)
        around = self._covered[top:rows.stop + side, left:columns.stop + side]
        closed = cv2.morphologyEx(around, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)).astype(bool)
        return closed[rows.start - top:, columns.start - left:][:rows.stop - rows.start, :columns.stop - columns.start]

"""Contact sheets: crops of input and output side by side, to be judged by eye."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

CROP = 120
# The side of a crop in sides of the box.
CONTEXT = 2.2
COLUMNS, ROWS = 6, 9
LINE = 14
FONT = cv2.FONT_HERSHEY_SIMPLEX
RED, WHITE, GAP = (0, 0, 255), (255, 255, 255), 6


@dataclass
class Pair:
    """The surroundings of a box in the input and in the output, and two lines of text."""

    before: np.ndarray
    after: np.ndarray
    lines: tuple[str, ...]


def crop(frame: np.ndarray, box: list[float], outline: bool) -> np.ndarray:
    """A square around the box, enlarged or reduced to the size of a crop, with grey past the frame's edge."""
    side = max(box[2:]) * CONTEXT
    scale = CROP / side
    left, top = box[0] + box[2] / 2 - side / 2, box[1] + box[3] / 2 - side / 2
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
    reduced = frame if scale >= 1 else cv2.blur(frame, (max(1, round(1 / scale)),) * 2)
    image = cv2.warpAffine(reduced, matrix, (CROP, CROP), borderValue=(128, 128, 128))
    if outline:
        corners = [(round((box[0] - left) * scale), round((box[1] - top) * scale)),
                   (round((box[0] + box[2] - left) * scale), round((box[1] + box[3] - top) * scale))]
        cv2.rectangle(image, *corners, RED)
    return image


def cell(content: Pair) -> np.ndarray:
    image = np.zeros((CROP + 2 * LINE + GAP, 2 * CROP + GAP, 3), np.uint8)
    image[:CROP, :2 * CROP] = np.hstack([content.before, content.after])
    for number, line in enumerate(content.lines, 1):
        cv2.putText(image, line, (2, CROP + number * LINE - 3), FONT, 0.36, WHITE, 1, cv2.LINE_AA)
    return image


class Sheet:
    """Collects pairs, and keeps at most `limit` of them, evenly spread."""

    def __init__(self, limit: int) -> None:
        self.pairs: list[Pair] = []
        self._limit = limit
        # Each so manyth pair is kept until the next halving.
        self._step = 1
        self._offered = 0

    def offer(self, before: np.ndarray, after: np.ndarray, box: list[float], *lines: str) -> None:
        if self._offered % self._step == 0:
            self.pairs.append(Pair(crop(before, box, True), crop(after, box, False), lines))
        self._offered += 1
        if len(self.pairs) > self._limit:
            self.pairs = self.pairs[::2]
            self._step *= 2

    def write(self, file: Path) -> list[Path]:
        """Writes as many pages as needed, FILE.png, FILE-2.png and so on."""
        pages = []
        for start in range(0, len(self.pairs), COLUMNS * ROWS):
            cells = [cell(content) for content in self.pairs[start:start + COLUMNS * ROWS]]
            cells += [np.zeros_like(cells[0])] * (-len(cells) % COLUMNS)
            page = np.vstack([np.hstack(cells[row:row + COLUMNS]) for row in range(0, len(cells), COLUMNS)])
            pages.append(file if not pages else file.with_name(f"{file.stem}-{len(pages) + 1}{file.suffix}"))
            cv2.imwrite(str(pages[-1]), page)
        return pages

"""Faces and heads that a redaction with `fill` leaves uncovered, and contact sheets of them, to be judged by eye."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from ..common import iou
from .detectors import Detection

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
SAME_FACE = 0.3
# Narrower faces are counted apart.
MINIMUM_WIDTH = 24


# --- Coverage ---


class Coverage:
    """The covered pixels of a frame."""

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
        return self._fraction(self._part(left, top, left + width, top + head), min(width, head), True)

    def _part(self, left: float, top: float, right: float, bottom: float) -> tuple[slice, slice]:
        height, width = self._covered.shape
        rows = np.clip((top, bottom + 1), 0, height).astype(int)
        columns = np.clip((left, right + 1), 0, width).astype(int)
        return slice(*rows), slice(*columns)

    def _fraction(self, part: tuple[slice, slice], smaller_side: float, mask: np.ndarray | bool) -> float:
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


# --- Findings ---


@dataclass
class Finding:
    """A face or head that is not covered."""

    clip: str
    frame: int
    # "face" or "head".
    kind: str
    detector: str
    score: float
    # Of the face, or of the whole person.
    box: list[float]
    coverage: float
    # Detected in the "input", in the "output" or in "both"; "known" if it was drawn.
    seen: str
    # A detector with another network finds it too, in the input or in the output.
    agreed: bool = False

    @property
    def lines(self) -> tuple[str, str]:
        return (f"{self.clip[:36]}:{self.frame}{' agreed' * self.agreed}",
                f"{self.detector} {self.score:.2f} {self.box[2]:.0f}px {self.coverage:.0%} {self.seen}")


def uncovered_faces(clip: str, frame: int, coverage: Coverage, before: list[Detection], after: list[Detection]) -> list[Finding]:
    """The uncovered ones of the faces detected in a frame of the input, and in that of the output.

    Boxes of one face may be covered to different degrees: a covered detection may agree with an uncovered one.
    """
    def is_same(one: Finding | Detection, other: Detection) -> bool:
        return iou(one.box, other.box) > SAME_FACE

    faces: list[Finding] = []
    for seen, detections in (("input", before), ("output", after)):
        for face in detections:
            if (fraction := coverage.of_face(face.box)) >= MINIMUM_FACE_COVERAGE:
                continue
            agreed = any(other.network != face.network and is_same(face, other) for other in before + after)
            same = next((other for other in faces if other.detector == face.detector and other.seen != seen and is_same(other, face)), None)
            if same:
                same.seen, same.agreed = "both", same.agreed or agreed
            else:
                faces.append(Finding(clip, frame, "face", face.detector, face.score, face.box, fraction, seen, agreed))
    return faces


def uncovered_heads(clip: str, frame: int, coverage: Coverage, people: list[Detection]) -> list[Finding]:
    heads = [Finding(clip, frame, "head", person.detector, person.score, person.box, coverage.of_head(person.box), "input")
             for person in people]
    return [head for head in heads if head.coverage < MINIMUM_HEAD_COVERAGE]


@dataclass
class ClipFigures:
    """Findings in the checked frames of a clip."""

    name: str
    frames: int = 0
    frames_with_face: int = 0
    # Of vstream, from start to exit.
    frames_per_second: float = 0
    findings: list[Finding] = field(default_factory=list)

    HEADER = ("| clip | frames | with a face | uncovered ≥ 24 px | all | agreed ≥ 24 px | all | in the input ≥ 24 px | "
              "in the output ≥ 24 px | faces by detector | frames with heads | heads by detector | frames/s |\n" + "|---" * 13 + "|")

    def frames_of(self, kind: str = "face", minimum_width: float = 0, agreed: bool = False, seen: str = "input output both") -> int:
        return len({finding.frame for finding in self.findings if finding.kind == kind and finding.seen in seen.split()
                    and finding.box[2] >= minimum_width and finding.agreed >= agreed})

    def detectors_of(self, kind: str) -> str:
        counts = Counter(finding.detector for finding in self.findings if finding.kind == kind)
        return ", ".join(f"{name} {number}" for name, number in sorted(counts.items())) or "–"

    @property
    def row(self) -> str:
        wide = {"minimum_width": MINIMUM_WIDTH}
        cells = [self.name, self.frames, self.frames_with_face, self.frames_of(**wide), self.frames_of(),
                 self.frames_of(**wide, agreed=True), self.frames_of(agreed=True), self.frames_of(**wide, seen="input both"),
                 self.frames_of(**wide, seen="output both"), self.detectors_of("face"), self.frames_of("head"),
                 self.detectors_of("head"), f"{self.frames_per_second:.1f}"]
        return f"| {' | '.join(map(str, cells))} |"


# --- Contact sheets ---

CROP, COLUMNS, ROWS, LINE, GAP = 120, 6, 9, 14, 6
# The side of a crop in sides of the box.
CONTEXT = 2.2


def crop(frame: np.ndarray, box: list[float], has_outline: bool) -> np.ndarray:
    """A square around the box, enlarged or reduced to the size of a crop, with grey past the frame's edge."""
    side = max(box[2:]) * CONTEXT
    scale = CROP / side
    left, top = box[0] + box[2] / 2 - side / 2, box[1] + box[3] / 2 - side / 2
    reduced = frame if scale >= 1 else cv2.blur(frame, (max(1, round(1 / scale)),) * 2)
    image = cv2.warpAffine(reduced, np.array([[scale, 0, -left * scale], [0, scale, -top * scale]]), (CROP, CROP), borderValue=(128,) * 3)
    if has_outline:
        corners = [(round((x - left) * scale), round((y - top) * scale)) for x, y in (box[:2], (box[0] + box[2], box[1] + box[3]))]
        cv2.rectangle(image, *corners, (0, 0, 255))
    return image


class Sheet:
    """Crops of input and output side by side with lines of text; at most `limit` of them are kept, evenly spread."""

    def __init__(self, limit: int) -> None:
        self.cells: list[np.ndarray] = []
        self._limit = limit
        # Every `step`-th is kept until the next halving.
        self._step = 1
        self._offered = 0

    def offer(self, before: np.ndarray, after: np.ndarray, box: list[float], *lines: str) -> None:
        if self._offered % self._step == 0:
            image = np.zeros((CROP + 2 * LINE + GAP, 2 * CROP + GAP, 3), np.uint8)
            image[:CROP, :2 * CROP] = np.hstack([crop(before, box, True), crop(after, box, False)])
            for number, line in enumerate(lines, 1):
                cv2.putText(image, line, (2, CROP + number * LINE - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.36, (255,) * 3, 1, cv2.LINE_AA)
            self.cells.append(image)
        self._offered += 1
        if len(self.cells) > self._limit:
            self.cells = self.cells[::2]
            self._step *= 2

    def write(self, file: Path) -> list[Path]:
        """Writes as many pages as needed, FILE.png, FILE-2.png and so on."""
        pages = []
        for number, start in enumerate(range(0, len(self.cells), COLUMNS * ROWS), 1):
            cells = self.cells[start:start + COLUMNS * ROWS]
            cells += [np.zeros_like(cells[0])] * (-len(cells) % COLUMNS)
            pages.append(file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}"))
            cv2.imwrite(str(pages[-1]), np.vstack([np.hstack(cells[row:row + COLUMNS]) for row in range(0, len(cells), COLUMNS)]))
        return pages

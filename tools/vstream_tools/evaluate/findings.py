"""What a redaction leaves visible of a clip: faces and heads that are not covered, and the figures about them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..common import iou
from .coverage import MINIMUM_FACE_COVERAGE, MINIMUM_HEAD_COVERAGE, Coverage
from .independent_detectors import Detection

SAME_FACE = 0.3
# Narrower faces are counted apart.
MINIMUM_WIDTH = 24


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


def uncovered_faces(clip: str, frame: int, coverage: Coverage, before: list[Detection],
                    after: list[Detection]) -> list[Finding]:
    """The uncovered ones of the faces detected in a frame of the input, and in that of the output.

    Boxes of one face may be covered to different degrees: a covered detection may agree with an uncovered one.
    """
    faces: list[Finding] = []
    for seen, detections in (("input", before), ("output", after)):
        for face in detections:
            fraction = coverage.of_face(face.box)
            if fraction >= MINIMUM_FACE_COVERAGE:
                continue
            agreed = any(other.network != face.network and is_same_face(face, other) for other in before + after)
            same = next((other for other in faces if other.detector == face.detector and other.seen != seen
                         and is_same_face(other, face)), None)
            if same:
                same.seen, same.agreed = "both", same.agreed or agreed
            else:
                faces.append(Finding(clip, frame, "face", face.detector, face.score, face.box, fraction, seen, agreed))
    return faces


def is_same_face(one: Finding | Detection, other: Finding | Detection) -> bool:
    return iou(one.box, other.box) > SAME_FACE


def uncovered_heads(clip: str, frame: int, coverage: Coverage, people: list[Detection]) -> list[Finding]:
    heads = [Finding(clip, frame, "head", person.detector, person.score, person.box, coverage.of_head(person.box),
                     "input") for person in people]
    return [head for head in heads if head.coverage < MINIMUM_HEAD_COVERAGE]


def counted(names: list[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(Counter(names).items())) or "–"


@dataclass
class ClipFigures:
    """What the detectors find in the checked frames of a clip."""

    name: str
    frames: int = 0
    frames_with_face: int = 0
    # Of vstream, from start to exit.
    frames_per_second: float = 0
    findings: list[Finding] = field(default_factory=list)

    HEADER = ("| clip | frames | with a face | uncovered ≥ 24 px | all | agreed ≥ 24 px | all | in the input ≥ 24 px | "
              "in the output ≥ 24 px | faces by detector | frames with heads | heads by detector | frames/s |\n"
              + "|---" * 13 + "|")

    def frames_of(self, kind: str = "face", minimum_width: float = 0, agreed: bool = False,
                  seen: str = "input output both") -> int:
        return len({finding.frame for finding in self.findings if finding.kind == kind and finding.seen in seen.split()
                    and finding.box[2] >= minimum_width and finding.agreed >= agreed})

    def detectors_of(self, kind: str) -> str:
        return counted([finding.detector for finding in self.findings if finding.kind == kind])

    @property
    def row(self) -> str:
        wide = MINIMUM_WIDTH
        cells = [self.name, self.frames, self.frames_with_face, self.frames_of(minimum_width=wide), self.frames_of(),
                 self.frames_of(minimum_width=wide, agreed=True), self.frames_of(agreed=True),
                 self.frames_of(minimum_width=wide, seen="input both"),
                 self.frames_of(minimum_width=wide, seen="output both"), self.detectors_of("face"),
                 self.frames_of("head"), self.detectors_of("head"), f"{self.frames_per_second:.1f}"]
        return f"| {' | '.join(map(str, cells))} |"

"""Compares a user's detector, YOLOX as its authors export it, in vstream and in Python: detections and speed.

    scripts/evaluate/own-model MODEL.onnx [CLIP]   default: street.avi of SampleVideos

The Python side uses OpenCV, OpenVINO and a decoder in NumPy. Frames are processed independently (--mode single-image). A box
is matched by a box of the same class on the other side with an IoU of at least 0.9 and a score of at least 0.25; people are
also compared with the default model's, which is a different network, at an IoU of 0.5. The rates are those of whole runs,
including the loading of the model, as medians of alternating rounds; neither side encodes. The Python packages are
installed in .deps/venv-bench (tools/requirements/bench.txt).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..common import VIDEOS, frame_records, opencv_frames, parser, prepare_vstream
from .networks import YOLOX, Detections, overlaps

SCORE = 0.3
# Both sides detect with a lower threshold, so that a box near the threshold is present on both.
LOWEST_SCORE = 0.25
PEOPLE_SCORE = 0.5
ROUNDS = 3


def run_python(model: Path, clip: Path) -> list[Detections]:
    detector = YOLOX(model, LOWEST_SCORE)
    return [detector(frame) for frame in opencv_frames(clip)]


def run_vstream(clip: Path, *options: str | Path) -> list[Detections]:
    records = frame_records(clip, "--detect", "objects", "--mode", "single-image", "--min-score", LOWEST_SCORE, *options)
    return [[(one["label"], one["score"], np.array(one["box"]) + [0, 0, *one["box"][:2]]) for one in record["objects"]]
            for record in records]


def matched(boxes: list[Detections], others: list[Detections], iou: float, score: float, label: str | None = None) -> str:
    """The fraction of boxes with at least the score that others match; each of the others matches one box at most."""
    total = count = 0
    for frame_boxes, frame_others in zip(boxes, others, strict=True):
        unmatched = list(frame_others)
        for name, box_score, box in sorted(frame_boxes, key=lambda one: -one[1]):
            if box_score < score or label not in (None, name):
                continue
            total += 1
            found = [overlaps(box, other[np.newaxis])[0] if other_name == name else 0 for other_name, _, other in unmatched]
            if found and max(found) >= iou:
                count += 1
                del unmatched[int(np.argmax(found))]
    return f"{count / total:.4f} ({count} of {total})" if total else "no boxes"


def timed(run: Callable[[], list[Detections]]) -> tuple[list[Detections], float]:
    start = time.perf_counter()
    detections = run()
    return detections, len(detections) / (time.perf_counter() - start)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("model", type=Path, metavar="MODEL.onnx")
    options.add_argument("clip", nargs="?", type=Path, default=VIDEOS / "street.avi", metavar="CLIP")
    arguments = options.parse_args()
    own = ("--object-model", arguments.model)
    prepare_vstream()
    run_vstream(arguments.clip, *own, "--duration", "1")  # fills the cache of compiled networks
    rates = []
    for _ in range(ROUNDS):
        theirs, python_rate = timed(lambda: run_python(arguments.model, arguments.clip))
        ours, own_rate = timed(lambda: run_vstream(arguments.clip, *own))
        rates.append((python_rate, own_rate))
    builtin = run_vstream(arguments.clip)
    print(f"{arguments.model.name} on {arguments.clip.name}, {len(ours)} frames")
    print(f"Python's boxes matched by vstream: {matched(theirs, ours, 0.9, SCORE)}")
    print(f"vstream's boxes matched by Python: {matched(ours, theirs, 0.9, SCORE)}")
    for name, other, iou in (("Python's", theirs, 0.9), ("the default model's", builtin, 0.5)):
        print(f"people, score {PEOPLE_SCORE}, compared with {name} (IoU {iou}): "
              f"precision {matched(ours, other, iou, PEOPLE_SCORE, 'person')}, "
              f"recall {matched(other, ours, iou, PEOPLE_SCORE, 'person')}")
    python, vstream = map(statistics.median, zip(*rates))
    print(f"frames per second: Python {python:.1f}, vstream {vstream:.1f}, ratio {vstream / python:.2f}")

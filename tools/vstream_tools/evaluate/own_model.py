"""Compares a user's detector, YOLOX as its authors export it, in vstream and in Python: detections and speed.

    scripts/evaluate/own-model MODEL.onnx [CLIP]   default: street.avi of SampleVideos

The Python side uses OpenCV, OpenVINO and a decoder in NumPy. Frames are processed independently (--mode single-image). A box
is matched by a box of the same class on the other side with an IoU of at least 0.9 and a score of at least 0.25; people are
also compared with the default model's, which is a different network, at an IoU of 0.5. The rates are those of whole runs,
including the loading of the model, as medians of alternating rounds; neither side encodes. The Python packages are
installed in .deps/venv-bench (scripts/support/requirements/bench.txt).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path


from ..common import VIDEOS, fail, frame_records, opencv_frames, prepare_vstream
from ..environments import BENCH

import cv2
import numpy as np
import openvino as ov

from . import ssd_peer

STRIDES = (8, 16, 32)
PADDING = 114
SCORE = 0.3
# Both sides detect with a lower threshold, so that a box near the threshold is present on both.
LOWEST_SCORE = 0.25
PEOPLE_SCORE = 0.5
ROUNDS = 3
NAMES = ssd_peer.NAMES

# A frame's detections: class, score, and left, top, right, bottom in pixels.
Detections = list[tuple[str, float, np.ndarray]]


class YOLOX:
    """The model in Python: the frame is scaled into the top left corner of the input, BGR, 0 to 255."""

    def __init__(self, model: Path) -> None:
        self.request = ov.Core().compile_model(model, "CPU").create_infer_request()
        self.height, self.width = self.request.model_inputs[0].shape[2:]
        grids = [np.stack(np.meshgrid(np.arange(self.width // stride), np.arange(self.height // stride)), 2).reshape(-1, 2)
                 for stride in STRIDES]
        self.cells = np.concatenate(grids)
        self.strides = np.concatenate([np.full((len(grid), 1), stride) for grid, stride in zip(grids, STRIDES)])
        if list(self.request.model_outputs[0].shape) != [1, len(self.cells), 5 + len(NAMES)]:
            fail(f"'{model}' is not YOLOX with COCO's classes")

    def __call__(self, frame: np.ndarray) -> Detections:
        height, width = frame.shape[:2]
        scale = min(self.width / width, self.height / height)
        small = cv2.resize(frame, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_LINEAR)
        tensor = np.full((self.height, self.width, 3), PADDING, np.float32)
        tensor[:small.shape[0], :small.shape[1]] = small
        rows = self.request.infer({0: np.ascontiguousarray(tensor.transpose(2, 0, 1))[np.newaxis]})[0][0]
        classes = rows[:, 5:].argmax(1)
        scores = rows[:, 4] * rows[np.arange(len(rows)), 5 + classes]
        selected = np.flatnonzero(scores >= LOWEST_SCORE)
        centres = (rows[selected, :2] + self.cells[selected]) * self.strides[selected]
        halves = np.exp(rows[selected, 2:4]) * self.strides[selected] / 2
        boxes = np.clip(np.hstack([centres - halves, centres + halves]) / scale, 0, [width, height, width, height])
        detections: Detections = []
        for number in np.unique(classes[selected]):
            indices = np.flatnonzero(classes[selected] == number)
            best = indices[ssd_peer.suppress(boxes[indices], scores[selected][indices])]
            detections += [(NAMES[number], float(scores[selected][index]), boxes[index]) for index in best]
        return detections


def run_python(model: Path, clip: Path) -> list[Detections]:
    detector = YOLOX(model)
    return [detector(frame) for frame in opencv_frames(clip)]


def run_vstream(clip: Path, *options: str | Path) -> list[Detections]:
    records = frame_records(clip, "--detect", "objects", "--mode", "single-image", "--min-score", LOWEST_SCORE, *options)
    return [[(one["label"], one["score"], corners(one["box"])) for one in record["objects"]] for record in records]


def corners(box: list[float]) -> np.ndarray:
    return np.array([box[0], box[1], box[0] + box[2], box[1] + box[3]])


def matched(boxes: list[Detections], others: list[Detections], iou: float, score: float, label: str | None = None) -> str:
    """The fraction of boxes with at least the score that others match; each of the others matches one box at most."""
    total = count = 0
    for frame_boxes, frame_others in zip(boxes, others, strict=True):
        unmatched = list(frame_others)
        for name, box_score, box in sorted(frame_boxes, key=lambda one: -one[1]):
            if box_score < score or label not in (None, name):
                continue
            total += 1
            overlaps = [ssd_peer.overlaps(box, other[np.newaxis])[0] if other_name == name else 0
                        for other_name, _, other in unmatched]
            if overlaps and max(overlaps) >= iou:
                count += 1
                del unmatched[int(np.argmax(overlaps))]
    return f"{count / total:.4f} ({count} of {total})" if total else "no boxes"


def timed(run) -> tuple[list[Detections], float]:
    start = time.perf_counter()
    detections = run()
    return detections, len(detections) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="MODEL.onnx")
    parser.add_argument("clip", nargs="?", type=Path, default=VIDEOS / "street.avi", metavar="CLIP")
    arguments = parser.parse_args()
    options = ("--object-model", arguments.model)
    prepare_vstream()
    run_vstream(arguments.clip, *options, "--duration", "1")  # fills the cache of compiled networks
    rates: dict[str, list[float]] = {"Python": [], "vstream": []}
    for _ in range(ROUNDS):
        theirs, rate = timed(lambda: run_python(arguments.model, arguments.clip))
        rates["Python"].append(rate)
        ours, rate = timed(lambda: run_vstream(arguments.clip, *options))
        rates["vstream"].append(rate)
    builtin = run_vstream(arguments.clip)
    print(f"{arguments.model.name} on {arguments.clip.name}, {len(ours)} frames")
    print(f"Python's boxes matched by vstream: {matched(theirs, ours, 0.9, SCORE)}")
    print(f"vstream's boxes matched by Python: {matched(ours, theirs, 0.9, SCORE)}")
    for name, other, iou in (("Python's", theirs, 0.9), ("the default model's", builtin, 0.5)):
        print(f"people, score {PEOPLE_SCORE}, compared with {name} (IoU {iou}): "
              f"precision {matched(ours, other, iou, PEOPLE_SCORE, 'person')}, "
              f"recall {matched(other, ours, iou, PEOPLE_SCORE, 'person')}")
    python, own = (statistics.median(rates[name]) for name in ("Python", "vstream"))
    print(f"frames per second: Python {python:.1f}, vstream {own:.1f}, ratio {own / python:.2f}")

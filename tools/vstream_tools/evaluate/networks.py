"""SSD MobileNetV2 and YOLOX (COCO) in Python: OpenVINO for inference, and NumPy to decode outputs.

Written independently of vstream's Swift code, which is compared with it. Boxes are [left, top, right, bottom].
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import openvino as ov

from ..common import ROOT, fail

# Class, score and box of each object.
Detections = list[tuple[str, float, np.ndarray]]

MODEL = ROOT / ".deps/models/ssd-mobilenet-v2.xml"
SIZE = 300
MAXIMUM_IOU = 0.6
MAXIMUM_COUNT = 100
STRIDES = (8, 16, 32)
PADDING = 114

# COCO's classes, in the order of its identifiers.
NAMES = """person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,
    bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,
    snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,
    fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,
    potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,
    refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush""".replace("\n    ", "").split(",")


def overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Intersection over union of a box with each of others."""
    corner = np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.clip(np.minimum(box[2:], others[:, 2:]) - corner, 0, None), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1)
    return shared / np.maximum(areas + np.prod(box[2:] - box[:2]) - shared, 1e-12)


def suppress(boxes: np.ndarray, scores: np.ndarray) -> list[int]:
    """Indices of one class's boxes after non-maximum suppression, highest score first."""
    order, remaining = np.argsort(-scores, kind="stable"), []
    while len(order) and len(remaining) < MAXIMUM_COUNT:
        best, order = order[0], order[1:]
        remaining.append(int(best))
        order = order[overlaps(boxes[best], boxes[order]) <= MAXIMUM_IOU]
    return remaining


# --- SSD MobileNetV2 ---


def make_anchors() -> np.ndarray:
    """[1917, 4]: centre x, centre y, width, height, in fractions of the input."""
    scales = np.append(np.linspace(0.2, 0.95, 6), 1.0)
    anchors = []
    for level, cells in enumerate([19, 10, 5, 3, 2, 1]):
        shapes = [(scales[level], ratio) for ratio in (1, 2, 1 / 2, 3, 0.3333)]
        shapes += [(np.sqrt(scales[level] * scales[level + 1]), 1)]
        if level == 0:
            shapes = [(0.1, 1), (0.2, 2), (0.2, 1 / 2)]
        centres = (np.arange(cells) + 0.5) / cells
        for y in centres:
            for x in centres:
                anchors += [(x, y, scale * np.sqrt(ratio), scale / np.sqrt(ratio)) for scale, ratio in shapes]
    return np.array(anchors)


ANCHORS = make_anchors()


def decode_boxes(encodings: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Boxes in fractions of the input, clipped to its edges."""
    dy, dx, dh, dw = encodings.astype(np.float64).T
    x, y, width, height = anchors.T
    x, y = x + dx / 10 * width, y + dy / 10 * height
    width, height = width * np.exp(dw / 5), height * np.exp(dh / 5)
    return np.clip(np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], axis=1), 0, 1)


def load(properties: dict[str, str] | None = None, model: Path = MODEL) -> ov.InferRequest:
    return ov.Core().compile_model(model, "CPU", properties or {}).create_infer_request()


def input_tensor(frame: np.ndarray, interpolation: int = cv2.INTER_LINEAR) -> np.ndarray:
    """[300, 300, 3] of floats, RGB 0 to 255, from a BGR frame."""
    return cv2.cvtColor(cv2.resize(frame, (SIZE, SIZE), interpolation=interpolation), cv2.COLOR_BGR2RGB).astype(np.float32)


def detect(request: ov.InferRequest, tensor: np.ndarray, minimum_score: float) -> Detections:
    """The objects in an input tensor, highest score first; boxes in fractions of the image."""
    outputs = request.infer({0: tensor[np.newaxis]}, share_inputs=True, share_outputs=True)
    encodings, scores = outputs[0][0], outputs[1][0]  # [1917, 4] and [1917, 80]
    objects = []
    for number in np.flatnonzero(scores.max(axis=0) >= minimum_score):
        rows = np.flatnonzero(scores[:, number] >= minimum_score)
        boxes = decode_boxes(encodings[rows], ANCHORS[rows])
        objects += [(NAMES[number], float(scores[rows[i], number]), boxes[i]) for i in suppress(boxes, scores[rows, number])]
    return sorted(objects, key=lambda found: -found[1])[:MAXIMUM_COUNT]


# --- YOLOX ---


class YOLOX:
    """The model as its authors export it: the frame is scaled into the top left corner of the input, BGR, 0 to 255."""

    def __init__(self, model: Path, minimum_score: float) -> None:
        self.minimum_score = minimum_score
        self.request = ov.Core().compile_model(model, "CPU").create_infer_request()
        self.height, self.width = self.request.model_inputs[0].shape[2:]
        grids = [np.stack(np.meshgrid(np.arange(self.width // stride), np.arange(self.height // stride)), 2).reshape(-1, 2)
                 for stride in STRIDES]
        self.cells = np.concatenate(grids)
        self.strides = np.concatenate([np.full((len(grid), 1), stride) for grid, stride in zip(grids, STRIDES)])
        if list(self.request.model_outputs[0].shape) != [1, len(self.cells), 5 + len(NAMES)]:
            fail(f"'{model}' is not YOLOX with COCO's classes")

    def __call__(self, frame: np.ndarray) -> Detections:
        """The objects in a BGR frame; boxes in pixels."""
        height, width = frame.shape[:2]
        scale = min(self.width / width, self.height / height)
        small = cv2.resize(frame, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_LINEAR)
        tensor = np.full((self.height, self.width, 3), PADDING, np.float32)
        tensor[:small.shape[0], :small.shape[1]] = small
        rows = self.request.infer({0: np.ascontiguousarray(tensor.transpose(2, 0, 1))[np.newaxis]})[0][0]
        classes = rows[:, 5:].argmax(1)
        scores = rows[:, 4] * rows[np.arange(len(rows)), 5 + classes]
        selected = np.flatnonzero(scores >= self.minimum_score)
        centres = (rows[selected, :2] + self.cells[selected]) * self.strides[selected]
        halves = np.exp(rows[selected, 2:4]) * self.strides[selected] / 2
        boxes = np.clip(np.hstack([centres - halves, centres + halves]) / scale, 0, [width, height, width, height])
        detections: Detections = []
        for number in np.unique(classes[selected]):
            indices = np.flatnonzero(classes[selected] == number)
            best = indices[suppress(boxes[indices], scores[selected][indices])]
            detections += [(NAMES[number], float(scores[selected][index]), boxes[index]) for index in best]
        return detections

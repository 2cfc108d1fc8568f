"""SSD MobileNetV2 (COCO) in Python: OpenVINO for inference, and NumPy to decode its outputs.

Written independently of vstream's Swift code, which is compared with it. Boxes are [left, top, right, bottom].
"""

from pathlib import Path

import numpy as np
import openvino as ov

from ..common import ROOT

MODEL = ROOT / ".deps/models/ssd-mobilenet-v2.xml"
SIZE = 300
MAXIMUM_IOU = 0.6
MAXIMUM_COUNT = 100

# COCO's classes, in the order of its identifiers.
NAMES = """person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,
    bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,
    snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,
    fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,
    potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,
    refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush""".replace("\n    ", "").split(",")


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


def read(encodings: np.ndarray, scores: np.ndarray, minimum_score: float) -> list[tuple[str, float, np.ndarray]]:
    """Name, score and box of each object, highest score first, from the outputs [1, 1917, 4] and [1, 1917, 80]."""
    encodings, scores = encodings[0], scores[0]
    objects = []
    for number in np.flatnonzero(scores.max(axis=0) >= minimum_score):
        rows = np.flatnonzero(scores[:, number] >= minimum_score)
        boxes = decode_boxes(encodings[rows], ANCHORS[rows])
        objects += [(NAMES[number], float(scores[rows[i], number]), boxes[i]) for i in suppress(boxes, scores[rows, number])]
    return sorted(objects, key=lambda found: -found[1])[:MAXIMUM_COUNT]


def load(properties: dict[str, str] | None = None, model: Path = MODEL) -> ov.InferRequest:
    return ov.Core().compile_model(model, "CPU", properties or {}).create_infer_request()


def detect(request: ov.InferRequest, tensor: np.ndarray, minimum_score: float) -> list[tuple[str, float, np.ndarray]]:
    """Objects in an image [300, 300, 3] of floats, RGB 0 to 255; boxes in fractions of it."""
    outputs = request.infer({0: tensor[np.newaxis]}, share_inputs=True, share_outputs=True)
    return read(outputs[0], outputs[1], minimum_score)

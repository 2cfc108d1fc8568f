"""SSD MobileNetV2 (COCO) in Python: OpenVINO for inference, and NumPy to decode outputs.

Written independently of vstream's Swift code, which is compared with it. Boxes are [left, top, right, bottom].
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import openvino as ov

from ..common import ROOT

# Class, score and box of each object.
Detections = list[tuple[str, float, np.ndarray]]

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
        # Non-maximum suppression of boxes by left, top, width and height.
        sized = np.hstack([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]])
        chosen = cv2.dnn.NMSBoxes(sized.tolist(), scores[rows, number].tolist(), 0, MAXIMUM_IOU)
        objects += [(NAMES[number], float(scores[rows[i], number]), boxes[i]) for i in chosen]
    return sorted(objects, key=lambda found: -found[1])[:MAXIMUM_COUNT]

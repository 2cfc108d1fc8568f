"""What a Python programmer would write: OpenCV decodes, OpenVINO infers, OpenCV draws, PyAV writes H.264.

    scripts/bench/opencv-loop INPUT OUTPUT [--model NAME] [--track]

With --track, as a user of supervision would write it: ByteTrack (package trackers) assigns IDs, and supervision's
annotators draw boxes and labels. A contender of scripts/bench/run.
"""

import argparse
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path


from ..environments import BENCH

import av
import cv2
import numpy as np

from ..evaluate import ssd_peer

CACHE = BENCH.folder / "cache"
MINIMUM_SCORE = 0.5
# ByteTrack continues tracks with low-score detections too.
MINIMUM_TRACKED_SCORE = 0.3
GREEN = (0, 255, 0)


def draw(frame: np.ndarray, objects: list) -> np.ndarray:
    height, width = frame.shape[:2]
    for label, score, (left, top, right, bottom) in objects:
        corner = (int(left * width), int(top * height))
        cv2.rectangle(frame, corner, (int(right * width), int(bottom * height)), GREEN, 2, cv2.LINE_AA)
        baseline = (corner[0], max(12, corner[1] - 4))
        cv2.putText(frame, f"{label} {score:.2f}", baseline, cv2.FONT_HERSHEY_SIMPLEX, 0.5, GREEN, 1, cv2.LINE_AA)
    return frame


def tracked_drawing(rate: float) -> Callable[[np.ndarray, list], np.ndarray]:
    """Returns a function that tracks and draws."""
    import supervision
    from trackers import ByteTrackTracker

    tracker = ByteTrackTracker(frame_rate=rate)
    boxes, labels = supervision.BoxAnnotator(), supervision.LabelAnnotator()
    names = ssd_peer.NAMES

    def draw_tracked(frame: np.ndarray, objects: list) -> np.ndarray:
        height, width = frame.shape[:2]
        found = supervision.Detections.empty()
        if objects:
            found = supervision.Detections(
                xyxy=np.array([box for _, _, box in objects]) * [width, height, width, height],
                confidence=np.array([score for _, score, _ in objects]),
                class_id=np.array([names.index(label) for label, _, _ in objects]))
        found = tracker.update(found)
        if len(found) == 0:
            return frame
        found = found[found.tracker_id != -1]
        texts = [f"#{number} {names[index]} {score:.2f}"
                 for number, index, score in zip(found.tracker_id, found.class_id, found.confidence)]
        return labels.annotate(boxes.annotate(frame, found), found, texts)

    return draw_tracked


def add_stream(output: av.container.OutputContainer, video: cv2.VideoCapture) -> av.VideoStream:
    rate = Fraction(video.get(cv2.CAP_PROP_FPS)).limit_denominator(1001)
    stream = output.add_stream("libx264", rate=rate, options={"preset": "veryfast", "crf": "20"})
    stream.width = int(video.get(cv2.CAP_PROP_FRAME_WIDTH))
    stream.height = int(video.get(cv2.CAP_PROP_FRAME_HEIGHT))
    stream.pix_fmt = "yuv420p"
    return stream


def main() -> None:
    parser = argparse.ArgumentParser(description="Detect, draw and encode, as a Python programmer would.")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--model", default=ssd_peer.MODEL.stem, help="by its file's name in .deps/models")
    parser.add_argument("--track", action="store_true", help="with ByteTrack and supervision's annotators")
    arguments = parser.parse_args()
    request = ssd_peer.load({"CACHE_DIR": str(CACHE)}, ssd_peer.MODEL.with_stem(arguments.model))
    video = cv2.VideoCapture(arguments.source)
    annotate = tracked_drawing(video.get(cv2.CAP_PROP_FPS)) if arguments.track else draw
    minimum_score = MINIMUM_TRACKED_SCORE if arguments.track else MINIMUM_SCORE
    with av.open(arguments.target, "w") as output:
        stream = add_stream(output, video)
        while True:
            ok, frame = video.read()
            if not ok:
                break
            small = cv2.resize(frame, (ssd_peer.SIZE, ssd_peer.SIZE), interpolation=cv2.INTER_LINEAR)
            tensor = cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.float32)
            frame = annotate(frame, ssd_peer.detect(request, tensor, minimum_score))
            output.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="bgr24")))
        output.mux(stream.encode())

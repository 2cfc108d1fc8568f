"""Programs as users of Python packages would write them, which vstream is compared with.

    bench/peers video INPUT OUTPUT MODEL [--track]     OpenCV decodes, OpenVINO infers, OpenCV draws, PyAV writes H.264; with
                                                       --track, ByteTrack (package trackers) assigns IDs and supervision draws
    bench/peers cameras PASSES URL…                    a thread for each camera, all with one network: OpenCV decodes every frame, and
                                                       PASSES times a second OpenVINO infers and ByteTrack tracks. SIGTERM ends it; it
                                                       prints JSON: frames and passes in a second, of all cameras, since SIGUSR1
    bench/peers people INPUT DETECTIONS.txt whole|slices
                                                       people in MOTChallenge's form, on whole frames or supervision's slices
    bench/peers mediapipe mesh|faces|poses INPUT       OpenCV decodes, MediaPipe detects and tracks, nothing is written

Contenders of scripts/bench/run, scripts/bench/serve and research/accuracy-cost, run with the Python of the environment
BENCH, or MEDIAPIPE for the last.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = "rtsp_transport;tcp|threads;1"

import cv2
import numpy as np

from ..common import ROOT, fail, opencv_frames
from ..environments import BENCH

CACHE = {"CACHE_DIR": str(BENCH.folder / "cache")}
INT8 = ROOT / ".deps/models/ssd-int8.xml"
MINIMUM_SCORE = 0.5
# ByteTrack continues tracks with low-score detections too.
MINIMUM_TRACKED_SCORE = 0.3
MINIMUM_WRITTEN_SCORE = 0.1
CAMERA_RATE = 25
GREEN = (0, 255, 0)


def as_supervision(objects: list, frame: np.ndarray):
    """Detections as the package supervision has them, from boxes in fractions of the frame."""
    import supervision

    from .networks import NAMES

    if not objects:
        return supervision.Detections.empty()
    height, width = frame.shape[:2]
    return supervision.Detections(
        xyxy=np.array([box for _, _, box in objects]) * [width, height, width, height],
        confidence=np.array([score for _, score, _ in objects]), class_id=np.array([NAMES.index(label) for label, _, _ in objects]))


# --- A video ---


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

    from .networks import NAMES

    tracker = ByteTrackTracker(frame_rate=rate)
    boxes, labels = supervision.BoxAnnotator(), supervision.LabelAnnotator()

    def draw_tracked(frame: np.ndarray, objects: list) -> np.ndarray:
        found = tracker.update(as_supervision(objects, frame))
        if len(found) == 0:
            return frame
        found = found[found.tracker_id != -1]
        texts = [f"#{number} {NAMES[index]} {score:.2f}"
                 for number, index, score in zip(found.tracker_id, found.class_id, found.confidence)]
        return labels.annotate(boxes.annotate(frame, found), found, texts)

    return draw_tracked


def video(source: str, target: str, model: str, *options: str) -> None:
    import av

    from . import networks

    request = networks.load(CACHE, networks.MODEL.with_stem(model))
    reader = cv2.VideoCapture(source)
    rate = reader.get(cv2.CAP_PROP_FPS)
    annotate, minimum_score = (tracked_drawing(rate), MINIMUM_TRACKED_SCORE) if "--track" in options else (draw, MINIMUM_SCORE)
    with av.open(target, "w") as output:
        stream = output.add_stream("libx264", rate=Fraction(rate).limit_denominator(1001),
                                   options={"preset": "veryfast", "crf": "20"})
        stream.width, stream.height = int(reader.get(cv2.CAP_PROP_FRAME_WIDTH)), int(reader.get(cv2.CAP_PROP_FRAME_HEIGHT))
        stream.pix_fmt = "yuv420p"
        while (read := reader.read())[0]:
            frame = annotate(read[1], networks.detect(request, networks.input_tensor(read[1]), minimum_score))
            output.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="bgr24")))
        output.mux(stream.encode())


# --- Cameras ---


class Camera(threading.Thread):
    def __init__(self, url: str, passes: float, model) -> None:
        from trackers import ByteTrackTracker

        super().__init__(daemon=True)
        self.url, self.interval, self.request = url, CAMERA_RATE / passes, model.create_infer_request()
        self.tracker = ByteTrackTracker(frame_rate=passes)
        self.frames = self.passes = 0

    def run(self) -> None:
        from . import networks

        reader = cv2.VideoCapture(self.url, cv2.CAP_FFMPEG)
        due = 0.0
        while reader.grab():
            self.frames += 1
            if self.frames >= due:
                due += self.interval
                frame = reader.retrieve()[1]
                objects = networks.detect(self.request, networks.input_tensor(frame), MINIMUM_TRACKED_SCORE)
                self.tracker.update(as_supervision(objects, frame))
                self.passes += 1


def cameras(passes: str, *urls: str) -> None:
    import openvino

    signals = {signal.SIGUSR1, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    cv2.setNumThreads(1)
    model = openvino.Core().compile_model(INT8, "CPU", {**CACHE, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": "1"})
    threads = [Camera(url, float(passes), model) for url in urls]
    for thread in threads:
        thread.start()
    start, before = time.monotonic(), (0, 0)
    while True:
        received = signal.sigwait(signals)
        now, counts = time.monotonic(), (sum(each.frames for each in threads), sum(each.passes for each in threads))
        if received == signal.SIGTERM:
            rates = [(count - old) / (now - start) for count, old in zip(counts, before)]
            print(json.dumps(dict(zip(("frames", "passes"), rates))), flush=True)
            os._exit(0)  # OpenCV's threads would be waited for
        start, before = now, counts


# --- People, and MediaPipe ---


def people(source: str, target: str, kind: str) -> None:
    import supervision

    from . import networks

    request = networks.load(model=INT8)

    def detect(image: np.ndarray) -> supervision.Detections:
        objects = networks.detect(request, networks.input_tensor(image), MINIMUM_WRITTEN_SCORE)
        return as_supervision([each for each in objects if each[0] == "person"], image)

    slicer = supervision.InferenceSlicer(callback=detect)
    with open(target, "w") as lines:
        for number, image in enumerate(opencv_frames(Path(source)), 1):
            found = slicer(image) if kind == "slices" else detect(image)
            for (left, top, right, bottom), score in zip(found.xyxy, found.confidence if len(found) else []):
                lines.write(f"{number},-1,{left:.3f},{top:.3f},{right - left:.3f},{bottom - top:.3f},{score:.5f},1\n")


def mediapipe(kind: str, source: str) -> None:
    from mediapipe import solutions

    make, result = {
        "mesh": (lambda: solutions.face_mesh.FaceMesh(max_num_faces=8), "multi_face_landmarks"),
        "faces": (lambda: solutions.face_detection.FaceDetection(model_selection=0), "detections"),
        "poses": (lambda: solutions.pose.Pose(model_complexity=1), "pose_landmarks"),
    }[kind]
    with make() as solution:
        frames = (solution.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)) for frame in opencv_frames(Path(source)))
        if not sum(bool(getattr(answer, result)) for answer in frames):
            fail(f"nothing was detected in '{source}'")


def main() -> None:
    kinds = {"video": video, "cameras": cameras, "people": people, "mediapipe": mediapipe}
    if len(sys.argv) < 3 or sys.argv[1] not in kinds:
        fail(f"usage: bench/peers {'|'.join(kinds)} …", 64)
    kinds[sys.argv[1]](*sys.argv[2:])

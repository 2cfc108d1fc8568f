"""What a Python programmer would write for cameras: OpenCV reads, OpenVINO infers, ByteTrack (package trackers) assigns IDs.

    scripts/bench/camera-loop PASSES URL…

One thread for each URL, all with one network, until the program is ended. Every frame is decoded; those on which the detector runs,
PASSES a second of each camera, are converted as well. SIGTERM ends it; it prints JSON: frames and passes in a second, of all
cameras, since SIGUSR1. A contender of scripts/bench/serve.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path


from ..environments import BENCH

os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = "rtsp_transport;tcp|threads;1"

import cv2
import numpy as np
import supervision
from trackers import ByteTrackTracker

from ..evaluate import ssd_peer

PROPERTIES = {"CACHE_DIR": str(BENCH.folder / "cache"), "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": "1"}
INT8 = ssd_peer.MODEL.with_stem("ssd-int8")
RATE = 25
MINIMUM_TRACKED_SCORE = 0.3


class Camera(threading.Thread):
    def __init__(self, url: str, passes: float, model: ssd_peer.ov.CompiledModel) -> None:
        super().__init__(daemon=True)
        self.url, self.interval, self.request = url, RATE / passes, model.create_infer_request()
        self.tracker = ByteTrackTracker(frame_rate=passes)
        self.frames = self.passes = 0

    def run(self) -> None:
        video = cv2.VideoCapture(self.url, cv2.CAP_FFMPEG)
        due = 0.0
        while video.grab():
            self.frames += 1
            if self.frames >= due:
                due += self.interval
                self.detect(video.retrieve()[1])

    def detect(self, frame: np.ndarray) -> None:
        small = cv2.resize(frame, (ssd_peer.SIZE, ssd_peer.SIZE), interpolation=cv2.INTER_LINEAR)
        tensor = cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.float32)
        objects = ssd_peer.detect(self.request, tensor, MINIMUM_TRACKED_SCORE)
        found = supervision.Detections.empty()
        if objects:
            height, width = frame.shape[:2]
            found = supervision.Detections(
                xyxy=np.array([box for _, _, box in objects]) * [width, height, width, height],
                confidence=np.array([score for _, score, _ in objects]),
                class_id=np.array([ssd_peer.NAMES.index(label) for label, _, _ in objects]))
        self.tracker.update(found)
        self.passes += 1


def main() -> None:
    signals = {signal.SIGUSR1, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    cv2.setNumThreads(1)
    model = ssd_peer.ov.Core().compile_model(INT8, "CPU", PROPERTIES)
    cameras = [Camera(url, float(sys.argv[1]), model) for url in sys.argv[2:]]
    for camera in cameras:
        camera.start()
    start, before = time.monotonic(), (0, 0)
    while True:
        received = signal.sigwait(signals)
        now, counts = time.monotonic(), (sum(each.frames for each in cameras), sum(each.passes for each in cameras))
        if received == signal.SIGTERM:
            frames, passes = ((count - old) / (now - start) for count, old in zip(counts, before, strict=True))
            print(json.dumps({"frames": frames, "passes": passes}), flush=True)
            os._exit(0)  # OpenCV's threads would be waited for
        start, before = now, counts

"""What a user of MediaPipe's Python package would write: OpenCV decodes, MediaPipe detects, nothing is written.

    scripts/bench/mediapipe-loop mesh|faces|poses INPUT

A contender of scripts/bench/run; faces and people are tracked through the video.
"""

import os
import sys
from pathlib import Path


from ..common import opencv_frames

os.environ.setdefault("GLOG_minloglevel", "2")
import cv2
import mediapipe

SOLUTIONS = {
    "mesh": lambda: mediapipe.solutions.face_mesh.FaceMesh(max_num_faces=8),
    "faces": lambda: mediapipe.solutions.face_detection.FaceDetection(model_selection=0),
    "poses": lambda: mediapipe.solutions.pose.Pose(model_complexity=1),
}


def main() -> None:
    kind, clip = sys.argv[1:]
    detections = 0
    with SOLUTIONS[kind]() as solution:
        for frame in opencv_frames(Path(clip)):
            answer = solution.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
            detections += bool(answer.detections if kind == "faces" else
                               answer.multi_face_landmarks if kind == "mesh" else answer.pose_landmarks)
    if not detections:
        sys.exit(f"mediapipe-loop: nothing was detected in '{clip}'")

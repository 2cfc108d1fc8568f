"""Compares vstream's faces with those of MediaPipe's Python package, frame by frame (speeds: scripts/bench/run).

    scripts/evaluate/faces [CLIP…]       prints the table; default: the clips of SampleVideos with faces, and the astronaut
    scripts/evaluate/faces --record      records the reference for the tests (faces-mediapipe.json)

In the table both process each frame independently (vstream: --mode single-image; FaceMesh: reset, then the same frame
several times), so that neither smooths its points over time, and the crop is by the mesh. Points are those of FaceMesh that
are in vstream's contours, 133 per face; faces are matched by the highest IoU, of at least 0.3. "Box IoU" compares vstream's
box, from forehead to chin, with the one around FaceMesh's points. The Python packages are installed in .deps/venv-mediapipe
(tools/requirements/mediapipe.txt).
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from mediapipe import solutions

from ..common import (
    ASTRONAUT,
    DETECTION_FIXTURES,
    FACE_CLIPS,
    ROOT,
    VIDEOS,
    frame_records,
    iou,
    opencv_frames,
    parser,
    prepare_vstream,
)

FIXTURE = DETECTION_FIXTURES / "faces-mediapipe.json"
# The frames that the tests compare.
RECORDED = {"face-panning.mp4": [0, 40, 80, 120], "face-turning.mp4": [0, 10, 20, 60, 80, 90], "face.mp4": [0, 30, 60, 90, 110],
            "animation.avi": [12, 60, 110, 150, 200, 250]}
# A higher threshold than vstream's, so that faces near the threshold on both sides do not fail a test.
RECORDED_SCORE = 0.6

# The mesh's points of each contour; the same table as FaceMeshMap.swift's.
CONTOURS = {
    "faceOval": [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176,
                 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109],
    "leftEyebrowTop": [336, 296, 334, 293, 300], "leftEyebrowBottom": [285, 295, 282, 283, 276],
    "rightEyebrowTop": [70, 63, 105, 66, 107], "rightEyebrowBottom": [46, 53, 52, 65, 55],
    "leftEye": [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466],
    "rightEye": [33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7],
    "upperLipTop": [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291],
    "upperLipBottom": [191, 80, 81, 82, 13, 312, 311, 310, 415],
    "lowerLipTop": [95, 88, 178, 87, 14, 317, 402, 318, 324],
    "lowerLipBottom": [146, 91, 181, 84, 17, 314, 405, 321, 375],
    "noseBridge": [168, 1], "noseBottom": [98, 2, 327], "leftCheek": [425], "rightCheek": [205],
}
POINTS = [index for indices in CONTOURS.values() for index in indices]
EYES = [[POINTS.index(index) for index in CONTOURS[side]] for side in ("leftEye", "rightEye")]
# The first pass is in a crop by the detector's box, later ones in a crop by the mesh, as on the frames of a stream.
MESH_PASSES = 3


class MediaPipe:
    """MediaPipe's detector and mesh, each frame independently."""

    def __init__(self, minimum_score: float = 0.5) -> None:
        self.minimum_score = minimum_score
        self.detector = solutions.face_detection.FaceDetection(model_selection=0)
        self.mesh = solutions.face_mesh.FaceMesh(max_num_faces=8)

    def boxes(self, frame: np.ndarray) -> list[np.ndarray]:
        height, width = frame.shape[:2]
        found = self.detector.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).detections or []
        boxes = [face.location_data.relative_bounding_box for face in found if face.score[0] >= self.minimum_score]
        return [np.array([b.xmin * width, b.ymin * height, b.width * width, b.height * height]) for b in boxes]

    def points(self, frame: np.ndarray) -> list[np.ndarray]:
        height, width = frame.shape[:2]
        self.mesh.reset()
        for _ in range(MESH_PASSES):
            found = self.mesh.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).multi_face_landmarks or []
        return [np.array([(face.landmark[i].x * width, face.landmark[i].y * height) for i in POINTS]) for face in found]


def box_of(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points.min(0), np.ptp(points, 0)])


def best_match(box: np.ndarray, boxes: list[np.ndarray]) -> tuple[int, float]:
    """The index and IoU of the box that overlaps most; -1 if none overlaps enough."""
    overlap, index = max(((iou(box, other), index) for index, other in enumerate(boxes)), default=(0.0, -1))
    return (index, overlap) if overlap >= 0.3 else (-1, 0.0)


def distance(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The mean distance between corresponding points, as a fraction of the distance between the eyes' centres."""
    left, right = (theirs[eye].mean(0) for eye in EYES)
    return float(np.linalg.norm(ours - theirs, axis=1).mean() / np.linalg.norm(left - right))


def table_row(clip: Path) -> str:
    peer = MediaPipe()
    single, stream = ([record["faces"] for record in frame_records(clip, "--detect", "faces", *options, "--face-contours")]
                      for options in (("--mode", "single-image"), ("--confirm-after", 1)))
    overlaps, distances = [], []
    with_faces = np.zeros(4, int)
    for frame, faces, tracked in zip(opencv_frames(clip), single, stream):
        boxes, meshes = peer.boxes(frame), peer.points(frame)
        ours = [np.array(face["box"]) for face in faces]
        points = [np.concatenate(list(face["contours"].values())) for face in faces if "contours" in face]
        for mesh in meshes:
            index, overlap = best_match(box_of(mesh), ours)
            overlaps += [overlap] if index >= 0 else []
            index, _ = best_match(box_of(mesh), [box_of(own) for own in points])
            distances += [distance(points[index], mesh)] if index >= 0 else []
        with_faces += [bool(boxes), bool(meshes), bool(faces), bool(tracked)]
    cells = [clip.name, len(single), *with_faces, f"{np.mean(overlaps):.3f}", f"{100 * np.mean(distances):.2f} %"]
    return f"| {' | '.join(map(str, cells))} |"


def rounded(values: np.ndarray) -> list:
    return np.round(values.astype(float), 2).tolist()


def record() -> None:
    peer, rows = MediaPipe(RECORDED_SCORE), []
    for name, wanted in RECORDED.items():
        for index, frame in enumerate(opencv_frames(VIDEOS / name)):
            if index in wanted:
                row = {"clip": name, "frame": index, "boxes": [rounded(box) for box in peer.boxes(frame)],
                       "points": [rounded(mesh) for mesh in peer.points(frame)]}
                rows.append(json.dumps(row, separators=(",", ":")))
    FIXTURE.write_text('{"frames":[\n' + ",\n".join(rows) + "\n]}\n")
    print(f"recorded {len(rows)} frames to {FIXTURE.relative_to(ROOT)}")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    options.add_argument("--record", action="store_true", help="record the tests' reference")
    arguments = options.parse_args()
    if arguments.record:
        return record()
    prepare_vstream()
    print("| clip | frames | with a face: FaceDetection | FaceMesh | vstream | vstream, stream | box IoU | points |\n" + "|---" * 8 + "|")
    for clip in arguments.clips or [ASTRONAUT, *FACE_CLIPS]:
        print(table_row(clip), flush=True)

"""Compares vstream's poses with those of MediaPipe's Python package, frame by frame (speeds: scripts/bench/run).

    scripts/evaluate/poses [--accurate] [CLIP…]   prints the table; default: images and a clip made from the astronaut's
                                                  portrait, and face.mp4
    scripts/evaluate/poses --record               records the reference for the tests (poses-mediapipe.json)

Distances are means over landmarks that are visible to both (MediaPipe's visibility and vstream's likelihood over 0.5), as a
fraction of the person's height: the longer side of the box around MediaPipe's landmarks. Both process each frame
independently (--mode single-image; static_image_mode), or both track the person and smooth the points (stream). The Python
packages are installed in .deps/venv-mediapipe (scripts/support/requirements/mediapipe.txt).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path


from . import mediapipe_peer
from ..common import ASTRONAUT, DETECTION_FIXTURES, ROOT, VIDEOS, fail, opencv_frames, prepare_vstream
from ..measuring import ffmpeg

import cv2
import mediapipe
import numpy as np

FIXTURE = DETECTION_FIXTURES / "poses-mediapipe.json"
# FFmpeg filters that make the test images from the astronaut's portrait (512×512); the tests use the same.
IMAGES = {
    "whole": "null",
    "mirrored": "hflip",
    "turned left": "rotate=-20*PI/180:fillcolor=gray",
    "turned right": "rotate=20*PI/180:fillcolor=gray",
    "small": "scale=200:200,pad=640:480:300:200:gray",
    "large": "crop=400:400:40:0,scale=1024:1024",
    "dark": "eq=brightness=-0.2:contrast=0.5",
    "blurred": "gblur=sigma=4",
}


def make_clips(folder: Path) -> list[Path]:
    """The default clips."""
    return [*(make_image(name, folder) for name in IMAGES), mediapipe_peer.moving_astronaut(folder), VIDEOS / "face.mp4"]


def make_image(name: str, folder: Path) -> Path:
    image = folder / f"astronaut, {name}.png"
    ffmpeg("-i", ASTRONAUT, "-vf", IMAGES[name], image)
    return image


class Landmarks:
    """A pose's landmarks: positions in pixels, and the visibility of each, 0 to 1."""

    def __init__(self, positions: np.ndarray, visibilities: np.ndarray) -> None:
        self.positions, self.visibilities = positions, visibilities

    @property
    def height(self) -> float:
        return float(np.ptp(self.positions, 0).max())


class MediaPipe:
    def __init__(self, stream: bool) -> None:
        self.pose = mediapipe.solutions.pose.Pose(static_image_mode=not stream, model_complexity=1)

    def __call__(self, frame: np.ndarray) -> Landmarks | None:
        height, width = frame.shape[:2]
        found = self.pose.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).pose_landmarks
        if found is None:
            return None
        points = found.landmark
        return Landmarks(np.array([(p.x * width, p.y * height) for p in points]), np.array([p.visibility for p in points]))


def first_landmarks(poses: list[dict]) -> Landmarks | None:
    """The landmarks of the first of vstream's poses."""
    if not poses:
        return None
    points = poses[0]["landmarks"]
    return Landmarks(np.array([(p["x"], p["y"]) for p in points]), np.array([p["inFrameLikelihood"] for p in points]))


class Comparison:
    """The results of MediaPipe and vstream on the frames of a clip."""

    def __init__(self) -> None:
        self.theirs = self.ours = 0
        self.distances: list[float] = []

    def add(self, theirs: Landmarks | None, ours: Landmarks | None) -> None:
        self.theirs += theirs is not None
        self.ours += ours is not None
        if theirs is None or ours is None:
            return
        visible = (theirs.visibilities > 0.5) & (ours.visibilities > 0.5)
        if visible.any():
            distances = np.linalg.norm(theirs.positions - ours.positions, axis=1)[visible]
            self.distances.append(float(distances.mean()) / theirs.height)

    @property
    def cells(self) -> str:
        mean = f"{100 * np.mean(self.distances):.2f} %" if self.distances else "–"
        worst = f"{100 * np.max(self.distances):.2f} %" if self.distances else "–"
        return f"{self.theirs} | {self.ours} | {mean} | {worst}"


def evaluate(clip: Path, options: list[str]) -> str:
    """A row of the table."""
    single, stream = Comparison(), Comparison()
    single_peer, stream_peer = MediaPipe(stream=False), MediaPipe(stream=True)
    is_still = clip.suffix == ".png"
    own_single = mediapipe_peer.detections("poses", clip, "--mode", "single-image", *options)
    own_stream = [] if is_still else mediapipe_peer.detections("poses", clip, "--confirm-after", "1", *options)
    for index, frame in enumerate(opencv_frames(clip)):
        single.add(single_peer(frame), first_landmarks(own_single[index]))
        if not is_still:
            stream.add(stream_peer(frame), first_landmarks(own_stream[index]))
    return f"| {clip.stem} | {index + 1} | {single.cells} | {'– | – | – | –' if is_still else stream.cells} |"


def table(clips: list[Path], options: list[str]) -> None:
    print("| image or clip | frames | with a pose: MediaPipe | vstream | distance | worst "
          "| stream: MediaPipe | vstream | distance | worst |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for clip in clips or make_clips(Path(folder)):
            print(evaluate(clip, options), flush=True)


def record() -> None:
    peer, rows = MediaPipe(stream=False), []
    with tempfile.TemporaryDirectory() as folder:
        for name, filters in IMAGES.items():
            pose = peer(cv2.imread(str(make_image(name, Path(folder)))))
            if pose is None:
                fail(f"MediaPipe detects no pose in '{name}'")
            points = [[round(float(n), 2) for n in (*position, visibility)]
                      for position, visibility in zip(pose.positions, pose.visibilities)]
            rows.append(json.dumps({"name": name, "filters": filters, "landmarks": points}, separators=(",", ":")))
    FIXTURE.write_text('{"images":[\n' + ",\n".join(rows) + "\n]}\n")
    print(f"recorded {len(rows)} images to {FIXTURE.relative_to(ROOT)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    for option in ("--record", "--accurate"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        record()
    else:
        prepare_vstream()
        table(options.clips, ["--pose-mode", "accurate"] if options.accurate else [])

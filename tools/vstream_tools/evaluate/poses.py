"""Compares vstream's poses with those of MediaPipe's Python package, frame by frame (speeds: scripts/bench/run).

    scripts/evaluate/poses [--accurate] [CLIP…]   prints the table; default: images and a clip made from the astronaut's
                                                  portrait, and face.mp4; --accurate with --pose-mode accurate
    scripts/evaluate/poses --record               records the reference for the tests (poses-mediapipe.json)

Distances are means over landmarks that are visible to both (MediaPipe's visibility and vstream's likelihood over 0.5), as a
fraction of the person's height: the longer side of the box around MediaPipe's landmarks. Both process each frame
independently (--mode single-image; static_image_mode), or both track the person and smooth the points (stream). The Python
packages are installed in .deps/venv-mediapipe (tools/requirements/mediapipe.txt).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from mediapipe import solutions

from ..common import ASTRONAUT, DETECTION_FIXTURES, ROOT, VIDEOS, fail, frame_records, opencv_frames, parser, prepare_vstream
from ..measuring import ffmpeg, moving_astronaut

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
# [33, 3]: x and y in pixels, and the visibility of each landmark, 0 to 1; `None` if there is no person.
Landmarks: TypeAlias = "np.ndarray | None"


def make_image(name: str, folder: Path) -> Path:
    image = folder / f"astronaut, {name}.png"
    ffmpeg("-i", ASTRONAUT, "-vf", IMAGES[name], image)
    return image


class MediaPipe:
    def __init__(self, is_stream: bool) -> None:
        self.pose = solutions.pose.Pose(static_image_mode=not is_stream, model_complexity=1)

    def __call__(self, frame: np.ndarray) -> Landmarks:
        height, width = frame.shape[:2]
        found = self.pose.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).pose_landmarks
        return found and np.array([(p.x * width, p.y * height, p.visibility) for p in found.landmark])


def own_landmarks(clip: Path, *options: object) -> list[Landmarks]:
    """The landmarks of vstream's first pose of each frame."""
    poses = [record["poses"] for record in frame_records(clip, "--detect", "poses", *options)]
    return [np.array([(p["x"], p["y"], p["inFrameLikelihood"]) for p in found[0]["landmarks"]]) if found else None for found in poses]


def comparison(clip: Path, ours: list[Landmarks], peer: MediaPipe) -> str:
    """Cells of the table: frames with a pose, and the distances, their mean and the largest."""
    counts, distances = np.zeros(2, int), []
    for frame, own in zip(opencv_frames(clip), ours):
        theirs = peer(frame)
        counts += [theirs is not None, own is not None]
        if theirs is not None and own is not None:
            visible = (theirs[:, 2] > 0.5) & (own[:, 2] > 0.5)
            if visible.any():
                apart = np.linalg.norm(theirs[:, :2] - own[:, :2], axis=1)[visible].mean()
                distances.append(apart / np.ptp(theirs[:, :2], 0).max())
    shown = [f"{100 * value:.2f} %" for value in (np.mean(distances), np.max(distances))] if distances else ["–", "–"]
    return " | ".join(map(str, [*counts, *shown]))


def table_row(clip: Path, options: list[str]) -> str:
    single = own_landmarks(clip, "--mode", "single-image", *options)
    cells = comparison(clip, single, MediaPipe(is_stream=False))
    stream = "– | – | – | –" if clip.suffix == ".png" else comparison(
        clip, own_landmarks(clip, "--confirm-after", 1, *options), MediaPipe(is_stream=True))
    return f"| {clip.stem} | {len(single)} | {cells} | {stream} |"


def record(folder: Path) -> None:
    peer, rows = MediaPipe(is_stream=False), []
    for name, filters in IMAGES.items():
        pose = peer(cv2.imread(str(make_image(name, folder))))
        if pose is None:
            fail(f"MediaPipe detects no pose in '{name}'")
        rows.append(json.dumps({"name": name, "filters": filters, "landmarks": np.round(pose, 2).tolist()}, separators=(",", ":")))
    FIXTURE.write_text('{"images":[\n' + ",\n".join(rows) + "\n]}\n")
    print(f"recorded {len(rows)} images to {FIXTURE.relative_to(ROOT)}")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    options.add_argument("--record", action="store_true", help="record the tests' reference")
    options.add_argument("--accurate", action="store_true", help="with --pose-mode accurate")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.record:
            return record(folder)
        prepare_vstream()
        print("| image or clip | frames | with a pose: MediaPipe | vstream | distance | worst "
              "| stream: MediaPipe | vstream | distance | worst |\n" + "|---" * 10 + "|")
        clips = arguments.clips or [*(make_image(image, folder) for image in IMAGES), moving_astronaut(folder), VIDEOS / "face.mp4"]
        for clip in clips:
            print(table_row(clip, ["--pose-mode", "accurate"] if arguments.accurate else []), flush=True)

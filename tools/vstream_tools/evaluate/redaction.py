"""Compares the redaction of faces with that of the package `deface`: faces left visible, and frames per second.

    scripts/evaluate/redaction [CLIP…]       default: the clips of SampleVideos with faces

Both run as commands, with their defaults, from start to exit, and both write H.264. A face counts as left visible if
vstream's accurate detector detects it in the output, at its default scores, and less than 80 % of the pixels in its box
differ from the input by more than 12 grey levels. Some of these detections are no faces: check the listed frames.
The Python packages are installed in .deps/venv-deface (scripts/support/requirements/deface.txt).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path


from ..common import FACE_CLIPS, frame_records, opencv_frames, prepare_vstream
from ..bench.contenders import GROUPS
from ..environments import DEFACE
from ..measuring import run

CONTENDERS = GROUPS["redaction"].contenders

import cv2
import numpy as np

MINIMUM_DIFFERENCE = 12  # grey levels
MINIMUM_COVERAGE = 0.8  # fraction of a box's pixels


def grey_frames(clip: Path) -> list[np.ndarray]:
    return [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.int16) for frame in opencv_frames(clip)]


def detected_faces(clip: Path) -> list[list[list[float]]]:
    """The boxes of the accurate detector, frame by frame."""
    records = frame_records(clip, "--detect", "faces", "--face-mode", "accurate", "--min-face-size", "0.0104",
                            "--mode", "single-image")
    return [[face["box"] for face in record["faces"]] for record in records]


def visible_faces(clip: Path, output: Path) -> list[int]:
    """The frame number of each face left visible. deface may write one frame more than the input has."""
    visible = []
    frames = zip(grey_frames(clip), grey_frames(output), detected_faces(output), strict=False)
    for number, (before, after, boxes) in enumerate(frames):
        changed = np.abs(before - after) > MINIMUM_DIFFERENCE
        for x, y, width, height in boxes:
            region = changed[max(0, round(y)):round(y + height), max(0, round(x)):round(x + width)]
            if region.size and region.mean() < MINIMUM_COVERAGE:
                visible.append(number)
    return visible


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    clips = parser.parse_args().clips or FACE_CLIPS
    prepare_vstream()
    print("| clip | contender | frames per second | visible faces | in frames |\n|---|---|---|---|---|")
    for clip in clips:
        for name, command in CONTENDERS.items():
            with tempfile.TemporaryDirectory() as name_of_folder:
                folder = Path(name_of_folder)
                output = folder / "output.mp4"
                seconds = run(command, clip, output).seconds
                numbers = visible_faces(clip, output)
                rate = len(grey_frames(clip)) / seconds
                shown = ", ".join(map(str, sorted(set(numbers))[:8])) + (", …" if len(set(numbers)) > 8 else "")
                print(f"| {clip.name} | {name} | {rate:.1f} | {len(numbers)} | {shown or '–'} |", flush=True)

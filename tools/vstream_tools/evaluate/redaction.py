"""Compares the redaction of faces with that of the package `deface`: faces left visible, and frames per second.

    scripts/evaluate/redaction [CLIP…]       default: the clips of SampleVideos with faces

Both run as commands, with their defaults, from start to exit, and both write H.264. A face counts as left visible if
vstream's accurate detector detects it in the output, at its default scores, and less than 80 % of the pixels in its box
differ from the input by more than 12 grey levels. Some of these detections are no faces: check the listed frames.
The Python packages are installed in .deps/venv-deface (tools/requirements/deface.txt).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np

from ..bench.contenders import GROUPS
from ..common import FACE_CLIPS, frame_records, opencv_frames, parser, prepare_vstream
from ..measuring import run

MINIMUM_DIFFERENCE = 12  # grey levels
MINIMUM_COVERAGE = 0.8  # fraction of a box's pixels


def grey_frames(clip: Path) -> list[np.ndarray]:
    return [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.int16) for frame in opencv_frames(clip)]


def visible_faces(clip: Path, output: Path) -> list[int]:
    """The frame number of each face left visible. deface may write one frame more than the input has."""
    records = frame_records(output, "--detect", "faces", "--face-mode", "accurate", "--min-face-size", "0.0104", "--mode", "single-image")
    visible = []
    for number, (before, after, record) in enumerate(zip(grey_frames(clip), grey_frames(output), records)):
        changed = np.abs(before - after) > MINIMUM_DIFFERENCE
        for x, y, width, height in (face["box"] for face in record["faces"]):
            region = changed[max(0, round(y)):round(y + height), max(0, round(x)):round(x + width)]
            if region.size and region.mean() < MINIMUM_COVERAGE:
                visible.append(number)
    return visible


def main() -> None:
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, default=FACE_CLIPS, metavar="CLIP")
    clips = options.parse_args().clips
    prepare_vstream()
    print("| clip | contender | frames per second | visible faces | in frames |\n|---|---|---|---|---|")
    for clip in clips:
        for name, command in GROUPS["redaction"].contenders.items():
            with tempfile.TemporaryDirectory() as folder:
                output = Path(folder) / "output.mp4"
                rate = len(grey_frames(clip)) / run(command, clip, output).seconds
                numbers = visible_faces(clip, output)
            shown = sorted(set(numbers))
            listed = ", ".join(map(str, shown[:8])) + ", …" * (len(shown) > 8) or "–"
            print(f"| {clip.name} | {name} | {rate:.1f} | {len(numbers)} | {listed} |", flush=True)

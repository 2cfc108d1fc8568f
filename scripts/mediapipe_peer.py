"""What the comparisons with MediaPipe's Python package share: its environment, pictures, and runs of vstream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bench_runs import ROOT, made
from peer_environments import MEDIAPIPE

if TYPE_CHECKING:
    import numpy as np

ASTRONAUT = ROOT / ".deps/footage/astronaut.png"
# The portrait in motion: it sways, nods and comes nearer.
MOTION = ("scale=900:900,rotate=0.25*sin(2*t):fillcolor=gray,"
          "crop=640:480:130+110*sin(1.3*t):120+100*sin(0.9*t)")


def enter_environment() -> None:
    """Starts the script anew in an environment of its own, which is made first if it is missing or not as required."""
    os.environ.setdefault("GLOG_minloglevel", "2")
    MEDIAPIPE.enter()


def moving_astronaut(folder: Path) -> Path:
    """A clip of five seconds, made of the astronaut's portrait."""
    return made(folder / "astronaut-moving.mkv", ASTRONAUT, "-vf", MOTION, "-crf", "10", "-pix_fmt", "yuv420p",
                before=("-loop", "1", "-framerate", "30", "-t", "5"))


def pictures(clip: Path) -> Iterator[np.ndarray]:
    """The pictures of a clip or a still, BGR, as OpenCV decodes them."""
    import cv2

    if clip.suffix == ".png":
        yield cv2.imread(str(clip))
        return
    video = cv2.VideoCapture(str(clip))
    while (frame := video.read())[0]:
        yield frame[1]


def vstream(arguments: list[str | Path]) -> None:
    """Runs the command."""
    run = subprocess.run([ROOT / "scripts/vstream", *arguments], stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{Path(sys.argv[0]).name}: {run.stderr.strip()}")


def found(kind: str, clip: Path, *options: str) -> list[list[dict]]:
    """The faces or poses of each frame, as vstream's records have them."""
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "found.jsonl"
        vstream([clip, "-o", "null", "--detect", kind, "--records", records, "--quiet", *options])
        lines = [json.loads(line) for line in records.read_text().splitlines()]
    return [line[kind] for line in lines if line["type"] == "frame"]

"""Input frames and results for the comparisons with MediaPipe's Python package."""

from __future__ import annotations

import os
from pathlib import Path

from ..common import ASTRONAUT, frame_records
from ..environments import MEDIAPIPE
from ..measuring import make_clip

# Sways, nods and zooms a still portrait.
MOTION = ("scale=900:900,rotate=0.25*sin(2*t):fillcolor=gray,"
          "crop=640:480:130+110*sin(1.3*t):120+100*sin(0.9*t)")


def enter_environment() -> None:
    """Restarts the script in MediaPipe's environment, with MediaPipe's log limited to errors."""
    os.environ.setdefault("GLOG_minloglevel", "2")
    MEDIAPIPE.enter()


def moving_astronaut(folder: Path) -> Path:
    """A clip of five seconds, made from the astronaut's portrait."""
    return make_clip(folder / "astronaut-moving.mkv", ASTRONAUT, "-vf", MOTION, "-crf", "10", "-pix_fmt", "yuv420p",
                     before=("-loop", "1", "-framerate", "30", "-t", "5"))


def detections(kind: str, clip: Path, *options: str) -> list[list[dict]]:
    """vstream's faces or poses of each frame, as in its records."""
    return [record[kind] for record in frame_records(clip, "--detect", kind, *options)]

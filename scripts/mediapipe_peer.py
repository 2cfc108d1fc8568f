"""What the evaluations beside MediaPipe's Python package share: its environment, pictures, runs of vstream, and speeds."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ASTRONAUT = ROOT / ".deps/footage/astronaut.png"
# Frames that speeds do not count, as both sides warm up.
WARM_UP = 50
_VENV = ROOT / ".deps/venv-mediapipe"
_REQUIREMENTS = ROOT / "scripts/mediapipe-requirements.txt"


def _name() -> str:
    return Path(sys.argv[0]).name


def enter_environment() -> None:
    """Starts the script anew in an environment of its own, which is made first if it is missing or not as required."""
    os.environ.setdefault("GLOG_minloglevel", "2")
    if Path(sys.prefix) == _VENV:
        return
    python = ROOT / ".deps/venv/bin/python"
    if subprocess.run([ROOT / "scripts/bootstrap"], stdout=sys.stderr).returncode != 0:
        sys.exit(69)
    installed = _VENV / "installed"
    if not installed.exists() or not filecmp.cmp(_REQUIREMENTS, installed, shallow=False):
        print(f"{_name()}: installing MediaPipe into .deps/venv-mediapipe…", file=sys.stderr)
        shutil.rmtree(_VENV, ignore_errors=True)
        wheels = [argument for folder in (ROOT / ".deps/downloads").glob("mediapipe-*") for argument in ("--find-links", folder)]
        install = [_VENV / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary=:all:", "--require-hashes", *wheels, "-r", _REQUIREMENTS]
        for command in ([python, "-m", "venv", _VENV], install):
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                sys.exit(f"{_name()}: pip could not install the packages of {_REQUIREMENTS.relative_to(ROOT)}")
        shutil.copy(_REQUIREMENTS, installed)
    os.execv(_VENV / "bin/python", [str(_VENV / "bin/python"), *sys.argv])


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
        sys.exit(f"{_name()}: {run.stderr.strip()}")


def found(kind: str, clip: Path, *options: str) -> list[list[dict]]:
    """The faces or poses of each frame, as vstream's records have them."""
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "found.jsonl"
        vstream([clip, "-o", "null", "--detect", kind, "--records", records, "--quiet", *options])
        lines = [json.loads(line) for line in records.read_text().splitlines()]
    return [line[kind] for line in lines if line["type"] == "frame"]


# --- Speed ---


def peer_speed(clip: Path, process: Callable[[np.ndarray], object]) -> float:
    """Frames per second from the 50th on, decoding included."""
    import cv2

    start = count = 0
    for count, picture in enumerate(pictures(clip)):
        if count == WARM_UP:
            start = time.perf_counter()
        process(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    return (count + 1 - WARM_UP) / (time.perf_counter() - start)


def own_speed(kind: str, clip: Path, rate: float, *options: str) -> float:
    """The same, from a whole run and one of the first 50 frames."""
    def run(*more: str) -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            stats = Path(folder) / "stats.json"
            vstream([clip, "-o", "null", "--detect", kind, "--stats", stats, "--quiet", *options, *more])
            figures = json.loads(stats.read_text())
        return figures["framesOut"], figures["wallSeconds"]

    (few, start), (all_frames, end) = run("--duration", str(WARM_UP / rate)), run()
    return (all_frames - few) / (end - start)

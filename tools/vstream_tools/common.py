"""The checkout's paths, messages, runs of vstream, and boxes."""

from __future__ import annotations

import argparse
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import numpy as np

ROOT = Path(__file__).resolve().parents[2]
VIDEOS = ROOT / "SampleVideos"
DETECTION_FIXTURES = ROOT / "Tests/VStreamDetectionTests/Fixtures"
ASTRONAUT = ROOT / ".deps/footage/astronaut.png"
# The exit status for a missing dependency (EX_UNAVAILABLE), as vstream's own.
MISSING_DEPENDENCY = 69


def log(message: str) -> None:
    """Prints a line to standard error, prefixed with the running script's name."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr, flush=True)


def fail(message: str, status: int = 1) -> NoReturn:
    log(message)
    sys.exit(status)


def parser(description: str | None) -> argparse.ArgumentParser:
    """The parser of a command's options, whose help is the module's documentation."""
    return argparse.ArgumentParser(prog=sys.argv[0], description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def vstream_path() -> Path:
    """The program: VSTREAM_BINARY, else the release build of this checkout."""
    return Path(os.environ.get("VSTREAM_BINARY") or ROOT / ".build/release/vstream")


def prepare_vstream() -> None:
    """Sets up missing dependencies, of the tests as well, and builds the program, so that no later run waits for them."""
    program = vstream_path() if os.environ.get("VSTREAM_BINARY") else ROOT / "scripts/vstream"
    for command in ([ROOT / "scripts/bootstrap", "--for-tests"], [program, "--version"]):
        status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        if status != 0:
            sys.exit(status)


@functools.cache
def ffmpeg_version() -> int:
    """The major version of the installed ffmpeg; a development version counts as the newest."""
    text = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"ffmpeg version n?(\d+)\.", text)
    return int(found[1]) if found else sys.maxsize


def opencv_frames(clip: Path) -> Iterator[np.ndarray]:
    """The frames of a clip, or a still image, in BGR as OpenCV decodes them."""
    import cv2

    if clip.suffix == ".png":
        yield cv2.imread(str(clip))
        return
    video = cv2.VideoCapture(str(clip))
    while (frame := video.read())[0]:
        yield frame[1]

"""Clips of a face that is pasted on a still street, where it is known on which frames the face is, where, and at which angle.

Each case is a clip of its own of 12 frames, 768×576, losslessly encoded. Sizes are the widths of faces, cheek to cheek.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import cv2
import numpy as np

from common import ASTRONAUT, VIDEOS, fail, opencv_frames

WIDTH, HEIGHT, FRAMES, RATE = 768, 576, 12, 25
ALL_FRAMES = tuple(range(FRAMES))
ANGLES = (0, 30, 45, 60, 90, 135, 180, 225, 270, 315)
# Centres of faces, in fractions of the frame.
PLACES = {"left": (0.2, 0.4), "middle": (0.5, 0.5), "right": (0.8, 0.65)}
# The part of the portrait that is pasted is an ellipse around the face with these semi-axes, in widths and heights of the face.
HEAD = (1.0, 1.25)
# The fraction of the ellipse over which it blends into the background.
FEATHER = 0.25
GRAIN_SIGMA, GRAIN_CONTRAST = 12, 0.6


@dataclass(frozen=True, eq=False)
class Face:
    name: str
    image: np.ndarray
    # Hairline to chin and cheek to cheek: left, top, width, height.
    box: tuple[int, int, int, int]
    # The face is not drawn wider than this: it would be blurred.
    widest: int


@dataclass(frozen=True, eq=False)
class Case:
    group: str
    face: Face
    size: float
    centre: tuple[float, float]
    note: str
    # Counter-clockwise, in degrees.
    angle: float = 0
    frames: tuple[int, ...] = ALL_FRAMES
    grain: bool = False

    @property
    def label(self) -> str:
        return f"{self.face.name} {self.size:.0f} px, {self.note}"

    @property
    def name(self) -> str:
        return f"{self.group}: {self.label}"

    @property
    def file_name(self) -> str:
        words = "".join(character if character.isalnum() else " " for character in self.name)
        return f"{'-'.join(words.split())}.mkv"

    @property
    def box(self) -> list[float]:
        """The face before its rotation about the centre."""
        height = self.size * self.face.box[3] / self.face.box[2]
        return [self.centre[0] - self.size / 2, self.centre[1] - height / 2, self.size, height]


def load_faces() -> list[Face]:
    """An astronaut and a passenger in a car."""
    passenger = next(opencv_frames(VIDEOS / "face.mp4"))
    return [Face("astronaut", cv2.imread(str(ASTRONAUT)), (181, 76, 89, 103), HEIGHT),
            Face("passenger", passenger, (66, 40, 46, 61), 64)]


# --- Cases ---


def edge_cases(face: Face) -> Iterator[Case]:
    for size, visible in product((24, 48, 100, 200), (0.5, 0.6, 0.75)):
        height = size * face.box[3] / face.box[2]
        x, y = (visible - 0.5) * size, (visible - 0.5) * height
        centres = {"left": (x, HEIGHT * 0.45), "right": (WIDTH - x, HEIGHT * 0.45),
                   "top": (WIDTH * 0.45, y), "bottom": (WIDTH * 0.45, HEIGHT - y)}
        for edge, centre in centres.items():
            yield Case("edge", face, size, centre, f"{visible:.0%} at {edge}")


def roll_cases(face: Face) -> Iterator[Case]:
    for size, angle in product((24, 40, 64, 100, 200), ANGLES):
        yield Case("roll", face, size, place("middle"), f"{angle} degrees", angle)


def size_cases(face: Face) -> Iterator[Case]:
    for size, name in product((20, 24, 32, 48, 100, 300), PLACES):
        yield Case("size", face, size, place(name), name)


def flash_cases(face: Face) -> Iterator[Case]:
    for size, frames, name in product((24, 48, 100), ((6,), (6, 7)), ("left", "right")):
        yield Case("flash", face, size, place(name), f"{len(frames)} of {FRAMES} frames at {name}", frames=frames)


def fill_cases(face: Face) -> Iterator[Case]:
    for part in (0.6, 0.7, 0.8, 0.9, 0.95):
        yield Case("fills", face, part * HEIGHT * face.box[2] / face.box[3], place("middle"), f"{part:.0%} of the height")


def grain_cases(face: Face) -> Iterator[Case]:
    for size, name in product((24, 27, 30, 33), ("left", "right")):
        yield Case("grain", face, size, place(name), name, grain=True)


def place(name: str) -> tuple[float, float]:
    return PLACES[name][0] * WIDTH, PLACES[name][1] * HEIGHT


def all_cases() -> list[Case]:
    groups = (edge_cases, roll_cases, size_cases, flash_cases, fill_cases, grain_cases)
    return [case for group in groups for face in load_faces() for case in group(face) if case.size <= face.widest]


# --- Drawing ---


def empty_street() -> np.ndarray:
    """The median of frames of street.avi, in which nobody is left."""
    frames = [frame for number, frame in enumerate(opencv_frames(VIDEOS / "street.avi")) if number % 20 == 0]
    return np.median(frames, axis=0).astype(np.uint8)


def paste(background: np.ndarray, case: Case) -> np.ndarray:
    """The background with the head, without a visible boundary."""
    image, (left, top, width, height) = case.face.image, case.face.box
    y, x = np.mgrid[:image.shape[0], :image.shape[1]] + 0.5
    radius = np.hypot((x - left - width / 2) / (width * HEAD[0]), (y - top - height / 2) / (height * HEAD[1]))
    opacity = np.clip((1 - radius) / FEATHER, 0, 1)
    layers = np.dstack([image, opacity * 255]).astype(np.float32)
    scale = case.size / width
    layers = cv2.resize(layers, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    centre = ((left + width / 2) * scale, (top + height / 2) * scale)
    matrix = cv2.getRotationMatrix2D(centre, case.angle, 1)
    matrix[:, 2] += np.array(case.centre) - centre
    layers = cv2.warpAffine(layers, matrix, (WIDTH, HEIGHT))
    opacity = np.clip(layers[..., 3:] / 255, 0, 1)
    return np.clip(background * (1 - opacity) + layers[..., :3] * opacity, 0, 255).astype(np.uint8)


def grainy(frame: np.ndarray, noise: np.random.Generator) -> np.ndarray:
    """Grey, of little contrast, and with a grain of its own in each frame."""
    grey = 128 + GRAIN_CONTRAST * (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) - 128.0)
    grey += noise.normal(0, GRAIN_SIGMA, grey.shape)
    return cv2.cvtColor(np.clip(grey, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


def draw(case: Case, background: np.ndarray, file: Path) -> None:
    with_face, noise = paste(background, case), np.random.default_rng(1)
    frames = [with_face if number in case.frames else background for number in ALL_FRAMES]
    frames = [grainy(frame, noise) for frame in frames] if case.grain else frames
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}",
               "-r", str(RATE), "-i", "-", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv420p", file]
    if subprocess.run(command, input=b"".join(frame.tobytes() for frame in frames)).returncode != 0:
        fail(f"ffmpeg could not write the drawn clip {file.name}")


def draw_all(cases: list[Case], folder: Path) -> None:
    background = empty_street()
    for case in cases:
        draw(case, background, folder / case.file_name)

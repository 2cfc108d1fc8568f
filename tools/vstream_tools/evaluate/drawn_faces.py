"""Clips of a face that is pasted on a still street, where it is known on which frames the face is, where, and at which
angle.

Each case is a clip of its own, 768×576, 25 frames/s, losslessly encoded. Most have 12 frames: one detection may
cover all of them, by the look-back window of half a second. Where a face appears and leaves, more frames than in that
window lie before it, and it is there for longer than the window. Sizes are the widths of faces, cheek to cheek.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import cv2
import numpy as np

from ..common import ASTRONAUT, VIDEOS, fail, opencv_frames

WIDTH, HEIGHT, FRAMES, RATE = 768, 576, 12, 25
ALL_FRAMES = tuple(range(FRAMES))
# The frames of a clip in which the face appears and leaves, and those with the face.
LONG_FRAMES, PRESENT = 40, tuple(range(15, 30))
# In pixels a frame.
SPEEDS = {"still": 0, "moving": 4}
PASSENGER, STREET = VIDEOS / "face.mp4", VIDEOS / "street.avi"
ANGLES = (0, 30, 45, 60, 90, 135, 180, 225, 270, 315)
# Centres of faces.
PLACES = {"left": (0.2 * WIDTH, 0.4 * HEIGHT), "middle": (0.5 * WIDTH, 0.5 * HEIGHT), "right": (0.8 * WIDTH, 0.65 * HEIGHT)}
# The part of the portrait that is pasted is an ellipse around the face with these semi-axes, in widths and heights of
# the face.
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
    # The clip's number of frames.
    length: int = FRAMES
    # Those with the face.
    frames: tuple[int, ...] = ALL_FRAMES
    # In pixels a frame, to the right; the face is at `centre` on the first of its frames.
    speed: float = 0
    grain: bool = False

    @property
    def subject(self) -> str:
        return f"{self.face.name} {self.size:.0f} px"

    @property
    def file_name(self) -> str:
        return "-".join(re.findall(r"\w+", f"{self.group} {self.subject} {self.note}")) + ".mkv"

    def centre_on(self, frame: int) -> tuple[float, float]:
        return self.centre[0] + self.speed * (frame - self.frames[0]), self.centre[1]

    def box_on(self, frame: int) -> list[float]:
        """The face on one of its frames, before its rotation about the centre."""
        (x, y), height = self.centre_on(frame), self.size * self.face.box[3] / self.face.box[2]
        return [x - self.size / 2, y - height / 2, self.size, height]


def load_faces() -> list[Face]:
    """An astronaut and a passenger in a car."""
    passenger = next(opencv_frames(PASSENGER))
    return [Face("astronaut", cv2.imread(str(ASTRONAUT)), (181, 76, 89, 103), HEIGHT),
            Face("passenger", passenger, (66, 40, 46, 61), 64)]


# --- Cases ---


def edges(face: Face, size: float, visible: float) -> dict[str, tuple[float, float]]:
    """The centre of a face of which that fraction is in the frame, for each edge."""
    x, y = (visible - 0.5) * size, (visible - 0.5) * size * face.box[3] / face.box[2]
    return {"left": (x, HEIGHT * 0.45), "right": (WIDTH - x, HEIGHT * 0.45),
            "top": (WIDTH * 0.45, y), "bottom": (WIDTH * 0.45, HEIGHT - y)}


def cases_of(face: Face) -> Iterator[Case]:
    left, middle, _ = PLACES.values()
    for size, visible in product((24, 48, 100, 200), (0.5, 0.6, 0.75)):
        for edge, centre in edges(face, size, visible).items():
            yield Case("edge", face, size, centre, f"{visible:.0%} at {edge}")
    for size, angle in product((24, 40, 64, 100, 200), ANGLES):
        yield Case("roll", face, size, middle, f"{angle} degrees", angle)
    for size, name in product((20, 24, 32, 48, 100, 300), PLACES):
        yield Case("size", face, size, PLACES[name], name)
    for size, frames, name in product((24, 48, 100), ((6,), (6, 7)), ("left", "right")):
        yield Case("flash", face, size, PLACES[name], f"{len(frames)} of {FRAMES} frames at {name}", frames=frames)
    for part in (0.6, 0.7, 0.8, 0.9, 0.95):
        yield Case("fills", face, part * HEIGHT * face.box[2] / face.box[3], middle, f"{part:.0%} of the height")
    for size, name in product((24, 27, 30, 33), ("left", "right")):
        yield Case("grain", face, size, PLACES[name], name, grain=True)

    def appearing(group: str, size: float, centre: tuple[float, float], motion: str, note: str = "", angle: float = 0) -> Case:
        return Case(group, face, size, centre, note + motion, angle, LONG_FRAMES, PRESENT, SPEEDS[motion])

    for size, motion in product((24, 48, 100), SPEEDS):
        yield appearing("appears", size, left, motion)
    for size, angle, motion in product((24, 48), (90, 135, 180), SPEEDS):
        yield appearing("appears, roll", size, left, motion, f"{angle} degrees, ", angle)
    # Moving faces stay cut: they move along the edge.
    for size, (edge, motion) in product((24, 48), (("left", "still"), ("top", "still"), ("top", "moving"))):
        yield appearing("appears, edge", size, edges(face, size, 0.6)[edge], motion, f"60% at {edge}, ")


def all_cases() -> list[Case]:
    return [case for face in load_faces() for case in cases_of(face) if case.size <= face.widest]


# --- Drawing ---


def empty_street() -> np.ndarray:
    """The median of frames of street.avi, in which nobody is left."""
    frames = [frame for number, frame in enumerate(opencv_frames(STREET)) if number % 20 == 0]
    return np.median(frames, axis=0).astype(np.uint8)


def paste(background: np.ndarray, case: Case, head_centre: tuple[float, float]) -> np.ndarray:
    """The background with the head, without a visible boundary."""
    image, (left, top, width, height) = case.face.image, case.face.box
    y, x = np.mgrid[:image.shape[0], :image.shape[1]] + 0.5
    radius = np.hypot((x - left - width / 2) / (width * HEAD[0]), (y - top - height / 2) / (height * HEAD[1]))
    opacity = np.clip((1 - radius) / FEATHER, 0, 1)
    layers = np.dstack([image, opacity * 255]).astype(np.float32)
    scale = case.size / width
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    layers = cv2.resize(layers, None, fx=scale, fy=scale, interpolation=interpolation)
    centre = ((left + width / 2) * scale, (top + height / 2) * scale)
    matrix = cv2.getRotationMatrix2D(centre, case.angle, 1)
    matrix[:, 2] += np.array(head_centre) - centre
    layers = cv2.warpAffine(layers, matrix, (WIDTH, HEIGHT))
    opacity = np.clip(layers[..., 3:] / 255, 0, 1)
    return np.clip(background * (1 - opacity) + layers[..., :3] * opacity, 0, 255).astype(np.uint8)


def grainy(frame: np.ndarray, noise: np.random.Generator) -> np.ndarray:
    """Grey, of little contrast, and with a grain of its own in each frame."""
    grey = 128 + GRAIN_CONTRAST * (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) - 128.0)
    grey += noise.normal(0, GRAIN_SIGMA, grey.shape)
    return cv2.cvtColor(np.clip(grey, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


def draw(case: Case, background: np.ndarray, file: Path) -> None:
    centres, noise = {number: case.centre_on(number) for number in case.frames}, np.random.default_rng(1)
    with_face = {centre: paste(background, case, centre) for centre in set(centres.values())}
    frames = [with_face[centres[number]] if number in centres else background for number in range(case.length)]
    frames = [grainy(frame, noise) for frame in frames] if case.grain else frames
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}",
               "-r", str(RATE), "-i", "-", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv420p",
               file]
    if subprocess.run(command, input=b"".join(frame.tobytes() for frame in frames)).returncode != 0:
        fail(f"ffmpeg could not write the drawn clip {file.name}")


def draw_all(cases: list[Case], folder: Path) -> list[Path]:
    background, clips = empty_street(), [folder / case.file_name for case in cases]
    for case, clip in zip(cases, clips):
        draw(case, background, clip)
    return clips

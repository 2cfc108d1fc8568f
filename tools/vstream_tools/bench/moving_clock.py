"""A clip of 720p25 in which a drawn clock moves, and what is read from screenshots of it.

Each frame shows its number as a row of squares at the upper edge, black or white, the lowest bit first. Everything is grey, so
that what has a colour in a screenshot is drawn by the page.
"""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np

from ..measuring import ffmpeg
from .serving import H264, RATE

WIDTH, HEIGHT = 1280, 720
# The number starts again after so many frames, which the clip is long before it is repeated.
FRAMES, REPETITIONS = 1500, 10
BITS, SQUARE = 11, 64
# The clock's diameter; its path is a horizontal line, along which it swings.
DIAMETER, TOP, MIDDLE, AMPLITUDE, PERIOD = 260, 280, 510, 190, 300
GREY = 128
# A pixel is coloured if its channels differ by more.
MINIMUM_CHROMA = 60
# Of the lines that the page draws around objects.
LINE_WIDTH = 2


def left_edge(frame: int) -> int:
    """Of the clock, in pixels of the frame: even, as ffmpeg draws on pixels whose chroma is shared by two."""
    return 2 * round((MIDDLE + AMPLITUDE * math.sin(2 * math.pi * frame / PERIOD)) / 2)


def clock_face() -> np.ndarray:
    """The clock on grey, drawn at four times its size."""
    size = 4 * DIAMETER
    image, centre = np.full((size, size), GREY, np.uint8), size // 2
    cv2.circle(image, (centre, centre), centre, 20, -1)
    cv2.circle(image, (centre, centre), round(0.88 * centre), 245, -1)

    def line(angle: float, start: float, end: float, width: int) -> None:
        ends = [(round(centre + centre * part * math.cos(angle)), round(centre + centre * part * math.sin(angle)))
                for part in (start, end)]
        cv2.line(image, *ends, 0, width)

    for hour in range(12):
        line(hour * math.pi / 6, 0.75, 0.85, 12)
    line(-0.65, 0, 0.5, 24)
    line(-1.87, 0, 0.68, 16)
    return cv2.resize(image, (DIAMETER, DIAMETER), interpolation=cv2.INTER_AREA)


def make_clip(folder: Path) -> Path:
    """Ten minutes, with a key frame each second and the noise of a camera."""
    face, once, clip = folder / "clock.png", folder / "once.mp4", folder / "clock.mp4"
    cv2.imwrite(str(face), clock_face())
    path = f"2*round(({MIDDLE}+{AMPLITUDE}*sin(2*PI*t*{RATE}/{PERIOD}))/2)"
    squares = "".join(
        f",drawbox=x={SQUARE * bit}:y=0:w={SQUARE}:h={SQUARE}:t=fill:color=white:enable='mod(floor(n/{2 ** bit}),2)'"
        for bit in range(BITS))
    ffmpeg("-f", "lavfi", "-i", f"color=0x{GREY:02x}{GREY:02x}{GREY:02x}:{WIDTH}x{HEIGHT}:{RATE}", "-i", face, "-filter_complex",
           f"[0][1]overlay=x='{path}':y={TOP},noise=c0s=4:c0f=t,drawbox=w={SQUARE * BITS}:h={SQUARE}:t=fill:color=black{squares}",
           "-frames:v", FRAMES, "-g", RATE, *H264, once)
    ffmpeg("-stream_loop", REPETITIONS - 1, "-i", once, "-c", "copy", clip)
    return clip


def read_bits(row: np.ndarray, count: int) -> int:
    """The number in a row of squares, the lowest bit first, from an image of nothing else."""
    height, width = row.shape[:2]
    middles = [(int((bit + 0.5) * width / count), height // 2) for bit in range(count)]
    return sum(1 << bit for bit, (x, y) in enumerate(middles) if row[y, x].mean() > GREY)


def frame_number(image: np.ndarray) -> int:
    """The number of the frame that a view of the camera shows, at any scale."""
    scale = image.shape[1] / WIDTH
    return read_bits(image[:round(SQUARE * scale), :round(SQUARE * BITS * scale)], BITS)


def drawn_box(image: np.ndarray) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of the coloured lines' centres, in the image's pixels."""
    rows, columns = np.nonzero(np.ptp(image.astype(int), axis=2) > MINIMUM_CHROMA)
    if not len(rows):
        return None
    half = LINE_WIDTH / 2
    return columns.min() + half, rows.min() + half, columns.max() + 1 - half, rows.max() + 1 - half

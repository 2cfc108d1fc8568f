"""A clip of 720p25 in which a drawn clock moves, its reading from screenshots, and the times at which a camera sends its frames.

Each frame shows its number as a row of squares at the upper edge, black or white, the lowest bit first. Everything is grey, so
that coloured pixels of a screenshot are drawn by the page.
"""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path

import av
import cv2
import numpy as np

from ..measuring import ffmpeg
from ..serving import H264, RATE, Sender, wait_for

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
    # Angle, ends in radii, width: the hours, and two hands.
    hours = [(hour * math.pi / 6, 0.75, 0.85, 12) for hour in range(12)]
    for angle, start, end, width in [*hours, (-0.65, 0, 0.5, 24), (-1.87, 0, 0.68, 16)]:
        ends = [(round(centre * (1 + part * math.cos(angle))), round(centre * (1 + part * math.sin(angle)))) for part in (start, end)]
        cv2.line(image, *ends, 0, width)
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


class SenderClock:
    """The times at which a sender sends its frames, noted by a client of its own.

    Frames are sent at a constant rate. Their times are counted from the frame that arrived soonest, so that neither a sender nor a
    client that is late for a moment matters. libavformat passes on a frame when the next one arrives. Another client that starts
    to play starts the clip again for all, with the same times, which is noticed at the next key frame: it is not the one that
    follows the last.
    """

    def __init__(self, sender: Sender) -> None:
        # Unix time at which frame 0 was sent.
        self.start = float("inf")
        self.reader = av.open(sender.url, options={"rtsp_transport": "tcp", "fflags": "nobuffer"}, timeout=60)
        threading.Thread(target=self.read, daemon=True).start()
        wait_for("the camera's first key frame", lambda: self.start < float("inf"))

    def read(self) -> None:
        # The time of frame 0 in the stream, and the number of the next key frame unless the clip is started again.
        first, following = 0.0, -1
        decoder = av.CodecContext.create("h264", "r")
        decoder.extradata = self.reader.streams.video[0].codec_context.extradata
        for packet in self.reader.demux(video=0):
            now = time.time()
            if packet.pts is None:
                continue
            seconds = float(packet.pts * packet.time_base)
            if packet.is_keyframe:
                decoder.flush_buffers()
                for frame in [*decoder.decode(packet), *decoder.decode(None)]:
                    number = frame_number(frame.to_ndarray(format="bgr24"))
                    if number != following:
                        self.start, first = float("inf"), seconds - number / RATE
                    following = (number + RATE) % FRAMES
            self.start = min(self.start, now - (seconds - first) - 1 / RATE)

    def age(self, number: int, moment: float) -> float:
        """Seconds from the last sending of the frame with a number to a moment."""
        return (moment - self.start - number / RATE) % (FRAMES / RATE)

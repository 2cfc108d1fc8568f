"""Counts the frames on which a redaction by vstream leaves a face uncovered whose position is known.

    tools/run research/redaction [--crops FOLDER] [-- OPTION…]

Options after `--` are passed to vstream, which runs with `--redact fill`. The faces are those of SampleVideos/face-*.mp4, and of two
people that are pasted on a still street: 768×576, 25 frames/s, losslessly encoded. Most of these clips have 12 frames: one detection
may cover all of them, by the look-back window of half a second. Where a face appears and leaves, more frames than in that window lie
before it, and it is there for longer than the window. Sizes are the widths of faces, cheek to cheek.

A face is uncovered if of the ellipse in its box, as far as it is in the frame, less than 80 % is black in the output and lighter in
the input, of the pixels that are not black in both. --crops writes the first such frame of each case, input and output side by side.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, zip_longest
from pathlib import Path

import cv2
import numpy as np

from vstream_tools.common import ASTRONAUT, VIDEOS, fail, log, opencv_frames, parser, prepare_vstream, vstream_path

# vstream's exit codes: success, and residuals found by --verify or --receipt.
SUCCESSES = (0, 1)
WIDTH, HEIGHT, RATE = 768, 576, 25
ALL_FRAMES, FRAMES_OF_LONG = tuple(range(12)), 40
# The frames with the face of a clip in which it appears and leaves.
PRESENT = tuple(range(15, 30))
ANGLES = (0, 30, 45, 60, 90, 135, 180, 225, 270, 315)
# Centres of faces.
PLACES = {"left": (0.2 * WIDTH, 0.4 * HEIGHT), "middle": (0.5 * WIDTH, 0.5 * HEIGHT), "right": (0.8 * WIDTH, 0.65 * HEIGHT)}
# The part of the portrait that is pasted is an ellipse around the face with these semi-axes, in widths and heights of the face, and
# the fraction of the ellipse over which it blends into the background.
HEAD, FEATHER = (1.0, 1.25), 0.25


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
    # Those with the face.
    frames: tuple[int, ...] = ALL_FRAMES
    length: int = len(ALL_FRAMES)
    # In pixels a frame, to the right; the face is at `centre` on the first of its frames.
    speed: float = 0

    @property
    def name(self) -> str:
        return f"{self.face.name} {self.size:.0f} px, {self.note}"

    def centre_on(self, frame: int) -> tuple[float, float]:
        return self.centre[0] + self.speed * (frame - self.frames[0]), self.centre[1]

    def truth(self) -> dict[int, tuple]:
        """Centre, width, height and angle on each frame with the face."""
        height = self.size * self.face.box[3] / self.face.box[2]
        return {number: (*self.centre_on(number), self.size, height, self.angle) for number in self.frames}


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
            yield Case("cut by the frame's edge", face, size, centre, f"{visible:.0%} at {edge}")
    for size, angle in product((24, 40, 64, 100, 200), ANGLES):
        yield Case("rotated in the image plane", face, size, middle, f"{angle} degrees", angle)
    for size, (name, centre) in product((20, 24, 32, 48, 100, 300), PLACES.items()):
        yield Case("small and large", face, size, centre, name)
    for size, frames, name in product((24, 48, 100), ((6,), (6, 7)), ("left", "right")):
        yield Case("on one frame or two", face, size, PLACES[name], f"{len(frames)} at {name}", frames=frames)
    for part in (0.6, 0.7, 0.8, 0.9, 0.95):
        yield Case("fills the frame", face, part * HEIGHT * face.box[2] / face.box[3], middle, f"{part:.0%} of the height")
    for size, speed in product((24, 48, 100), (0, 4)):
        yield Case("appears", face, size, left, f"{speed} pixels a frame", 0, PRESENT, FRAMES_OF_LONG, speed)
    for size, angle, speed in product((24, 48), (90, 135, 180), (0, 4)):
        yield Case("appears rotated", face, size, left, f"{angle} degrees, {speed} pixels a frame", angle, PRESENT, FRAMES_OF_LONG, speed)
    # Moving faces stay cut: they move along the edge.
    for size, (edge, speed) in product((24, 48), (("left", 0), ("top", 0), ("top", 4))):
        yield Case("appears at the edge", face, size, edges(face, size, 0.6)[edge], f"60% at {edge}, {speed} pixels a frame", 0, PRESENT,
                   FRAMES_OF_LONG, speed)


def all_cases() -> list[Case]:
    faces = [Face("astronaut", cv2.imread(str(ASTRONAUT)), (181, 76, 89, 103), HEIGHT),
             Face("passenger", next(opencv_frames(VIDEOS / "face.mp4")), (66, 40, 46, 61), 64)]
    return [case for face in faces for case in cases_of(face) if case.size <= face.widest]


# --- Drawing ---


def paste(background: np.ndarray, case: Case, head_centre: tuple[float, float]) -> np.ndarray:
    """The background with the head, without a visible boundary."""
    image, (left, top, width, height) = case.face.image, case.face.box
    y, x = np.mgrid[:image.shape[0], :image.shape[1]] + 0.5
    radius = np.hypot((x - left - width / 2) / (width * HEAD[0]), (y - top - height / 2) / (height * HEAD[1]))
    layers = np.dstack([image, np.clip((1 - radius) / FEATHER, 0, 1) * 255]).astype(np.float32)
    scale = case.size / width
    layers = cv2.resize(layers, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    centre = ((left + width / 2) * scale, (top + height / 2) * scale)
    matrix = cv2.getRotationMatrix2D(centre, case.angle, 1)
    matrix[:, 2] += np.array(head_centre) - centre
    layers = cv2.warpAffine(layers, matrix, (WIDTH, HEIGHT))
    opacity = np.clip(layers[..., 3:] / 255, 0, 1)
    return np.clip(background * (1 - opacity) + layers[..., :3] * opacity, 0, 255).astype(np.uint8)


def draw(case: Case, background: np.ndarray, file: Path) -> None:
    heads = {centre: paste(background, case, centre) for centre in {case.centre_on(number) for number in case.frames}}
    frames = (heads[case.centre_on(number)] if number in case.frames else background for number in range(case.length))
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "-",
               "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv420p", file]
    if subprocess.run(command, input=b"".join(frame.tobytes() for frame in frames)).returncode != 0:
        fail(f"ffmpeg could not write the drawn clip {file.name}")


# --- Coverage ---

# A pixel with a lower luma is black: covered, or as dark in the input.
BLACK = 24
# The luma of a covered pixel is lower by at least this than in the input. Encoding alone darkens dark footage by less.
MINIMUM_DROP = 12
# A square closes the gaps that encoding leaves in a covered area. Its side has at most this many pixels, and this fraction of the
# smaller side of the face, so that it closes no strip that contains a fifth of an uncovered face.
WIDEST_CLOSING, CLOSING_FRACTION = 9, 1 / 6
MINIMUM_COVERAGE = 0.8


def coverage(before: np.ndarray, after: np.ndarray, x: float, y: float, width: float, height: float, degrees: float) -> float:
    """The covered fraction of an ellipse that is rotated about its centre; 1 where there is nothing to see."""
    luma_before, luma_after = (cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in (before, after))
    was_black, is_black = luma_before < BLACK, luma_after < BLACK
    covered = (is_black & ~was_black & (cv2.subtract(luma_before, luma_after) >= MINIMUM_DROP)).astype(np.uint8)
    rows, columns = np.ogrid[:before.shape[0], :before.shape[1]]
    dx, dy, angle = columns + 0.5 - x, rows + 0.5 - y, np.radians(degrees)
    ellipse = ((dx * np.cos(angle) - dy * np.sin(angle)) / (width / 2)) ** 2 + (
        (dx * np.sin(angle) + dy * np.cos(angle)) / (height / 2)) ** 2 <= 1
    # A kernel of even length would move the mask.
    visible = min(ellipse.any(0).sum(), ellipse.any(1).sum())
    side = (int(min(WIDEST_CLOSING, visible * CLOSING_FRACTION)) - 1) // 2 * 2 + 1
    covered = (cv2.morphologyEx(covered, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)) if side > 1 else covered).astype(bool)
    shown = np.count_nonzero((covered | ~(was_black & is_black)) & ellipse)
    return np.count_nonzero(covered & ellipse) / shown if shown else 1


def redact(inputs: list[Path], folder: Path, options: list[str]) -> list[Path]:
    """Runs vstream once; the outputs of all inputs."""
    outputs = [folder / clip.name for clip in inputs]
    command = [vstream_path(), *inputs, "--output-dir", folder, "--redact", "fill", "--quiet", "-y", *options]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    missing = [output.name for output in outputs if not output.exists()]
    if run.returncode not in SUCCESSES or missing:
        fail(f"vstream ended with exit code {run.returncode} and without {len(missing)} of {len(outputs)} outputs:\n{run.stderr[-2000:]}")
    return outputs


def uncovered(clip: Path, output: Path, truth: dict[int, tuple], crops: Path | None) -> int:
    """The number of frames on which the face is uncovered."""
    count = 0
    for number, (before, after) in enumerate(zip_longest(opencv_frames(clip), opencv_frames(output))):
        if before is None or after is None or before.shape != after.shape:
            fail(f"the output of {clip.name} does not have the frames of its input from frame {number} on")
        if number in truth and coverage(before, after, *truth[number]) < MINIMUM_COVERAGE:
            count += 1
            if crops and count == 1:
                cv2.imwrite(str(crops / f"{clip.stem}-{number}.png"), np.hstack([before, after]))
    return count


def read_truth(file: Path) -> dict[int, tuple]:
    """The face in a clip of SampleVideos on each frame, whose number, box and angle are in a line."""
    return {int(number) - 1: (left + width / 2, top + height / 2, width, height, angle)
            for number, left, top, width, height, angle, _ in np.loadtxt(file, delimiter=",")}


def main() -> None:
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser(__doc__)
    options.add_argument("--crops", type=Path, metavar="FOLDER")
    crops = options.parse_args(sys.argv[1:end]).crops
    if crops:
        crops.mkdir(parents=True, exist_ok=True)
    prepare_vstream()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = {folder / ("-".join(re.findall(r"\w+", f"{case.group} {case.name}")) + ".mkv"): case for case in all_cases()}
        log(f"drawing {len(cases)} clips…")
        # The median of frames of the street, in which nobody is left.
        background = np.median([*opencv_frames(VIDEOS / "street.avi")][::20], axis=0).astype(np.uint8)
        for clip, case in cases.items():
            draw(case, background, clip)
        known = {clip: (case.group, case.name, case.truth()) for clip, case in cases.items()}
        known |= {file.with_suffix(".mp4"): (file.stem, file.stem, read_truth(file)) for file in sorted(VIDEOS.glob("face-*.txt"))}
        log("redacting and checking…")
        (folder / "redacted").mkdir()
        findings: dict[str, list[str]] = {}
        for (clip, (group, case_name, truth)), output in zip(known.items(), redact([*known], folder / "redacted", sys.argv[end + 1:])):
            if count := uncovered(clip, output, truth, crops):
                findings.setdefault(group, []).append(f"{case_name} ({count} of {len(truth)} frames)")
    print("| faces | cases | with uncovered frames | which |\n|---|---|---|---|")
    for group, count in Counter(group for group, *_ in known.values()).items():
        print(f"| {group} | {count} | {len(findings.get(group, []))} | {'; '.join(findings.get(group, [])) or '–'} |")

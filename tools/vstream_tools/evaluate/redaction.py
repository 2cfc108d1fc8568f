"""Finds faces that a redaction by vstream leaves visible, by detectors that run without vstream.

    scripts/evaluate/redaction [CLIP…] [--crops FOLDER] [-- OPTION…]

Without CLIPs: the sample videos with faces or people, and drawn faces, whose positions are known. Options after `--` are
passed to vstream. --crops writes a crop of each finding, input and output side by side, to be judged by eye.

vstream runs with `--redact fill`. MediaPipe's face detection of short and of full range (BlazeFace) and RetinaFace (MobileNet 0.25),
networks that vstream does not use, search input and output, with a minimum score of 0.5, and tiles of wide frames as well. A finding
is a face of 24 pixels or more that is uncovered: of the ellipse in its box, less than 80 % is black in the output and lighter in the
input, of the pixels that are not black in both. Detections may be false. Of drawn faces, the known ellipse counts, as far as it is in
the frame.
"""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import cv2
import numpy as np
import openvino as ov
from mediapipe import solutions

from ..common import FACE_CLIPS, VIDEOS, fail, log, opencv_frames, parser, prepare_vstream, vstream_path
from . import drawn_faces

CLIPS = [*FACE_CLIPS, VIDEOS / "bikes.mp4", VIDEOS / "street.avi"]
MINIMUM_SCORE, MINIMUM_WIDTH = 0.5, 24
# Detectors also run on four overlapping tiles of wider frames, each of this fraction of the width and height.
WIDEST_WITHOUT_TILES, TILE = 960, 0.6
# vstream's exit codes: success, and residuals found by --verify or --receipt.
SUCCESSES = (0, 1)

# Left, top, width and height in pixels; may extend past the frame.
Box = tuple[float, ...]


# --- Detectors ---


class MediaPipe:
    def __init__(self, selection: int) -> None:
        self.solution = solutions.face_detection.FaceDetection(model_selection=selection, min_detection_confidence=MINIMUM_SCORE)

    def __call__(self, frame: np.ndarray) -> Iterator[Box]:
        height, width = frame.shape[:2]
        for face in self.solution.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).detections or []:
            box = face.location_data.relative_bounding_box
            yield box.xmin * width, box.ymin * height, box.width * width, box.height * height


class RetinaFace:
    """Two square anchors in each cell of three strides, with a score, and centre and log size relative to the anchor."""

    SIDES = {8: (16, 32), 16: (64, 128), 32: (256, 512)}
    VARIANCES = 0.1, 0.2

    def __init__(self) -> None:
        # The network is a bytes literal of a module, which is read without running it.
        source = Path(importlib.util.find_spec("retinaface").origin).with_name("weights.py")
        weights = next(node.value for node in ast.parse(source.read_text()).body
                       if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WEIGHTS")
        self.model = ov.Core().read_model(ast.literal_eval(weights))
        self.requests: dict[tuple, ov.InferRequest] = {}

    def __call__(self, frame: np.ndarray) -> Iterator[Box]:
        padded = cv2.copyMakeBorder(frame, 0, -frame.shape[0] % 32, 0, -frame.shape[1] % 32, cv2.BORDER_CONSTANT)
        tensor = cv2.dnn.blobFromImage(padded, mean=(104, 117, 123))
        if tensor.shape not in self.requests:
            self.model.reshape({0: list(tensor.shape)})
            self.requests[tensor.shape] = ov.Core().compile_model(self.model, "CPU").create_infer_request()
        # Scores [1, n, 2], boxes [1, n, 4], points [1, n, 10].
        by_columns = {rows.shape[2]: rows[0] for rows in self.requests[tensor.shape].infer({0: tensor}).values()}
        # Centre and side of each anchor, in the order of the network's rows.
        anchors = []
        for stride, sides in self.SIDES.items():
            rows, columns = np.mgrid[:padded.shape[0] // stride, :padded.shape[1] // stride] + 0.5
            centres = np.stack([columns, rows], axis=-1).reshape(-1, 2) * stride
            anchors.append(np.column_stack([np.repeat(centres, len(sides), axis=0), np.tile(np.array(sides, float), len(centres))]))
        chosen = np.flatnonzero(by_columns[2][:, 1] >= MINIMUM_SCORE)
        for (x, y, side), (dx, dy, wide, tall) in zip(np.concatenate(anchors)[chosen], by_columns[4][chosen]):
            wide, tall = (side * np.exp(self.VARIANCES[1] * value) for value in (wide, tall))
            yield x + self.VARIANCES[0] * dx * side - wide / 2, y + self.VARIANCES[0] * dy * side - tall / 2, wide, tall


DETECTORS = {"MediaPipe short": lambda: MediaPipe(0), "MediaPipe full": lambda: MediaPipe(1), "RetinaFace": RetinaFace}


def faces_in(frame: np.ndarray, detectors: dict) -> list[tuple[str, Box]]:
    """The faces in a frame, and in the tiles of a wide one; a face may be listed several times."""
    height, width = (round(TILE * length) for length in frame.shape[:2])
    tiles = [(x, y) for y in (0, frame.shape[0] - height) for x in (0, frame.shape[1] - width)]
    parts = [(0, 0, frame)] + [(x, y, np.ascontiguousarray(frame[y:y + height, x:x + width])) for x, y in tiles] * (
        frame.shape[1] > WIDEST_WITHOUT_TILES)
    return [(name, (box[0] + x, box[1] + y, *box[2:])) for name, detect in detectors.items() for x, y, part in parts
            for box in detect(part) if box[2] >= MINIMUM_WIDTH]


# --- Coverage ---

# A pixel with a lower luma is black: covered, or as dark in the input.
BLACK = 24
# The luma of a covered pixel is lower by at least this than in the input. Encoding alone darkens dark footage by less.
MINIMUM_DROP = 12
# A square closes the gaps that encoding leaves in a covered area. Its side has at most this many pixels, and this fraction of the
# smaller side of the face, so that it closes no strip that contains a fifth of an uncovered face.
WIDEST_CLOSING, CLOSING_FRACTION = 9, 1 / 6
MINIMUM_COVERAGE = 0.8


def coverage(before: np.ndarray, after: np.ndarray, box: Box, degrees: float = 0) -> float:
    """The covered fraction of the ellipse in a box that is rotated about its centre; 1 where there is nothing to see."""
    x, y, margin = box[0] + box[2] / 2, box[1] + box[3] / 2, max(box[2:]) / 2 + WIDEST_CLOSING
    rows, columns = (slice(*np.clip((centre - margin, centre + margin + 1), 0, length).astype(int))
                     for centre, length in zip((y, x), before.shape))
    if rows.start == rows.stop or columns.start == columns.stop:
        return 1
    luma_before, luma_after = (cv2.cvtColor(frame[rows, columns], cv2.COLOR_BGR2GRAY) for frame in (before, after))
    was_black, is_black = luma_before < BLACK, luma_after < BLACK
    covered = (is_black & ~was_black & (cv2.subtract(luma_before, luma_after) >= MINIMUM_DROP)).astype(np.uint8)
    visible = min(*box[2:], *luma_before.shape)
    # A kernel of even length would move the mask.
    side = (int(min(WIDEST_CLOSING, visible * CLOSING_FRACTION)) - 1) // 2 * 2 + 1
    covered = (cv2.morphologyEx(covered, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)) if side > 1 else covered).astype(bool)
    down, across = np.ogrid[rows, columns]
    dx, dy, angle = across + 0.5 - x, down + 0.5 - y, np.radians(degrees)
    ellipse = ((dx * np.cos(angle) - dy * np.sin(angle)) / (box[2] / 2)) ** 2 + (
        (dx * np.sin(angle) + dy * np.cos(angle)) / (box[3] / 2)) ** 2 <= 1
    shown = np.count_nonzero((covered | ~(was_black & is_black)) & ellipse)
    return np.count_nonzero(covered & ellipse) / shown if shown else 1


def write_crop(folder: Path | None, name: str, before: np.ndarray, after: np.ndarray, box: Box) -> None:
    if folder:
        side = max(box[2:])
        rows, columns = (slice(max(0, round(start - side / 2)), round(start + 1.5 * side)) for start in (box[1], box[0]))
        cv2.imwrite(str(folder / f"{name}.png"), np.hstack([before[rows, columns], after[rows, columns]]))


# --- Clips ---


def redact(inputs: list[Path], folder: Path, options: list[str]) -> list[Path]:
    """Runs vstream once; the outputs of all inputs."""
    outputs = [folder / f"{clip.stem}.mkv" for clip in inputs]
    target = ["-o", outputs[0]] if len(inputs) == 1 else ["--output-dir", folder]
    command = [vstream_path(), *inputs, *target, "--redact", "fill", "--quiet", "-y", *options]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    missing = [output.name for output in outputs if not output.exists()]
    if run.returncode not in SUCCESSES or missing:
        fail(f"vstream ended with exit code {run.returncode} and without {len(missing)} of {len(outputs)} outputs:\n{run.stderr[-2000:]}")
    return outputs


def frame_pairs(clip: Path, output: Path) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The number of each frame, and the frame in the input and in the output."""
    for number, (before, after) in enumerate(zip_longest(opencv_frames(clip), opencv_frames(output))):
        if before is None or after is None or before.shape != after.shape:
            fail(f"the output of {clip.name} does not have the frames of its input from frame {number} on")
        yield number, before, after


def check_clip(clip: Path, options: list[str], crops: Path | None) -> None:
    log(f"checking {clip.name}…")
    detectors = {name: make() for name, make in DETECTORS.items()}
    findings: Counter[str] = Counter()
    frames, number = set(), -1
    with tempfile.TemporaryDirectory() as folder:
        [output] = redact([clip], Path(folder), options)
        for number, before, after in frame_pairs(clip, output):
            for name, box in faces_in(before, detectors) + faces_in(after, detectors):
                if coverage(before, after, box) < MINIMUM_COVERAGE:
                    findings[name] += 1
                    frames.add(number)
                    write_crop(crops, f"{clip.stem}-{number}-{sum(findings.values())}", before, after, box)
    by_detector = ", ".join(f"{name} {count}" for name, count in findings.items()) or "–"
    print(f"| {clip.name} | {number + 1} | {len(frames)} | {by_detector} |", flush=True)


def check_drawn(options: list[str], crops: Path | None) -> None:
    cases = drawn_faces.all_cases()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log(f"drawing {len(cases)} clips…")
        clips = drawn_faces.draw_all(cases, folder)
        log("checking them…")
        (folder / "redacted").mkdir()
        uncovered: dict[str, list[str]] = {}
        for case, clip, output in zip(cases, clips, redact(clips, folder / "redacted", options)):
            bad = [(number, before, after) for number, before, after in frame_pairs(clip, output) if number in case.frames
                   and coverage(before, after, case.box_on(number), case.angle) < MINIMUM_COVERAGE]
            for number, before, after in bad[:1]:
                write_crop(crops, f"{clip.stem}-{number}", before, after, case.box_on(number))
                uncovered.setdefault(case.group, []).append(f"{case.subject}, {case.note} ({len(bad)} of {len(case.frames)} frames)")
    print("\n| drawn faces | cases | with uncovered frames | which |\n|---|---|---|---|")
    for group, count in Counter(case.group for case in cases).items():
        print(f"| {group} | {count} | {len(uncovered.get(group, []))} | {'; '.join(uncovered.get(group, [])) or '–'} |")


def main() -> None:
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    options.add_argument("--crops", type=Path, metavar="FOLDER")
    arguments = options.parse_args(sys.argv[1:end])
    if arguments.crops:
        arguments.crops.mkdir(parents=True, exist_ok=True)
    prepare_vstream()
    print("| clip | frames | with findings | findings |\n|---|---|---|---|")
    for clip in arguments.clips or CLIPS:
        check_clip(clip, sys.argv[end + 1:], arguments.crops)
    if not arguments.clips:
        check_drawn(sys.argv[end + 1:], arguments.crops)

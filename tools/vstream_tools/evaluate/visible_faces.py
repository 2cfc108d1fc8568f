"""Shows which faces a redaction by vstream leaves visible, by detectors that run without vstream.

    scripts/evaluate/visible-faces [CLIP…] [options] [-- OPTION…]

Without CLIPs: the sample videos with faces or people, and drawn faces, whose positions are known. Options after `--` are
passed to vstream; in it, {name} stands for the clip's name: `-- --receipt '/tmp/{name}.json'`.

    --drawn, --no-drawn    with the drawn faces or without; default: only if there are no CLIPs
    --stride N             checks each Nth frame of the clips (1)
    --yunet, --yolox FILE  also runs YuNet (faces), YOLOX-Nano (people): ONNX files, which the project does not contain
    --sheet FILE.png       writes crops of the findings, input and output side by side; FILE-2.png, … as needed;
                           the drawn faces on FILE-drawn.png
    --limit N              crops at most of each kind, evenly spread over clips and frames (120)
    --json FILE            writes the figures and all findings

vstream runs with `--redact fill`, from start to exit. MediaPipe's two face detectors and RetinaFace run on input and
output, SSD MobileNetV2 on the input, with a minimum score of 0.5. Of these only SSD is a network that vstream uses, for
objects: it does not show faces that this network cannot detect.

A face is uncovered if less than 80 % of the ellipse in its box is black in the output and lighter in the input, of the
pixels that are not black in both. It is agreed if a detector with another network finds it, covered or not, in the
input or the output (IoU over 0.3); MediaPipe's two have one network. A person's head is uncovered if less than 10 % of
the upper part of the box is (30 % of the height, or 60 % of the width if that is more); `--redact-what faces` does not
promise to cover it. Detections may be false: check the sheets. Of drawn faces, the known ellipse counts, as far as it
is in the frame.

The Python packages are installed in .deps/venv-detectors (tools/requirements/detectors.txt). Drawn clips and
the detections on inputs stay in .build-visible-faces for later runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

import numpy as np

from .. import common
from ..common import FACE_CLIPS, ROOT, VIDEOS, fail, log, opencv_frames, parser, prepare_vstream, vstream_path
from ..environments import DETECTORS
from . import detectors, drawn_faces, networks
from .detectors import Detection, Detector
from .drawn_faces import Case
from .uncovered import MINIMUM_FACE_COVERAGE, MINIMUM_WIDTH, ClipFigures, Coverage, Finding, Sheet, uncovered_faces, uncovered_heads

FOLDER = ROOT / ".build-visible-faces"
CLIPS = [*FACE_CLIPS, VIDEOS / "bikes.mp4", VIDEOS / "street.avi"]
# vstream's exit codes: success, and residuals found by --verify or --receipt.
SUCCESSES = (0, 1)


def checksum(*files: Path) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def redact(inputs: list[Path], folder: Path, options: list[str]) -> tuple[list[Path], float]:
    """Runs vstream once; the outputs of all inputs, and the seconds from its start to its exit."""
    outputs = [folder / f"{clip.stem}.mkv" for clip in inputs]
    target = ["-o", outputs[0]] if len(inputs) == 1 else ["--output-dir", folder]
    start = time.monotonic()
    run = subprocess.run([vstream_path(), *inputs, *target, "--redact", "fill", "--quiet", "-y", *options], stderr=subprocess.PIPE,
                         text=True)
    seconds = time.monotonic() - start
    missing = [output.name for output in outputs if not output.exists()]
    if run.returncode not in SUCCESSES or missing:
        fail(f"vstream ended with exit code {run.returncode} and without {len(missing)} of {len(outputs)} outputs:\n{run.stderr[-2000:]}")
    return outputs, seconds


def frame_pairs(clip: Path, output: Path) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The number of each frame, and the frame in the input and in the output."""
    number = -1
    for number, (before, after) in enumerate(zip_longest(opencv_frames(clip), opencv_frames(output))):
        if before is None or after is None or before.shape != after.shape:
            fail(f"the output of {clip.name} does not have the frames of its input from frame {number} on")
        yield number, before, after
    if number < 0:
        fail(f"{clip.name} and its output have no frames that OpenCV can decode")


# --- Clips ---


def input_detections(clip: Path, detector: Detector, stride: int) -> list[list[Detection]]:
    """The detections on each checked frame, kept in a file until something changes that they depend on."""
    key = checksum(clip, *(Path(module.__file__) for module in (common, detectors, networks)), DETECTORS.requirements, *detector.models)
    name = f"{detector.name}-{detectors.MINIMUM_SCORE}-{stride}-{key}.json"
    file = FOLDER / "detections" / name.replace(" ", "-")
    if not file.exists():
        frames = (frame for number, frame in enumerate(opencv_frames(clip)) if number % stride == 0)
        text = json.dumps([[asdict(detection) for detection in detector(frame)] for frame in frames])
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f"{file.name}.{os.getpid()}.part")
        part.write_text(text)
        part.replace(file)
    return [[Detection(**detection) for detection in frame] for frame in json.loads(file.read_text())]


def check_clip(clip: Path, used: list[Detector], stride: int, options: list[str], sheet: Sheet) -> ClipFigures:
    log(f"checking {clip.name}…")
    kinds = {kind: [detector for detector in used if detector.kind == kind] for kind in ("face", "person")}
    known = {kind: [input_detections(clip, detector, stride) for detector in kinds[kind]] for kind in kinds}
    figures, total = ClipFigures(clip.name), 0
    with tempfile.TemporaryDirectory() as folder:
        (output,), seconds = redact([clip], Path(folder), options)
        for number, before, after in frame_pairs(clip, output):
            total += 1
            if number % stride:
                continue
            faces, people = ([each for frames in known[kind] for each in frames[number // stride]] for kind in kinds)
            coverage = Coverage(before, after)
            seen = [face for detector in kinds["face"] for face in detector(after)]
            uncovered = uncovered_faces(clip.name, number, coverage, faces, seen)
            for face in uncovered:
                sheet.offer(before, after, face.box, *face.lines)
            figures.findings += uncovered + uncovered_heads(clip.name, number, coverage, people)
            figures.frames += 1
            figures.frames_with_face += bool(faces)
    figures.frames_per_second = total / seconds
    return figures


# --- Drawn faces ---


def drawn_clips(cases: list[Case]) -> list[Path]:
    """The clips of the cases, kept until something changes that they are drawn with."""
    key = checksum(Path(drawn_faces.__file__), Path(common.__file__), DETECTORS.requirements, *drawn_faces.SOURCES)
    folder = FOLDER / "drawn" / key
    if not folder.exists():
        log(f"drawing {len(cases)} clips…")
        # Outdated clips, and those of an interrupted run.
        shutil.rmtree(folder.parent, ignore_errors=True)
        part = folder.with_name("part")
        part.mkdir(parents=True)
        drawn_faces.draw_all(cases, part)
        part.rename(folder)
    return [folder / case.file_name for case in cases]


def check_case(case: Case, clip: Path, output: Path, sheet: Sheet) -> list[Finding]:
    findings = []
    for number, before, after in frame_pairs(clip, output):
        if number not in case.frames:
            continue
        box = case.box_on(number)
        fraction = Coverage(before, after).of_face(box, case.angle)
        if fraction < MINIMUM_FACE_COVERAGE:
            findings.append(Finding(case.name, number, "face", "", 1, box, fraction, "known"))
            if len(findings) == 1:
                sheet.offer(before, after, box, f"{case.group}: {case.subject}", f"{case.note}: {number} {fraction:.0%}")
    if number != case.length - 1:
        fail(f"{clip.name} has {number + 1} frames instead of {case.length}")
    return findings


def check_drawn(options: list[str], sheet: Sheet) -> list[Finding]:
    cases = drawn_faces.all_cases()
    clips = drawn_clips(cases)
    log("checking the drawn faces…")
    with tempfile.TemporaryDirectory() as folder:
        outputs, seconds = redact(clips, Path(folder), options)
        findings = {case: check_case(case, clip, output, sheet) for case, clip, output in zip(cases, clips, outputs)}
    print(f"\nDrawn faces, {len(cases)} clips in {seconds:.0f} s:\n\n"
          "| group | cases | frames with a face | uncovered | cases with uncovered frames | ≥ 24 px | which |\n" + "|---" * 7 + "|")
    for group in dict.fromkeys(case.group for case in cases):
        members = [case for case in cases if case.group == group]
        uncovered = [case for case in members if findings[case]]
        # The notes by face and size, with the uncovered frames if these are not all.
        notes: dict[str, list[str]] = {}
        for case in uncovered:
            partly = f" ({len(findings[case])} of {len(case.frames)} frames)" * (len(findings[case]) < len(case.frames))
            notes.setdefault(case.subject, []).append(case.note + partly)
        cells = [group, len(members), sum(len(case.frames) for case in members), sum(len(findings[case]) for case in members),
                 len(uncovered), sum(case.size >= MINIMUM_WIDTH for case in uncovered),
                 "; ".join(f"{subject}: {', '.join(each)}" for subject, each in notes.items()) or "–"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return [finding for found in findings.values() for finding in found]


def main() -> None:
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, metavar="CLIP")
    options.add_argument("--drawn", action=argparse.BooleanOptionalAction)
    for name, default in (("--stride", 1), ("--limit", 120)):
        options.add_argument(name, type=int, default=default, metavar="N")
    for name in ("--yunet", "--yolox", "--sheet", "--json"):
        options.add_argument(name, type=Path, metavar="FILE")
    arguments = options.parse_args(sys.argv[1:end])
    if missing := [path for path in arguments.clips if not path.is_file()]:
        fail(f"there is no file '{missing[0]}'")
    prepare_vstream()
    used = detectors.load(arguments.yunet, arguments.yolox)
    paths = arguments.clips or CLIPS
    sheet, drawn_sheet = Sheet(arguments.limit), Sheet(arguments.limit)
    clips, drawn = [], []
    print(ClipFigures.HEADER)
    for path in paths:
        clip_sheet = Sheet(max(1, arguments.limit // len(paths)))
        clips.append(check_clip(path, used, arguments.stride, sys.argv[end + 1:], clip_sheet))
        sheet.cells += clip_sheet.cells
        print(clips[-1].row, flush=True)
    if arguments.drawn or (arguments.drawn is None and not arguments.clips):
        drawn = check_drawn(sys.argv[end + 1:], drawn_sheet)
    if arguments.sheet:
        file = arguments.sheet
        for page in sheet.write(file) + drawn_sheet.write(file.with_name(f"{file.stem}-drawn{file.suffix}")):
            log(f"wrote {page}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"clips": list(map(asdict, clips)), "drawn": list(map(asdict, drawn))}, indent=1))

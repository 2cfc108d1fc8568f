"""The groups of scripts/bench/run: contenders that run on the same clip, and the targets for their ratios and limits."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen

from ..evaluate import mediapipe_peer
from ..common import ROOT, VIDEOS, vstream_path
from ..environments import BENCH, DEFACE, MEDIAPIPE, Environment
from ..measuring import Clip, Measurement, looped, measure, run, scaled

CORES = len(os.sched_getaffinity(0))
FP32 = "ssd-mobilenet-v2"
INT8 = "ssd-int8"
INFERENCES = 200

# One measurement per round, by the contender's name.
Results = dict[str, list[Measurement]]
# A command with the placeholders IN and OUT for the files, or a function that measures.
Contender = list | Callable[[Clip, Path], Measurement]


@dataclass(frozen=True)
class Goal:
    """A figure with an optional target: a minimum, or a limit that it should not exceed."""

    name: str
    # One value per round.
    values: Callable[[Results], list[float]]
    target: float | None = None
    is_limit: bool = False
    unit: str = ""


@dataclass(frozen=True)
class Group:
    # The default video, and the processing that is measured.
    video: str
    what: str
    # Makes the clip, in a folder, from the user's video or else from the default one.
    clip: Callable[[Path | None, Path], Clip]
    contenders: dict[str, Contender]
    goals: list[Goal]
    environments: list[Environment] = field(default_factory=list)
    # Rows that are computed from the others.
    derived: dict[str, Callable[[Results], list[Measurement]]] = field(default_factory=dict)


# --- Goals ---


def ratio(one: str, other: str, target: float | None = None) -> Goal:
    """The ratio of frames per second, per round, as the load of the machine differs between rounds."""
    def values(results: Results) -> list[float]:
        pairs = zip(results[one], results[other], strict=True)
        return [a.frames_per_second / b.frames_per_second for a, b in pairs]
    return Goal(f"{one} ÷ {other}", values, target)


def peak(name: str, target: float) -> Goal:
    return Goal(f"{name}: peak memory", lambda results: [row.peak_megabytes for row in results[name]], target, True, "MB")


def surplus(name: str, others: tuple[str, ...], target: float) -> Goal:
    """The peak of one less those of others."""
    def values(results: Results) -> list[float]:
        rounds = zip(results[name], *(results[other] for other in others), strict=True)
        return [own.peak_megabytes - sum(other.peak_megabytes for other in rest) for own, *rest in rounds]
    return Goal(f"{name}: peak memory less those of {' and '.join(others)}", values, target, True, "MB")


def first_frame(name: str, target: float) -> Goal:
    def values(results: Results) -> list[float]:
        return [row.first_frame_seconds for row in results[name]]
    return Goal(f"to the first frame, {name}", values, target, True, "s")


# --- Contenders ---

ENCODING = ["--codec", "libx264", "--preset", "veryfast", "--crf", "20", "--quiet", "-y"]
TRANSCODE = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", "IN", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "OUT"]
PYTHON_LOOP = [BENCH.python, ROOT / "scripts/bench/opencv-loop", "IN", "OUT"]


def own(*options: str) -> list:
    """vstream, encoding as ffmpeg does."""
    return [vstream_path(), "IN", "-o", "OUT", *ENCODING, *options]


def detecting(*options: str) -> list:
    """vstream without drawing and encoding."""
    return [vstream_path(), "IN", "-o", "null", "--quiet", *options]


def mediapipe(kind: str) -> list:
    return [MEDIAPIPE.python, ROOT / "scripts/bench/mediapipe-loop", kind, "IN"]


def inference(model: str) -> Callable[[Clip, Path], Measurement]:
    """OpenVINO alone, with the compiled network from a cache, as in vstream."""
    def contender(_: Clip, folder: Path) -> Measurement:
        cache = folder / "inference"
        cache.mkdir(exist_ok=True)
        command = [sys.executable, ROOT / "scripts/bench/inference.py", ROOT / f".deps/models/{model}.xml"]
        run([*command, 1, cache])
        figures = json.loads(run([*command, INFERENCES, cache]).output)
        return Measurement(processor_milliseconds=figures["cpuMilliseconds"], peak_megabytes=figures["megabytes"])
    return contender


def side_by_side(model: str) -> Callable[[Clip, Path], Measurement]:
    """ffmpeg's transcode while OpenVINO keeps all processors busy: the cost of a frame plus that of an inference."""
    def contender(clip: Clip, folder: Path) -> Measurement:
        cache = folder / "inference"
        command = [sys.executable, ROOT / "scripts/bench/inference.py", ROOT / f".deps/models/{model}.xml", "0", cache]
        beside = [Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(CORES)]
        try:
            transcode = measure(TRANSCODE, clip, folder)
            answers = [json.loads(process.communicate()[0]) for process in beside]
        finally:
            for process in beside:
                process.kill()
        inference = statistics.mean(answer["cpuMilliseconds"] for answer in answers)
        milliseconds = transcode.processor_milliseconds + inference
        return Measurement(CORES * 1000 / milliseconds, milliseconds)
    return contender


def start(is_cold: bool) -> Callable[[Clip, Path], Measurement]:
    """The time to the first frame, without cached compiled networks (a run that fills the cache) or with them."""
    def contender(clip: Clip, folder: Path) -> Measurement:
        cache, statistics = folder / "cache", folder / "stats.json"
        if is_cold:
            shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(exist_ok=True)
        command = [*own("--detect", "objects"), "--stats", statistics]
        done = run(command, clip.path, folder / "out.mp4", {"XDG_CACHE_HOME": str(cache)})
        seconds = json.loads(statistics.read_text())["firstFrameSeconds"]
        return Measurement(peak_megabytes=done.peak_megabytes, first_frame_seconds=seconds)
    return contender


def bound(alone: str) -> Callable[[Results], list[Measurement]]:
    """Cores ÷ processor time per frame of decoding, encoding and inference, each measured alone."""
    def rounds(results: Results) -> list[Measurement]:
        parts = zip(results["ffmpeg"], results[alone], strict=True)
        sums = [transcode.processor_milliseconds + inference.processor_milliseconds for transcode, inference in parts]
        return [Measurement(CORES * 1000 / milliseconds, milliseconds) for milliseconds in sums]
    return rounds


# --- Groups ---


def at_height(height: int, target: float | None) -> Group:
    return Group(
        f"the middle of street.avi, scaled to {height * 16 // 9}×{height}",
        "decoded, annotated and encoded",
        lambda video, folder: scaled(video or VIDEOS / "street.avi", folder, height * 16 // 9, height),
        {
            "ffmpeg": TRANSCODE,
            "vstream --detect none": own("--detect", "none"),
            "vstream, objects": own("--detect", "objects"),
        },
        [ratio("vstream --detect none", "ffmpeg", target), ratio("vstream, objects", "ffmpeg")])


# Objects on the whole of every frame, as the peers detect them.
WHOLE_FRAMES = ("--detect", "objects", "--detect-every", "1")

ANIMATION = VIDEOS / "animation.avi"

GROUPS = {
    "objects": Group(
        "street.avi, 768×576",
        "decoded, annotated and encoded",
        lambda video, folder: looped(video or VIDEOS / "street.avi", folder),
        {
            "vstream, objects every 4th": own("--detect", "objects", "--detect-every", "4"),
            "ffmpeg": TRANSCODE,
            "vstream --detect none": own("--detect", "none"),
            "OpenVINO alone, INT8": inference(INT8),
            "OpenVINO alone, FP32": inference(FP32),
            "vstream, objects": own(*WHOLE_FRAMES),
            "vstream, balanced": own("--detect", "objects", "--accuracy", "balanced"),
            "ffmpeg beside OpenVINO, INT8": side_by_side(INT8),
            "vstream, objects, FP32": own(*WHOLE_FRAMES, "--object-model", FP32),
            "Python loop, FP32": PYTHON_LOOP,
            "Python loop, INT8": [*PYTHON_LOOP, "--model", INT8],
            "Python loop, INT8, supervision": [*PYTHON_LOOP, "--model", INT8, "--track"],
        },
        [
            ratio("vstream --detect none", "ffmpeg", 0.97),
            ratio("vstream, objects", "bound, INT8", 0.92),
            ratio("vstream, objects, FP32", "bound, FP32", 0.92),
            ratio("ffmpeg beside OpenVINO, INT8", "bound, INT8"),
            ratio("vstream, objects", "ffmpeg beside OpenVINO, INT8"),
            ratio("vstream, objects", "Python loop, FP32", 1.9),
            ratio("vstream, objects, FP32", "Python loop, FP32", 1.45),
            ratio("vstream, objects", "Python loop, INT8"),
            ratio("vstream, objects", "Python loop, INT8, supervision"),
            ratio("vstream, objects every 4th", "ffmpeg", 0.9),
            ratio("vstream, balanced", "vstream, objects"),
            peak("vstream, objects", 230),
            peak("vstream, objects, FP32", 270),
            surplus("vstream, objects", ("ffmpeg", "OpenVINO alone, INT8"), 40),
            surplus("vstream, objects, FP32", ("ffmpeg", "OpenVINO alone, FP32"), 40),
        ],
        [BENCH],
        {"bound, INT8": bound("OpenVINO alone, INT8"), "bound, FP32": bound("OpenVINO alone, FP32")}),
    "720p": at_height(720, None),
    "1080p": at_height(1080, 0.97),
    "faces": Group(
        "animation.avi, 720×528, one face",
        "decoded and detected, neither drawn nor encoded",
        lambda video, folder: looped(video or ANIMATION, folder),
        {
            "MediaPipe FaceMesh": mediapipe("mesh"),
            "vstream, faces with mesh": detecting("--detect", "faces", "--face-contours"),
            "MediaPipe FaceDetection": mediapipe("faces"),
            "vstream, faces alone": detecting("--detect", "faces"),
        },
        [
            ratio("vstream, faces with mesh", "MediaPipe FaceMesh", 3),
            ratio("vstream, faces alone", "MediaPipe FaceDetection", 3),
        ],
        [MEDIAPIPE]),
    "poses": Group(
        "the astronaut's portrait in motion, 640×480, one person",
        "decoded and detected, neither drawn nor encoded",
        lambda video, folder: looped(video or mediapipe_peer.moving_astronaut(folder), folder),
        {"MediaPipe Pose": mediapipe("poses"), "vstream, poses": detecting("--detect", "poses")},
        [ratio("vstream, poses", "MediaPipe Pose", 3)],
        [MEDIAPIPE]),
    "redaction": Group(
        "animation.avi, 720×528",
        "faces made unrecognisable, by the defaults of both",
        lambda video, folder: looped(video or ANIMATION, folder),
        {
            "deface": [DEFACE.folder / "bin/deface", "IN", "-o", "OUT"],
            "vstream": [vstream_path(), "IN", "-o", "OUT", "--redact", "mosaic", "--quiet", "-y"],
            "vstream, fast": [vstream_path(), "IN", "-o", "OUT", "--redact", "mosaic", "--face-mode", "fast", "--quiet", "-y"],
        },
        [ratio("vstream", "deface", 3), ratio("vstream, fast", "deface")],
        [DEFACE]),
    "start": Group(
        "street.avi, 768×576",
        "from the start of vstream --detect objects to its first frame",
        lambda video, folder: looped(video or VIDEOS / "street.avi", folder).beginning,
        {"without compiled networks": start(is_cold=True), "with compiled networks": start(is_cold=False)},
        [first_frame("without compiled networks", 1.5), first_frame("with compiled networks", 0.4)]),
}


def measure_contender(contender: Contender, clip: Clip, folder: Path) -> Measurement:
    return contender(clip, folder) if callable(contender) else measure(contender, clip, folder)

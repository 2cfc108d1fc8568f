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

from ..common import ROOT, VIDEOS, vstream_path
from ..environments import BENCH, DEFACE, MEDIAPIPE, Environment
from ..measuring import Clip, Measurement, looped, measure, moving_astronaut, run, scaled

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
    return Goal(f"{one} ÷ {other}", lambda results: [
        a.frames_per_second / b.frames_per_second for a, b in zip(results[one], results[other])], target)


def peak(name: str, target: float) -> Goal:
    return Goal(f"{name}: peak memory", lambda results: [row.peak_megabytes for row in results[name]], target, True, "MB")


def surplus(name: str, others: tuple[str, ...], target: float) -> Goal:
    """The peak of one less those of others."""
    return Goal(f"{name}: peak memory less those of {' and '.join(others)}", lambda results: [
        own.peak_megabytes - sum(other.peak_megabytes for other in others_of_round)
        for own, *others_of_round in zip(results[name], *(results[other] for other in others))], target, True, "MB")


def first_frame(name: str, target: float) -> Goal:
    return Goal(f"to the first frame, {name}", lambda results: [row.first_frame_seconds for row in results[name]], target, True, "s")


# --- Contenders ---

ENCODING = ["--codec", "libx264", "--preset", "veryfast", "--crf", "20", "--quiet", "-y"]
TRANSCODE = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", "IN", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "OUT"]


def own(*options: str) -> list:
    """vstream, encoding as ffmpeg does."""
    return [vstream_path(), "IN", "-o", "OUT", *ENCODING, *options]


def detecting(*options: str) -> list:
    """vstream without drawing and encoding."""
    return [vstream_path(), "IN", "-o", "null", "--quiet", *options]


def redacting(*options: str) -> list:
    return [vstream_path(), "IN", "-o", "OUT", "--redact", "mosaic", *options, "--quiet", "-y"]


def mediapipe(kind: str) -> list:
    return MEDIAPIPE.command("bench/peers", "mediapipe", kind, "IN")


def python_loop(model: str, *options: str) -> list:
    return BENCH.command("bench/peers", "video", "IN", "OUT", model, *options)


def network_alone(model: str, count: int, cache: Path) -> list:
    return [sys.executable, "-P", "-m", "vstream_tools", "bench/inference", ROOT / f".deps/models/{model}.xml", count, cache]


def inference_cost(model: str, cache: Path) -> Measurement:
    """OpenVINO alone, with the compiled network from a cache, as in vstream."""
    run(network_alone(model, 1, cache))
    figures = json.loads(run(network_alone(model, INFERENCES, cache)).output)
    return Measurement(processor_milliseconds=figures["cpuMilliseconds"], peak_megabytes=figures["megabytes"])


def inference(model: str) -> Callable[[Clip, Path], Measurement]:
    return lambda _, folder: inference_cost(model, folder)


def side_by_side(model: str) -> Callable[[Clip, Path], Measurement]:
    """ffmpeg's transcode while OpenVINO keeps all processors busy: the cost of a frame plus that of an inference."""
    def contender(clip: Clip, folder: Path) -> Measurement:
        command = [str(word) for word in network_alone(model, 0, folder)]
        beside = [Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(CORES)]
        try:
            transcode = measure(TRANSCODE, clip, folder)
            answers = [json.loads(process.communicate()[0]) for process in beside]
        finally:
            for process in beside:
                process.kill()
        milliseconds = transcode.processor_milliseconds + statistics.mean(answer["cpuMilliseconds"] for answer in answers)
        return Measurement(CORES * 1000 / milliseconds, milliseconds)
    return contender


def start(is_cold: bool) -> Callable[[Clip, Path], Measurement]:
    """The time to the first frame, without cached compiled networks (a run that fills the cache) or with them."""
    def contender(clip: Clip, folder: Path) -> Measurement:
        cache, statistics_file = folder / "cache", folder / "stats.json"
        if is_cold:
            shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(exist_ok=True)
        command = [*own("--detect", "objects"), "--stats", statistics_file]
        done = run(command, clip.head, folder / "out.mp4", {"XDG_CACHE_HOME": str(cache)})
        seconds = json.loads(statistics_file.read_text())["firstFrameSeconds"]
        return Measurement(peak_megabytes=done.peak_megabytes, first_frame_seconds=seconds)
    return contender


def bound(alone: str) -> Callable[[Results], list[Measurement]]:
    """Cores ÷ processor time per frame of decoding, encoding and inference, each measured alone."""
    def rounds(results: Results) -> list[Measurement]:
        sums = [transcode.processor_milliseconds + inference.processor_milliseconds
                for transcode, inference in zip(results["ffmpeg"], results[alone])]
        return [Measurement(CORES * 1000 / milliseconds, milliseconds) for milliseconds in sums]
    return rounds


# --- Groups ---


def from_video(name: str) -> Callable[[Path | None, Path], Clip]:
    return lambda video, folder: looped(video or VIDEOS / name, folder)


def at_height(height: int, target: float | None) -> Group:
    return Group(
        f"the middle of street.avi, scaled to {height * 16 // 9}×{height}", "decoded, annotated and encoded",
        lambda video, folder: scaled(video or VIDEOS / "street.avi", folder, height * 16 // 9, height),
        {"ffmpeg": TRANSCODE, "vstream --detect none": own("--detect", "none"), "vstream, objects": own("--detect", "objects")},
        [ratio("vstream --detect none", "ffmpeg", target), ratio("vstream, objects", "ffmpeg")])


# Objects on the whole of every frame, as the peers detect them.
WHOLE_FRAMES = ("--detect", "objects", "--detect-every", "1")

GROUPS = {
    "objects": Group(
        "street.avi, 768×576", "decoded, annotated and encoded", from_video("street.avi"),
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
            "Python loop, FP32": python_loop(FP32),
            "Python loop, INT8": python_loop(INT8),
            "Python loop, INT8, supervision": python_loop(INT8, "--track"),
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
        "animation.avi, 720×528, one face", "decoded and detected, neither drawn nor encoded", from_video("animation.avi"),
        {
            "MediaPipe FaceMesh": mediapipe("mesh"),
            "vstream, faces with mesh": detecting("--detect", "faces", "--face-contours"),
            "MediaPipe FaceDetection": mediapipe("faces"),
            "vstream, faces alone": detecting("--detect", "faces"),
        },
        [ratio("vstream, faces with mesh", "MediaPipe FaceMesh", 3), ratio("vstream, faces alone", "MediaPipe FaceDetection", 3)],
        [MEDIAPIPE]),
    "poses": Group(
        "the astronaut's portrait in motion, 640×480, one person", "decoded and detected, neither drawn nor encoded",
        lambda video, folder: looped(video or moving_astronaut(folder), folder),
        {"MediaPipe Pose": mediapipe("poses"), "vstream, poses": detecting("--detect", "poses")},
        [ratio("vstream, poses", "MediaPipe Pose", 3)], [MEDIAPIPE]),
    "redaction": Group(
        "animation.avi, 720×528", "faces made unrecognisable, by the defaults of both", from_video("animation.avi"),
        {
            "deface": [DEFACE.folder / "bin/deface", "IN", "-o", "OUT"],
            "vstream": redacting(),
            "vstream, fast": redacting("--face-mode", "fast"),
        },
        [ratio("vstream", "deface", 3), ratio("vstream, fast", "deface")], [DEFACE]),
    "start": Group(
        "street.avi, 768×576", "from the start of vstream --detect objects to its first frame", from_video("street.avi"),
        {"without compiled networks": start(is_cold=True), "with compiled networks": start(is_cold=False)},
        [first_frame("without compiled networks", 1.5), first_frame("with compiled networks", 0.4)]),
}

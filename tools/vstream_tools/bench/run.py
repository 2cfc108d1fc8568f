"""Measures vstream beside the programs that a user might choose instead.

    scripts/bench/run [--rounds N] [--only GROUP[,GROUP…]] [--input VIDEO] [--json FILE]

Sets up missing dependencies and builds the program first. Groups: objects (with ffmpeg, and Python loops), faces and
poses (with MediaPipe), redaction (with deface), start. The contenders of a group run one after the other, in alternating order, for
N rounds, so that a temporarily busy machine slows all of them; ratios are computed per round, and their medians are reported.

Clips have over 1,000 frames; shorter videos are looped. Frames per second and processor time are measured from the 50th
frame on, in the same way for all contenders: a whole run, less a run on a copy of the clip's first 50 frames. Memory is the
peak of the run's largest process. All contenders encode with libx264 veryfast, CRF 20, except for redaction, where all
use their defaults.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..common import ROOT, VIDEOS, log, parser, prepare_vstream, vstream_path
from ..environments import BENCH, DEFACE, MEDIAPIPE, Environment
from ..measuring import Clip, Measurement, looped, measure, moving_astronaut, run

CLIPS = ROOT / ".deps/bench"
FP32, INT8 = "ssd-mobilenet-v2", "ssd-int8"

# One measurement per round, by the contender's name.
Results = dict[str, list[Measurement]]
# A command with the placeholders IN and OUT for the files, or a function that measures.
Contender = list | Callable[[Clip, Path], Measurement]

ENCODING = ["--codec", "libx264", "--preset", "veryfast", "--crf", "20", "--quiet", "-y"]
TRANSCODE = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", "IN", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "OUT"]
# Objects on the whole of every frame, as the peers detect them.
WHOLE_FRAMES = ("--detect", "objects", "--detect-every", "1")


@dataclass(frozen=True)
class Group:
    # The processing that is measured.
    what: str
    # Of SampleVideos; without it, the astronaut in motion.
    video: str
    contenders: dict[str, Contender]
    # Names of contenders, whose frames per second are divided.
    ratios: list[tuple[str, str]]
    environments: tuple[Environment, ...] = ()


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


def start(clip: Clip, folder: Path, is_cold: bool) -> Measurement:
    """The time to the first frame, without cached compiled networks (a run that fills the cache) or with them."""
    cache, figures = folder / "cache", folder / "stats.json"
    if is_cold:
        shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(exist_ok=True)
    done = run([*own("--detect", "objects"), "--stats", figures], clip.head, folder / "out.mp4", {"XDG_CACHE_HOME": str(cache)})
    return Measurement(peak_megabytes=done.peak_megabytes, first_frame_seconds=json.loads(figures.read_text())["firstFrameSeconds"])


GROUPS = {
    "objects": Group(
        "decoded, annotated and encoded", "street.avi",
        {
            "vstream, objects every 4th": own("--detect", "objects", "--detect-every", "4"),
            "ffmpeg": TRANSCODE,
            "vstream --detect none": own("--detect", "none"),
            "vstream, objects": own(*WHOLE_FRAMES),
            "vstream, balanced": own("--detect", "objects", "--accuracy", "balanced"),
            "vstream, objects, FP32": own(*WHOLE_FRAMES, "--object-model", FP32),
            "Python loop, FP32": python_loop(FP32),
            "Python loop, INT8": python_loop(INT8),
            "Python loop, INT8, supervision": python_loop(INT8, "--track"),
        },
        [("vstream --detect none", "ffmpeg"), ("vstream, objects every 4th", "ffmpeg"), ("vstream, balanced", "vstream, objects"),
         ("vstream, objects, FP32", "Python loop, FP32"),
         *(("vstream, objects", f"Python loop, {kind}") for kind in ("FP32", "INT8", "INT8, supervision"))],
        (BENCH,)),
    "faces": Group(
        "decoded and detected, neither drawn nor encoded", "animation.avi",
        {
            "MediaPipe FaceMesh": mediapipe("mesh"),
            "vstream, faces with mesh": detecting("--detect", "faces", "--face-contours"),
            "MediaPipe FaceDetection": mediapipe("faces"),
            "vstream, faces alone": detecting("--detect", "faces"),
        },
        [("vstream, faces with mesh", "MediaPipe FaceMesh"), ("vstream, faces alone", "MediaPipe FaceDetection")], (MEDIAPIPE,)),
    "poses": Group(
        "decoded and detected, neither drawn nor encoded", "",
        {"MediaPipe Pose": mediapipe("poses"), "vstream, poses": detecting("--detect", "poses")},
        [("vstream, poses", "MediaPipe Pose")], (MEDIAPIPE,)),
    "redaction": Group(
        "faces made unrecognisable, by the defaults of both", "animation.avi",
        {
            "deface": [DEFACE.folder / "bin/deface", "IN", "-o", "OUT"],
            "vstream": redacting(),
            "vstream, fast": redacting("--face-mode", "fast"),
        },
        [("vstream", "deface"), ("vstream, fast", "deface")], (DEFACE,)),
    "start": Group(
        "from the start of vstream --detect objects to its first frame", "street.avi",
        {"without compiled networks": functools.partial(start, is_cold=True),
         "with compiled networks": functools.partial(start, is_cold=False)}, []),
}


def measure_group(name: str, group: Group, clip: Clip, rounds: int) -> Results:
    results: Results = {contender: [] for contender in group.contenders}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            # In alternating order, so that a machine that slows down over time favours no contender.
            contenders = list(group.contenders.items())
            for contender, how in contenders if number % 2 == 0 else reversed(contenders):
                log(f"{name}, round {number + 1} of {rounds}: {contender}…")
                results[contender].append(how(clip, Path(folder)) if callable(how) else measure(how, clip, Path(folder)))
    return results


def show_table(results: Results) -> None:
    print(f"{'':32}{'fps':>8}{'lowest':>8}{'highest':>9}{'CPU a frame':>13}{'memory':>9}{'1st frame':>11}")
    for name, rows in results.items():
        def cell(form: str, how: Callable, column: str, rows: list[Measurement] = rows) -> str:
            values = [getattr(row, column) for row in rows]
            return "–" if None in values else form.format(how(values))

        print(f"{name:32}{cell('{:.1f}', statistics.median, 'frames_per_second'):>8}{cell('{:.1f}', min, 'frames_per_second'):>8}"
              f"{cell('{:.1f}', max, 'frames_per_second'):>9}{cell('{:.1f} ms', statistics.median, 'processor_milliseconds'):>13}"
              f"{cell('{:.0f} MB', max, 'peak_megabytes'):>9}{cell('{:.2f} s', statistics.median, 'first_frame_seconds'):>11}")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each contender [3]")
    options.add_argument("--only", default=",".join(GROUPS), metavar="GROUP[,GROUP…]", help="only these groups [all]")
    options.add_argument("--input", type=Path, metavar="VIDEO", help="this video instead of each group's default")
    options.add_argument("--json", type=Path, metavar="FILE", help="write all figures of all rounds to a file")
    arguments = options.parse_args()
    names = list(dict.fromkeys(arguments.only.split(",")))
    if arguments.rounds < 1:
        options.error(f"--rounds {arguments.rounds} is not 1 or more")
    if unknown := [name for name in names if name not in GROUPS]:
        options.error(f"--only '{unknown[0]}' is none of {', '.join(GROUPS)}")
    prepare_vstream()
    for environment in dict.fromkeys(needed for name in names for needed in GROUPS[name].environments):
        environment.prepare()
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            group, clips = GROUPS[name], Path(folder) if arguments.input else CLIPS
            source = arguments.input or (VIDEOS / group.video if group.video else moving_astronaut(clips))
            clip = looped(source, clips)
            results = measure_group(name, group, clip, arguments.rounds)
            print(f"\n{name}: {source.name}, {clip.frames:,} frames; {group.what}; load of the machine: {os.getloadavg()[0]:.1f}\n")
            show_table(results)
            for one, other in group.ratios:
                values = [a.frames_per_second / b.frames_per_second for a, b in zip(results[one], results[other])]
                print(f"{one} ÷ {other}: {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})", flush=True)
            figures[name] = {row: [dataclasses.asdict(one) for one in rows] for row, rows in results.items()}
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")

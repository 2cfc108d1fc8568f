"""Compares vstream's tracker with those of the package `trackers`, on the same detections.

    tools/run research/tracking [options] [-- OPTION OF vstream track…]
    tools/run research/tracking [options] FOLDER… [-- OPTION OF vstream track…]
    tools/run research/tracking --street [MODEL…] [-- OPTION OF vstream track…]

Without folders it uses synthetic scenes with exact ground truth (research/scenes.py), and measures
the speed too. A folder is in MOTChallenge's format (gt/gt.txt, det/det.txt, seqinfo.ini; or gt.txt and det.txt, with --fps), or
contains such folders; only people are counted (class 1 or -1). With --street it uses the people of street.avi, with the
detections on whole frames of the default model, of the same in tiles as well, and of each MODEL (a file for --object-model); a
person who re-enters the frame counts as a new one. tools/run research/accuracy-cost compares detection on parts of frames.

MOTA, IDF1, HOTA, ID switches and fragmentations are TrackEval's. vstream runs as a command, with the same settings for all
scenes: its defaults, and its defaults with the peers' memory of 3 s (--lost-after 3). Each peer runs with four settings
(score thresholds 0.3, 0.4, 0.5, 0.6), and the row reports the best. The Python packages are installed in
.deps/venv-tracking (tools/requirements/tracking.txt).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from vstream_tools.common import VIDEOS, fail, parser, prepare_vstream, vstream_path

from . import scenes
from .tracks import (
    MEMORY,
    THRESHOLDS,
    TRACKERS,
    Figures,
    Sequence,
    as_detections,
    by_frame,
    evaluate,
    make_peer,
    read_boxes,
    run_own,
    run_peer,
    run_vstream,
    write_street,
)

Groups = dict[str, list[Sequence]]
OURS: dict[str, list[str]] = {"vstream": [], f"vstream, {MEMORY} s": ["--lost-after", str(MEMORY)]}
METRICS = ("mota", "idf1", "hota")


def measure_peer(name: str, threshold: float, sequences: list[Sequence]) -> Figures:
    return Figures.of([evaluate(sequence, run_peer(name, threshold, sequence)) for sequence in sequences])


def measure_vstream(sequences: list[Sequence], options: list[str]) -> Figures:
    return Figures.of([evaluate(sequence, run_own(sequence, options)) for sequence in sequences])


def print_comparison(groups: Groups, options: list[str], jobs: int) -> None:
    """The figures of vstream and of each peer with its best setting, and the differences from the best peer for each metric."""
    print(f"{'':18} {Figures.HEADER}")
    differences: dict[str, dict[str, list[float]]] = {setting: {} for setting in OURS}
    with ProcessPoolExecutor(jobs) as pool:
        futures = {name: ({setting: pool.submit(measure_vstream, sequences, more + options) for setting, more in OURS.items()},
                          {peer: [pool.submit(measure_peer, peer, threshold, sequences) for threshold in THRESHOLDS] for peer in TRACKERS})
                   for name, sequences in groups.items()}
        for name, (own, others) in futures.items():
            ours = {setting: future.result() for setting, future in own.items()}
            peers = {peer: [future.result() for future in settings] for peer, settings in others.items()}
            print(name)
            best = {peer: max(settings, key=lambda figures: figures.idf1 + figures.hota) for peer, settings in peers.items()}
            for row, figures in (ours | best).items():
                print(f"  {row:16} {figures.row}", flush=True)
            for setting, figures in ours.items():
                differences[setting][name] = [getattr(figures, metric) - max(
                    getattr(other, metric) for settings in peers.values() for other in settings) for metric in METRICS]
    for setting, rows in differences.items():
        print(f"\n{setting} minus the best peer with its best setting, per metric\n{'':18} {'MOTA':>7} {'IDF1':>7} {'HOTA':>7}")
        for name, values in [*rows.items(), ("sum", [sum(column) for column in zip(*rows.values())])]:
            print(f"  {name:16} " + " ".join(f"{value:+7.3f}" for value in values))


# --- Speed ---

SPEED_OBJECTS, SPEED_FRAMES, SPEED_FRAMES_PEERS, SPEED_RUNS = 20, 20_000, 600, 3


def write_crowd(path: Path) -> None:
    """Writes detections of twenty moving people, all detected on every frame."""
    rng = np.random.default_rng(5)
    starts, speeds = rng.uniform([0, 50], [1200, 600], (SPEED_OBJECTS, 2)), rng.uniform(-4, 4, (SPEED_OBJECTS, 2))
    with open(path, "w") as lines:
        for frame in range(1, SPEED_FRAMES + 1):
            centres = np.abs((starts + speeds * frame) % [2400, 1300] - [1200, 650]) + rng.normal(size=(SPEED_OBJECTS, 2))
            for x, y in centres:
                lines.write(f"{frame},-1,{x:.2f},{y:.2f},40.00,92.00,{rng.uniform(0.5, 1):.4f},1,-1,-1\n")


def print_speed() -> None:
    print(f"\nframes per second with {SPEED_OBJECTS} objects per frame, one core, best of {SPEED_RUNS}")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "crowd.txt", Path(name) / "tracks.txt"
        write_crowd(source)
        frames = [as_detections(rows) for rows in by_frame(read_boxes(source), SPEED_FRAMES)[:SPEED_FRAMES_PEERS]]
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

        def track(peer: str) -> None:
            tracker = make_peer(peer, 0.5, 25)
            for found in frames:
                tracker.update(found)

        def track_own(_: str) -> None:
            subprocess.run([vstream_path(), "track", source, "-o", target, "--fps", "25", "--overwrite"], check=True)

        for label, action, count, what in [("vstream track", track_own, SPEED_FRAMES, "reading, tracking and writing"),
                                           *((peer, track, SPEED_FRAMES_PEERS, "tracking alone") for peer in TRACKERS)]:
            seconds = []
            for _ in range(SPEED_RUNS):
                start = time.perf_counter()
                action(label)
                seconds.append(time.perf_counter() - start)
            print(f"  {label:16} {count / min(seconds):8.0f}  {what}")


# --- The command ---


def find_sequences(folders: Iterable[Path], rate: float | None) -> Groups:
    """The sequences of each row: a folder with gt and det, or the folders in a folder."""
    groups: Groups = {}
    for folder in folders:
        is_one = Sequence(folder, 1, 0).detections.exists()
        found = [one for one in ([folder] if is_one else sorted(folder.iterdir())) if Sequence(one, 1, 0).detections.exists()]
        if not found:
            fail(f"there is no det/det.txt or det.txt in '{folder}' or in its subfolders")
        groups |= {one.name: [Sequence.read(one, rate)] for one in found}
    return groups


def street_sequences(folder: Path, models: list[str]) -> Groups:
    """The people of street.avi, with the detections of each model; each time a person enters the frame, the ID is new."""
    groups = {}
    detectors = {"default": [], "default, tiles": ["--accurate"]} | {model: ["--object-model", model] for model in models}
    for number, (name, options) in enumerate(detectors.items()):
        target, file = folder / f"street-{number}", folder / f"street-{number}.jsonl"
        run_vstream(VIDEOS / "street.avi", "-o", "null", "--records", file, "--quiet", "--detect", "objects", "--classes", "person",
                    "--detect-every", 1, "--record-detections", *options)
        records = [record for record in map(json.loads, file.read_text().splitlines()) if record["type"] == "frame"]
        write_street(target).write_text("".join(
            f"{record['ticks'] + 1},-1,{','.join(f'{value:.3f}' for value in one['box'])},{one['score']:.5f},1\n"
            for record in records for one in record["detections"]["objects"]))
        groups[f"street, {name}"] = [Sequence.read(target)]
    return groups


def draw_scenes(folder: Path, seeds: list[int], jobs: int) -> Groups:
    names = [(name, seed) for name in scenes.ROWS for seed in seeds]
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(scenes.write_row, *zip(*names), [folder] * len(names)))
    return {name: [Sequence.read(folder / f"{name}-{seed}") for seed in seeds] for name in scenes.ROWS}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="MOTChallenge folders [synthetic scenes]")
    options.add_argument("--fps", type=float, metavar="F", help="the frame rate of folders without seqinfo.ini")
    options.add_argument("--street", nargs="*", metavar="MODEL", help="the people of street.avi, with these models as well")
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], metavar="N", help="the scenes' seeds [1 2 3]")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, jobs = options.parse_args(sys.argv[1:end]), os.cpu_count() or 1
    prepare_vstream()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.street is not None:
            groups = street_sequences(Path(folder), arguments.street)
        elif arguments.folders:
            groups = find_sequences(arguments.folders, arguments.fps)
        else:
            groups = draw_scenes(Path(folder), arguments.seeds, jobs)
        print_comparison(groups, sys.argv[end + 1:], jobs)
    if not arguments.folders and arguments.street is None:
        print_speed()

"""Compares vstream's tracker with those of the package `trackers`, on the same detections.

    scripts/evaluate/tracking [options] [-- OPTION OF vstream track…]
    scripts/evaluate/tracking [options] FOLDER… [-- OPTION OF vstream track…]
    scripts/evaluate/tracking --street [MODEL…] [-- OPTION OF vstream track…]
    scripts/evaluate/tracking --partial [--passes F]

Without folders it uses synthetic scenes with exact ground truth (scripts/fixtures/tracking_scenes.py), and measures the speed
too. A folder is in MOTChallenge's format (gt/gt.txt, det/det.txt, seqinfo.ini; or gt.txt and det.txt, with --fps), or contains
such folders; only people are counted (class 1 or -1). With --street it uses the people of street.avi, with the detections on whole frames of the default
model, of the same in tiles as well, and of each MODEL (a file for --object-model); a person who re-enters the frame counts
as a new one. scripts/evaluate/accuracy-cost compares detection on parts of frames.

With --partial it uses the synthetic scenes, and compares the tracks of all detections with those of the detections in the
regions that the planner of object detection selects with half a pass a frame (--passes F), as if the detector had been run
only there (Benchmarks/PartialTracking).

MOTA, IDF1, HOTA, ID switches and fragmentations are TrackEval's. vstream runs as a command, with the same settings for all
scenes: its defaults, and its defaults with the peers' memory of 3 s (--lost-after 3). Each peer runs with four settings
(score thresholds 0.3, 0.4, 0.5, 0.6), and the row reports the best. The Python packages are installed in
.deps/venv-tracking (scripts/support/requirements/tracking.txt).
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path


from ..common import ROOT, VIDEOS, fail, frame_records, prepare_vstream, run_vstream, vstream_path
from ..environments import TRACKING

import numpy as np

from ..fixtures import tracking_scenes
from ..fixtures import tracking_sequences
from .motchallenge import Sequence, by_frame, read_boxes
from .tracking_figures import (
    MEMORY, PEERS, THRESHOLDS, Figures, as_detections, evaluate, run_own, run_peer, write_street)

SEEDS = [1, 2, 3]
OURS: dict[str, list[str]] = {"vstream": [], f"vstream, {MEMORY} s": ["--lost-after", str(MEMORY)]}


def measure_peer(name: str, threshold: float, sequences: list[Sequence]) -> Figures:
    results = [evaluate(sequence, run_peer(name, threshold, sequence)) for sequence in sequences]
    return Figures.of(results, f"{threshold}")


def measure_vstream(sequences: list[Sequence], options: list[str]) -> Figures:
    return Figures.of([evaluate(sequence, run_own(sequence, options)) for sequence in sequences])


# --- Tables ---

HEADER = f"{'':18} {'MOTA':>6} {'IDF1':>6} {'HOTA':>6} {'switches':>9} {'fragments':>10}  threshold"


def table_line(name: str, figures: Figures) -> str:
    return (f"  {name:16} {figures.mota:6.3f} {figures.idf1:6.3f} {figures.hota:6.3f} {figures.switches:9} "
            f"{figures.fragmentations:10}  {figures.setting}".rstrip())


@dataclass
class Row:
    """The figures for one kind of scene: vstream, and each peer with each of its settings."""

    name: str
    ours: dict[str, Figures]  # by the name of the setting
    peers: dict[str, list[Figures]]

    def best(self, metric: str) -> float:
        """The best value of a metric over all peers and settings."""
        return max(getattr(figures, metric) for settings in self.peers.values() for figures in settings)

    def print(self) -> None:
        print(self.name)
        for name, figures in self.ours.items():
            print(table_line(name, figures))
        for name, settings in self.peers.items():
            print(table_line(name, max(settings, key=lambda figures: figures.idf1 + figures.hota)))


def print_comparison(rows: list[Row]) -> None:
    for setting in OURS:
        print(f"\n{setting} minus the best peer with its best setting, per metric")
        print(f"{'':18} {'MOTA':>7} {'IDF1':>7} {'HOTA':>7}")
        sums = dict.fromkeys(("mota", "idf1", "hota"), 0.0)
        for row in rows:
            differences = {metric: getattr(row.ours[setting], metric) - row.best(metric) for metric in sums}
            for metric, difference in differences.items():
                sums[metric] += difference
            print(f"  {row.name:16} " + " ".join(f"{difference:+7.3f}" for difference in differences.values()))
        print(f"  {'sum':16} " + " ".join(f"{value:+7.3f}" for value in sums.values()))


def measure(groups: dict[str, list[Sequence]], options: list[str], jobs: int) -> list[Row]:
    with ProcessPoolExecutor(jobs) as pool:
        ours = {name: {setting: pool.submit(measure_vstream, sequences, more + options) for setting, more in OURS.items()}
                for name, sequences in groups.items()}
        peers = {name: {peer: [pool.submit(measure_peer, peer, threshold, sequences) for threshold in THRESHOLDS]
                        for peer in PEERS} for name, sequences in groups.items()}
        rows = []
        for name in groups:
            settings = {peer: [future.result() for future in futures] for peer, futures in peers[name].items()}
            rows.append(Row(name, {setting: future.result() for setting, future in ours[name].items()}, settings))
            rows[-1].print()
        return rows


# --- Speed ---

SPEED_OBJECTS = 20
SPEED_FRAMES = 20_000
SPEED_FRAMES_PEERS = 600


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
    print(f"\nframes per second with {SPEED_OBJECTS} objects per frame, one core")
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "crowd.txt", Path(name) / "tracks.txt"
        write_crowd(source)
        command = [vstream_path(), "track", source, "-o", target, "--fps", "25", "--overwrite"]
        one_core = ["taskset", "--cpu-list", "0"] if shutil.which("taskset") else []
        seconds = []
        for _ in range(5):
            start = time.monotonic()
            subprocess.run([*one_core, *command], check=True)
            seconds.append(time.monotonic() - start)
        print(f"  vstream track    {SPEED_FRAMES / min(seconds):8.0f}  best of 5; reading, tracking and writing")
        frames = [as_detections(rows) for rows in by_frame(read_boxes(source), SPEED_FRAMES)[:SPEED_FRAMES_PEERS]]
        for peer, make in PEERS.items():
            best = float("inf")
            for _ in range(3):
                tracker = make(0.5, 25)
                start = time.perf_counter()
                for found in frames:
                    tracker.update(found)
                best = min(best, time.perf_counter() - start)
            print(f"  {peer:16} {SPEED_FRAMES_PEERS / best:8.0f}  best of 3; tracking alone")


# --- Partial observation ---


def track_partially(sequence: Sequence, passes: float) -> tuple[np.ndarray, float]:
    """The tracks of the detections in the planned regions, and the passes for a frame."""
    with tempfile.TemporaryDirectory() as folder:
        times, output = Path(folder) / "times.txt", Path(folder) / "tracks.txt"
        seconds = sequence.times()
        np.savetxt(times, np.arange(sequence.frames) / sequence.rate if seconds is None else seconds, fmt="%.9f")
        command = [binary_folder() / "PartialTracking", sequence.detections, sequence.truth, times, output,
                   *tracking_scenes.SIZE, passes]
        printed = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
        return read_boxes(output), float(printed)


@functools.cache
def binary_folder() -> Path:
    command = ["swift", "build", "--package-path", ROOT, "-c", "release"]
    subprocess.run([*command, "--product", "PartialTracking"], check=True, stdout=sys.stderr)
    return Path(subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True).stdout.strip())


def print_partial(groups: dict[str, list[Sequence]], passes: float) -> None:
    print(f"{'':18} {'IDF1, all':>10} {'partial':>8} {'MOTA, all':>10} {'partial':>8} {'passes':>7}")
    sums = np.zeros(5)
    for name, sequences in groups.items():
        whole = measure_vstream(sequences, [])
        partial = [track_partially(sequence, passes) for sequence in sequences]
        figures = Figures.of([evaluate(sequence, tracks) for sequence, (tracks, _) in zip(sequences, partial, strict=True)])
        used = float(np.mean([used for _, used in partial]))
        row = np.array([whole.idf1, figures.idf1, whole.mota, figures.mota, used])
        sums += row
        print(f"{name:18} " + "{:10.3f} {:8.3f} {:10.3f} {:8.3f} {:7.2f}".format(*row), flush=True)
    print(f"{'mean':18} " + "{:10.3f} {:8.3f} {:10.3f} {:8.3f} {:7.2f}".format(*sums / len(groups)))


# --- The command ---


def find_sequences(folders: Iterable[Path], rate: float | None) -> dict[str, list[Sequence]]:
    """The sequences of each row: a folder with gt and det, or the folders in a folder."""
    groups = {}
    for folder in folders:
        candidates = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
        found = [one for one in candidates if Sequence(one, 1, 0).detections.exists()]
        if not found:
            fail(f"there is no det/det.txt or det.txt in '{folder}' or in its subfolders")
        groups |= {one.name: [Sequence.read(one, rate)] for one in found}
    return groups


def street_sequences(folder: Path, models: list[str]) -> dict[str, list[Sequence]]:
    """The people of street.avi, with the detections of each model; each time a person enters the frame, the ID is new."""
    groups = {}
    detectors = {"default": [], "default, tiles": ["--accurate"]} | {model: ["--object-model", model] for model in models}
    for number, (name, options) in enumerate(detectors.items()):
        target = folder / f"street-{number}"
        path = write_street(target)
        records = frame_records(
            VIDEOS / "street.avi", "--detect", "objects", "--classes", "person", "--detect-every", 1,
            "--record-detections", *options)
        with open(path, "w") as detections:
            for record in records:
                for one in record["detections"]["objects"]:
                    box = ",".join(f"{value:.3f}" for value in one["box"])
                    detections.write(f"{record['ticks'] + 1},-1,{box},{one['score']:.5f},1\n")
        groups[f"street, {name}"] = [Sequence.read(target)]
    return groups


def draw_scenes(folder: Path, seeds: list[int], jobs: int) -> dict[str, list[Sequence]]:
    names = [(name, seed) for name in tracking_sequences.ROWS for seed in seeds]
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(tracking_sequences.write_row, *zip(*names, strict=True), [folder] * len(names)))
    return {name: [Sequence.read(folder / f"{name}-{seed}") for seed in seeds] for name in tracking_sequences.ROWS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Compare vstream's tracker with those of the package `trackers`.",
        epilog="Arguments after -- are passed to vstream track, for example: -- --lost-after 2")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="MOTChallenge folders [synthetic scenes]")
    parser.add_argument("--fps", type=float, metavar="F", help="the frame rate of folders without seqinfo.ini")
    parser.add_argument("--street", nargs="*", metavar="MODEL", help="the people of street.avi, with these models as well")
    parser.add_argument("--partial", action="store_true", help="compare all detections with those of planned regions")
    parser.add_argument("--passes", type=float, default=0.5, metavar="F", help="with --partial: the budget [0.5]")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, metavar="N", help="the scenes' seeds [1 2 3]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="parallel jobs")
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    arguments = parser.parse_args(words[: words.index("--")] if "--" in words else words)
    prepare_vstream()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.street is not None:
            groups = street_sequences(Path(folder), arguments.street)
        elif arguments.folders:
            groups = find_sequences(arguments.folders, arguments.fps)
        else:
            groups = draw_scenes(Path(folder), arguments.seeds, arguments.jobs)
        if arguments.partial:
            return print_partial(groups, arguments.passes)
        print(HEADER)
        print_comparison(measure(groups, options, arguments.jobs))
    if not arguments.folders and arguments.street is None:
        print_speed()

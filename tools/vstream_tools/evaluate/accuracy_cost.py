"""Draws the quality of the tracks of the people in street.avi against processor time, for budgets of passes and for peers.

    scripts/evaluate/accuracy-cost [--model FILE…] [--picture FILE.svg|.png] [--passes F…]

vstream runs with `--passes` from 0.2 to 7, from start to exit, with the default network and with each FILE (for
--object-model). The peers run the default network in Python (OpenVINO): on the whole of each frame, and on the slices of
supervision's InferenceSlicer as well (its defaults), each with the four trackers of the package `trackers`; of four score
thresholds, that with the best sum of IDF1 and HOTA counts. Their processor time is that of detecting, from start to exit,
and of tracking.

MOTA, IDF1, HOTA, ID switches and fragmentations are TrackEval's; a person who re-enters the frame counts as a new one. The
Python packages are installed in .deps/venv-tracking and .deps/venv-bench (scripts/support/requirements).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


from ..common import VIDEOS, prepare_vstream, vstream_path
from ..environments import BENCH, TRACKING
from ..measuring import run

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from .motchallenge import Sequence, read_boxes
from .tracking_figures import PEERS, THRESHOLDS, Figures, evaluate, run_peer, write_street

STREET = VIDEOS / "street.avi"
FRAMES = 795
PASSES = (0.2, 0.33, 0.5, 0.8, 1.0, 1.25, 1.7, 2.2, 2.7, 4.0, 7.0)
METRICS = {"mota": "MOTA", "idf1": "IDF1", "hota": "HOTA"}


@dataclass(frozen=True)
class Point:
    """One contender: its figures, and milliseconds of processor time a frame."""

    name: str
    cost: float
    figures: Figures

    def line(self) -> str:
        figures = self.figures
        return (f"{self.name:44} {self.cost:7.1f} {figures.mota:7.3f} {figures.idf1:6.3f} {figures.hota:6.3f}"
                f" {figures.switches:9} {figures.fragmentations:10}")


HEADER = f"{'':44} {'ms CPU':>7} {'MOTA':>7} {'IDF1':>6} {'HOTA':>6} {'switches':>9} {'fragments':>10}"


def own(sequence: Sequence, folder: Path, name: str, options: list[object]) -> Point:
    tracks = folder / "tracks.txt"
    command = [vstream_path(), STREET, "-o", "null", "--detect", "objects", "--classes", "person", "--records", tracks, "-y",
               "--quiet", *options]
    finished = run(command)
    return Point(name, 1000 * finished.processor_seconds / FRAMES, Figures.of([evaluate(sequence, read_boxes(tracks))]))


def peers(sequence: Sequence, kind: str) -> list[Point]:
    """The trackers with the detections of the Python loop."""
    detected = run([BENCH.python, SCRIPTS / "support/slicing_peer.py", STREET, sequence.detections, kind])
    points = []
    for name in PEERS:
        candidates = []
        for threshold in THRESHOLDS:
            start = time.process_time()
            tracks = run_peer(name, threshold, sequence)
            seconds = detected.processor_seconds + time.process_time() - start
            figures = Figures.of([evaluate(sequence, tracks)], f"{threshold}")
            candidates.append(Point(f"Python, {kind}, {name}", 1000 * seconds / FRAMES, figures))
        points.append(max(candidates, key=lambda point: point.figures.idf1 + point.figures.hota))
    return points


def draw(picture: Path, curves: dict[str, list[Point]], others: dict[str, list[Point]]) -> None:
    figure, axes = pyplot.subplots(1, len(METRICS), figsize=(15, 5), sharex=True)
    for axis, (metric, title) in zip(axes, METRICS.items(), strict=True):
        for name, points in curves.items():
            points = sorted(points, key=lambda point: point.cost)
            axis.plot([point.cost for point in points], [getattr(point.figures, metric) for point in points], "o-", label=name)
        for marker, (name, points) in zip("sx^v", others.items(), strict=False):
            axis.plot([point.cost for point in points], [getattr(point.figures, metric) for point in points], marker,
                      label=name)
        axis.set_title(title)
        axis.set_xscale("log")
        axis.set_xticks([5, 10, 20, 50, 100, 200], labels=["5", "10", "20", "50", "100", "200"])
        axis.set_xlabel("processor time, ms a frame")
        axis.grid(alpha=0.3)
    axes[0].legend(loc="lower right", fontsize="small")
    figure.suptitle("People of street.avi: quality of the tracks against processor time")
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None} if picture.suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description="Quality of tracks against processor time.")
    parser.add_argument("--model", type=Path, action="append", default=[], metavar="FILE", help="another object model")
    parser.add_argument("--picture", type=Path, default=Path("accuracy-cost.svg"), metavar="FILE", help="the chart")
    parser.add_argument("--passes", type=float, nargs="+", default=PASSES, metavar="F", help="budgets")
    arguments = parser.parse_args()
    prepare_vstream()
    BENCH.prepare()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_street(folder / "street").touch()
        sequence = Sequence.read(folder / "street")
        curves, others = {}, {}
        print(HEADER)
        for model in [None, *arguments.model]:
            chosen = ["--object-model", model] if model else []
            label = f"vstream, {model.stem}" if model else "vstream"
            curves[label] = [own(sequence, folder, f"{label}, --passes {passes:g}", ["--passes", passes, *chosen])
                             for passes in arguments.passes]
            others[f"{label}, whole frames"] = [
                own(sequence, folder, f"{label}, whole frames", ["--detect-every", 1, *chosen])]
            for point in curves[label] + others[f"{label}, whole frames"]:
                print(point.line(), flush=True)
        for kind in ("whole", "slices"):
            others[f"Python, {kind}"] = peers(sequence, kind)
            for point in others[f"Python, {kind}"]:
                print(point.line(), flush=True)
    draw(arguments.picture, curves, others)
    print(f"\n{arguments.picture}")

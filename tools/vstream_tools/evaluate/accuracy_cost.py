"""Draws the quality of the tracks of the people in street.avi against processor time, for budgets of passes and for peers.

    scripts/evaluate/accuracy-cost [--model FILE…] [--picture FILE.svg|.png] [--passes F…]

vstream runs with `--passes` from 0.2 to 7, from start to exit, with the default network and with each FILE (for
--object-model). The peers run the default network in Python (OpenVINO): on the whole of each frame, and on the slices of
supervision's InferenceSlicer as well (its defaults), each with the four trackers of the package `trackers`; of four score
thresholds, that with the best sum of IDF1 and HOTA counts. Their processor time is that of detecting, from start to exit,
and of tracking.

MOTA, IDF1, HOTA, ID switches and fragmentations are TrackEval's; a person who re-enters the frame counts as a new one. The
Python packages are installed in .deps/venv-tracking and .deps/venv-bench (tools/requirements).
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from ..common import VIDEOS, parser, prepare_vstream, vstream_path
from ..environments import BENCH
from ..measuring import run
from .tracks import PEERS, THRESHOLDS, Figures, Sequence, evaluate, read_boxes, run_peer, write_street

matplotlib.use("Agg")
from matplotlib import pyplot

STREET = VIDEOS / "street.avi"
FRAMES = 795
PASSES = (0.2, 0.33, 0.5, 0.8, 1.0, 1.25, 1.7, 2.2, 2.7, 4.0, 7.0)


@dataclass(frozen=True)
class Point:
    """One contender: its figures, and milliseconds of processor time a frame."""

    name: str
    cost: float
    figures: Figures

    def print(self) -> None:
        figures = self.figures
        print(f"{self.name:44} {self.cost:7.1f} {figures.mota:7.3f} {figures.idf1:6.3f} {figures.hota:6.3f}"
              f" {figures.switches:9} {figures.fragmentations:10}", flush=True)


def own(sequence: Sequence, folder: Path, name: str, *options: object) -> Point:
    tracks = folder / "tracks.txt"
    finished = run([vstream_path(), STREET, "-o", "null", "--detect", "objects", "--classes", "person", "--records", tracks, "-y",
                    "--quiet", *options])
    return Point(name, 1000 * finished.processor_seconds / FRAMES, Figures.of([evaluate(sequence, read_boxes(tracks))]))


def peers(sequence: Sequence, kind: str) -> list[Point]:
    """The trackers with the detections of the Python loop."""
    detected = run(BENCH.command("bench/peers", "people", STREET, sequence.detections, kind))
    points = []
    for name in PEERS:
        candidates = []
        for threshold in THRESHOLDS:
            start = time.process_time()
            tracks = run_peer(name, threshold, sequence)
            seconds = detected.processor_seconds + time.process_time() - start
            candidates.append(Point(f"Python, {kind}, {name}", 1000 * seconds / FRAMES, Figures.of([evaluate(sequence, tracks)])))
        points.append(max(candidates, key=lambda point: point.figures.idf1 + point.figures.hota))
    return points


def draw(picture: Path, groups: dict[str, list[Point]]) -> None:
    """A chart for each metric; groups of several budgets are lines."""
    figure, axes = pyplot.subplots(1, 3, figsize=(15, 5), sharex=True)
    for axis, metric in zip(axes, ("mota", "idf1", "hota")):
        for name, points in groups.items():
            points = sorted(points, key=lambda point: point.cost)
            axis.plot([point.cost for point in points], [getattr(point.figures, metric) for point in points],
                      "s" if "whole" in name or "slices" in name else "o-", label=name)
        axis.set_title(metric.upper())
        axis.set_xscale("log")
        axis.set_xticks([5, 10, 20, 50, 100, 200], labels=["5", "10", "20", "50", "100", "200"])
        axis.set_xlabel("processor time, ms a frame")
        axis.grid(alpha=0.3)
    axes[0].legend(loc="lower right", fontsize="small")
    figure.suptitle("People of street.avi: quality of the tracks against processor time")
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None} if picture.suffix == ".svg" else None)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--model", type=Path, action="append", default=[], metavar="FILE", help="another object model")
    options.add_argument("--picture", type=Path, default=Path("accuracy-cost.svg"), metavar="FILE", help="the chart")
    options.add_argument("--passes", type=float, nargs="+", default=PASSES, metavar="F", help="budgets")
    arguments = options.parse_args()
    prepare_vstream()
    BENCH.prepare()
    groups: dict[str, list[Point]] = {}

    def add(name: str, points: list[Point]) -> None:
        groups[name] = groups.get(name, []) + points
        for point in points:
            point.print()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_street(folder / "street").touch()
        sequence = Sequence.read(folder / "street")
        print(f"{'':44} {'ms CPU':>7} {'MOTA':>7} {'IDF1':>6} {'HOTA':>6} {'switches':>9} {'fragments':>10}")
        for model in [None, *arguments.model]:
            chosen = ["--object-model", model] if model else []
            label = f"vstream, {model.stem}" if model else "vstream"
            for passes in arguments.passes:
                add(label, [own(sequence, folder, f"{label}, --passes {passes:g}", "--passes", passes, *chosen)])
            label += ", whole frames"
            add(label, [own(sequence, folder, label, "--detect-every", 1, *chosen)])
        for kind in ("whole", "slices"):
            add(f"Python, {kind}", peers(sequence, kind))
    draw(arguments.picture, groups)
    print(f"\n{arguments.picture}")

"""Compares the quality of the tracks of the people in street.avi with processor time, for budgets of passes and for peers.

    tools/run research/accuracy-cost [--model FILE…] [--passes F…]

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
from pathlib import Path

from vstream_tools.common import VIDEOS, parser, prepare_vstream, vstream_path
from vstream_tools.environments import BENCH
from vstream_tools.measuring import run

from .tracks import THRESHOLDS, TRACKERS, Figures, Sequence, evaluate, read_boxes, run_peer, write_street

STREET, FRAMES = VIDEOS / "street.avi", 795
PASSES = (0.2, 0.33, 0.5, 0.8, 1.0, 1.25, 1.7, 2.2, 2.7, 4.0, 7.0)


def show(name: str, seconds: float, figures: Figures) -> None:
    print(f"{name:44} {1000 * seconds / FRAMES:7.1f} {figures.row}", flush=True)


def measure_own(sequence: Sequence, folder: Path, name: str, *options: object) -> None:
    tracks = folder / "tracks.txt"
    finished = run([vstream_path(), STREET, "-o", "null", "--detect", "objects", "--classes", "person", "--records", tracks, "-y",
                    "--quiet", *options])
    show(name, finished.processor_seconds, Figures.of([evaluate(sequence, read_boxes(tracks))]))


def measure_peers(sequence: Sequence, kind: str) -> None:
    """The trackers with the detections of the Python loop."""
    detected = run(BENCH.command("bench/peers", "people", STREET, sequence.detections, kind))
    for name in TRACKERS:
        candidates = []
        for threshold in THRESHOLDS:
            start = time.process_time()
            tracks = run_peer(name, threshold, sequence)
            seconds = detected.processor_seconds + time.process_time() - start
            candidates.append((seconds, Figures.of([evaluate(sequence, tracks)])))
        show(f"Python, {kind}, {name}", *max(candidates, key=lambda each: each[1].idf1 + each[1].hota))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--model", type=Path, action="append", default=[], metavar="FILE", help="another object model")
    options.add_argument("--passes", type=float, nargs="+", default=PASSES, metavar="F", help="budgets")
    arguments = options.parse_args()
    prepare_vstream()
    BENCH.prepare()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_street(folder / "street").touch()
        sequence = Sequence.read(folder / "street")
        print(f"{'':44} {'ms CPU':>7} {Figures.HEADER}")
        for model in [None, *arguments.model]:
            chosen, label = (["--object-model", model], f"vstream, {model.stem}") if model else ([], "vstream")
            for passes in arguments.passes:
                measure_own(sequence, folder, f"{label}, --passes {passes:g}", "--passes", passes, *chosen)
            measure_own(sequence, folder, f"{label}, whole frames", "--detect-every", 1, *chosen)
        for kind in ("whole", "slices"):
            measure_peers(sequence, kind)

"""Tracks in MOTChallenge's format, TrackEval's figures of them, and the trackers that vstream's is compared with."""

from __future__ import annotations

import configparser
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import supervision
import trackers
from trackeval.metrics import CLEAR, HOTA, Identity

from vstream_tools.common import VIDEOS, fail, vstream_path

METRICS = {"hota": HOTA(), "clear": CLEAR({"PRINT_CONFIG": False}), "identity": Identity({"PRINT_CONFIG": False})}
THRESHOLDS = (0.3, 0.4, 0.5, 0.6)
MEMORY = 3  # seconds
PEDESTRIAN = (1, -1)


def run_vstream(*arguments: object) -> None:
    """Runs the program, which `prepare_vstream` has built, and ends this script with its message if it fails."""
    run = subprocess.run([vstream_path(), *map(str, arguments)], stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        fail(f"vstream failed with exit code {run.returncode}: {run.stderr.strip()}")


# --- Sequences ---


@dataclass(frozen=True)
class Sequence:
    """A folder with gt/gt.txt, det/det.txt, seqinfo.ini, and times.txt if the rate varies; or gt.txt and det.txt beside each other."""

    folder: Path
    rate: float
    frames: int

    @staticmethod
    def read(folder: Path, rate: float | None = None) -> Sequence:
        parser = configparser.ConfigParser()
        if parser.read(folder / "seqinfo.ini"):
            info = parser["Sequence"]
            return Sequence(folder, float(info["frameRate"]), int(info["seqLength"]))
        if rate is None:
            fail(f"{folder}/seqinfo.ini is missing; it contains the frame rate (frameRate=…), as does --fps")
        return Sequence(folder, rate, int(read_boxes(Sequence(folder, rate, 0).truth)[:, 0].max()))

    @property
    def detections(self) -> Path:
        return self._file("det")

    @property
    def truth(self) -> Path:
        return self._file("gt")

    def _file(self, name: str) -> Path:
        path = self.folder / f"{name}.txt"
        return path if path.exists() else self.folder / f"{name}/{name}.txt"

    def times(self) -> np.ndarray | None:
        """The frames' times in seconds if the rate varies, else `None`."""
        path = self.folder / "times.txt"
        return np.loadtxt(path) if path.exists() else None


def read_boxes(path: Path) -> np.ndarray:
    """The lines of a MOTChallenge file, ten columns each; missing ones are -1."""
    rows = [[float(value) for value in line.split(",")][:10] for line in path.read_text().splitlines() if line.strip()]
    return np.array([row + [-1.0] * (10 - len(row)) for row in rows]).reshape(-1, 10)


def by_frame(rows: np.ndarray, frames: int) -> list[np.ndarray]:
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return np.split(rows, np.searchsorted(rows[:, 0], np.arange(2, frames + 1)))


def corners(rows: np.ndarray) -> np.ndarray:
    """Left, top, right and bottom."""
    return np.column_stack([rows[:, 2:4], rows[:, 2:4] + rows[:, 4:6]])


# --- Figures ---


def evaluate(sequence: Sequence, tracks: np.ndarray) -> dict[str, dict]:
    """TrackEval's figures for one sequence; `tracks` are a MOTChallenge file's rows."""
    truth = read_boxes(sequence.truth)
    truth = truth[(truth[:, 6] >= 1) & np.isin(truth[:, 7], PEDESTRIAN)]
    tracks = tracks[np.isin(tracks[:, 7], PEDESTRIAN)]
    (truth_ids, truth_indices), (track_ids, track_indices) = (np.unique(rows[:, 1], return_inverse=True) for rows in (truth, tracks))
    wanted = by_frame(np.column_stack([truth, truth_indices]), sequence.frames)
    found = by_frame(np.column_stack([tracks, track_indices]), sequence.frames)
    data = {
        "num_timesteps": sequence.frames, "num_gt_ids": len(truth_ids), "num_tracker_ids": len(track_ids),
        "num_gt_dets": len(truth), "num_tracker_dets": len(tracks),
        "gt_ids": [rows[:, -1].astype(int) for rows in wanted], "tracker_ids": [rows[:, -1].astype(int) for rows in found],
        "similarity_scores": [supervision.box_iou_batch(corners(a), corners(b)) for a, b in zip(wanted, found)],
    }
    return {name: metric.eval_sequence(data) for name, metric in METRICS.items()}


@dataclass(frozen=True)
class Figures:
    mota: float
    idf1: float
    hota: float
    switches: int
    fragmentations: int

    HEADER = f"{'MOTA':>7} {'IDF1':>6} {'HOTA':>6} {'switches':>9} {'fragments':>10}"

    @property
    def row(self) -> str:
        return f"{self.mota:7.3f} {self.idf1:6.3f} {self.hota:6.3f} {self.switches:9} {self.fragmentations:10}"

    @staticmethod
    def of(results: list[dict[str, dict]]) -> Figures:
        """The figures of several sequences together."""
        both = {name: metric.combine_sequences({str(i): result[name] for i, result in enumerate(results)})
                for name, metric in METRICS.items()}
        clear = both["clear"]
        return Figures(clear["MOTA"], both["identity"]["IDF1"], float(np.mean(both["hota"]["HOTA"])),
                       int(clear["IDSW"]), int(clear["Frag"]))


# --- Trackers ---


def run_own(sequence: Sequence, options: list[str]) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "tracks.txt"
        times = sequence.folder / "times.txt"
        run_vstream("track", sequence.detections, "-o", output,
                    *(["--times", times] if times.exists() else ["--fps", f"{sequence.rate:g}"]), *options)
        return read_boxes(output)


# By name, the trackers and those of their settings that are a score threshold.
TRACKERS = {
    "SORT": (trackers.SORTTracker, ["track_activation_threshold"]),
    "ByteTrack": (trackers.ByteTrackTracker, ["track_activation_threshold", "high_conf_det_threshold"]),
    "OC-SORT": (trackers.OCSORTTracker, ["high_conf_det_threshold"]),
    "C-BIoU": (trackers.CBIoUTracker, ["track_activation_threshold", "high_conf_det_threshold"]),
}


def make_peer(name: str, threshold: float, rate: float):
    """The buffers are in frames of 1/30 s."""
    make, settings = TRACKERS[name]
    return make(lost_track_buffer=MEMORY * 30, frame_rate=rate, **dict.fromkeys(settings, threshold))


def as_detections(rows: np.ndarray) -> supervision.Detections:
    if not len(rows):
        return supervision.Detections.empty()
    return supervision.Detections(xyxy=corners(rows), confidence=rows[:, 6],
                                  class_id=rows[:, 7].astype(int))


def run_peer(name: str, threshold: float, sequence: Sequence) -> np.ndarray:
    rows = read_boxes(sequence.detections)
    # SORT has no second stage for low scores; the other trackers filter by score themselves.
    rows = rows[rows[:, 6] >= (threshold if name == "SORT" else 0.1)]
    tracker, times = make_peer(name, threshold, sequence.rate), sequence.times()
    tracks = []
    for number, found in enumerate(by_frame(rows, sequence.frames), 1):
        moment = {} if times is None else {"timestamp": float(times[number - 1])}
        result = tracker.update(as_detections(found), **moment)
        if len(result):
            tracks += [[number, identity, box[0], box[1], box[2] - box[0], box[3] - box[1], score, kind, -1, -1]
                       for box, identity, score, kind in zip(result.xyxy, result.tracker_id, result.confidence, result.class_id)
                       if identity >= 0]
    return np.array(tracks, dtype=float).reshape(-1, 10)


# --- street.avi ---

REENTRY_FRAMES = 10  # frames outside the frame after which a person counts as new


def write_street(target: Path) -> Path:
    """Writes the people of street.avi as a MOTChallenge folder, each with a new ID each time they enter the frame.

    Returns the file for its detections, whose folder exists.
    """
    stays, last = {}, {}
    truth = []
    for row in np.loadtxt(VIDEOS / "street-people.txt", delimiter=","):
        frame, person = int(row[0]), int(row[1])
        if frame - last.get(person, -REENTRY_FRAMES) > REENTRY_FRAMES:
            stays[person] = len(truth)
        last[person] = frame
        truth.append((frame, stays[person] + 1, *row[2:6]))
    for name in ("gt", "det"):
        (target / name).mkdir(parents=True)
    np.savetxt(target / "gt/gt.txt", [(*row, 1, 1, 1) for row in truth], fmt="%g", delimiter=",")
    (target / "seqinfo.ini").write_text("[Sequence]\nframeRate=10\nseqLength=795\n")
    return target / "det/det.txt"

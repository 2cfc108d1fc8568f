"""Runs vstream on a live stream that is lost again and again, and checks memory, times, and the output.

    scripts/checks/live-endurance [--minutes 60] [--lost-every 20] [--lost-for 2] [--source rtsp|udp|tcp|http]
                                  [--freeze] [--timeout 10] [--slack 9] [--memory-limit 20] [--keep FOLDER]

A sender on this machine streams a clip (320×240, 10 frames a second, with sound); it is killed every --lost-every seconds, and
restarted --lost-for seconds later, with a clock that restarts. With --freeze it is stopped first, so that its connection
stays open without data, as when a cable is pulled. vstream (VSTREAM_BINARY, else the release build) detects, draws, encodes
and records until it is stopped by SIGINT. Each frame of the clip shows its number as a row of bits, and no two packets of its
sound are equal, so that each frame and packet of the output is assigned to its time in the clip.

Checked are: the exit code; the number of reconnections; times in records and output, which must increase; gaps, and the length
in all; the output, which must decode to its end; sound and picture, which must belong together after each reconnection; the
equations of the statistics; resident memory, and its part that is not of files, from minute 5 on by a fitted line; the number
of open files, and of threads. Prints a table; exit status 1 if a check fails.

By UDP a loss is noticed only if it is longer than --timeout; a shorter one is a clock that is set, by up to an hour, in the
same stream. Needs FFmpeg's programs; rtsp also the packages that Tests/VStreamTestSupport/rtsp-server names.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ..common import VIDEOS, fail, log, parser, prepare_vstream, vstream_path
from ..measuring import ffmpeg
from ..serving import Checks, Sender, memory, slope

WIDTH, HEIGHT, RATE = 320, 240, 10
# The frame number is drawn as squares at the lower edge, the lowest bit at the left.
BITS, SQUARE = 10, 16
RECONNECT = 30  # seconds
SAMPLE_EVERY = 10  # seconds
# Before that, caches and the allocator's pools still fill.
WARM_UP = 300  # seconds
# Seconds after a restart of the sender in which vstream may not have noticed yet that it was lost.
SETTLING = 8
# Dispatch starts another worker when all are busy, and ends idle ones.
IDLE_WORKERS = 2
# Seconds by which a gap may be shorter than the time without data: from the last packet to its reading, and from opening a
# connection to its first packet.
OPENING = 0.3
# Seconds by which sound and picture may be apart.
MAXIMUM_OFFSET = 0.15
# The exit code of a run that was stopped by a signal.
STOPPED = 130
LOST, RECONNECTED = "the input was lost", "the input was reconnected"


class Sample(NamedTuple):
    """The resources of the process at a moment while it is connected to the sender."""

    seconds: float
    resident: float
    anonymous: float
    threads: int
    files: int


class Packet(NamedTuple):
    pts: float
    dts: float
    checksum: str


def make_clip(path: Path, seconds: float) -> None:
    """A street with its frame number as bits, and a rising tone; longer than the sender is ever running."""
    filters = [f"fps={RATE}", f"scale={WIDTH}:{HEIGHT}", f"drawbox=0:{HEIGHT - SQUARE}:iw:{SQUARE}:black:fill"]
    filters += [f"drawbox={SQUARE * bit}:{HEIGHT - SQUARE}:{SQUARE}:{SQUARE}:white:fill:enable='mod(floor(n/{1 << bit}),2)'"
                for bit in range(BITS)]
    ffmpeg("-stream_loop", -1, "-i", VIDEOS / "street.avi", "-f", "lavfi", "-i", "aevalsrc=0.2*sin(2*PI*(200+20*t)*t):s=16000",
           "-t", seconds, "-vf", ",".join(filters), "-c:v", "libx264", "-preset", "veryfast", "-g", RATE, "-bf", 0,
           "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k", "-movflags", "+faststart", path)


class Endurance(Checks):
    """A run, and the checks of its results."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        super().__init__()
        self.options, self.folder = options, folder
        self.clip, self.output = folder / "clip-with-sound.mp4", folder / "out.mkv"
        self.seconds, self.exit_code = 0.0, 0
        # Seconds without a sender, for each loss.
        self.outages: list[float] = []
        self.samples: list[Sample] = []
        # By UDP a short loss is none for vstream.
        self.is_noticed = options.source != "udp" or options.timeout <= options.lost_for

    @property
    def messages(self) -> str:
        return (self.folder / "messages.txt").read_text()

    # --- The run ---

    def run(self) -> None:
        options = self.options
        make_clip(self.clip, options.lost_every + 30)
        sender = Sender(self.clip, options.source)
        command = [vstream_path(), sender.url, "-o", self.output, "--records", self.folder / "r.jsonl", "--stats", self.folder / "s.json",
                   "--reconnect", RECONNECT, "--timeout", options.timeout, "--detect", "objects", "--detect-every", 5,
                   "--preset", "ultrafast", "--progress", "never", "-y"]
        log(" ".join(map(str, command)))
        with (self.folder / "messages.txt").open("wb") as messages:
            process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=messages, stderr=messages)
        try:
            start = time.monotonic()
            self.lose_and_sample(sender, process)
            self.seconds = time.monotonic() - start
            process.send_signal(signal.SIGINT)
            self.exit_code = process.wait(60)
        finally:
            process.kill()
            process.wait()
            sender.stop()

    def lose_and_sample(self, sender: Sender, process: subprocess.Popen) -> None:
        """Kills and restarts the sender until the time is over, and ends half-way between two losses."""
        start = started = time.monotonic()
        next_sample = start + SAMPLE_EVERY
        while process.poll() is None:
            now = time.monotonic()
            if now - start > self.options.minutes * 60 and now - started > self.options.lost_every / 2:
                return
            if now >= next_sample:
                next_sample += SAMPLE_EVERY
                if now - started > SETTLING and self.messages.count(LOST) == self.messages.count(RECONNECTED):
                    self.samples.append(Sample(now - start, memory(process.pid, "Rss"), memory(process.pid, "Anonymous"),
                                               len(os.listdir(f"/proc/{process.pid}/task")), len(os.listdir(f"/proc/{process.pid}/fd"))))
            if now - started >= self.options.lost_every:
                if self.options.freeze:
                    sender.program.send_signal(signal.SIGSTOP)
                else:
                    sender.stop()
                time.sleep(self.options.lost_for)
                sender.program.kill()
                sender.program.wait()
                sender.start(*(["-output_ts_offset", f"{random.uniform(0, 3600):.3f}"] if sender.kind == "udp" else []))
                started = time.monotonic()
                self.outages.append(started - now)
            time.sleep(0.05)
        fail(f"vstream ended with exit code {process.returncode} after {now - start:.0f} s:\n{self.messages[-2000:]}")

    # --- The checks ---

    def check_all(self) -> None:
        print(f"{self.options.source}, {self.seconds / 60:.1f} minutes, lost for {self.options.lost_for:g} s after every "
              f"{self.options.lost_every:g} s")
        self.check_messages()
        lines = [json.loads(line) for line in (self.folder / "r.jsonl").read_text().splitlines()]
        frames = [line for line in lines if line["type"] == "frame"]
        if len(frames) < 2:
            fail(f"only {len(frames)} records: {self.messages[-2000:]}")
        for key in ("pts", "ticks", "frame"):
            shortest, longest = steps([frame[key] for frame in frames])
            self.check(f"records' {key}", shortest > 0 and lines[-1]["type"] == "summary",
                       f"{len(frames)} records, steps {shortest:.6g} to {longest:.6g}")
        self.check_output(len(frames))
        self.check_statistics(len(frames))
        self.check_resources()

    def check_messages(self) -> None:
        lines = [line for line in self.messages.splitlines() if line]
        lost, reconnected = (sum(piece in line for line in lines) for piece in (LOST, RECONNECTED))
        expected = len(self.outages) if self.is_noticed else 0
        self.check("exit code", self.exit_code == STOPPED, f"{self.exit_code} after {self.seconds:.0f} s")
        self.note("outages", f"{min(self.outages, default=0):.1f} to {max(self.outages, default=0):.1f} s")
        self.check("reconnections", lost == reconnected == expected,
                   f"{len(self.outages)} losses: {lost} reported as lost, {reconnected} as reconnected, {expected} expected")
        for line, count in Counter(re.sub(r"\d+", "N", line) for line in lines if "the input was" not in line).most_common(8):
            self.note("other messages", f"{count} × {line}")

    def check_output(self, records: int) -> None:
        video, sound = packets(self.output, "v:0"), packets(self.output, "a:0")
        numbers, complaints = frame_numbers(self.output)
        self.check("output decodes", not complaints and len(numbers) == records,
                   f"{len(numbers)} frames, {len(sound)} packets of sound {complaints.strip()[:300]}")
        is_silent = self.is_noticed and self.outages and (self.options.freeze or self.options.source == "udp")
        longest_gap = max([*self.outages, self.options.timeout if is_silent else 0]) + self.options.slack
        for name, stream in (("video", video), ("sound", sound)):
            shortest, longest = steps([packet.dts for packet in stream])
            self.check(f"{name} packets' times", shortest > 0, f"{len(stream)} packets, steps {shortest:.3f} to {longest:.3f} s")
            self.check(f"{name} gaps", longest <= longest_gap, f"longest {longest:.3f} s, limit {longest_gap:g} s")
        times = sorted(packet.pts for packet in video)
        if len(numbers) != len(times):
            return self.check("assignment to the clip", False, f"{len(numbers)} decoded frames of {len(times)} packets")
        self.check_clip_times(times, numbers, sound)
        # A lost source leaves a gap, and so does a sender that pauses as its clock is set.
        self.check("length", abs(times[-1] - times[0] - self.seconds) < 6 + OPENING * len(self.outages),
                   f"{times[-1] - times[0]:.1f} s of video, {self.seconds:.1f} s expected")

    def check_clip_times(self, times: list[float], numbers: list[int], sound: list[Packet]) -> None:
        """Splits the output where the frame number steps back, and compares each connection's times with the clip's."""
        original = packets(self.clip, "a:0")
        counts = Counter(packet.checksum for packet in original)
        clip_times = {packet.checksum: packet.pts for packet in original if counts[packet.checksum] == 1}
        starts = [0] + [index for index, (one, following) in enumerate(pairwise(numbers), 1) if following < one]
        borders = [*(times[start] for start in starts), float("inf")]
        spreads, offsets, silent = [], [], 0
        for index, (first, last) in enumerate(pairwise([*starts, len(numbers)])):
            of_video = [times[at] - numbers[at] / RATE for at in range(first, last)]
            spreads.append(max(of_video) - min(of_video))
            # Sound may begin up to a second before the picture. Where there is no gap, some of it is then assigned to the
            # wrong connection, which does not change the median.
            of_sound = [packet.pts - clip_times[packet.checksum] for packet in sound
                        if packet.checksum in clip_times and borders[index] - 1 <= packet.pts < borders[index + 1] - 1]
            silent += not of_sound
            offsets += [statistics.median(of_sound) - statistics.median(of_video)] if of_sound else []
        self.check("connections", len(starts) == len(self.outages) + 1, f"{len(starts)} of {len(self.outages) + 1} in the output")
        self.check("frames' times in each", max(spreads) < 1.5 / RATE, f"at most {max(spreads) * 1000:.0f} ms from the clip's")
        self.check("sound in each", silent == 0, f"{silent} connections without")
        if offsets:
            self.check("sound beside picture", max(map(abs, offsets)) < MAXIMUM_OFFSET,
                       f"{min(offsets) * 1000:+.0f} to {max(offsets) * 1000:+.0f} ms, median {statistics.median(offsets) * 1000:+.0f}")

    def check_statistics(self, records: int) -> None:
        run = json.loads((self.folder / "s.json").read_text())
        self.check("framesIn", run["framesIn"] == run["framesOut"] + run["framesDropped"] - run["framesRepeated"],
                   f"{run['framesIn']} = {run['framesOut']} out + {run['framesDropped']} dropped − {run['framesRepeated']} repeated")
        self.check("framesOut", run["framesOut"] == run["framesDetected"] + run["framesPredicted"] == records,
                   f"{run['framesOut']} = {run['framesDetected']} detected + {run['framesPredicted']} predicted, {records} records")
        self.check("late and detected", run["framesLateForDetector"] <= run["framesPredicted"]
                   and run["framesDetected"] <= run["detectorRuns"] <= run["framesIn"],
                   f"{run['framesLateForDetector']} late, {run['detectorRuns']} detector runs")
        self.note("damaged packets", str(run["corruptPackets"]))
        # Data of a TCP or HTTP server that sends as fast as it is read are not live.
        self.note("latency, ms", ", ".join(f"{name} {value:g}" for name, value in run.get("latencyMs", {}).items()))
        self.note("processor time", f"{run['cpuSeconds']:.0f} s, {100 * run['cpuSeconds'] / run['wallSeconds']:.0f} % of a processor")

    def check_resources(self) -> None:
        late = [sample for sample in self.samples if sample.seconds >= WARM_UP]
        cycle = self.options.lost_every + self.options.lost_for
        for name in ("resident", "anonymous"):
            values = [getattr(sample, name) for sample in self.samples] or [0]
            self.note(f"{name} memory", f"first {values[0]:.1f}, last {values[-1]:.1f}, maximum {max(values):.1f} MB")
            # A line through less than the length of the warm-up shows the pools that still fill.
            if late and late[-1].seconds - late[0].seconds >= WARM_UP:
                growth = 1024 * cycle * slope([(sample.seconds, getattr(sample, name)) for sample in late])
                self.check(f"{name} growth", growth <= self.options.memory_limit,
                           f"{growth:+.1f} kB for each loss from minute {WARM_UP // 60} on, limit {self.options.memory_limit:g} kB")
            else:
                self.note(f"{name} growth", f"not judged: that needs a run of over {2 * WARM_UP // 60} minutes")
        for name, spread in (("threads", IDLE_WORKERS), ("files", 0)):
            values = [getattr(sample, name) for sample in self.samples] or [0]
            self.check(name, max(values) - min(values) <= spread, f"{min(values)} to {max(values)}, first {values[0]}, last {values[-1]}")


def steps(values: list[float]) -> tuple[float, float]:
    """The shortest and the longest step from one value to the next."""
    all_steps = [later - earlier for earlier, later in pairwise(values)]
    return min(all_steps), max(all_steps)


def packets(file: Path, stream: str) -> list[Packet]:
    answer = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", stream, "-show_data_hash", "MD5", "-show_entries",
         "packet=pts_time,dts_time,data_hash", "-of", "json", file], capture_output=True, text=True)
    if answer.returncode != 0 or answer.stderr:
        fail(f"ffprobe cannot read {file.name}: {answer.stderr.strip()}")
    return [Packet(float(one.get("pts_time", "nan")), float(one.get("dts_time", "nan")), one["data_hash"])
            for one in json.loads(answer.stdout)["packets"]]


def frame_numbers(file: Path) -> tuple[list[int], str]:
    """The numbers that the decoded frames show, and the decoder's complaints about video and sound."""
    strip = f"crop={BITS * SQUARE}:{SQUARE}:0:{HEIGHT - SQUARE},scale={BITS}:1:flags=area,format=gray"
    decoding = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-i", file, "-map", "0:v", "-vf", strip, "-fps_mode", "passthrough", "-f",
         "rawvideo", "-", "-map", "0:a", "-f", "null", "-"], capture_output=True)
    rows = (decoding.stdout[start:start + BITS] for start in range(0, len(decoding.stdout), BITS))
    complaints = decoding.stderr.decode(errors="replace") + f"exit code {decoding.returncode}" * (decoding.returncode != 0)
    return [sum((value > 127) << bit for bit, value in enumerate(row)) for row in rows], complaints


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--lost-every", type=float, default=20, help="seconds that the sender runs")
    options.add_argument("--lost-for", type=float, default=2, help="seconds until it is restarted")
    options.add_argument("--source", choices=["rtsp", "udp", "tcp", "http"], default="rtsp")
    options.add_argument("--freeze", action="store_true", help="the lost sender keeps its connection")
    options.add_argument("--timeout", type=float, default=10, help="vstream's --timeout")
    options.add_argument("--memory-limit", type=float, default=20, help="kB for each loss")
    options.add_argument("--slack", type=float, default=9, help="seconds of a gap beyond the time without a sender: the longest "
                         "pause between two attempts is 5, the rest is for opening; a busy machine needs more")
    options.add_argument("--keep", type=Path, help="a folder for the output, records and messages")
    arguments = options.parse_args()
    if min(arguments.minutes, arguments.lost_every, arguments.lost_for, arguments.timeout) <= 0:
        options.error("times must be above 0")
    if (arguments.lost_every + 30) * RATE >= 1 << BITS:
        options.error(f"--lost-every must be below {(1 << BITS) // RATE - 30}")
    prepare_vstream()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        endurance = Endurance(arguments, folder)
        endurance.run()
        endurance.check_all()
    raise SystemExit(endurance.failed > 0)

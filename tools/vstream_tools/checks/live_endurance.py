"""Runs vstream on a live stream that is lost again and again, and checks memory, times, and the output.

    scripts/checks/live-endurance [--minutes 60] [--lost-every 20] [--lost-for 2] [--source rtsp|udp|tcp|http]
                                  [--freeze] [--timeout 10] [--slack 9] [--memory-limit 20] [--keep FOLDER | --check FOLDER]

A sender on this machine streams a clip (320×240, 10 frames a second, with sound); it is killed every --lost-every seconds, and
restarted --lost-for seconds later, with a clock that restarts. With --freeze it is stopped first, so that its connection
stays open without data, as when a cable is pulled. vstream (VSTREAM_BINARY, else the release build) detects,
draws, encodes and records until it is stopped by SIGINT. Each frame of the clip shows its number as a row of bits, and no two
packets of its sound are equal, so that each frame and packet of the output is assigned to its time in the clip.

Checked are: the exit code; the number of reconnections; times in records and output, which must increase; gaps, and the length
in all; the output, which must decode to its end; sound and picture, which must belong together after each reconnection; the
equations of the statistics; resident memory, and what of it is not of files, from minute 5 on by a fitted line; the number of
open files, and of threads. Prints a table; exit status 1 if a check fails. --check checks again what a run with --keep left.

By UDP a loss is noticed only if it is longer than --timeout; a shorter one is a clock that is set, by up to an hour, in the
same stream.
Needs FFmpeg's programs; rtsp also what Tests/VStreamTestSupport/rtsp-server names.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path


from ..common import ROOT, VIDEOS, fail, log, prepare_vstream, vstream_path
from ..measuring import ffmpeg

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


def command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--lost-every", type=float, default=20, help="seconds that the sender runs")
    parser.add_argument("--lost-for", type=float, default=2, help="seconds until it is restarted")
    parser.add_argument("--source", choices=["rtsp", "udp", "tcp", "http"], default="rtsp")
    parser.add_argument("--freeze", action="store_true", help="the lost sender keeps its connection")
    parser.add_argument("--timeout", type=float, default=10, help="vstream's --timeout")
    parser.add_argument("--memory-limit", type=float, default=20, help="kB for each loss")
    parser.add_argument("--slack", type=float, default=9, help="seconds of a gap beyond the time without a sender: the longest "
                        "pause between two attempts is 5, the rest is for opening; a busy machine needs more")
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument("--keep", type=Path, help="a folder for the output, records, samples and messages")
    folder.add_argument("--check", type=Path, help="the folder of an earlier run with the same options, which is checked again")
    options = parser.parse_args()
    if min(options.minutes, options.lost_every, options.lost_for, options.timeout) <= 0:
        parser.error("times must be above 0")
    if (options.lost_every + 30) * RATE >= 1 << BITS:
        parser.error(f"--lost-every must be below {(1 << BITS) // RATE - 30}")
    return options


# --- The sender ---


def make_clip(path: Path, seconds: float) -> None:
    """A street with its frame number as bits, and a rising tone; longer than the sender is ever running."""
    def enabled(bit: int) -> str:
        return f"enable='mod(floor(n/{1 << bit}),2)'"

    filters = [f"fps={RATE}", f"scale={WIDTH}:{HEIGHT}", f"drawbox=0:{HEIGHT - SQUARE}:iw:{SQUARE}:black:fill"]
    filters += [f"drawbox={SQUARE * bit}:{HEIGHT - SQUARE}:{SQUARE}:{SQUARE}:white:fill:{enabled(bit)}" for bit in range(BITS)]
    ffmpeg("-stream_loop", -1, "-i", VIDEOS / "street.avi", "-f", "lavfi", "-i", "aevalsrc=0.2*sin(2*PI*(200+20*t)*t):s=16000",
           "-t", seconds, "-vf", ",".join(filters), "-c:v", "libx264", "-preset", "veryfast", "-g", RATE, "-bf", 0,
           "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k", "-movflags", "+faststart", path)


class Sender:
    """A program that streams the clip to, or serves it at, one address of this machine."""

    def __init__(self, kind: str, clip: Path, errors: Path) -> None:
        self._kind, self._clip, self._errors = kind, clip, errors
        with socket.socket(type=socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as unused:
            unused.bind(("127.0.0.1", 0))
            self._port = unused.getsockname()[1]
        self._process: subprocess.Popen | None = None
        self.url = f"{kind}://127.0.0.1:{self._port}" + ("/live" if kind == "rtsp" else "")

    def _command(self) -> list:
        if self._kind == "rtsp":
            return [ROOT / "Tests/VStreamTestSupport/rtsp-server", str(self._port), self._clip]
        send = ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", self._clip, "-c", "copy", "-f", "mpegts"]
        match self._kind:
            case "udp":
                return [*send, "-output_ts_offset", f"{random.uniform(0, 3600):.3f}", f"{self.url}?pkt_size=1316"]
            case "tcp":
                return [*send, f"{self.url}?listen=1"]
            case _:
                return [*send, "-listen", "1", self.url]

    def start(self) -> None:
        """Starts the sender, and waits until it listens; by UDP it sends in any case."""
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen([*map(str, self._command())], stdin=subprocess.DEVNULL, stdout=errors,
                                             stderr=errors)
        deadline = time.monotonic() + 60
        while self._kind != "udp" and not self._is_listening():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                fail(f"the sender does not listen: {self._errors.read_text()[-500:]}")
            time.sleep(0.02)

    def _is_listening(self) -> bool:
        # As the kernel lists them: the local address with its port, the remote address, and the state; 0A listens.
        rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines())
        return any(row[1].endswith(f":{self._port:04X}") and row[3] == "0A" for row in rows)

    def freeze(self) -> None:
        if self._process:
            self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        if self._process:
            # By UDP, half a packet would arrive as a damaged one.
            self._process.send_signal(signal.SIGTERM if self._kind == "udp" else signal.SIGKILL)
            self._process.wait()
        self._process = None


# --- The run ---


@dataclass(frozen=True)
class Sample:
    """The resources of the process at a moment."""

    seconds: float
    resident_kb: int
    anonymous_kb: int
    proportional_kb: int
    threads: int
    files: int
    # Whether the sender is running, and vstream is connected to it.
    is_settled: bool


def take_sample(process: int, seconds: float, is_settled: bool) -> Sample:
    folder = Path(f"/proc/{process}")
    status = dict(re.findall(r"^(\w+):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE))
    memory = dict(re.findall(r"^(\w+):\s+(\d+)", (folder / "smaps_rollup").read_text(), re.MULTILINE))
    return Sample(seconds, int(status["VmRSS"]), int(status["RssAnon"]), int(memory["Pss"]), int(status["Threads"]),
                  len(os.listdir(folder / "fd")), is_settled)


@dataclass
class Run:
    """What a run left."""

    folder: Path
    exit_code: int = 0
    seconds: float = 0
    # Seconds without a sender, for each loss.
    outages: list[float] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    @property
    def losses(self) -> int:
        return len(self.outages)

    @property
    def clip(self) -> Path:
        return self.folder / "clip-with-sound.mp4"

    @property
    def output(self) -> Path:
        return self.folder / "out.mkv"

    @property
    def messages(self) -> str:
        return (self.folder / "messages.txt").read_text()

    @property
    def is_connected(self) -> bool:
        """Whether vstream has reported a reconnection for each loss that it reported."""
        return self.messages.count("the input was lost") == self.messages.count("the input was reconnected")

    def save(self) -> None:
        facts = {"exit_code": self.exit_code, "seconds": self.seconds, "outages": self.outages}
        (self.folder / "run.json").write_text(json.dumps(facts))

    @staticmethod
    def load(folder: Path) -> Run:
        with (folder / "samples.csv").open(newline="") as table:
            samples = [Sample(float(row.pop("seconds")), is_settled=row.pop("is_settled") == "True",
                              **{name: int(value) for name, value in row.items()}) for row in csv.DictReader(table)]
        return Run(folder, samples=samples, **json.loads((folder / "run.json").read_text()))


def run(options: argparse.Namespace, folder: Path) -> Run:
    result = Run(folder)
    make_clip(result.clip, options.lost_every + 30)
    sender = Sender(options.source, result.clip, folder / "sender.txt")
    command = [vstream_path(), sender.url, "-o", result.output, "--records", folder / "r.jsonl", "--stats", folder / "s.json",
               "--reconnect", RECONNECT, "--timeout", options.timeout, "--detect", "objects", "--detect-every", 5,
               "--preset", "ultrafast", "--progress", "never", "-y"]
    log(" ".join(map(str, command)))
    sender.start()
    with (folder / "messages.txt").open("wb") as messages:
        process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=messages, stderr=messages)
    try:
        start = time.monotonic()
        lose_and_sample(options, sender, process, result)
        result.seconds = time.monotonic() - start
        process.send_signal(signal.SIGINT)
        result.exit_code = process.wait(60)
    finally:
        process.kill()
        process.wait()
        sender.kill()
    result.save()
    return result


def lose_and_sample(options: argparse.Namespace, sender: Sender, process: subprocess.Popen, result: Run) -> None:
    """Kills and restarts the sender until the time is over, and ends half-way between two losses."""
    start = started = time.monotonic()
    next_sample = start + SAMPLE_EVERY
    with (result.folder / "samples.csv").open("w", newline="", buffering=1) as table:
        rows = csv.writer(table)
        rows.writerow(Sample.__annotations__)
        while process.poll() is None:
            now = time.monotonic()
            if now - start > options.minutes * 60 and now - started > options.lost_every / 2:
                return
            if now >= next_sample:
                next_sample += SAMPLE_EVERY
                is_settled = now - started > SETTLING and result.is_connected
                result.samples.append(take_sample(process.pid, now - start, is_settled))
                rows.writerow(vars(result.samples[-1]).values())
            if now - started >= options.lost_every:
                sender.freeze() if options.freeze else sender.kill()
                time.sleep(options.lost_for)
                sender.kill()
                sender.start()
                started = time.monotonic()
                result.outages.append(started - now)
            time.sleep(0.05)
    fail(f"vstream ended with exit code {process.returncode} after {now - start:.0f} s:\n{result.messages[-2000:]}")


# --- What the output contains ---


@dataclass(frozen=True)
class Packet:
    pts: float
    dts: float
    checksum: str


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
    complaints = decoding.stderr.decode(errors="replace")
    if decoding.returncode != 0:
        complaints += f"exit code {decoding.returncode}"
    return [sum((value > 127) << bit for bit, value in enumerate(row)) for row in rows], complaints


@dataclass(frozen=True)
class Connection:
    """The part of the output between two losses: output time less clip time, of each frame and of each packet of sound."""

    video: list[float]
    sound: list[float]

    @property
    def offset(self) -> float:
        """Seconds by which the sound is later than the picture."""
        return statistics.median(self.sound) - statistics.median(self.video)


def connections(clip: Path, times: list[float], numbers: list[int], sound: list[Packet]) -> list[Connection]:
    """Splits the output where the frame number steps back."""
    original = packets(clip, "a:0")
    counts = Counter(packet.checksum for packet in original)
    clip_times = {packet.checksum: packet.pts for packet in original if counts[packet.checksum] == 1}
    starts = [0] + [index for index, (one, next_one) in enumerate(pairwise(numbers), 1) if next_one < one]
    borders = [*(times[start] for start in starts), float("inf")]
    result = []
    for index, (first, last) in enumerate(pairwise([*starts, len(numbers)])):
        video = [times[at] - numbers[at] / RATE for at in range(first, last)]
        # Sound may begin up to a second before the picture. Where there is no gap, some of it is then assigned to the wrong
        # connection, which does not change the median.
        begins, ends = borders[index] - 1, borders[index + 1] - 1
        sound_offsets = [packet.pts - clip_times[packet.checksum] for packet in sound
                         if packet.checksum in clip_times and begins <= packet.pts < ends]
        result.append(Connection(video, sound_offsets))
    return result


# --- The checks ---


class Table:
    """The checks, printed line by line."""

    def __init__(self) -> None:
        self.failed = 0

    def check(self, name: str, is_right: bool, figures: str) -> None:
        self.failed += not is_right
        print(f"{'ok' if is_right else 'WRONG':7}{name:24}{figures}")

    @staticmethod
    def note(name: str, figures: str) -> None:
        print(f"{'':7}{name:24}{figures}")


def steps(values: list[float]) -> tuple[float, float]:
    """The shortest and the longest step from one value to the next."""
    all_steps = [later - earlier for earlier, later in pairwise(values)]
    return min(all_steps), max(all_steps)


def check_messages(table: Table, options: argparse.Namespace, result: Run) -> int:
    lines = [line for line in result.messages.splitlines() if line]
    lost, reconnected = (sum(piece in line for line in lines) for piece in ("the input was lost", "the input was reconnected"))
    expected = 0 if options.source == "udp" and options.timeout > options.lost_for else result.losses
    table.check("exit code", result.exit_code == STOPPED, f"{result.exit_code} after {result.seconds:.0f} s")
    table.note("outages", f"{min(result.outages, default=0):.1f} to {max(result.outages, default=0):.1f} s")
    table.check("reconnections", lost == reconnected == expected,
                f"{result.losses} losses: {lost} reported as lost, {reconnected} as reconnected, {expected} expected")
    others = Counter(re.sub(r"\d+", "N", line) for line in lines if "the input was" not in line)
    for line, count in others.most_common(8):
        table.note("other messages", f"{count} × {line}")
    return expected


def check_records(table: Table, options: argparse.Namespace, result: Run) -> list[dict]:
    lines = [json.loads(line) for line in (result.folder / "r.jsonl").read_text().splitlines()]
    frames = [line for line in lines if line["type"] == "frame"]
    ends_with_summary = lines[-1]["type"] == "summary"
    if len(frames) < 2:
        fail(f"only {len(frames)} records: {result.messages[-2000:]}")
    for key, unit in (("pts", " s"), ("ticks", ""), ("frame", "")):
        shortest, longest = steps([frame[key] for frame in frames])
        table.check(f"records' {key}", shortest > 0 and ends_with_summary,
                    f"{len(frames)} records, steps {shortest:.6g} to {longest:.6g}{unit}")
    return frames


def check_output(table: Table, options: argparse.Namespace, result: Run, frames: list[dict], reconnections: int) -> None:
    video, sound = packets(result.output, "v:0"), packets(result.output, "a:0")
    numbers, complaints = frame_numbers(result.output)
    table.check("output decodes", not complaints and len(numbers) == len(frames),
                f"{len(numbers)} frames, {len(sound)} packets of sound" + (f": {complaints.strip()[:300]}" if complaints else ""))
    is_silent = reconnections and (options.freeze or options.source == "udp")
    longest_gap = max([*result.outages, options.timeout if is_silent else 0]) + options.slack
    for name, stream in (("video", video), ("sound", sound)):
        shortest, longest = steps([packet.dts for packet in stream])
        table.check(f"{name} packets' times", shortest > 0, f"{len(stream)} packets, steps {shortest:.3f} to {longest:.3f} s")
        table.check(f"{name} gaps", longest <= longest_gap, f"longest {longest:.3f} s, limit {longest_gap:g} s")
    times = sorted(packet.pts for packet in video)
    if len(numbers) != len(times):
        table.check("assignment to the clip", False, f"{len(numbers)} decoded frames of {len(times)} packets")
        return
    check_clip_times(table, result, connections(result.clip, times, numbers, sound), reconnections)
    # A lost source leaves a gap, and so does a sender that pauses as its clock is set.
    table.check("length", abs(times[-1] - times[0] - result.seconds) < 6 + OPENING * result.losses,
                f"{times[-1] - times[0]:.1f} s of video, {result.seconds:.1f} s expected")


def check_clip_times(table: Table, result: Run, parts: list[Connection], reconnections: int) -> None:
    table.check("connections in the output", len(parts) == result.losses + 1, f"{len(parts)} of {result.losses + 1}")
    spread = [max(part.video) - min(part.video) for part in parts]
    table.check("frames' times in each", max(spread) < 1.5 / RATE, f"at most {max(spread) * 1000:.0f} ms from the clip's")
    silent = sum(not part.sound for part in parts)
    table.check("sound in each", silent == 0, f"{silent} connections without")
    offsets = [part.offset for part in parts if part.sound]
    if offsets:
        table.check("sound beside picture", max(map(abs, offsets)) < MAXIMUM_OFFSET,
                    f"{min(offsets) * 1000:+.0f} to {max(offsets) * 1000:+.0f} ms, median {statistics.median(offsets) * 1000:+.0f}")
    lengths = [len(part.video) for part in parts[1:-1]]
    if lengths:
        table.note("frames in each", f"{min(lengths)} to {max(lengths)}, median {statistics.median(lengths):g}")


def check_statistics(table: Table, result: Run, frames: list[dict]) -> None:
    run = json.loads((result.folder / "s.json").read_text())
    left = run["framesOut"] + run["framesDropped"] - run["framesRepeated"]
    table.check("framesIn", run["framesIn"] == left,
                f"{run['framesIn']} = {run['framesOut']} out + {run['framesDropped']} dropped − {run['framesRepeated']} repeated")
    table.check("framesOut", run["framesOut"] == run["framesDetected"] + run["framesPredicted"] == len(frames),
                f"{run['framesOut']} = {run['framesDetected']} detected + {run['framesPredicted']} predicted, {len(frames)} records")
    table.check("late and detected", run["framesLateForDetector"] <= run["framesPredicted"]
                and run["framesDetected"] <= run["detectorRuns"] <= run["framesIn"],
                f"{run['framesLateForDetector']} late, {run['detectorRuns']} detector runs")
    table.note("damaged packets", str(run["corruptPackets"]))
    # What a TCP or HTTP server sends as fast as it is read is not live.
    for name, value in run.get("latencyMs", {}).items():
        table.note(f"latency {name}", f"{value:g} ms")
    table.note("processor time", f"{run['cpuSeconds']:.0f} s, {100 * run['cpuSeconds'] / run['wallSeconds']:.0f} % of a processor")


def check_resources(table: Table, options: argparse.Namespace, samples: list[Sample]) -> None:
    settled = [sample for sample in samples if sample.is_settled]
    late = [sample for sample in settled if sample.seconds >= WARM_UP]
    for name, values in (("resident memory", [one.resident_kb for one in samples]),
                         ("of it, anonymous", [one.anonymous_kb for one in samples]),
                         ("proportional memory", [one.proportional_kb for one in samples])):
        table.note(name, f"first {values[0] / 1000:.1f}, last {values[-1] / 1000:.1f}, maximum {max(values) / 1000:.1f} MB")
    cycle = options.lost_every + options.lost_for
    # A line through less than the length of the warm-up shows the pools that still fill.
    if late and late[-1].seconds - late[0].seconds >= WARM_UP:
        for name, values in (("resident growth", [one.resident_kb for one in late]),
                             ("anonymous growth", [one.anonymous_kb for one in late])):
            slope = statistics.linear_regression([one.seconds for one in late], values).slope * cycle
            table.check(name, slope <= options.memory_limit,
                        f"{slope:+.1f} kB for each loss from minute {WARM_UP // 60} on, limit {options.memory_limit:g} kB")
    else:
        table.note("memory growth", f"not judged: that needs a run of over {2 * WARM_UP // 60} minutes")
    for name, values, spread in (("threads", [one.threads for one in settled], IDLE_WORKERS),
                                 ("open files", [one.files for one in settled], 0)):
        table.check(name, max(values) - min(values) <= spread,
                    f"{min(values)} to {max(values)}, first {values[0]}, last {values[-1]}")


def main() -> None:
    options = command_line()
    if not options.check:
        prepare_vstream()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.check or options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        result = Run.load(folder) if options.check else run(options, folder)
        print(f"{options.source}, {result.seconds / 60:.1f} minutes, lost for {options.lost_for:g} s after every "
              f"{options.lost_every:g} s")
        table = Table()
        reconnections = check_messages(table, options, result)
        frames = check_records(table, options, result)
        check_output(table, options, result, frames, reconnections)
        check_statistics(table, result, frames)
        check_resources(table, options, result.samples)
    sys.exit(1 if table.failed else 0)

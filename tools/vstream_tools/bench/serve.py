"""Measures how many cameras one vstream-serve takes: cameras of 720p25 in H.264 by RTSP, prerecorded, at 5 passes a second each.

    scripts/bench/serve [--cameras 4 8 12] [--passes 5] [--seconds 30] [--still] [--peers]

For each number of cameras it prints the processor time of vstream-serve, and of the senders, in cores, the frames, passes and
late or dropped frames in a second, the fractions of the frames whose records were ready 50, 100 and 150 ms after their packets
arrived, and the memory. The first row has no detection: decoding alone.

The bound is the number of cameras for which the processors would suffice if they did nothing but decode 25 frames (as ffmpeg
does, with one thread) and run the network `passes` times a second for each, both measured alone; the senders' use is subtracted
from the processors.

With --still the cameras show a street where nothing moves but the sensor's noise. With --peers, the same cameras are also
read by Python programs: one with a thread for each camera, and one for each camera.

Needs the tests' dependencies (scripts/bootstrap --for-tests), as the cameras are served by Tests/VStreamTestSupport/rtsp-server.
"""

from __future__ import annotations

import json
import signal
import tempfile
import time
from pathlib import Path
from subprocess import PIPE, Popen

from ..common import log, parser
from ..environments import BENCH
from ..measuring import count_frames, run
from ..serving import RATE, Sender, Server, memory, processor_seconds, still_clip, street_clip, total
from .contenders import CORES, INT8, inference_cost

LIMITS = ["0.05", "0.1", "0.15"]
# Seconds after all cameras are live that are not measured, and as many more for each camera, and seconds for which a clip must
# last besides.
SETTLING, SETTLING_EACH, STARTING = 5, 0.5, 25
# Seconds between the clips' key frames.
KEY_INTERVAL = 2


def measure(folder: Path, clip: Path, count: int, detect: str, passes: float, seconds: float) -> tuple[str, float]:
    """A row of the table for a vstream-serve of so many cameras, and the processors that the senders used."""
    sender = Sender(clip)
    settings = f'{{detect: {detect}, passes-per-second: {passes}, source: "{sender.url}"}}'
    server = Server(folder, f"cameras:\n  c0: {settings}\n")

    def counts() -> dict[str, float]:
        metrics = server.metrics()
        return {"cpu": total(metrics, "process_cpu_seconds_total"), "senders": processor_seconds([sender.program.pid]),
                "passes": total(metrics, "vstream_detector_passes_total"),
                **{state: total(metrics, "vstream_frames_total", f'state="{state}"') for state in ("in", "late", "dropped")},
                **{limit: total(metrics, "vstream_latency_seconds_bucket", f'le="{limit}"') for limit in [*LIMITS, "+Inf"]}}

    try:
        # Each camera has its key frames at another moment, as real ones have.
        for number in range(1, count):
            time.sleep(KEY_INTERVAL / count)
            server.request(f"/api/v1/cameras/c{number}", "PUT", settings)
        server.wait_until_live(count)
        time.sleep(SETTLING + SETTLING_EACH * count)
        before, start = counts(), time.monotonic()
        time.sleep(seconds)
        after, elapsed = counts(), time.monotonic() - start
        megabytes = total(server.metrics(), "process_resident_memory_bytes") / 1e6
    finally:
        server.stop()
        sender.stop()
    rate = {key: (after[key] - before[key]) / elapsed for key in before}
    fractions = "".join(f"{rate[limit] / max(rate['+Inf'], 1e-9):>10.1%}" for limit in LIMITS)
    return (f"{count:>8}{rate['cpu']:>8.2f}{rate['senders']:>9.2f}{rate['in']:>10.1f}{rate['passes']:>10.1f}{rate['late']:>8.1f}"
            f"{rate['dropped']:>9.2f}{fractions}{megabytes:>9.0f}"), rate["senders"]


def measure_peer(clip: Path, count: int, passes: float, seconds: float, is_shared: bool) -> str:
    """The cameras as read by one Python program, or by one each."""
    sender = Sender(clip)
    groups = [[sender.url] * count] if is_shared else [[sender.url]] * count
    programs = [Popen([*map(str, BENCH.command("bench/peers", "cameras", passes, *group))], stdout=PIPE, text=True) for group in groups]
    processes = [program.pid for program in programs]
    try:
        time.sleep(SETTLING + count)
        for program in programs:
            program.send_signal(signal.SIGUSR1)
        before, start = processor_seconds(processes), time.monotonic()
        time.sleep(seconds)
        cpu = (processor_seconds(processes) - before) / (time.monotonic() - start)
        megabytes = sum(memory(process, "Pss") for process in processes)
        for program in programs:
            program.terminate()
        figures = [json.loads(program.communicate()[0]) for program in programs]
    finally:
        for program in programs:
            program.kill()
        sender.stop()
    frames, done = (sum(figure[key] for figure in figures) for key in ("frames", "passes"))
    if frames < 0.95 * RATE * count:
        log(f"the Python programs read {frames:.0f} of {RATE * count} frames a second")
    name = "one Python program" if is_shared else "a Python program each"
    return f"{count:>8}{cpu:>8.2f}{frames:>10.1f}{done:>10.1f}{megabytes:>9.0f}  {name}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--cameras", type=int, nargs="+", default=[4, 8, 12])
    options.add_argument("--passes", type=float, default=5)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--still", action="store_true")
    options.add_argument("--peers", action="store_true")
    arguments = options.parse_args()
    if arguments.peers:
        BENCH.prepare()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log("making the clip…")
        length = SETTLING + STARTING + (1 + SETTLING_EACH) * max(arguments.cameras) + arguments.seconds
        clip = (still_clip if arguments.still else street_clip)(folder, length)
        decoder = run(["ffmpeg", "-v", "error", "-threads", 1, "-i", clip, "-f", "null", "-"])
        decoding = 1000 * decoder.processor_seconds / count_frames(clip)
        inference = inference_cost(INT8, folder).processor_milliseconds
        print(f"alone: a frame's decoding {decoding:.2f} ms, an inference {inference:.2f} ms\n"
              " cameras   cores  senders  frames/s  passes/s  late/s dropped/s   <=50ms   <=100ms   <=150ms       MB", flush=True)
        for count, detect in [(arguments.cameras[0], "none"), *((count, "objects") for count in arguments.cameras)]:
            row, senders = measure(folder, clip, count, detect, arguments.passes, arguments.seconds)
            passes = 0 if detect == "none" else arguments.passes
            bound = 1000 * (CORES - senders) / (RATE * decoding + passes * inference)
            print(f"{row}  {count / bound:.2f} of the bound", flush=True)
        if arguments.peers:
            print("\n cameras   cores  frames/s  passes/s       MB", flush=True)
            for count in arguments.cameras:
                for is_shared in (True, False):
                    print(measure_peer(clip, count, arguments.passes, arguments.seconds, is_shared), flush=True)

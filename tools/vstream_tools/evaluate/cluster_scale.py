"""Measures how many tasks a second the driver of scripts/cluster and a Dask scheduler handle, with scripted workers.

    scripts/evaluate/cluster-scale [--sizes 100:10000,300:30000,1000:100000] [--seconds S] [--hosts N] [--profile]

    --sizes W:P,…   workers and parts of each measurement
    --seconds S     how long each task takes: the workers ask for W / S tasks a second
    --hosts N       processes that the workers are distributed over
    --profile       prints where the scheduler spends its time (cProfile, which slows it down)

The scheduler is a process of its own with the default settings. The driver's Run and Job are those of vstream-cluster, with videos
of 100 parts each; their plans are files. The workers are Dask's, many in one process; a task waits instead of running vstream.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import json
import pstats
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


from ..environments import CLUSTER

CLUSTER.enter()

import dask
import psutil
import vstream_worker
from ..common import log
from distributed import Client, Worker
from ..cluster.jobs import Job, Options
from run import Run

PARTS_OF_A_VIDEO = 100
PROFILE = "scheduler.profile"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100:10000,300:30000,1000:100000")
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--host", nargs=2, metavar=("URL", "WORKERS"), help=argparse.SUPPRESS)
    return parser.parse_args()


# --- A process with many workers ---


async def host(url: str, count: int) -> None:
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.system-monitor.interval": "60s"})
    with tempfile.TemporaryDirectory() as folder:
        workers = [Worker(url, nthreads=1, memory_limit=0, dashboard=False, local_directory=folder) for _ in range(count)]
        await asyncio.gather(*workers)
        await asyncio.gather(*(worker.finished() for worker in workers))


def scripted(client: Client, folder: Path, seconds: float) -> Callable:
    """A task that waits; in a module, as the driver's is, since Dask takes longer for functions that it cannot import."""
    module = folder / "scripted_task.py"
    module.write_text(f"import asyncio\n\n\nasync def perform(task):\n    await asyncio.sleep({seconds})\n")
    client.upload_file(str(module))
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(module.stem).perform
    finally:
        sys.path.remove(str(folder))


# --- The driver ---


def videos(folder: Path, parts: int) -> list[Job]:
    """Jobs whose plans are made already."""
    jobs = []
    for number in range(parts // PARTS_OF_A_VIDEO):
        job = Job("vstream", f"/archive/video-{number}.mp4", "null", folder / f"video-{number}",
                  Options(record_files=["{name}.jsonl"]))
        job.folder.mkdir()
        job.plan.write_text(json.dumps({"parts": [{"number": part, "packets": 1500} for part in range(PARTS_OF_A_VIDEO)]}))
        jobs.append(job)
    return jobs


@dataclass(frozen=True)
class Usage:
    """Seconds of processor time, and bytes of memory."""

    seconds: float
    memory: int

    @staticmethod
    def of(processes: list[psutil.Process]) -> Usage:
        times = [process.cpu_times() for process in processes]
        return Usage(sum(time.user + time.system for time in times), sum(process.memory_info().rss for process in processes))


@contextlib.contextmanager
def cluster(folder: Path, workers: int, options: argparse.Namespace) -> Iterator[tuple[Client, list[psutil.Process]]]:
    """A client of a scheduler, and the processes of scheduler and workers, once all have joined."""
    address = folder / "scheduler.json"
    profiled = ["-m", "cProfile", "-o", folder / PROFILE] if options.profile else []
    words = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", address]
    processes = [subprocess.Popen([CLUSTER.python, *profiled, CLUSTER.folder / "bin/dask", *words], stderr=subprocess.DEVNULL)]
    try:
        # The file exists before it is written.
        while not (address.exists() and address.read_text().endswith("}")):
            time.sleep(0.05)
        url = json.loads(address.read_text())["address"]
        for number in range(options.hosts):
            count = workers // options.hosts + (number < workers % options.hosts)
            processes.append(subprocess.Popen([CLUSTER.python, __file__, "--host", url, str(count)], stderr=subprocess.DEVNULL))
        with Client(url) as client:
            client.upload_file(vstream_worker.__file__)
            client.wait_for_workers(workers)
            yield client, [psutil.Process(process.pid) for process in processes]
    finally:
        for process in reversed(processes):
            # The scheduler, last, writes its profile.
            process.send_signal(signal.SIGINT if process is processes[0] else signal.SIGKILL)
            process.wait()


def measure(workers: int, parts: int, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with cluster(folder, workers, options) as (client, (scheduler, *hosts)):
            processes = {"driver": [psutil.Process()], "scheduler": [scheduler], "workers": hosts}
            row = drive(client, videos(folder, parts), scripted(client, folder, options.seconds), processes)
            print(f"{workers} workers | {row}", flush=True)
        if options.profile:
            print_profile(folder)


def drive(client: Client, jobs: list[Job], perform: Callable, processes: dict[str, list[psutil.Process]]) -> str:
    """A row of the table."""
    before = {name: Usage.of(found) for name, found in processes.items()}
    start = time.monotonic()
    run = Run(client, jobs, perform)
    run.run()
    seconds, tasks = time.monotonic() - start, run.progress.done
    failed = sum(outcome.status != 0 for outcome in run.outcomes.values())
    columns = [f"{tasks} tasks", f"{failed} videos failed", f"{seconds:.0f} s", f"{tasks / seconds:.0f} tasks/s"]
    for name, found in processes.items():
        after = Usage.of(found)
        used = after.seconds - before[name].seconds
        columns.append(f"{name} {used / seconds:.0%} of a core, {1000 * used / tasks:.2f} ms a task, {after.memory / 1e6:.0f} MB")
    return " | ".join(columns)


def print_profile(folder: Path) -> None:
    """The functions of the scheduler that take the longest, without what they call, and with it."""
    statistics = pstats.Stats(str(folder / PROFILE)).strip_dirs()
    for order in ("tottime", "cumtime"):
        statistics.sort_stats(order).print_stats(25)


def main() -> None:
    options = arguments()
    if options.host:
        return asyncio.run(host(options.host[0], int(options.host[1])))
    for size in options.sizes.split(","):
        workers, parts = map(int, size.split(":"))
        log(f"{workers} workers, {parts} parts…")
        measure(workers, parts, options)

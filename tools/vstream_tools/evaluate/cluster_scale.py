"""Measures how many tasks a second the driver of vstream-cluster and a Dask scheduler handle, with scripted workers.

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
import json
import pstats
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import dask
import psutil
from distributed import Client, Worker

import vstream_worker

from ..cluster.jobs import Job, Options
from ..cluster.run import Run
from ..common import log, parser
from ..environments import CLUSTER
from ..serving import wait_for

PARTS_OF_A_VIDEO = 100
PROFILE = "scheduler.profile"


async def host(url: str, count: int) -> None:
    """A process with many workers."""
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.system-monitor.interval": "60s"})
    with tempfile.TemporaryDirectory() as folder:
        workers = [Worker(url, nthreads=1, memory_limit=0, dashboard=False, local_directory=folder) for _ in range(count)]
        await asyncio.gather(*workers)
        await asyncio.gather(*(worker.finished() for worker in workers))


async def perform(task: vstream_worker.Task) -> None:
    """A task that waits; the name of its program says how long."""
    await asyncio.sleep(float(task.arguments[0]))


def videos(folder: Path, parts: int, seconds: float) -> list[Job]:
    """Jobs whose plans are made already."""
    jobs = []
    for number in range(parts // PARTS_OF_A_VIDEO):
        job = Job(f"{seconds}", f"/archive/video-{number}.mp4", "null", folder / f"video-{number}", Options(record_files=["{name}.jsonl"]))
        job.folder.mkdir()
        job.plan.write_text(json.dumps({"parts": [{"number": part, "packets": 1500} for part in range(PARTS_OF_A_VIDEO)]}))
        jobs.append(job)
    return jobs


def usage(processes: list[psutil.Process]) -> tuple[float, int]:
    """Seconds of processor time, and bytes of memory."""
    times = [process.cpu_times() for process in processes]
    return sum(time.user + time.system for time in times), sum(process.memory_info().rss for process in processes)


@contextlib.contextmanager
def cluster(folder: Path, workers: int, options: argparse.Namespace) -> Iterator[tuple[Client, list[psutil.Process]]]:
    """A client of a scheduler, and the processes of scheduler and workers, once all have joined."""
    address = folder / "scheduler.json"
    profiled = ["-m", "cProfile", "-o", folder / PROFILE] if options.profile else []
    words = [*profiled, CLUSTER.folder / "bin/dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    processes = [subprocess.Popen([CLUSTER.python, *words, "--scheduler-file", address], stderr=subprocess.DEVNULL)]
    try:
        # The file exists before it is written.
        wait_for("the scheduler", lambda: address.exists() and address.read_text().endswith("}"))
        url = json.loads(address.read_text())["address"]
        for number in range(options.hosts):
            count = workers // options.hosts + (number < workers % options.hosts)
            processes.append(subprocess.Popen(CLUSTER.command("evaluate/cluster-scale", "--host", url, str(count)),
                                              stderr=subprocess.DEVNULL))
        with Client(url) as client:
            client.wait_for_workers(workers)
            yield client, [psutil.Process(process.pid) for process in processes]
    finally:
        for process in reversed(processes):
            # The scheduler, last, writes its profile.
            process.send_signal(signal.SIGINT if process is processes[0] else signal.SIGKILL)
            process.wait()


def measure(workers: int, parts: int, options: argparse.Namespace) -> None:
    """Prints a row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with cluster(folder, workers, options) as (client, (scheduler, *hosts)):
            processes = {"driver": [psutil.Process()], "scheduler": [scheduler], "workers": hosts}
            run = Run(client, videos(folder, parts, options.seconds), perform)
            before = {name: usage(found) for name, found in processes.items()}
            start = time.monotonic()
            run.run()
            seconds, tasks = time.monotonic() - start, run.progress.done
            failed = sum(outcome.status != 0 for outcome in run.outcomes.values())
            columns = [f"{workers} workers", f"{tasks} tasks", f"{failed} videos failed", f"{seconds:.0f} s",
                       f"{tasks / seconds:.0f} tasks/s"]
            for name, found in processes.items():
                used, memory = usage(found)[0] - before[name][0], usage(found)[1]
                columns.append(f"{name} {used / seconds:.0%} of a core, {1000 * used / tasks:.2f} ms a task, {memory / 1e6:.0f} MB")
            print(" | ".join(columns), flush=True)
        if options.profile:
            # The functions of the scheduler that take the longest, without the functions that they call, and with them.
            for order in ("tottime", "cumtime"):
                pstats.Stats(str(folder / PROFILE)).strip_dirs().sort_stats(order).print_stats(25)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", default="100:10000,300:30000,1000:100000")
    options.add_argument("--seconds", type=float, default=0.1)
    options.add_argument("--hosts", type=int, default=4)
    options.add_argument("--profile", action="store_true")
    options.add_argument("--host", nargs=2, help=argparse.SUPPRESS)
    arguments = options.parse_args()
    if arguments.host:
        return asyncio.run(host(arguments.host[0], int(arguments.host[1])))
    for size in arguments.sizes.split(","):
        workers, parts = map(int, size.split(":"))
        log(f"{workers} workers, {parts} parts…")
        measure(workers, parts, arguments)

"""Submits the steps of jobs as Slurm arrays, each of which waits for the one before."""

from __future__ import annotations

import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import vstream_worker
from vstream_worker import Task

from .jobs import Job

MISSING = 69
# Slurm's default for MaxArraySize is one more.
MAXIMUM_ARRAY = 1000


def write_array(folder: Path, name: str, tasks: list[Task]) -> Path:
    """The tasks of an array, and the script that runs one of them: that of the array's index."""
    listed = folder / f"{name}.json"
    listed.write_text(json.dumps([dataclasses.asdict(task) for task in tasks]))
    words = [sys.executable, vstream_worker.__file__, str(listed)]
    script = folder / f"{name}.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$SLURM_ARRAY_TASK_ID"\n')
    return script


def arrays(job: Job, number: int, tasks: list[Task]) -> Iterator[tuple[str, Path, int]]:
    """The arrays of a step: names, scripts, and how many tasks they have."""
    for start in range(0, len(tasks), MAXIMUM_ARRAY):
        name = f"step-{number}" + (f"-{start}" if start else "")
        chunk = tasks[start:start + MAXIMUM_ARRAY]
        yield name, write_array(job.folder, name, chunk), len(chunk)


def command(job: Job, script: Path, count: int, after: list[str], options: list[str]) -> list[str]:
    # Without the second dependency option, steps after one that failed would wait for ever.
    dependency = [f"--dependency=afterok:{':'.join(after)}", "--kill-on-invalid-dep=yes"] if after else []
    return ["sbatch", "--parsable", f"--array=0-{count - 1}", f"--job-name=vstream-{job.stem}", "--requeue",
            f"--output={script.parent}/%x-%A-%a.log", *dependency, *options, str(script)]


def submit(jobs: list[Job], options: list[str], is_dry: bool) -> int:
    """Prints and submits the arrays of all jobs.

    Returns the exit code.
    """
    if not is_dry and shutil.which("sbatch") is None:
        print("vstream-cluster: there is no sbatch; install Slurm, or print the commands with --dry-run", file=sys.stderr)
        return MISSING
    for job in jobs:
        split = vstream_worker.run(job.split())
        if split.status:
            print(f"vstream-cluster: {job.input}: {split.message}", file=sys.stderr)
            return split.status
        status = submit_steps(job, options, is_dry)
        if status:
            return status
    return 0


def submit_steps(job: Job, options: list[str], is_dry: bool) -> int:
    after: list[str] = []
    for number, tasks in enumerate(tasks for tasks in job.steps() if tasks):
        submitted = []
        for name, script, count in arrays(job, number, tasks):
            words = command(job, script, count, after, options)
            print(shlex.join(words), flush=True)
            if is_dry:
                submitted.append(name.replace("step-", "STEP"))
                continue
            finished = subprocess.run(words, capture_output=True, text=True)
            if finished.returncode:
                print(f"vstream-cluster: sbatch: {finished.stderr.strip()}", file=sys.stderr)
                return finished.returncode
            # The job's number, and its cluster's name if there are several.
            submitted.append(finished.stdout.strip().split(";")[0])
        after = submitted
    return 0

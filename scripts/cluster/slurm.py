"""Submits the steps of jobs as Slurm arrays, each of which waits for the one before."""

from __future__ import annotations

import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import vstream_worker
from jobs import Job
from vstream_worker import Task

MISSING = 69


def write_step(folder: Path, number: int, tasks: list[Task]) -> Path:
    """The tasks of a step, and the script that runs one of them: that of the array's index."""
    listed = folder / f"step-{number}.json"
    listed.write_text(json.dumps([dataclasses.asdict(task) for task in tasks]))
    words = [sys.executable, vstream_worker.__file__, str(listed)]
    script = folder / f"step-{number}.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$SLURM_ARRAY_TASK_ID"\n')
    return script


def command(job: Job, script: Path, count: int, after: str | None, options: list[str]) -> list[str]:
    return ["sbatch", "--parsable", f"--array=0-{count - 1}", f"--job-name=vstream-{job.stem}", "--requeue",
            f"--output={script.parent}/%x-%A-%a.log", *([f"--dependency=afterok:{after}"] if after else []), *options, str(script)]


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
        last = None
        for number, tasks in enumerate(tasks for tasks in job.steps() if tasks):
            words = command(job, write_step(job.folder, number, tasks), len(tasks), last, options)
            print(shlex.join(words), flush=True)
            if is_dry:
                last = f"STEP{number}"
                continue
            finished = subprocess.run(words, capture_output=True, text=True)
            if finished.returncode:
                print(f"vstream-cluster: sbatch: {finished.stderr.strip()}", file=sys.stderr)
                return finished.returncode
            # The job's number, and its cluster's name if there are several.
            last = finished.stdout.strip().split(";")[0]
    return 0

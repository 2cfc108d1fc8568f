"""Submits the steps of jobs as Slurm arrays, each of which waits for the one before."""

from __future__ import annotations

import dataclasses
import json
import shlex
import subprocess
import sys

import vstream_worker
from vstream_worker import Task

from .jobs import Job

# Slurm's default for MaxArraySize is one more.
MAXIMUM_ARRAY = 1000


def array_command(job: Job, name: str, tasks: list[Task], after: list[str], options: list[str]) -> list[str]:
    """Writes the tasks of an array, and the script that runs one of them: that of the array's index; the command that submits it."""
    listed, script = job.folder / f"{name}.json", job.folder / f"{name}.sh"
    listed.write_text(json.dumps([dataclasses.asdict(task) for task in tasks]))
    words = [sys.executable, vstream_worker.__file__, str(listed)]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$SLURM_ARRAY_TASK_ID"\n')
    # Without the second dependency option, steps after one that failed would wait for ever.
    dependency = [f"--dependency=afterok:{':'.join(after)}", "--kill-on-invalid-dep=yes"] if after else []
    return ["sbatch", "--parsable", f"--array=0-{len(tasks) - 1}", f"--job-name=vstream-{job.stem}", "--requeue",
            f"--output={job.folder}/%x-%A-%a.log", *dependency, *options, str(script)]


def submit(job: Job, options: list[str], is_dry: bool) -> None:
    """Prints and submits the arrays of a job; ends the program if one is refused."""
    after: list[str] = []
    for number, tasks in enumerate(tasks for tasks in job.steps() if tasks):
        submitted = []
        for start in range(0, len(tasks), MAXIMUM_ARRAY):
            name = f"step-{number}" + (f"-{start}" if start else "")
            words = array_command(job, name, tasks[start:start + MAXIMUM_ARRAY], after, options)
            print(shlex.join(words), flush=True)
            if is_dry:
                submitted.append(name.replace("step-", "STEP"))
                continue
            finished = subprocess.run(words, capture_output=True, text=True)
            if finished.returncode:
                print(f"vstream-cluster: sbatch: {finished.stderr.strip()}", file=sys.stderr)
                sys.exit(finished.returncode)
            # The job's number, and its cluster's name if there are several.
            submitted.append(finished.stdout.strip().split(";")[0])
        after = submitted

"""Runs one command of vstream on a worker; its files get their names when it has succeeded.

The driver sends this file to scheduler and workers, so that they need Dask and vstream only.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import uuid
from dataclasses import dataclass, field

# Stands for a file's temporary name in a command: of two attempts at a part, neither writes the other's file.
HERE = "\0"
TIMED_OUT = 124
ATTEMPTS = 3
# The exit code of a run whose output is complete, though a verification found something in it.
FOUND = 1
# Exit codes that another attempt would have as well: wrong options, an input that is another one.
FINAL = {FOUND, 64}


@dataclass(frozen=True)
class Task:
    """A command, which is done when all of `writes` exist."""

    name: str
    arguments: tuple[str, ...]
    # Its files, whose names `arguments` contain after HERE.
    writes: tuple[str, ...] = ()
    # Seconds after which it counts as hung.
    deadline: float = 3600.0
    frames: int = 0
    # Of its job; the beginning of the names of its temporary folders.
    tag: str = "vstream"
    # Where it is noted that a verification found something in the output.
    finding: str | None = None

    @property
    def kind(self) -> str:
        """The same for all parts."""
        return self.name.rpartition(", ")[-1]

    @property
    def is_done(self) -> bool:
        return bool(self.writes) and all(os.path.exists(path) for path in self.writes)

    @property
    def has_finding(self) -> bool:
        """Whether a verification found something in the task's output."""
        return self.finding is not None and os.path.exists(self.finding)


@dataclass(frozen=True)
class Outcome:
    status: int
    message: str = ""
    host: str = field(default_factory=socket.gethostname)


class TaskFailed(Exception):
    """A task that did not succeed on the worker of an address."""

    def __init__(self, outcome: Outcome, address: str) -> None:
        super().__init__(outcome, address)
        self.outcome, self.address = outcome, address


def end_with_parent() -> None:
    """Has the kernel kill this process when the worker is killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def temporary(path: str, token: str) -> str:
    """A file in a folder of its own, beside a file and with the same name, which may be written into others."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{token}", name)


def remove_temporary(folders: set[str], tags: set[str]) -> None:
    """Removes the temporary folders of jobs whose workers were killed."""
    for folder in filter(os.path.isdir, folders):
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(".") and entry.name[1:].rpartition("-")[0] in tags:
                shutil.rmtree(entry.path, ignore_errors=True)


def run_command(arguments: list[str], deadline: float) -> tuple[int, str]:
    """Exit code and last message of a command."""
    try:
        finished = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  timeout=deadline, preexec_fn=end_with_parent)
    except subprocess.TimeoutExpired:
        return TIMED_OUT, f"did not end within {deadline:.0f} s"
    except OSError as error:
        return 69, f"'{arguments[0]}' cannot be run: {error.strerror}"
    # Without the program's name: the error of a program that ends with one.
    lines = [line for line in finished.stderr.decode(errors="replace").splitlines() if line.strip()]
    message = lines[-1].removeprefix("vstream: ") if lines else ""
    if finished.returncode < 0:
        return 128 - finished.returncode, message or f"ended by signal {-finished.returncode}"
    return finished.returncode, message


def finish(paths: tuple[str, ...], token: str) -> None:
    """Gives the files their names, in their order; first those that the command has written beside them, as scripts of subtitles."""
    named = {temporary(path, token) for path in paths}
    for folder in {os.path.dirname(path) for path in named}:
        for entry in list(os.scandir(folder)):
            if entry.path not in named:
                os.replace(entry.path, os.path.join(os.path.dirname(folder), entry.name))
    for path in paths:
        os.replace(temporary(path, token), path)


def run(task: Task) -> Outcome:
    """Runs a task, unless it is done; never through a shell."""
    if task.is_done and task.finding and task.has_finding:
        with open(task.finding) as file:
            return Outcome(FOUND, file.read())
    if task.is_done:
        return Outcome(0)
    token = f"{task.tag}-{uuid.uuid4().hex[:12]}"
    arguments = [temporary(word[1:], token) if word.startswith(HERE) else word for word in task.arguments]
    folders = {os.path.dirname(temporary(path, token)) for path in task.writes}
    try:
        for folder in folders:
            os.mkdir(folder)
        status, message = run_command(arguments, task.deadline)
        message = message.replace(f".{token}/", "")
        is_complete = all(os.path.exists(temporary(path, token)) for path in task.writes)
        if status == FOUND and is_complete and task.finding:
            with open(task.finding, "w") as file:
                file.write(message)
        if status == 0 or (status == FOUND and is_complete):
            finish(task.writes, token)
    except OSError as error:
        path = str(error.filename).replace(f"/.{token}", "")
        status, message = 74, f"'{path}' cannot be written: {error.strerror}; check that its folder exists, and its permissions"
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(status, message)


def perform(task: Task) -> None:
    """Runs a task on a worker of Dask.

    A failure is raised: exceptions reach the driver with the scheduler's message, while each result would have to be fetched.
    """
    from distributed import get_worker

    outcome = run(task)
    if outcome.status:
        raise TaskFailed(outcome, get_worker().address)


def allow_failures(dask_scheduler) -> None:
    """Has Dask's scheduler try the parts of a lost worker again, however many workers are lost."""
    dask_scheduler.allowed_failures = max(20, dask_scheduler.allowed_failures)


def main() -> int:
    """Runs one task of a step of a Slurm array: `vstream_worker.py STEP.json INDEX`."""
    with open(sys.argv[1]) as file:
        listed = json.load(file)[int(sys.argv[2])]
    task = Task(**{**listed, "arguments": tuple(listed["arguments"]), "writes": tuple(listed["writes"])})
    for _ in range(ATTEMPTS):
        outcome = run(task)
        if outcome.status in (0, *FINAL):
            break
    if outcome.status:
        print(f"{task.name}: {outcome.message}", file=sys.stderr)
    return outcome.status


if __name__ == "__main__":
    sys.exit(main())

"""Runs the tasks of jobs on a Dask cluster, step by step."""

from __future__ import annotations

import heapq
import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from distributed import Client, Future, KilledWorker, as_completed

import vstream_worker as worker
from vstream_worker import ATTEMPTS, FINAL, Outcome, Task, TaskFailed

from .jobs import Job

# Tasks that the scheduler has at a time, for each thread of the workers; the others wait here, in the order of their priority. With
# more of them the scheduler takes longer for each.
TASKS_PER_THREAD = 2
# Seconds for which the list of workers is used.
WORKERS_VALID = 5.0
# More than the frames of any task: tasks of a later step come first, so that videos are finished before others are started.
STEP_PRIORITY = 10**9


class SchedulerLost(Exception):
    """The connection to the scheduler has ended."""


class Progress:
    """A line on the terminal: tasks, frames a second, and when the known tasks will have ended."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.total = self.done = self.frames = self.left_frames = 0
        self.is_shown = sys.stderr.isatty()

    def add(self, task: Task) -> None:
        self.total += 1
        self.left_frames += task.frames

    def end(self, task: Task) -> None:
        self.done += 1
        self.frames += task.frames
        self.left_frames -= task.frames
        rate = self.frames / max(1e-3, time.monotonic() - self.start)
        if self.is_shown:
            eta = time.strftime("%H:%M:%S", time.gmtime(self.left_frames / rate)) if rate > 0 else "unknown"
            print(f"\r{self.done}/{self.total} parts  {rate:.0f} frames/s  ETA {eta} \x1b[K", end="", file=sys.stderr)

    def clear(self) -> None:
        if self.is_shown:
            print("\r\x1b[K", end="", file=sys.stderr)


@dataclass
class Attempts:
    """A task, and the attempts at it."""

    job: Job
    task: Task
    # Of its job.
    step: int
    count: int = 0
    # Addresses of workers on which it failed, and of the workers that may run the present attempt, if not all.
    failed_on: set[str] = field(default_factory=set)
    allowed: list[str] = field(default_factory=list)
    future: Future | None = None


class Run:
    """All jobs on a cluster."""

    def __init__(self, client: Client, jobs: list[Job], perform: Callable[[Task], object] = worker.perform) -> None:
        self.client, self.jobs, self.perform = client, jobs, perform
        self.progress = Progress()
        self.steps = {id(job): enumerate(job.steps()) for job in jobs}
        self.pending: dict[int, int] = {}
        self.outcomes: dict[int, Outcome] = {}
        # A heap, the task of the highest priority first.
        self.waiting: list[tuple[int, int, Attempts]] = []
        self.order = itertools.count()
        self.submitted: dict[object, Attempts] = {}
        self.completed = as_completed()
        self.threads: dict[str, int] = {}
        self.threads_expire = 0.0

    def run(self) -> None:
        for job in self.jobs:
            self.advance(job)
        while self.waiting or self.submitted:
            self.update_workers()
            self.submit_waiting()
            self.wait_for_completion()
            for future in self.completed.next_batch(block=False):
                if future.key in self.submitted:
                    attempts = self.submitted.pop(future.key)
                    self.finish(attempts, self.outcome(future, attempts))
        self.progress.clear()

    def wait_for_completion(self) -> None:
        with self.completed.thread_condition:
            if not self.completed.has_ready():
                self.completed.thread_condition.wait(timeout=1)

    def advance(self, job: Job) -> None:
        """Starts the next step that has something to do."""
        for step, tasks in self.steps[id(job)]:
            if tasks:
                self.pending[id(job)] = len(tasks)
                for task in tasks:
                    self.progress.add(task)
                    self.wait(Attempts(job, task, step))
                return
        self.outcomes.setdefault(id(job), Outcome(0))

    def wait(self, attempts: Attempts) -> None:
        priority = attempts.step * STEP_PRIORITY + attempts.task.frames
        heapq.heappush(self.waiting, (-priority, next(self.order), attempts))

    def update_workers(self) -> None:
        if time.monotonic() < self.threads_expire:
            return
        try:
            self.threads = self.client.nthreads()
        except OSError as error:
            raise SchedulerLost from error
        self.threads_expire = time.monotonic() + WORKERS_VALID
        for attempts in [attempts for attempts in self.submitted.values() if attempts.allowed]:
            if not any(address in self.threads for address in attempts.allowed):
                self.withdraw(attempts)

    def withdraw(self, attempts: Attempts) -> None:
        """Takes back an attempt whose workers are lost, which the scheduler would keep until they return."""
        del self.submitted[attempts.future.key]
        attempts.future.cancel()
        attempts.count -= 1
        self.wait(attempts)

    def submit_waiting(self) -> None:
        limit = TASKS_PER_THREAD * max(1, sum(self.threads.values()))
        batches: dict[tuple, list[Attempts]] = {}
        for _ in range(min(len(self.waiting), limit - len(self.submitted))):
            attempts = heapq.heappop(self.waiting)[-1]
            attempts.count += 1
            # Not as a preference, which Dask forgets when a worker is idle.
            attempts.allowed = [address for address in self.threads if address not in attempts.failed_on] if attempts.failed_on else []
            batches.setdefault((attempts.step, *attempts.allowed), []).append(attempts)
        for batch in batches.values():
            self.submit(batch)

    def submit(self, batch: list[Attempts]) -> None:
        """Submits attempts of one step that the same workers may run."""
        # The first element groups tasks that take equally long. An attempt of an earlier run may still have its key.
        keys = [(attempts.task.kind, attempts.job.folder.name, attempts.task.name, attempts.count, time.monotonic_ns())
                for attempts in batch]
        futures = self.client.map(self.perform, [attempts.task for attempts in batch], key=keys, pure=False, priority=batch[0].step,
                                  workers=batch[0].allowed or None)
        for attempts, future in zip(batch, futures, strict=True):
            attempts.future = future
            self.submitted[future.key] = attempts
        self.completed.update(futures)

    def outcome(self, future: Future, attempts: Attempts) -> Outcome:
        if future.status == "cancelled":
            raise SchedulerLost
        # A task that succeeded stays done if its worker is lost now: its files are there.
        if future.status != "error":
            return Outcome(0)
        error = future.exception()
        if isinstance(error, TaskFailed):
            attempts.failed_on.add(error.address)
            self.threads_expire = 0  # the worker for the next attempt may have joined since
            return error.outcome
        if isinstance(error, KilledWorker):
            return Outcome(75, f"its worker was lost: {error}".splitlines()[0])
        return Outcome(75, f"Dask failed: {error}".splitlines()[0])

    def finish(self, attempts: Attempts, outcome: Outcome) -> None:
        job, task = attempts.job, attempts.task
        if outcome.status != 0 and id(job) not in self.outcomes:
            if outcome.status not in FINAL and attempts.count < ATTEMPTS:
                return self.wait(attempts)
            where = f" on {outcome.host}" if outcome.host else ""
            self.outcomes[id(job)] = Outcome(outcome.status, f"{job.input}: {task.name}{where}: {outcome.message}", host="")
            self.progress.clear()
            print(f"vstream-cluster: {self.outcomes[id(job)].message}", file=sys.stderr)
        self.progress.end(task)
        self.pending[id(job)] -= 1
        if self.pending[id(job)] == 0 and id(job) not in self.outcomes:
            self.advance(job)

"""Runs of the program for scripts/checks/damaged-inputs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from cases import Case
from common import ROOT


@dataclass
class Result:
    """What a run left beside its files."""

    # Negative for a signal.
    status: int
    errors: str
    seconds: float
    peak_megabytes: float
    is_timeout: bool
    # The size of standard output.
    output_size: int


def environment(cache: Path) -> dict[str, str]:
    suppressions = f"suppressions={ROOT}/Tests/Sanitizers/leaks.supp:print_suppressions=0"
    return {**os.environ, "XDG_CACHE_HOME": str(cache), "VSTREAM_MODELS": str(ROOT / ".deps/models"),
            "VSTREAM_OPENVINO": str(ROOT / ".deps/openvino/libs"), "LSAN_OPTIONS": suppressions, "TBB_ENABLE_SANITIZERS": "1"}


def kill_when_late(process: subprocess.Popen, start: float, limit: float, ended: threading.Event, timeout: threading.Event) -> None:
    """Kills a process after `limit` seconds, without those in which it waited for a processor."""
    while not ended.wait(0.2):
        if time.monotonic() - start > limit and time.monotonic() - start - seconds_waiting(process.pid) > limit:
            timeout.set()
            os.kill(process.pid, signal.SIGKILL)
            return


def seconds_waiting(process: int) -> float:
    """The longest time that a thread of a process was ready to run and others did."""
    waiting = [0.0]
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            waiting.append(int(path.read_text().split()[1]) / 1e9)
        except (OSError, IndexError):
            continue  # the thread has ended, or the kernel keeps no such times
    return max(waiting)


def run_program(program: Path, case: Case, folder: Path, cache: Path, limit: float) -> Result:
    """Runs a case in its folder. A run of more than `limit` seconds, without those in which others ran, is killed."""
    source = None
    if case.arguments[0] == "-":
        source = subprocess.Popen(["cat", case.source], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    paths = (folder.parent / f"{folder.name}.{name}" for name in ("errors", "output"))
    with open(next(paths), "w+b") as errors, open(next(paths), "w+b") as output:
        start = time.monotonic()
        process = subprocess.Popen([program, *case.arguments], cwd=folder, env=environment(cache), stdout=output, stderr=errors,
                                   stdin=source.stdout if source else subprocess.DEVNULL)
        if source:
            source.stdout.close()
        ended, timeout = threading.Event(), threading.Event()
        watch = threading.Thread(target=kill_when_late, args=(process, start, limit, ended, timeout))
        watch.start()
        # Not reaped yet, so that no other process can have its number when it is killed.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - start
        ended.set()
        watch.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if source:
            source.wait()
        errors.seek(0)
        result = Result(process.returncode, errors.read().decode(errors="replace"), seconds, usage.ru_maxrss / 1024,
                        timeout.is_set(), os.fstat(output.fileno()).st_size)
    Path(errors.name).unlink()
    Path(output.name).unlink()
    return result

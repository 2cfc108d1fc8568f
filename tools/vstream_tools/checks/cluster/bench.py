"""Shared by the checks of vstream-cluster: conditions, a Dask cluster, certificates, and comparisons with a single run."""

from __future__ import annotations

import filecmp
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ...common import ROOT, VIDEOS, vstream_path
from ...environments import CLUSTER
from ...measuring import ffmpeg

DRIVER = ROOT / "scripts/cluster/vstream-cluster"
DASK = CLUSTER.folder / "bin/dask"
# With a lossless codec the pictures of parts are those of one run.
OPTIONS = ["--codec", "ffv1", "--events"]
WAIT_FOR_WORKERS = """
import sys, distributed
with distributed.Client(sys.argv[1]) as client:
    client.wait_for_workers(int(sys.argv[2]), timeout=60)
"""


def require(condition: object, what: object) -> None:
    if not condition:
        raise AssertionError(what)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)


def stop_servers_when_terminated() -> None:
    """SIGTERM ends the command as an exception does, so that its servers are stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Servers:
    """A Dask scheduler, and workers, each with an environment and on a machine of its own or on this one; all are killed in the end."""

    def __init__(self, folder: Path, *options: object, on: Callable[..., list] = lambda machine, *words: list(words)) -> None:
        self.folder, self.options, self.on, self.url = folder, [*options, "--no-dashboard"], on, ""
        self.running: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()
        self.running.clear()

    def start_scheduler(self, port: str = "0", host: str = "127.0.0.1") -> None:
        address = self.folder / "scheduler.json"
        address.unlink(missing_ok=True)
        self.run("scheduler", {}, "scheduler", "--host", host, "--port", port, "--scheduler-file", address)
        # The file exists before it is written.
        wait_until(lambda: address.exists() and address.read_text().endswith("}"), "the scheduler listens")
        self.url = json.loads(address.read_text())["address"]

    def start_worker(self, name: str, environment: dict[str, str], host: str = "127.0.0.1") -> None:
        self.run(name, environment, "worker", self.url, "--host", host, "--nthreads", "1", "--no-nanny", "--local-directory",
                 self.folder / f"dask-{name}")

    def run(self, name: str, environment: dict[str, str], *words: object) -> None:
        # Without this package: the driver sends the worker's module.
        environment = {key: value for key, value in (environment or os.environ).items() if key != "PYTHONPATH"}
        self.running[name] = subprocess.Popen([*map(str, self.on(name, DASK, *words, *self.options))], cwd=self.folder,
                                              env=environment, stderr=subprocess.DEVNULL)

    def wait_for_workers(self, count: int) -> None:
        subprocess.run([CLUSTER.python, "-c", WAIT_FOR_WORKERS, self.url, str(count)], check=True)


def certificate(folder: Path, name: str, authority: str | None) -> list[str]:
    """A certificate signed by an authority, or by itself; the options of Dask's programs that name the files."""
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    signed = ["-CA", folder / f"{authority}.pem", "-CAkey", folder / f"{authority}.key"] if authority else []
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", f"/CN={name}", "-out", file,
                    "-days", "2", *signed], check=True, capture_output=True)
    return ["--tls-cert", str(file), "--tls-key", str(key)]


def make_clip(path: Path, loops: int) -> None:
    """`street.avi`, repeated, in a small size: 79.5 s each time."""
    ffmpeg("-stream_loop", loops - 1, "-i", VIDEOS / "street.avi", "-vf", "scale=192:144", "-c:v", "libx264", "-g", 50, path)


def run_once(clip: Path, name: str) -> None:
    """NAME.mkv and NAME.jsonl of one process, beside the clip."""
    subprocess.run([vstream_path(), clip, "-o", clip.with_name(f"{name}.mkv"), "--records", clip.with_name(f"{name}.jsonl"), "--quiet",
                    *OPTIONS], check=True)


def require_equal(folder: Path, one: str, other: str) -> None:
    """Compares two results: the records' bytes, and the pictures."""
    require(filecmp.cmp(folder / f"{one}.jsonl", folder / f"{other}.jsonl", shallow=False), "the records differ")
    first, second = (subprocess.run(["ffmpeg", "-v", "error", "-i", folder / f"{name}.mkv", "-f", "framemd5", "-"], check=True,
                                    capture_output=True).stdout for name in (one, other))
    require(first == second, "the pictures differ")

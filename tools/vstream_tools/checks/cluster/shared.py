"""What the checks of vstream-cluster share: conditions, certificates, and comparisons with a single run."""

from __future__ import annotations

import contextlib
import filecmp
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ...common import ROOT, VIDEOS, vstream_path
from ...environments import CLUSTER

DRIVER = ROOT / "scripts/cluster/vstream-cluster"
DASK = CLUSTER.folder / "bin/dask"
# With a lossless codec the pictures of parts are those of one run.
OPTIONS = ["--codec", "ffv1", "--events"]


def require(condition: object, what: object) -> None:
    if not condition:
        raise AssertionError(what)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)


def children(parent: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(word) for word in path.read_text().split()]
    return found


def stop_servers_when_terminated() -> None:
    """SIGTERM ends the script as an exception does, so that what it started is stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def certificate(folder: Path, name: str, authority: str | None) -> list[str]:
    """A certificate signed by an authority, or by itself; the options of Dask's programs that name the files."""
    key, file = folder / f"{name}.key", folder / f"{name}.pem"
    new = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", f"/CN={name}"]
    if authority is None:
        subprocess.run([*new, "-x509", "-out", file, "-days", "2"], check=True, capture_output=True)
    else:
        subprocess.run([*new, "-out", folder / f"{name}.csr"], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{authority}.pem", "-CAkey",
                        folder / f"{authority}.key", "-CAcreateserial", "-out", file, "-days", "2"], check=True, capture_output=True)
    return ["--tls-cert", str(file), "--tls-key", str(key)]


def make_clip(path: Path, loops: int) -> None:
    """`street.avi`, repeated, in a small size: 79.5 s each time."""
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", str(loops - 1), "-i", VIDEOS / "street.avi", "-vf", "scale=192:144",
                    "-c:v", "libx264", "-g", "50", path], check=True)


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

"""Extracts a file of a Debian package, and downloads no more of the package than up to that file.

    models/debian-file PACKAGE NAME TARGET

Apt knows where the package is; its version is the distribution's. If the address cannot be read from here, apt downloads the
whole package.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.request
from pathlib import Path
from typing import IO

from ..common import fail, log

TIMEOUT = 30  # seconds without data


def apt(*arguments: str, folder: str = "/") -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=folder).stdout


def extract(package: IO[bytes], name: str, target: Path) -> None:
    """Reads a package up to the file. dpkg-deb decompresses it."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as dpkg:
        def feed() -> None:
            with contextlib.suppress(OSError), dpkg.stdin:  # dpkg-deb ends before the package does
                shutil.copyfileobj(package, dpkg.stdin)

        threading.Thread(target=feed, daemon=True).start()
        try:
            with tarfile.open(fileobj=dpkg.stdout, mode="r|") as archive:
                source = next((archive.extractfile(member) for member in archive if Path(member.name).name == name), None)
                if not source:
                    raise ValueError(f"the package has no file {name}")
                target.write_bytes(source.read())
        finally:
            dpkg.kill()


def main() -> None:
    if len(sys.argv) != 4:
        fail("usage: models/debian-file PACKAGE NAME TARGET", 64)
    package, name, target = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    # Apt's proxies, where the environment has none.
    for scheme in ("http", "https"):
        found = apt("apt-config", "shell", "proxy", f"Acquire::{scheme}::Proxy").partition("=")[2].strip().strip("'")
        if found not in ("", "DIRECT"):
            os.environ.setdefault(f"{scheme}_proxy", found)
    try:
        try:
            address = apt("apt-get", "download", "--print-uris", package).split("'")[1]
            with urllib.request.urlopen(address, timeout=TIMEOUT) as stream:
                extract(stream, name, target)
        except (OSError, ValueError, IndexError, tarfile.TarError) as error:
            log(f"{error}; downloading all of {package}")
            with tempfile.TemporaryDirectory() as folder:
                os.chmod(folder, 0o755)  # apt downloads as a user of its own
                apt("apt-get", "download", package, folder=folder)
                with next(Path(folder).glob("*.deb")).open("rb") as file:
                    extract(file, name, target)
    except (OSError, ValueError, tarfile.TarError, subprocess.CalledProcessError) as error:
        fail(f"{getattr(error, 'stderr', None) or error}")

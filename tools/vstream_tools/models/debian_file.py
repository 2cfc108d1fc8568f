"""Extracts a file of a Debian package, and downloads no more of the package than up to that file.

    models/debian-file PACKAGE NAME TARGET

Apt knows where the package is; its version is the distribution's. If the address cannot be read from here, apt downloads the
whole package.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path
from typing import BinaryIO

from ..common import fail, log

TIMEOUT = 30  # seconds without data


def apt(*arguments: str, folder: str = "/") -> str:
    return subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=folder).stdout


def address(package: str) -> str:
    return apt("apt-get", "download", "--print-uris", package).split("'")[1]


def use_proxies() -> None:
    """Takes apt's proxies, where the environment has none."""
    for scheme in ("http", "https"):
        found = apt("apt-config", "shell", "proxy", f"Acquire::{scheme}::Proxy").partition("=")[2].strip().strip("'")
        if found not in ("", "DIRECT"):
            os.environ.setdefault(f"{scheme}_proxy", found)


def extract(package: BinaryIO, name: str, target: Path) -> None:
    """Reads a package up to the file. Its form is that of ar: a header of 60 bytes before each member."""
    package.read(8)
    while header := package.read(60):
        if header.startswith(b"data.tar"):
            read_archive(package, "r|*", name, target)
            return
        size = int(header[48:58])
        package.read(size + size % 2)
    raise ValueError("the package has no archive of its files")


def read_archive(stream: BinaryIO, mode: str, name: str, target: Path) -> None:
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for member in archive:
            source = archive.extractfile(member) if Path(member.name).name == name else None
            if source:
                target.write_bytes(source.read())
                return
    raise ValueError(f"the package has no file {name}")


def extract_all(package: Path, name: str, target: Path) -> None:
    """The same with dpkg, which reads archives that this Python may not, as Ubuntu's."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as dpkg:
        read_archive(dpkg.stdout, "r|", name, target)


def main() -> None:
    if len(sys.argv) != 4:
        fail("usage: models/debian-file PACKAGE NAME TARGET", 64)
    package, name, target = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    try:
        use_proxies()
        try:
            with urllib.request.urlopen(address(package), timeout=TIMEOUT) as stream:
                extract(stream, name, target)
        except (OSError, ValueError, IndexError, tarfile.TarError) as error:
            log(f"{error}; downloading all of {package}")
            with tempfile.TemporaryDirectory() as folder:
                os.chmod(folder, 0o755)  # apt downloads as a user of its own
                apt("apt-get", "download", package, folder=folder)
                extract_all(next(Path(folder).glob("*.deb")), name, target)
    except (OSError, ValueError, tarfile.TarError, subprocess.CalledProcessError) as error:
        fail(f"{getattr(error, 'stderr', None) or error}")

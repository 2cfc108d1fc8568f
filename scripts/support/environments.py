"""Python environments, each in a folder of .deps, with packages pinned by hashes.

The environment NAME is in .deps/venv-NAME and contains what scripts/support/requirements/NAME.txt lists.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from common import MISSING_DEPENDENCY, ROOT, fail, log

BOOTSTRAP_FOLDER = ROOT / ".deps/venv"


@dataclass(frozen=True)
class Environment:
    name: str
    # The main packages, for the message shown while they are installed.
    contents: str

    @property
    def folder(self) -> Path:
        return ROOT / f".deps/venv-{self.name}"

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    @property
    def requirements(self) -> Path:
        return ROOT / f"scripts/support/requirements/{self.name}.txt"

    def prepare(self) -> None:
        """Creates the environment if it is missing or its requirements have changed; ends the script on failure."""
        bootstrap()
        installed = self.folder / "installed"
        if installed.exists() and filecmp.cmp(self.requirements, installed, shallow=False):
            return
        log(f"installing {self.contents} into {self.folder.relative_to(ROOT)}…")
        shutil.rmtree(self.folder, ignore_errors=True)
        # Packages that scripts/bootstrap has already downloaded, in a folder each.
        wheels = [word for folder in (ROOT / ".deps/downloads").glob("*-*") for word in ("--find-links", folder)]
        install = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary=:all:", "--require-hashes", *wheels, "-r", self.requirements]
        for command in ([BOOTSTRAP_FOLDER / "bin/python", "-m", "venv", self.folder], install):
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                fail(f"pip could not install the packages of {self.requirements.relative_to(ROOT)}", MISSING_DEPENDENCY)
        shutil.copy(self.requirements, installed)

    def enter(self) -> None:
        """Restarts the running script with this environment's Python, unless it already runs with it."""
        if Path(sys.prefix) != self.folder:
            self.prepare()
            restart(self.python)


def bootstrap(option: str = "--all") -> None:
    """Runs scripts/bootstrap, with the models of landmarks and poses, and ends the script if that fails."""
    if subprocess.run([ROOT / "scripts/bootstrap", option], stdout=sys.stderr).returncode != 0:
        sys.exit(MISSING_DEPENDENCY)


def enter_bootstrap_environment() -> None:
    """Restarts the running script with the Python that scripts/bootstrap sets up, which has NumPy and OpenVINO."""
    if Path(sys.prefix) != BOOTSTRAP_FOLDER:
        bootstrap()
        restart(BOOTSTRAP_FOLDER / "bin/python")


def restart(python: Path) -> None:
    os.execv(python, [str(python), *sys.argv])


BENCH = Environment("bench", "OpenCV, PyAV, OpenVINO and supervision for Python")
CLUSTER = Environment("cluster", "Dask")
DEFACE = Environment("deface", "deface")
DETECTORS = Environment("detectors", "MediaPipe, OpenVINO and RetinaFace")
MEDIAPIPE = Environment("mediapipe", "MediaPipe")
RECORDS = Environment("records", "pandas, pycocotools, motmetrics, TrackEval, supervision and jsonschema")
TRACKING = Environment("tracking", "trackers and TrackEval")

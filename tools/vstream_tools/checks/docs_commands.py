"""Checks the documentation against the program.

    scripts/checks/docs-commands [PAGE…]        README.md, docs/ and the other pages by default

- Every line of a code block without a language is a command. It is run, in a folder with short clips in place of the reader's
  videos, and on the first page without a warning, or listed in NOT_RUN with the reason; then its options are checked.
- Every option that is named exists, and the command-line page names every option of 'vstream --help'.
- Links between pages and to files resolve, paths of the repository exist, and tables are well formed.
- Swift samples, of the library's articles too, compile.

The program is $VSTREAM_BINARY, or the release build. Exit status 1 if a check fails.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..common import MISSING_DEPENDENCY, ROOT, VIDEOS, fail, log, vstream_path
from .docs_pages import Page, broken_links, malformed_tables, missing_paths
from .docs_samples import sample_problems

PAGES = ["README.md", "docs/*.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "SampleVideos/README.md"]
ARTICLES = "Sources/VStream/VStream.docc/*.md"
# Its commands print no warnings.
FIRST_PAGE = "README.md"
OPTIONS_PAGE = "docs/cli.md"
SUBCOMMANDS = ["", "track", "bench", "models", "models list", "models describe", "models check", "models get",
               "models use", "schema", "doctor", "serve", "split", "join"]
# Seconds that one command may take.
TIMEOUT = 90

# What a command names and this machine may not have, and what takes its place: a camera, a network stream, a screen, a player.
SUBSTITUTES = [
    (r"^scripts/vstream\b", "vstream"),
    (r"SampleVideos/street\.avi", "street.mp4"),
    (r"\brtsp://camera/stream\b", "input.mp4 --realtime"),
    (r"/dev/video0\b", "input.mp4 --realtime"),
    (r"(?<= ):0 --input-format x11grab", "testsrc=duration=1:size=320x240 --input-format lavfi"),
    (r"\bffplay -", "ffmpeg -v error -i - -f null -"),
    (r"^ffmpeg ", "ffmpeg -v error -y "),
    # The clips are shorter than the frames that are not measured, and three runs show no more than one.
    (r"^(vstream bench .*)$", r"\1 --runs 1 --warm-up 0"),
]
# Command lines that are not run, and why; their options are checked all the same.
NOT_RUN = [
    (r"^vstream serve ", "runs until it is ended; Tests/VStreamServeTests run it"),
    (r"^vstream .*(--part |--parts |night)", "needs the records of parts; Tests/VStreamCommandTests/Parts runs such commands"),
    (r"^vstream models get ", "fetches over the network"),
    (r"^vstream models use ", "changes the user's default, for a model that may not be fetched"),
    (r"^vstream models check$", "checks models that may not be fetched"),
    (r"^vstream .*--object-model yolox-nano", "that model is fetched over the network"),
    (r"^(vstream street\.avi|trackeval-kitti) ", "scripts/checks/record-tools runs it"),
    (r"^(scripts/(?!vstream)|swift |\.deps/|LD_PRELOAD=)", "takes long, or changes the checkout"),
]
# Options that name what a command writes, which is removed before the command runs.
OUTPUT_OPTIONS = {"-o", "--output", "--output-dir", "--records", "--stats", "--receipt", "--save-faces"}


def run(command: str, folder: Path, environment: dict[str, str], is_quiet: bool) -> str:
    """Runs a command line in the shell; returns what went wrong, or nothing. With is_quiet, a warning is wrong, too."""
    try:
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, env=environment, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"does not end within {TIMEOUT} s"
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        return f"exit status {done.returncode}: {lines[-1] if lines else 'no message'}"
    return next((line for line in lines if line.startswith("vstream: warning: ")), "") if is_quiet else ""


class Inputs:
    """Short clips and other inputs under the names that the pages use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        small = ["-frames:v", "12", "-vf", "scale=384:288", "-pix_fmt", "yuv420p"]
        self.make("-i", VIDEOS / "street.avi", "-f", "lavfi", "-i", "sine=duration=1.2", *small, "-shortest", "input.mp4")
        self.make("-i", VIDEOS / "street.avi", *small, "street.mp4")
        self.make("-i", VIDEOS / "face.mp4", "-frames:v", "12", "-pix_fmt", "yuv420p", "talk.mp4")
        self.make("-i", VIDEOS / "street.avi", "-frames:v", "1", "photo.jpg")
        (folder / "frames").mkdir()
        self.make("-i", "street.mp4", "-frames:v", "4", "frames/%03d.png")
        (folder / "det.txt").write_text("1,-1,10,20,30,40,0.9\n2,-1,11,20,30,40,0.9\n")

    def make(self, *arguments: object) -> None:
        subprocess.run(["ffmpeg", "-v", "error", *map(str, arguments)], cwd=self.folder, check=True, stdin=subprocess.DEVNULL)

    def copy(self, folder: Path) -> Path:
        return Path(shutil.copytree(self.folder, folder))


def command_lines(page: Page) -> list[tuple[int, int, str]]:
    """The lines of code blocks without a language: the block's number, the line's number and the command without its comment."""
    commands = []
    for index, block in enumerate(page.blocks):
        for offset, line in enumerate(block.lines):
            text = re.sub(r"\s+#\s.*$", "", line).strip()
            if text and not block.language:
                commands.append((index, block.line + offset, text))
    return commands


def run_commands(pages: list[Page], environment: dict[str, str], root: Path) -> tuple[list[str], int, int]:
    """Runs the pages' commands, those of one block in one folder; returns problems, and how many ran and did not."""
    inputs = Inputs(Path(root / "inputs"))
    problems, ran, listed = [], 0, 0
    for page in pages:
        blocks: dict[int, Path] = {}
        for index, number, text in command_lines(page):
            if any(re.search(pattern, text) for pattern, _ in NOT_RUN):
                listed += 1
                continue
            command = text
            for pattern, substitute in SUBSTITUTES:
                command = re.sub(pattern, substitute, command)
            folder = blocks.get(index)
            if folder is None or "*" in command:
                folder = inputs.copy(root / f"{page.path.stem}-{number}")
                blocks.setdefault(index, folder)
            remove_outputs(command, folder)
            problem = run(command, folder, environment, is_quiet=page.path == ROOT / FIRST_PAGE)
            ran += 1
            if problem:
                problems.append(f"{page.path.relative_to(ROOT)}:{number}: {text}: {problem}")
    return problems, ran, listed


def remove_outputs(command: str, folder: Path) -> None:
    """Removes files that a command writes and an earlier one of its block has written."""
    words = shlex.split(command)
    for option, value in zip(words, words[1:]):
        path = folder / value
        if option in OUTPUT_OPTIONS and "{" not in value and "%" not in value and path.is_file():
            path.unlink()


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*", text))


def help_texts(environment: dict[str, str]) -> dict[str, str]:
    texts = {}
    for name in SUBCOMMANDS:
        command = ["vstream", *name.split(), "--help", *(["full"] if not name else [])]
        texts[name] = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    # The benchmark takes the options of a run as well, which its help does not repeat.
    texts["bench"] += texts[""]
    return texts


def option_problems(pages: list[Page], helps: dict[str, str]) -> list[str]:
    """Options that are named and do not exist, and options of the program that the command-line page does not name."""
    of_program = {option for text in helps.values() for option in options_in(text)}
    scripts = [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    of_scripts = {option for path in scripts for option in options_in(path.read_text(errors="ignore"))}
    problems = []
    for page in pages:
        where = page.path.relative_to(ROOT)
        for _, number, text in command_lines(page):
            for part in text.split("|"):
                problems += [f"{where}:{number}: {problem}" for problem in part_problems(part.strip(), helps)]
        for number, text in page.inline_code():
            unknown = options_in(text) - of_program - of_scripts
            if unknown and not text.startswith(("swift ", "ffmpeg ", "sudo ", "apt-get ")):
                problems.append(f"{where}:{number}: there is no option {', '.join(sorted(unknown))}")
    page = next((page for page in pages if page.path == ROOT / OPTIONS_PAGE), None)
    if page:
        named = options_in(page.path.read_text())
        unnamed = options_in(helps[""]) - named - {"--help", "--version"}
        problems += [f"{OPTIONS_PAGE}: {option} is not described" for option in sorted(unnamed)]
    return problems


def part_problems(command: str, helps: dict[str, str]) -> list[str]:
    """The options of one command of a pipeline that its program does not have."""
    words = command.split()
    if not words:
        return []
    if words[0] in ("vstream", "scripts/vstream"):
        name = next((name for name in sorted(SUBCOMMANDS, key=len, reverse=True) if words[1:][: len(name.split())] == name.split()), "")
        known = options_in(helps[name])
    elif words[0].startswith("scripts/"):
        if not (ROOT / words[0]).is_file():
            return [f"there is no '{words[0]}'"]
        known = options_in((ROOT / words[0]).read_text())
        known |= {option for path in (ROOT / words[0]).parent.glob("*.py") for option in options_in(path.read_text())}
    else:
        return []
    return [f"{words[0]} has no option {option}" for option in sorted(options_in(command) - known)]


def main() -> int:
    names = sys.argv[1:]
    if any(name.startswith("-") for name in names):
        fail("usage: scripts/checks/docs-commands [PAGE…]", 64)
    paths = [Path(name).resolve() for name in names] or sorted(path for glob in PAGES for path in ROOT.glob(glob))
    pages = [Page(path) for path in paths]
    binary = vstream_path().resolve()
    if not binary.exists():
        fail(f"there is no '{binary}'; scripts/vstream --version builds it", MISSING_DEPENDENCY)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "inputs").mkdir()
        wrapper = folder / "bin/vstream"
        wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(str(binary))} "$@"\n')
        wrapper.chmod(0o755)
        environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        problems = broken_links(pages, ROOT) + malformed_tables(pages, ROOT) + missing_paths(pages, ROOT)
        problems += option_problems(pages, help_texts(environment))
        ran_problems, ran, listed = run_commands(pages, environment, folder)
        problems += ran_problems
        articles = [] if names else [Page(path) for path in sorted(ROOT.glob(ARTICLES))]
        problems += missing_paths(articles, ROOT)
        sample_faults, samples = sample_problems(pages + articles, ROOT, folder)
        problems += sample_faults
    for problem in problems:
        log(problem)
    log(f"{len(pages)} pages; {ran} commands ran, {listed} were only parsed; {samples} Swift samples; "
        f"{len(problems)} problems")
    return 1 if problems else 0

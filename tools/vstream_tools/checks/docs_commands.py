"""Checks the documentation against the program.

    scripts/checks/docs-commands [PAGE…]        README.md, docs/ and the other pages by default

- Every line of a code block without a language is a command. It is run, in a folder with short clips in place of the reader's
  videos, and on the first page without a warning, or listed in NOT_RUN with the reason; then its options are checked.
- Every option that is named exists, and the command-line page names every option of 'vstream --help'.
- Links between pages and to files resolve, paths of the repository exist, and tables are well formed.
- Swift samples, of the library's articles too, compile, and Python samples are Python.

The program is $VSTREAM_BINARY, or the release build. Exit status 1 if a check fails.
"""

from __future__ import annotations

import ast
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

from ..common import MISSING_DEPENDENCY, ROOT, VIDEOS, fail, log, parser, vstream_path
from .docs_pages import Page, missing_paths, page_problems

PAGES = ["README.md", "docs/*.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "SampleVideos/README.md"]
ARTICLES = "Sources/VStream/VStream.docc/*.md"
# Its commands print no warnings.
FIRST_PAGE = "README.md"
OPTIONS_PAGE = "docs/cli.md"
SUBCOMMANDS = ["", "track", "bench", "models", "models list", "models describe", "models check", "models get",
               "models use", "models quantise", "schema", "doctor", "serve", "split", "join"]
# Seconds that one command may take.
TIMEOUT = 90
IMPORT = "import VStream"

# Substitutes for inputs that this machine may not have: a camera, a network stream, a screen, a player.
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
    (r"^vstream models quantise ", "takes minutes, for a model that may not be fetched"),
    (r"^vstream models check$", "checks models that may not be fetched"),
    (r"^vstream .*--object-model yolox-nano", "that model is fetched over the network"),
    (r"^(vstream street\.avi|trackeval-kitti) ", "reads footage as a whole, and other programs' files"),
    (r"^(scripts/(?!vstream)|tools/|swift |\(cd tools|\.deps/|LD_PRELOAD=)", "takes long, or changes the checkout"),
]
# Options that name a file that a command writes, which is removed before the command runs.
OUTPUT_OPTIONS = {"-o", "--output", "--output-dir", "--records", "--stats", "--receipt", "--save-faces"}


# --- Commands ---


def make_inputs(folder: Path) -> None:
    """Short clips and other inputs under the names that the pages use."""
    def make(*arguments: object) -> None:
        subprocess.run(["ffmpeg", "-v", "error", *map(str, arguments)], cwd=folder, check=True, stdin=subprocess.DEVNULL)

    small = ["-frames:v", "12", "-vf", "scale=384:288", "-pix_fmt", "yuv420p"]
    (folder / "frames").mkdir(parents=True)
    make("-i", VIDEOS / "street.avi", "-f", "lavfi", "-i", "sine=duration=1.2", *small, "-shortest", "input.mp4")
    make("-i", VIDEOS / "street.avi", *small, "street.mp4")
    make("-i", VIDEOS / "face.mp4", "-frames:v", "12", "-pix_fmt", "yuv420p", "talk.mp4")
    make("-i", VIDEOS / "street.avi", "-frames:v", "1", "photo.jpg")
    make("-i", "street.mp4", "-frames:v", "4", "frames/%03d.png")
    (folder / "det.txt").write_text("1,-1,10,20,30,40,0.9\n2,-1,11,20,30,40,0.9\n")


def run(command: str, folder: Path, environment: dict[str, str], is_quiet: bool) -> str:
    """Runs a command line in the shell; returns its problem, or nothing. With is_quiet, a warning is one, too."""
    words = shlex.split(command)
    for option, value in pairwise(words):
        path = folder / value
        if option in OUTPUT_OPTIONS and "{" not in value and "%" not in value and path.is_file():
            path.unlink()  # an earlier command of the block has written it
    try:
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, env=environment, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"does not end within {TIMEOUT} s"
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        return f"exit status {done.returncode}: {lines[-1] if lines else 'no message'}"
    return next((line for line in lines if line.startswith("vstream: warning: ")), "") if is_quiet else ""


def run_commands(pages: list[Page], environment: dict[str, str], root: Path) -> list[str]:
    """Runs the pages' commands, those of one block in one folder; returns problems."""
    make_inputs(root / "inputs")
    problems = []
    for page in pages:
        folders: dict[int, Path] = {}
        for block, number, text in page.commands():
            if any(re.search(pattern, text) for pattern, _ in NOT_RUN):
                continue
            command = text
            for pattern, substitute in SUBSTITUTES:
                command = re.sub(pattern, substitute, command)
            folder = folders.get(block.line)
            if folder is None or "*" in command:
                folder = Path(shutil.copytree(root / "inputs", root / f"{page.path.stem}-{number}"))
                folders.setdefault(block.line, folder)
            if problem := run(command, folder, environment, is_quiet=page.path == ROOT / FIRST_PAGE):
                problems.append(f"{page.where(number)}: {text}: {problem}")
    return problems


# --- Options ---


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*", text))


def help_texts(environment: dict[str, str]) -> dict[str, str]:
    texts = {name: subprocess.run(["vstream", *name.split(), "--help", *([] if name else ["full"])], env=environment, check=True,
                                  capture_output=True, text=True).stdout for name in SUBCOMMANDS}
    # The benchmark takes the options of a run as well, which its help does not repeat.
    texts["bench"] += texts[""]
    return texts


def option_problems(pages: list[Page], helps: dict[str, str]) -> list[str]:
    """Options that are named and do not exist, and options of the program that the command-line page does not name."""
    scripts = {option for folder in ("scripts", "tools", "research") for path in (ROOT / folder).rglob("*")
               if path.is_file() and path.suffix in {"", ".py"} for option in options_in(path.read_text(errors="ignore"))}
    existing = scripts.union(*map(options_in, helps.values()))
    problems = []
    for page in pages:
        for _, number, text in page.commands():
            problems += [f"{page.where(number)}: {problem}" for part in text.split("|")
                         for problem in part_problems(part.split(), helps, scripts)]
        for number, text in page.inline_code():
            unknown = options_in(text) - existing
            if unknown and not text.startswith(("swift ", "ffmpeg ", "sudo ", "apt-get ")):
                problems.append(f"{page.where(number)}: there is no option {', '.join(sorted(unknown))}")
        if page.path == ROOT / OPTIONS_PAGE:
            unnamed = options_in(helps[""]) - options_in(page.path.read_text()) - {"--help", "--version"}
            problems += [f"{OPTIONS_PAGE}: {option} is not described" for option in sorted(unnamed)]
    return problems


def part_problems(words: list[str], helps: dict[str, str], known: set[str]) -> list[str]:
    """The options of one command of a pipeline that its program does not have; `known` are those of scripts."""
    if not words or not words[0].startswith(("vstream", "scripts/", "tools/")):
        return []
    if words[0] in ("vstream", "scripts/vstream"):
        name = next(name for name in sorted(SUBCOMMANDS, key=len, reverse=True) if words[1:][:len(name.split())] == name.split())
        known = options_in(helps[name])
    elif not (ROOT / words[0]).is_file():
        return [f"there is no '{words[0]}'"]
    return [f"{words[0]} has no option {option}" for option in sorted(options_in(" ".join(words)) - known)]


# --- Samples ---


def python_problems(page: Page) -> list[str]:
    """Python samples that cannot be parsed."""
    problems = []
    for block in page.blocks:
        try:
            ast.parse("\n".join(block.lines) if block.language == "python" else "")
        except SyntaxError as error:
            problems.append(f"{page.where(block.line)}: {error}")
    return problems


def sample_problems(pages: list[Page], folder: Path) -> list[str]:
    """Errors of the Swift samples, each with its page and line.

    Each sample is the body of a function. One that does not import the library continues the one before it on its page.
    """
    functions: list[list[str]] = []
    for page in pages:
        is_first = True
        for block in (block for block in page.blocks if block.language == "swift"):
            lines = [f'#sourceLocation(file: "{page.path.relative_to(ROOT)}", line: {block.line})',
                     *("" if line.startswith("import ") else line for line in block.lines)]
            if IMPORT in block.lines or is_first:
                functions.append(lines)
            else:
                functions[-1] += lines
            is_first = False
    if not functions:
        return []
    if subprocess.run(["swift", "build", "--target", "VStream"], cwd=ROOT, capture_output=True, stdin=subprocess.DEVNULL).returncode:
        return ["the library does not build: 'swift build --target VStream' says why"]
    file = folder / "samples.swift"
    file.write_text("\n".join(["import Foundation", IMPORT, *(f"func sample{number}() async throws {{\n" + "\n".join(lines) + "\n}"
                                         for number, lines in enumerate(functions)), ""]))
    done = subprocess.run(["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", *import_flags(), file], cwd=ROOT,
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
    return errors or (done.stderr.strip().splitlines()[-1:] if done.returncode else [])


def import_flags() -> list[str]:
    """Flags with which the compiler can import the built library."""
    def output(*command: str) -> str:
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    modules = Path(output("swift", "build", "--show-bin-path"))
    flags = ["-I", str(modules / "Modules"), "-target", f"{platform.machine()}-unknown-linux-gnu"]
    for source in ("CVStreamLibAVSystem", "CVStreamFreeType"):
        flags += ["-I", str(ROOT / "Sources" / source)]
    maps = [f"-fmodule-map-file={module_map}" for module_map in modules.glob("CVStream*.build/module.modulemap")]
    cflags = output("pkg-config", "--cflags", "libavformat", "libavutil", "freetype2").split()
    return flags + [word for flag in [*maps, *cflags] for word in ("-Xcc", flag)]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    names = options.parse_args().pages
    pages = [Page(path.resolve()) for path in names or sorted(path for glob in PAGES for path in ROOT.glob(glob))]
    articles = [] if names else [Page(path) for path in sorted(ROOT.glob(ARTICLES))]
    binary = vstream_path().resolve()
    if not binary.exists():
        fail(f"there is no '{binary}'; scripts/vstream --version builds it", MISSING_DEPENDENCY)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/vstream").symlink_to(binary)
        environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        anchors = {page.path: page.anchors() for page in pages}
        problems = [problem for page in pages for problem in page_problems(page, anchors)]
        problems += [problem for page in pages + articles for problem in missing_paths(page) + python_problems(page)]
        problems += option_problems(pages, help_texts(environment))
        problems += run_commands(pages, environment, folder) + sample_problems(pages + articles, folder)
    for problem in problems:
        log(problem)
    log(f"{len(pages)} pages, {len(problems)} problems")
    raise SystemExit(bool(problems))

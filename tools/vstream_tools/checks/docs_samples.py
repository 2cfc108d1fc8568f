"""The Swift samples of the documentation, compiled against the library's modules."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

from .docs_pages import Page

IMPORT = "import VStream"


def sample_source(pages: list[Page], root: Path) -> tuple[str, int]:
    """One file with a function for each sample, and how many there are.

    A sample that does not import the library continues the one before it on its page. Errors name the page and its line.
    """
    functions: list[list[str]] = []
    for page in pages:
        first = True
        for block in page.blocks:
            if block.language != "swift":
                continue
            location = f'#sourceLocation(file: "{page.path.relative_to(root)}", line: {block.line})'
            lines = [location, *("" if line == IMPORT else line for line in block.lines)]
            if IMPORT in block.lines or first:
                functions.append(lines)
            else:
                functions[-1] += lines
            first = False
    texts = [f"func sample{number}() async throws {{\n" + "\n".join(lines) + "\n}" for number, lines in enumerate(functions)]
    return "\n".join([IMPORT, *texts, ""]), len(functions)


def import_flags(modules: Path, root: Path) -> list[str]:
    """What the compiler needs to import the built library."""
    flags = ["-I", str(modules / "Modules"), "-target", f"{platform.machine()}-unknown-linux-gnu"]
    for source in ("CVStreamLibAVSystem", "CVStreamFreeType"):
        flags += ["-I", str(root / "Sources" / source)]
    for module_map in modules.glob("CVStream*.build/module.modulemap"):
        flags += ["-Xcc", f"-fmodule-map-file={module_map}"]
    cflags = subprocess.run(["pkg-config", "--cflags", "libavformat", "libavutil", "freetype2"], check=True,
                            capture_output=True, text=True).stdout
    return flags + [word for flag in cflags.split() for word in ("-Xcc", flag)]


def sample_problems(pages: list[Page], root: Path, folder: Path) -> tuple[list[str], int]:
    """Errors of the samples, each with its page and line, and how many samples there are."""
    source, count = sample_source(pages, root)
    if not count:
        return [], 0
    build = subprocess.run(["swift", "build", "--target", "VStream"], cwd=root, capture_output=True, text=True,
                           stdin=subprocess.DEVNULL)
    if build.returncode:
        return ["the library does not build: 'swift build --target VStream' says why"], count
    modules = Path(subprocess.run(["swift", "build", "--show-bin-path"], cwd=root, check=True, capture_output=True,
                                  text=True).stdout.strip())
    file = folder / "samples.swift"
    file.write_text(source)
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", *import_flags(modules, root), file]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if re.search(r": error: ", line)]
    if done.returncode and not errors:
        errors = done.stderr.strip().splitlines()[-1:]
    return errors, count

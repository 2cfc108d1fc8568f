"""The pages of the documentation: their code blocks, options, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^\s*```(\w*)\s*$")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
INLINE_CODE = re.compile(r"`([^`]+)`")


@dataclass
class Block:
    """A code block: its language (empty if it has none), the number of its first line, and its lines."""

    language: str
    line: int
    lines: list[str] = field(default_factory=list)


@dataclass
class Page:
    path: Path
    blocks: list[Block] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)

    def __init__(self, path: Path) -> None:
        self.path, self.blocks, self.prose = path, [], []
        fenced: Block | None = None
        indented: Block | None = None
        blank = True
        for number, line in enumerate(path.read_text().splitlines(), 1):
            fence = FENCE.match(line)
            if fence and fenced is None:
                fenced = Block(fence[1], number + 1)
                self.blocks.append(fenced)
            elif fence:
                fenced = None
            elif fenced is not None:
                fenced.lines.append(line)
            elif line.startswith("    ") and (indented is not None or blank):
                if indented is None:
                    indented = Block("", number)
                    self.blocks.append(indented)
                indented.lines.append(line[4:])
            else:
                indented = None
                self.prose.append((number, line))
            blank = not line.strip()

    def anchors(self) -> set[str]:
        """The anchors of the headings, as GitHub derives them."""
        found: set[str] = set()
        for _, line in self.prose:
            if line.startswith("#"):
                text = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
                found.add(text.replace(" ", "-"))
        return found

    def links(self) -> list[tuple[int, str]]:
        """Targets of links in prose, with their lines. The text of a link may go on in the next line."""
        text = "\n".join(INLINE_CODE.sub("code", line) for _, line in self.prose)
        return [(self.prose[text.count("\n", 0, link.start())][0], link[1]) for link in LINK.finditer(text)]

    def inline_code(self) -> list[tuple[int, str]]:
        """Code within prose, with its lines."""
        return [(number, text) for number, line in self.prose for text in INLINE_CODE.findall(line)]


def broken_links(pages: list[Page], root: Path) -> list[str]:
    """Links to files or headings that do not exist."""
    by_path = {page.path.resolve(): page for page in pages}
    problems = []
    for page in pages:
        for number, target in page.links():
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.path.parent / name).resolve() if name else page.path.resolve()
            where = f"{page.path.relative_to(root)}:{number}"
            if not path.exists():
                problems.append(f"{where}: '{target}': there is no such file")
            elif anchor and path in by_path and anchor not in by_path[path].anchors():
                problems.append(f"{where}: '{target}': there is no such heading")
    return problems


def malformed_tables(pages: list[Page], root: Path) -> list[str]:
    """Rows of tables with another number of cells than their header."""
    problems = []
    for page in pages:
        cells: int | None = None
        for number, line in page.prose:
            count = len(re.findall(r"(?<!\\)\|", line)) if line.lstrip().startswith("|") else None
            if count is not None and cells is not None and count != cells:
                problems.append(f"{page.path.relative_to(root)}:{number}: the row has {count - 1} cells instead of {cells - 1}")
            cells = None if count is None else cells or count
    return problems


def missing_paths(pages: list[Page], root: Path) -> list[str]:
    """Paths of the repository that prose names and that do not exist, except patterns with NAME."""
    problems = []
    for page in pages:
        for number, text in page.inline_code():
            for path in re.findall(r"^(?:scripts|Sources|Tests|docs|Examples)/[\w./+-]+", text):
                if "NAME" not in path and not (root / path.rstrip("/.")).exists():
                    problems.append(f"{page.path.relative_to(root)}:{number}: there is no '{path}'")
    return problems

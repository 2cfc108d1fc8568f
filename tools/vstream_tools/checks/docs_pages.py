"""The pages of the documentation: their code blocks, options, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ..common import ROOT

INLINE_CODE = re.compile(r"`([^`]+)`")
PATHS = re.compile(r"^(?:scripts|tools/vstream_tools|Sources|Tests|docs|Examples)/[\w./+-]+")


@dataclass
class Block:
    """A code block: its language (empty if it has none), the number of its first line, and its lines."""

    language: str
    line: int
    lines: list[str] = field(default_factory=list)


class Page:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.blocks: list[Block] = []
        # Lines that are not code, with their numbers.
        self.prose: list[tuple[int, str]] = []
        block: Block | None = None
        is_fenced, previous = False, ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if fence := re.match(r"^\s*```(\w*)\s*$", line):
                is_fenced = not is_fenced
                block = Block(fence[1], number + 1) if is_fenced else None
            elif not is_fenced and line.startswith("    ") and (block or not previous.strip()):
                block = block or Block("", number)
                line = line[4:]
            elif not is_fenced:
                block = None
                self.prose.append((number, line))
            if block and block not in self.blocks:
                self.blocks.append(block)
            if block and not fence:
                block.lines.append(line)
            previous = line

    def where(self, number: int) -> str:
        return f"{self.path.relative_to(ROOT)}:{number}"

    def anchors(self) -> set[str]:
        """The anchors of the headings, as GitHub derives them."""
        headings = (line.lstrip("#").strip().lower() for _, line in self.prose if line.startswith("#"))
        return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}

    def links(self) -> list[tuple[int, str]]:
        """Targets of links in prose, with their lines. The text of a link may go on in the next line."""
        text = "\n".join(INLINE_CODE.sub("code", line) for _, line in self.prose)
        return [(self.prose[text.count("\n", 0, link.start())][0], link[1]) for link in re.finditer(r"\[[^\]]*\]\(([^)\s]+)\)", text)]

    def inline_code(self) -> list[tuple[int, str]]:
        """Code within prose, with its lines."""
        return [(number, text) for number, line in self.prose for text in INLINE_CODE.findall(line)]

    def commands(self) -> list[tuple[Block, int, str]]:
        """The lines of code blocks without a language: the block, the line's number, and the command without its comment."""
        return [(block, block.line + offset, text) for block in self.blocks if not block.language
                for offset, line in enumerate(block.lines) if (text := re.sub(r"\s+#\s.*$", "", line).strip())]


def page_problems(page: Page, anchors: dict[Path, set[str]]) -> list[str]:
    """Links to files or headings that do not exist, and tables whose rows differ in length."""
    problems = []
    for number, target in page.links():
        name, _, anchor = target.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        if not re.match(r"[a-z]+:", target) and (not path.exists() or (anchor and anchor not in anchors.get(path, {anchor}))):
            problems.append(f"{page.where(number)}: '{target}': there is no such file or heading")
    cells: int | None = None
    for number, line in page.prose:
        count = len(re.findall(r"(?<!\\)\|", line)) if line.lstrip().startswith("|") else None
        if count and cells and count != cells:
            problems.append(f"{page.where(number)}: the row has {count - 1} cells instead of {cells - 1}")
        cells = count and (cells or count)
    return problems


def missing_paths(page: Page) -> list[str]:
    """Paths of the repository that prose names and that do not exist, except patterns with NAME."""
    return [f"{page.where(number)}: there is no '{path[0]}'" for number, text in page.inline_code()
            if (path := PATHS.match(text)) and "NAME" not in path[0] and not (ROOT / path[0].rstrip("/.")).exists()]

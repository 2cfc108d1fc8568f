"""The library's reference as Markdown, from its symbol graph: checks/api-pages GRAPH.json CATALOGUE FOLDER

Writes a page for each group of types in the topics of CATALOGUE (VStream.md), and an index. Types that no group names go to the
page of the first group that names one which they belong to, else to `others.md`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TYPES = {"swift.class", "swift.struct", "swift.enum", "swift.protocol"}
ORDER = ["init", "enum.case", "property", "subscript", "method", "func.op", "type.property", "type.method", "type.subscript", "associatedtype"]


def declaration(symbol: dict) -> str:
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return re.sub(r"@\w+(\([^)]*\))? ?", "", re.sub(r"\s+", " ", text)).strip()


def comment(symbol: dict) -> list[str]:
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    # Links of DocC to symbols and articles.
    return [re.sub(r"<doc:(\w+)>", r"`\1`", line.replace("``", "`")) for line in lines]


def anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def section(name: str, symbol: dict, members: list[dict]) -> list[str]:
    lines = [f"## {name}", "", "```swift", declaration(symbol), "```", "", *comment(symbol), ""]
    for member in members:
        text = comment(member)
        lines.append(f"- `{declaration(member)}`" + (f": {text[0]}" if text else ""))
        lines += [f"  {line}".rstrip() for line in text[1:]]
    return [*lines, ""] if members else lines


def main() -> None:
    graph, catalogue, folder = (Path(argument) for argument in sys.argv[1:4])
    # Extensions of types of other modules have graphs of their own.
    graphs = [graph, *sorted(graph.parent.glob(f"{graph.name.split('.')[0]}@*.symbols.json"))]
    symbols = [symbol for path in graphs for symbol in json.loads(path.read_text())["symbols"]
               if "::SYNTHESIZED::" not in symbol["identifier"]["precise"] and not symbol["names"]["title"].startswith("_")]
    types = {".".join(symbol["pathComponents"]): symbol for symbol in symbols if symbol["kind"]["identifier"] in TYPES}
    members: dict[str, list[dict]] = {name: [] for name in types}
    for symbol in symbols:
        owner = ".".join(symbol["pathComponents"][:-1])
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        if owner in members and kind in ORDER:
            members[owner].append(symbol)
    for listed in members.values():
        listed.sort(key=lambda symbol: (ORDER.index(symbol["kind"]["identifier"].removeprefix("swift.")),
                                        declaration(symbol)))
    groups: dict[str, list[str]] = {}
    for line in catalogue.read_text().split("## Topics")[1].splitlines():
        if line.startswith("### "):
            groups[line[4:]] = []
        elif match := re.match(r"- ``(\w+)``", line):
            groups[list(groups)[-1]].append(match[1])
    placed = {name: group for group, names in groups.items() for name in names}
    unknown = [name for name in placed if name not in types]
    if unknown:
        sys.exit(f"api-pages: {catalogue} names types that the library does not have: {', '.join(unknown)}")
    groups = {group: names for group, names in groups.items() if names}
    for name in sorted(types):
        if name not in placed:
            group = placed.get(name.split(".")[0], "Others")
            groups.setdefault(group, []).append(name)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    index = ["# The library's types", "", "Made from the documentation comments by `scripts/checks/docs`.", ""]
    for group, names in groups.items():
        page = anchor(group) + ".md"
        names.sort(key=lambda name: (list(placed).index(name.split(".")[0]) if name.split(".")[0] in placed else 99, name))
        lines = [f"# {group}", "", "[All types](README.md)", ""]
        index += [f"## {group}", ""]
        for name in names:
            lines += section(name, types[name], members[name])
            first = " ".join(comment(types[name])).split(". ")[0].split("  ")[0].rstrip(".")
            index.append(f"- [{name}]({page}#{anchor(name.replace('.', ''))}): {first}")
        index.append("")
        (folder / page).write_text(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n")
    (folder / "README.md").write_text("\n".join(index).rstrip() + "\n")

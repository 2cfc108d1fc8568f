"""The manual page, of the options that the program declares and the tables of the command line's documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shell_files import Command, Option

PAGE = Path(__file__).resolve().parents[2] / "docs/cli.md"


def roff(text: str) -> str:
    """Text without what the formatter or Markdown would interpret."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("**", "")
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def item(label: str, text: str) -> str:
    return f".TP\n.B {roff(label)}\n{roff(text)}\n"


def options(part: Command) -> str:
    return "".join(item(", ".join(option.names) + (f" {option.value}" if option.value else ""), described(option))
                   for option in part.options)


def described(option: Option) -> str:
    default = f" (default: {option.default})" if option.default and option.default != "false" else ""
    return option.help + default


def table(heading: str) -> str:
    """A section of the documentation that consists of a table of two columns."""
    section = PAGE.read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return "".join(item(row[0], row[1]) for row in rows[2:])


def manual_page(root: Command, version: str) -> str:
    text = f".TH VSTREAM 1 \"\" \"vstream {version}\" \"User commands\"\n"
    text += ".SH NAME\nvstream \\- detect and track objects, faces and poses in a video\n"
    text += ".SH SYNOPSIS\n.B vstream\n.I INPUT\n.B \\-o\n.I OUTPUT\n[options]\n.br\n.B vstream\n.I INPUT\\fR...\n"
    text += ".B \\-\\-output\\-dir\n.I FOLDER\n[options]\n"
    text += "".join(f".br\n.B vstream {roff(child.name)}\n[options]\n" for child in root.commands)
    text += f".SH DESCRIPTION\n{roff(root.help)}\n"
    sections: dict[str, list[Option]] = {}
    for option in root.options:
        sections.setdefault(option.section, []).append(option)
    text += ".SH OPTIONS\n"
    for name, members in sections.items():
        text += f".SS {roff(name)}\n"
        text += "".join(item(", ".join(option.names) + (f" {option.value}" if option.value else ""), described(option))
                        for option in members)
    text += ".SH COMMANDS\n"
    usual = {option.long for option in root.options}
    for child in root.commands:
        text += f".SS vstream {roff(child.name)}\n{roff(child.help)}\n"
        child.options = [option for option in child.options if option.long not in usual or child.name == "track"]
        text += options(child)
        text += "".join(item(f"{child.name} {part.name}", part.help) for part in child.commands)
    text += f".SH EXIT STATUS\n{table('Exit codes')}.SH ENVIRONMENT\n{table('Environment')}"
    return text + ".SH SEE ALSO\n.BR ffmpeg (1),\n.BR ffplay (1)\n"

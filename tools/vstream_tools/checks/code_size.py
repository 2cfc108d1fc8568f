"""Checks the sizes of functions, files and folders, the ratio of test lines to source lines, and words that the docs avoid.

A function is a `func`, `init`, `deinit` or `subscript` with a body; its length is the number of lines from the declaration to
the closing brace, which swift-format indents as the declaration. Computed properties are counted separately.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter, namedtuple
from pathlib import Path

from ..common import ROOT, fail, parser

MAXIMUM_MEDIAN, MAXIMUM_95TH, MAXIMUM_LENGTH, MAXIMUM_FILE, MAXIMUM_FOLDER = 8, 30, 60, 350, 16
MINIMUM_TEST_RATIO, MINIMUM_MODULE_TEST_RATIO = 0.9, 0.6
FOLDERS = ("Sources", "Tests", "Benchmarks", "scripts", "tools", "research", "docs", "Examples")
AVOIDED = re.compile(r"\b(looks?|looked|anew|sought|told|steadied|mended|begun|barren|patience|whom|want of)\b(?!-back\b)", re.IGNORECASE)
DECLARATION = re.compile(r"( *)(?:(?:@\w+(?:\([^)]*\))?|[a-z]+(?:\(\w+\))?) )*(?:func (\S[^\s(<]*)|(init|deinit|subscript)\b(?=[?!(< ]))")
PROPERTY = re.compile(r"( *)(?:(?:@\w+|[a-z]+(?:\(\w+\))?) )*var (\w+): [^={}]+ (?=\{(?! *get\b[^{}]*\}$))()")
Body = namedtuple("Body", "length name path line is_property")


def bodies(path: Path) -> list[Body]:
    lines = re.sub(r'(?s)""".*?"""', lambda text: "\n" * text[0].count("\n"), path.read_text()).splitlines()
    found = []
    for number, line in enumerate(lines):
        if match := DECLARATION.match(line) or PROPERTY.match(line):
            indent, end = match[1], number
            # The declaration goes on in lines that are indented more, or that start with a bracket or a clause.
            while ((end > number and lines[end].startswith(indent + " ")) or not re.search(r"[{}]$", lines[end])) and re.match(
                    rf"{indent}(?: |[)>{{]|where\b|->|async\b|throws\b)", lines[end + 1]):
                end += 1
            if lines[end][-1:] in ("{", "}"):
                if lines[end].endswith("{"):
                    end = next(index for index in range(end + 1, len(lines)) if lines[index].startswith(f"{indent}}}"))
                found.append(Body(end - number + 1, match[2] or match[3], path, number + 1, match.re is PROPERTY))
    return found


def percentile(values: list[int]) -> int:
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


def lines_in(paths: list[Path]) -> int:
    return sum(path.read_text().count("\n") for path in paths)


def main() -> None:
    parser(__doc__).parse_args()
    sources = sorted(path for path in (ROOT / "Sources").rglob("*") if path.suffix in {".swift", ".c", ".h"})
    found = sorted((body for path in sources if path.suffix == ".swift" for body in bodies(path)), reverse=True)
    lengths = [body.length for body in found if not body.is_property]
    files = {path: lines_in([path]) for path in sources}
    folders = Counter(path.parent for name in FOLDERS for path in (ROOT / name).rglob("*") if path.is_file() and not any(
        part == "Fixtures" or part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts))
    problems = [f"the {name} of functions is {value:g} lines, more than {limit}" for name, value, limit in (
        ("median", statistics.median(lengths), MAXIMUM_MEDIAN), ("95th percentile", percentile(lengths), MAXIMUM_95TH)) if value > limit]
    problems += [f"{body.path.relative_to(ROOT)}:{body.line}: '{body.name}' has {body.length} lines, more than {MAXIMUM_LENGTH}"
                 for body in found if body.length > MAXIMUM_LENGTH]
    for sizes, unit, limit in ((files, "lines", MAXIMUM_FILE), (folders, "files", MAXIMUM_FOLDER)):
        problems += [f"{path.relative_to(ROOT)} has {size} {unit}, more than {limit}" for path, size in sizes.items() if size > limit]
    modules = [module.name for module in sorted((ROOT / "Sources").iterdir()) if any(module.rglob("*.swift"))]
    for module in [*modules, "all"]:
        tests = lines_in(list((ROOT / "Tests" / ("" if module == "all" else f"{module}Tests")).rglob("*.swift")))
        own = sum(files.values()) if module == "all" else lines_in(list((ROOT / "Sources" / module).rglob("*.swift")))
        minimum = MINIMUM_TEST_RATIO if module == "all" else MINIMUM_MODULE_TEST_RATIO
        print(f"{module:34}{own:9,} source lines{tests:9,} test lines{tests / own:9.2f}")
        if tests < minimum * own:
            problems.append(f"{module}: {tests / own:.2f} test lines for each source line, less than {minimum}")
    for path in [*sources, *(ROOT / "Sources").rglob("*.md"), ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        if path.name != "glossary.md":  # its table lists the words to avoid
            problems += [f"{path.relative_to(ROOT)}:{number}: '{match[0]}' is not one of our terms (docs/glossary.md)"
                         for number, line in enumerate(path.read_text().splitlines(), 1) if (match := AVOIDED.search(line))]
    if problems:
        fail("\n".join([f"{len(problems)} violations:", *problems]))

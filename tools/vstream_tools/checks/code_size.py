"""Checks the sizes of functions, files and folders, the ratio of test lines to source lines, and words that the docs avoid.

    scripts/checks/code-size              prints the table, and fails if a limit is exceeded
    scripts/checks/code-size --longest    lists the ten longest functions of each module as well

A function is a `func`, `init`, `deinit` or `subscript` with a body; its length is the number of lines from the declaration
to the closing brace, nested functions included. Computed properties are counted separately.
"""

from __future__ import annotations

import math
import re
import statistics
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path


from ..common import ROOT, fail

MAXIMUM_MEDIAN, MAXIMUM_95TH, MAXIMUM_LENGTH = 8, 30, 60
MAXIMUM_FILE, MAXIMUM_FOLDER = 350, 16
MINIMUM_TEST_RATIO, MINIMUM_MODULE_TEST_RATIO = 0.9, 0.6
AVOIDED = re.compile(r"\b(looks?|looked|anew|sought|told|steadied|mended|begun)\b(?!-back\b)", re.IGNORECASE)
POINTERS = re.compile(r"Unsafe\w*Pointer|OpaquePointer|withUnsafe\w*")
C_SUFFIXES = {".c", ".h"}

# What separates Swift code from text in which braces do not count. A delimiter of a raw string has as many # at both ends.
TOKEN = re.compile(r'//[^\n]*|/\*|(?P<hashes>#*)(?P<quotes>"""|")|[{}()\n]|\b(?:func|init|deinit|subscript|var)\b')


@dataclass
class Body:
    """A declaration with a body."""

    name: str
    path: Path
    line: int
    length: int
    is_property: bool


# --- Reading Swift ---


def skip_comment(text: str, start: int) -> int:
    """The index after a block comment, which may contain others."""
    depth, position = 1, start + 2
    while depth and (match := re.compile(r"/\*|\*/").search(text, position)):
        depth += 1 if match.group() == "/*" else -1
        position = match.end()
    return position if depth == 0 else len(text)


def skip_string(text: str, position: int, quotes: str, hashes: str) -> int:
    """The index after a string literal whose opening delimiter ends at `position`."""
    pattern = re.compile(rf'\\{hashes}(?P<escape>.)|{quotes}{hashes}', re.DOTALL)
    while match := pattern.search(text, position):
        position = match.end()
        if not match.group("escape"):
            return position
        if match.group("escape") == "(":
            position = skip_interpolation(text, position)
    return len(text)


def skip_interpolation(text: str, position: int) -> int:
    """The index after the parenthesis that ends an interpolation."""
    depth = 1
    while depth and (match := TOKEN.search(text, position)):
        position = after(text, match)
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
    return position


def after(text: str, match: re.Match) -> int:
    """The index after a token, and after the comment or string literal that it opens."""
    if match.group() == "/*":
        return skip_comment(text, match.start())
    if match.group("quotes"):
        return skip_string(text, match.end(), match.group("quotes"), match.group("hashes"))
    return match.end()


def code_only(text: str) -> str:
    """The text with comments and string literals replaced by spaces; line breaks stay."""
    parts, position = [], 0
    for_code = 0
    while match := TOKEN.search(text, position):
        end = after(text, match)
        if match.group().startswith("/") or match.group("quotes"):
            parts += [text[for_code:match.start()], re.sub(r"[^\n]", " ", text[match.start():end])]
            for_code = end
        position = end
    return "".join([*parts, text[for_code:]])


def matching_brace(code: str, opening: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


# A declaration's keyword and name. A call of `init` or a `func` in a name's middle is none.
DECLARATION = re.compile(
    r"(?<![.\w`])(?P<keyword>func\s+(?P<name>[^\s(<]+)|init(?=[?!]?\s*[(<])|deinit\b|subscript(?=\s*[(<]))")
PROPERTY = re.compile(r"(?<![.\w`])var\s+(?P<name>\w+)\s*:\s*[^={}\n]+?\s*\{")


def body_start(code: str, position: int) -> int | None:
    """The index of the brace that opens a function's body, if the declaration has one (a protocol's requirement has none)."""
    depth = 0
    for match in re.compile(r"[(){}\n]").finditer(code, position):
        token = match.group()
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth > 0:
            continue
        if token == "{":
            return match.start()
        following = code[match.end():].lstrip()
        if token == "}" or token == "\n" and not re.match(r"(?:async|throws|rethrows|where|->|\{|\()", following) \
                and not re.search(r"(?:->|where|,|&|:)\s*$", code[position:match.start()]):
            return None
    return None


def bodies(path: Path) -> list[Body]:
    code = code_only(path.read_text())

    def body(match: re.Match, name: str, opening: int, is_property: bool) -> Body:
        line = code.count("\n", 0, match.start()) + 1
        last = code.count("\n", 0, matching_brace(code, opening)) + 1
        return Body(name, path, line, last - line + 1, is_property)

    found = []
    for match in DECLARATION.finditer(code):
        opening = body_start(code, match.end())
        if opening is not None:
            found.append(body(match, match.group("name") or match.group("keyword"), opening, False))
    for match in PROPERTY.finditer(code):
        opening = match.end() - 1
        content = code[opening + 1:matching_brace(code, opening)]
        if not re.fullmatch(r"\s*get(?:\s+(?:async|throws))*(?:\s+(?:set|nonmutating set))?\s*", content):
            found.append(body(match, match.group("name"), opening, True))
    return found


# --- The table ---


class Report:
    def __init__(self) -> None:
        self.violations: list[str] = []

    def require(self, condition: bool, violation: str) -> None:
        if not condition:
            self.violations.append(violation)

    def row(self, name: str, *figures: str) -> None:
        print(f"{name:34}" + "".join(f"{figure:>16}" for figure in figures))


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def percentile(values: list[int], fraction: float) -> int:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * fraction) - 1)]


def check_functions(report: Report, all_bodies: list[Body]) -> None:
    lengths = [body.length for body in all_bodies if not body.is_property]
    properties = [body.length for body in all_bodies if body.is_property]
    median, high = statistics.median(lengths), percentile(lengths, 0.95)
    report.row("functions", f"{len(lengths)}", f"median {median:g}", f"p95 {high}", f"max {max(lengths)}")
    report.row("computed properties", f"{len(properties)}", f"median {statistics.median(properties):g}",
               f"p95 {percentile(properties, 0.95)}", f"max {max(properties)}")
    report.require(median <= MAXIMUM_MEDIAN, f"the median function has {median:g} lines, more than {MAXIMUM_MEDIAN}")
    report.require(high <= MAXIMUM_95TH, f"the 95th percentile of functions is {high} lines, more than {MAXIMUM_95TH}")
    for body in sorted(all_bodies, key=lambda body: -body.length):
        report.require(body.length <= MAXIMUM_LENGTH,
                       f"{relative(body.path)}:{body.line}: '{body.name}' has {body.length} lines, more than {MAXIMUM_LENGTH}")


def check_files(report: Report, sources: list[Path]) -> None:
    lengths = {path: line_count(path) for path in sources}
    report.row("source files", f"{len(lengths)}", f"median {statistics.median(lengths.values()):g}",
               f"p95 {percentile(list(lengths.values()), 0.95)}", f"max {max(lengths.values())}")
    for path, length in sorted(lengths.items(), key=lambda item: -item[1]):
        report.require(length <= MAXIMUM_FILE, f"{relative(path)} has {length} lines, more than {MAXIMUM_FILE}")
    naming_pointers = sum(bool(POINTERS.search(code_only(path.read_text()))) for path in sources if path.suffix == ".swift")
    swift = sum(path.suffix == ".swift" for path in sources)
    report.row("files that name pointers", f"{naming_pointers}", f"of {swift}", f"{naming_pointers / swift:.0%}")


def check_folders(report: Report) -> None:
    """All folders but those of test data, whose files are not read by people."""
    counts = Counter(path.parent for name in ("Sources", "Tests", "Benchmarks", "scripts", "docs", "Examples")
                     for path in (ROOT / name).rglob("*")
                     if path.is_file() and not {"Fixtures", "__pycache__", ".build"} & set(path.parts))
    report.row("folders", f"{len(counts)}", f"median {statistics.median(counts.values()):g}", "",
               f"max {max(counts.values())}")
    for folder, count in counts.most_common():
        report.require(count <= MAXIMUM_FOLDER, f"{relative(folder)} has {count} files, more than {MAXIMUM_FOLDER}")


def line_count(path: Path) -> int:
    return path.read_text().count("\n")


def total_lines(folder: Path) -> int:
    return sum(line_count(path) for path in folder.rglob("*.swift"))


def check_tests(report: Report, sources: list[Path]) -> None:
    print(f"\n{'module':34}{'source lines':>16}{'test lines':>16}{'ratio':>16}")

    def ratio_row(name: str, source: int, tests: int, minimum: float) -> None:
        report.row(name, f"{source:,}", f"{tests:,}", f"{tests / source:.2f}")
        report.require(tests >= minimum * source, f"{name}: {tests / source:.2f} test lines per source line, less than {minimum}")

    for module in sorted(path for path in (ROOT / "Sources").iterdir() if total_lines(path)):
        tests = ROOT / f"Tests/{module.name}Tests"
        ratio_row(module.name, total_lines(module), total_lines(tests), MINIMUM_MODULE_TEST_RATIO)
    ratio_row("all", sum(map(line_count, sources)), total_lines(ROOT / "Tests"), MINIMUM_TEST_RATIO)


def check_words(report: Report, sources: list[Path]) -> None:
    texts = [*sources, *(ROOT / "Sources").rglob("*.md"), ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in texts:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            # The glossary's table lists the words to avoid.
            if path.name != "glossary.md" and (match := AVOIDED.search(line)):
                report.require(False, f"{relative(path)}:{number}: '{match.group()}' is not one of our terms (docs/glossary.md)")


def print_longest(all_bodies: list[Body]) -> None:
    modules: dict[str, list[Body]] = {}
    for body in all_bodies:
        modules.setdefault(body.path.relative_to(ROOT / "Sources").parts[0], []).append(body)
    for module, own in sorted(modules.items()):
        print(f"\n{module}")
        for body in sorted(own, key=lambda body: -body.length)[:10]:
            print(f"  {body.length:4} {relative(body.path)}:{body.line} {body.name}")


def main() -> None:
    if sys.argv[1:] not in ([], ["--longest"]):
        fail("usage: scripts/checks/code-size [--longest]", 64)
    sources = sorted(path for path in (ROOT / "Sources").rglob("*") if path.suffix in {".swift", *C_SUFFIXES})
    all_bodies = [body for path in sources if path.suffix == ".swift" for body in bodies(path)]
    report = Report()
    check_functions(report, all_bodies)
    check_files(report, sources)
    check_folders(report)
    check_tests(report, sources)
    check_words(report, sources)
    if sys.argv[1:]:
        print_longest(all_bodies)
    if report.violations:
        print()
        for violation in report.violations:
            print(violation)
        fail(f"{len(report.violations)} violations")

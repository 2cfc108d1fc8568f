"""Tests of the logic that a wrong result of a check or a cluster job would depend on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vstream_tools.checks.code_size import bodies
from vstream_tools.checks.docs_pages import Page
from vstream_tools.checks.guard import ALLOCATORS, read_costs
from vstream_tools.cluster.jobs import Declared, Job, Options, UsageError, sort_options

SWIFT = '''\
struct Value {
  init() {}
  var doubled: Int { 2 * number }
  var required: Int { get }
  static func < (one: Value, other: Value) -> Bool { one.number < other.number }
  @discardableResult func long(
    first: Int, action: () -> Bool = { true }
  ) throws -> Int
  where Number: Sendable {
    let text = """
      func none() {
      """
    return text.count
  }
  func requirement() async throws -> Int
}
'''


def test_lengths_of_swift_functions(tmp_path: Path) -> None:
    file = tmp_path / "a.swift"
    file.write_text(SWIFT)
    found = {body.name: (body.length, body.line, body.is_property) for body in bodies(file)}
    assert found == {"init": (1, 2, False), "doubled": (1, 3, True), "<": (1, 5, False), "long": (9, 6, False)}


def test_pages(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# The Title\n\n    vstream a # comment\n\n```swift\nlet a\n```\n[link\ntext](other.md#part) `--option`\n")
    page = Page(file)
    assert [(number, text) for _, number, text in page.commands()] == [(3, "vstream a")]
    assert page.anchors() == {"the-title"}
    assert page.links() == [(8, "other.md#part")]
    assert [block.language for block in page.blocks] == ["", "swift"]


def test_callgrind_totals(tmp_path: Path) -> None:
    file = tmp_path / "callgrind.out"
    allocator = sorted(ALLOCATORS)[0]
    file.write_text(f"fn=step\ncfn={allocator}\ncalls=3 1\nfn={allocator}\ncfn={allocator}\ncalls=5 1\ntotals: 120\n")
    assert read_costs(file) == (120, 3)


DECLARED = {"--crf": Declared("Output", True), "--classes": Declared("Objects", True), "--records": Declared("Records", True),
            "--events": Declared("Records", False), "--part": Declared("Source", True)}


def test_options_are_sorted_by_step() -> None:
    inputs, options = sort_options(["a.mp4", "--crf=30", "--classes", "car", "--records", "r.jsonl", "--events"], DECLARED)
    assert inputs == ["a.mp4"]
    assert (options.output, options.common) == (["--crf", "30"], ["--classes", "car"])
    assert (options.records, options.record_files) == (["--events"], ["r.jsonl"])


@pytest.mark.parametrize("words", [["--unknown"], ["--part", "p:1"], ["--records", "-"], ["--crf"]])
def test_refused_options(words: list[str]) -> None:
    with pytest.raises(UsageError):
        sort_options(words, DECLARED)


def test_steps_of_a_job(tmp_path: Path) -> None:
    job = Job("vstream", "/a.mp4", str(tmp_path / "out.mkv"), tmp_path, Options(record_files=["{name}.jsonl"]))
    job.plan.write_text(json.dumps({"parts": [{"number": number, "packets": 10} for number in range(2)]}))
    names = [[task.name for task in tasks] for tasks in job.steps()]
    assert names == [[], ["part 0, detection", "part 1, detection"], ["joining the records"],
                     ["part 0, rendering", "part 1, rendering"], ["joining the video"]]
    job.options.encodes_changed = True
    assert [[task.name for task in tasks] for tasks in job.steps()] == [*names[:3], ["joining the video"]]

"""The tasks for each input, step by step: plain values, no cluster.

A step's tasks may run side by side; the next step's need the files of all of them.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vstream_worker import HERE, Task

# Sections of the options by vstream's own help, and where they are given.
OUTPUT_SECTIONS = {"Output"}
RECORD_SECTIONS = {"Records"}
# Options that the driver gives itself, or that no part can have.
REFUSED = {
    "--part": "parts are made by vstream-cluster", "--from-paint": "parts are made by vstream-cluster",
    "--packets": "parts are made by vstream-cluster",
    "--record-detections": "detections are recorded in the work folder; --keep keeps them",
    "--from-records": "a replay runs on one machine",
    "--stats": "each part has statistics of its own",
    "--output-dir": "", "--list": "", "--resume": "",
}
# Options by which a file is not cut into parts: one worker runs the whole.
WHOLE = {"--categories", "--save-faces", "--fps", "--overlay-track", "--verify", "--receipt", "--start", "--duration"}
# Seconds that a part may take, unless it is said: for each second of its video, and besides.
TIMEOUT_FACTOR, TIMEOUT_BASE = 120.0, 600.0


class UsageError(Exception):
    """A wrong command line: the problem and the remedy."""


@dataclass(frozen=True)
class Declared:
    section: str
    takes_value: bool


@dataclass
class Options:
    """vstream's options by the steps that are given them."""

    # Of detection, tracking, drawing and redaction: for every step.
    common: list[str] = field(default_factory=list)
    # Of the encoder and the container.
    output: list[str] = field(default_factory=list)
    # Of records; of these, their files.
    records: list[str] = field(default_factory=list)
    record_files: list[str] = field(default_factory=list)
    receipt: str | None = None
    # Whether the video is painted where it is joined, and only what changes is encoded.
    encodes_changed: bool = False
    # Whether one worker runs each file as a whole.
    is_whole: bool = False


def declared_options(vstream: str) -> dict[str, Declared]:
    """The options that the program declares, by their names."""
    output = subprocess.run([vstream, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(output)["command"]
    default = next(child for child in command["subcommands"] if child["commandName"] == command["defaultSubcommand"])
    found = {}
    for item in default["arguments"]:
        for name in item.get("names", []):
            dashes = "-" if name["kind"] == "short" else "--"
            found[dashes + name["name"]] = Declared(item.get("sectionTitle", ""), item["kind"] == "option")
    return found


def sort_options(words: list[str], declared: dict[str, Declared]) -> tuple[list[str], Options]:
    """Sorts a command line into inputs and options."""
    inputs, options, rest = [], Options(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "-" or not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, value = word.partition("=")
        option = declared.get(name)
        if option is None:
            raise UsageError(f"{name} is no option of vstream or vstream-cluster; 'vstream --help full' lists them")
        if name in REFUSED:
            raise UsageError(f"{name} cannot be used: {REFUSED[name] or 'vstream-cluster has an option of its own'}; omit it")
        options.is_whole = options.is_whole or name in WHOLE
        given = [name]
        if option.takes_value:
            if not equals:
                if not rest:
                    raise UsageError(f"{name} has no value; give one")
                value = rest.pop(0)
            given.append(value)
            if name == "--encode":
                options.encodes_changed = value == "changed"
        if name == "--records":
            if value == "-":
                raise UsageError("--records - cannot be used: the records are joined; name a file")
            options.record_files.append(value)
        elif name == "--receipt":
            if value in ("", "-"):
                raise UsageError("--receipt is not the name of a file; give one")
            options.receipt = value
        elif option.section in OUTPUT_SECTIONS:
            options.output += given
        elif option.section in RECORD_SECTIONS:
            options.records += given
        else:
            options.common += given
    return inputs, options


def usual_deadline(seconds: float) -> float:
    return TIMEOUT_BASE + TIMEOUT_FACTOR * seconds


@dataclass
class Job:
    """One input, and its files."""

    vstream: str
    input: str
    # `null` for none.
    output: str
    folder: Path
    options: Options
    part_seconds: float = 60.0
    # Seconds after which a part counts as hung.
    part_timeout: float | None = None

    @property
    def plan(self) -> Path:
        return self.folder / "plan.json"

    @property
    def stem(self) -> str:
        return Path(self.input).stem

    def named(self, path: str) -> str:
        return path.replace("{name}", self.stem)

    @property
    def record_files(self) -> list[str]:
        return [self.named(path) for path in self.options.record_files]

    @property
    def receipts(self) -> list[str]:
        return [self.named(self.options.receipt)] if self.options.receipt else []

    @property
    def renders(self) -> bool:
        return self.output != "null"

    def steps(self) -> Iterator[list[Task]]:
        """The tasks of each step, as far as they are not done; reads the plan once the first step is done."""
        yield [task for task in [self.split()] if not task.is_done]
        parts = json.loads(self.plan.read_text())["parts"]
        if len(parts) == 1 or self.options.is_whole:
            yield [task for task in [self.whole(parts)] if not task.is_done or task.has_finding]
            return
        yield [task for task in map(self.detect, parts) if not task.is_done]
        if self.record_files or self.renders:
            yield [task for task in [self.join_records(parts)] if not task.is_done]
        if self.renders:
            if not self.options.encodes_changed:
                yield [task for task in map(self.render, parts) if not task.is_done]
            yield [task for task in [self.join_video(parts)] if not task.is_done]

    def split(self) -> Task:
        plan = str(self.plan)
        return Task("split", (self.vstream, "split", self.input, "-o", HERE + plan, "--part-duration", f"{self.part_seconds:g}"),
                    (plan,), deadline=24 * 3600)

    def part_file(self, kind: str, part: dict, ending: str) -> str:
        return str(self.folder / f"{kind}-{part['number']:04d}.{ending}")

    @property
    def part_deadline(self) -> float:
        return self.part_timeout or usual_deadline(self.part_seconds)

    def part_task(self, name: str, part: dict, path: str, *words: str) -> Task:
        return Task(f"part {part['number']}, {name}",
                    (self.vstream, self.input, "--part", f"{self.plan}:{part['number']}", *words, "--quiet", *self.options.common),
                    (path,), self.part_deadline, part["packets"])

    def detect(self, part: dict) -> Task:
        path = self.part_file("part", part, "jsonl")
        return self.part_task("detection", part, path, "-o", "null", "--record-detections", "--records", HERE + path)

    def render(self, part: dict) -> Task:
        path = self.part_file("video", part, "packets")
        return self.part_task("rendering", part, path, "-o", self.output, "-y", "--from-paint", self.part_file("paint", part, "jsonl"),
                              "--packets", HERE + path, *self.output_options())

    def output_options(self) -> list[str]:
        return [word for word in self.options.output if word not in ("-y", "--overwrite")]

    def written_records(self) -> list[str]:
        return [word for path in self.record_files for word in ("--records", HERE + path)]

    def join(self, name: str, parts: list[dict], writes: list[str], *words: str) -> Task:
        return Task(name, (self.vstream, "join", str(self.plan), "--parts", str(self.folder), "--input", self.input, *words, "--quiet",
                           *self.options.common),
                    tuple(writes), usual_deadline(self.part_seconds * len(parts)), tag=self.folder.name)

    def join_records(self, parts: list[dict]) -> Task:
        # The statistics are written last: their presence shows that all else is complete.
        marker = str(self.folder / "joined.json")
        return self.join("joining the records", parts, [*self.record_files, marker], *self.written_records(),
                         *["--paint"] * self.renders, "--stats", HERE + marker, *self.options.records)

    def join_video(self, parts: list[dict]) -> Task:
        return self.join("joining the video", parts, [self.output], "-o", HERE + self.output, *self.output_options())

    def whole(self, parts: list[dict]) -> Task:
        output = HERE + self.output if self.renders else "null"
        receipts = [word for path in self.receipts for word in ("--receipt", HERE + path)]
        return Task("the whole",
                    (self.vstream, self.input, "-o", output, *self.written_records(), *receipts, "--quiet",
                     *map(self.named, [*self.options.common, *(self.output_options() if self.renders else []), *self.options.records])),
                    tuple(self.finals), self.part_deadline if len(parts) == 1 else usual_deadline(self.part_seconds * len(parts)),
                    sum(part["packets"] for part in parts), self.folder.name, str(self.folder / "finding.txt"))

    @property
    def companions(self) -> list[str]:
        """Files that vstream may write beside the output: a script of the subtitles that are an overlay track."""
        has_track = "--overlay-track" in self.options.common + self.options.output
        return [str(Path(self.output).with_suffix(".ass"))] if self.renders and has_track else []

    @property
    def finals(self) -> list[str]:
        return [*([self.output] if self.renders else []), *self.record_files, *self.receipts]

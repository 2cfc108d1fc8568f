"""The cases of scripts/checks/damaged-inputs: which input is damaged how, and the command line that reads it."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from inputs import INPUTS, Input, WholeInputs
from mutations import SIMPLE, packet_filter, spliced

# Outputs and how often they are chosen.
OUTPUTS = {"out.mkv": 6, "out.mp4": 6, "out.mov": 2, "out.ts": 3, "out.avi": 3, "out.gif": 2, "out.nut": 2, "out.webm": 1, "out.flv": 1,
           "out.mpg": 1, "out.mxf": 1, "frame-%03d.png": 1, "out.m3u8": 1, "-": 1}
IMAGE_OUTPUTS = {"out.png": 3, "out.jpg": 3, "out.webp": 1, "out.tiff": 1, "out.mp4": 2, "out.mkv": 1}
# Options beside the output, and how often they are chosen. Those that run a detector are slower.
OPTIONS = {"": 54, "pipe": 8, "null": 8, "records": 6, "trim": 10, "strict": 6, "keep-start": 2, "no audio": 2, "verbose": 1,
           "overlay": 3, "detect": 2, "redact": 1}
# Ways to damage.
WAYS = {"simple": 14, "twice": 4, "splice": 5, "packets": 3}
SAME_CONTAINER = 0.4


@dataclass
class Case:
    """A damaged input, which is in a folder of its own, and a command line."""

    number: int
    item: Input
    damage: str
    # The arguments; for a pipe, the input is standard input.
    arguments: list[str]
    output: str
    kind: str
    source: str
    files: dict[str, bytes] = field(repr=False, default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.number}: {self.item.name}, {self.damage}: vstream {' '.join(self.arguments)}"

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for name, contents in self.files.items():
            (folder / name).write_bytes(contents)


def choose(numbers: random.Random, weights: dict[str, int]) -> str:
    return numbers.choices(list(weights), list(weights.values()))[0]


def make_case(seed: int, number: int, whole: WholeInputs, scratch: Path) -> Case:
    """A case, the same for the same seed and number. Its files are in memory; `scratch` is a folder for ffmpeg."""
    numbers = random.Random(f"{seed}/{number}")
    item = INPUTS[number % len(INPUTS)]
    files = dict(whole.files(item))
    damage = damage_folder(item, files, numbers) if item.is_folder else damage_file(item, files, whole, numbers, scratch)
    kind = choose(numbers, OPTIONS)
    if item.is_folder and kind == "pipe":
        kind = ""
    arguments, output = command(item, kind, numbers)
    return Case(number, item, damage, arguments, output, kind, item.name, files)


# --- Damage ---


def damage_file(item: Input, files: dict[str, bytes], whole: WholeInputs, numbers: random.Random, scratch: Path) -> str:
    data, done = bytearray(files[item.name]), []
    way = choose(numbers, WAYS)
    if way == "packets":
        done.append(refiltered(item, data, numbers, scratch))
    if way == "splice":
        alike = [each for each in INPUTS if each.kind == item.kind and each != item]
        other = numbers.choice(alike if alike and numbers.random() < SAME_CONTAINER else INPUTS)
        done.append(f"{spliced(data, whole.contents(other), numbers)} ({other.name})")
    for _ in range({"simple": 1, "twice": 2}.get(way, numbers.randrange(2))):
        done.append(mutate(data, item.kind, numbers))
    files[item.name] = bytes(data)
    return "; ".join(done)


def mutate(data: bytearray, kind: str, numbers: random.Random) -> str:
    return numbers.choice(SIMPLE)(data, numbers, kind) if len(data) > 16 else f"{len(data)} bytes left"


def refiltered(item: Input, data: bytearray, numbers: random.Random, scratch: Path) -> str:
    """Changes packets or their times through ffmpeg, which may refuse the result."""
    filters = [packet_filter(numbers), packet_filter(numbers)]
    options = ["-bsf:v", filters[0]] + (["-bsf:a", filters[1]] if numbers.random() < 0.5 else [])
    scratch.mkdir(exist_ok=True)
    source, target = scratch / f"whole-{item.name}", scratch / f"damaged-{item.name}"
    source.write_bytes(data)
    forced = [] if item.format is None else ["-f", item.format, "-video_size", item.size]
    subprocess.run(["ffmpeg", "-v", "quiet", "-nostdin", "-y", *forced, "-i", source, "-map", "0", "-c", "copy", "-fflags", "+bitexact",
                    *options, "-fs", "2000000", target], timeout=60)
    if target.exists() and target.stat().st_size > 0:
        data[:] = target.read_bytes()
    return " ".join(options)


def damage_folder(item: Input, files: dict[str, bytes], numbers: random.Random) -> str:
    """Damages the playlist or some of the files, or removes, exchanges or empties one."""
    names = sorted(files)
    name = item.name if item.name in files and numbers.random() < 0.4 else numbers.choice(names)
    action = numbers.choice(("damaged", "damaged", "damaged", "all damaged", "removed", "emptied", "exchanged"))
    match action:
        case "removed" if name != item.name: del files[name]
        case "emptied": files[name] = b""
        case "exchanged":
            other = numbers.choice(names)
            files[name], files[other] = files[other], files[name]
        case _:
            done = []
            for each in names if action == "all damaged" else [name]:
                data = bytearray(files[each])
                done.append(f"{each}: {mutate(data, Path(each).suffix.lstrip('.'), numbers)}")
                files[each] = bytes(data)
            return "; ".join(done)
    return f"{name} {action}"


# --- Command lines ---


def command(item: Input, kind: str, numbers: random.Random) -> tuple[list[str], str]:
    """The arguments and the output's name."""
    output = choose(numbers, IMAGE_OUTPUTS if item.is_photo and numbers.random() < 0.8 else OUTPUTS)
    start, duration = numbers.choice((0, 0.2, 0.5, 0.9, 5)), numbers.choice((0.1, 0.5, 3))
    detect = ["--detect", "none"]
    options: list[str] = []
    match kind:
        case "null" | "records": output = "null"
        case "trim": options = ["--start", str(start), "--duration", str(duration)]
        case "strict": options = ["--strict"]
        case "keep-start": options = ["--keep-start"]
        case "no audio": options = ["--audio", "none"]
        case "verbose": options = ["--verbose"]
        case "overlay": output, detect = numbers.choice(("out.mkv", "out.mp4", "out.ts")), ["--detect", "faces", "--overlay-track", "ass"]
        case "detect": detect = ["--detect", "objects", "--detect-every", "5"]
        case "redact": detect = ["--redact", "blur"]
    if kind == "records":
        options += ["--records", "records.jsonl"]
    if item.format is not None:
        options += ["--input-format", item.format, "--input-option", f"video_size={item.size}"]
    elif numbers.random() < 0.05 and not item.is_folder:
        # A user who names the right format.
        options += {"mkv": ["--input-format", "matroska"], "ts": ["--input-format", "mpegts"], "mp4": ["--input-format", "mp4"],
                    "avi": ["--input-format", "avi"]}.get(item.suffix, [])
    source = "-" if kind == "pipe" else item.name
    return [source, "-o", output, *detect, *options], output

"""The kinds of damage. Each is drawn as numbers, so that it can be shrunk, and applied to the bytes of a file."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hypothesis import strategies as st

from .running import run

# Values of wrong fields: nothing, little, and the largest of each sign.
EXTREMES = (b"\0", b"\xff", b"\x7f" + b"\xff" * 15, b"\x80" + b"\0" * 15, b"\0" * 7 + b"\1")
MAXIMUM_SIZE = 2_000_000


class Marks(NamedTuple):
    """The units of a container, as a regular expression of their starts; the position of their sizes, relative to that, and bytes
    that are mostly times, rates, dimensions and counts."""

    pattern: bytes
    size_at: int = 4
    size_width: int = 4
    order: Literal["big", "little"] = "big"
    fields: range = range(4, 28)


BOXES = Marks(rb"ftyp|moov|trak|mdia|minf|stbl|edts|udta|mvex|moof|traf|mdat|[mt]fhd|mvhd|[tm]khd|mdhd|hdlr|elst|st(?:ts|ss|sz|sc|co|sd)|ctts|tfdt|trun|"
              rb"trex|sidx|tmcd|chpl|dref", -4, fields=range(4, 60))
ELEMENTS = Marks(rb"\x18S\x80g|\x1fC\xb6u|\x16T\xaek|\x15I\xa9f|\x1cS\xbbk|\x11M\x9bt|\x10C\xa7p|\x12T\xc3g|\x19A\xa4i|\*\xd7\xb1|#\xe3\x83|c\xa2|"
                 rb"[\xae\xe0\xe1\xa3\xa0\xbb\xb7\xe7\x9b\xb0\xba\x86\xb5\x9f](?=[\x81-\xbf])", 1, 1, fields=range(1, 12))
CHUNKS = Marks(rb"RIFF|LIST|avih|strh|strf|movi|idx1|\d\d(?:dc|wb|db)|VP8[ LX]", 4, order="little", fields=range(8, 60))
PNG = Marks(rb"IHDR|IDAT|PLTE|acTL|fcTL|fdAT|IEND|pHYs|tRNS", -4, fields=range(4, 30))
OBJECTS = Marks(rb".{6}\xcf\x11.{8}", 16, 8, "little", range(24, 100))
PROGRAM, NALS = Marks(rb"\x00\x00\x01[\xba-\xef]", 4, 2, fields=range(4, 19)), Marks(rb"\x00\x00\x01", 3, 2, fields=range(3, 19))
CONTAINERS = {
    "mp4": BOXES, "mov": BOXES, "3gp": BOXES, "m4s": BOXES, "mkv": ELEMENTS, "webm": ELEMENTS, "avi": CHUNKS, "webp": CHUNKS, "png": PNG,
    "apng": PNG, "wmv": OBJECTS, "asf": OBJECTS, "mpg": PROGRAM, "vob": PROGRAM, "h264": NALS, "hevc": NALS, "m2v": NALS, "m4v": NALS,
    "flv": Marks(rb"[\x08\x09\x12]\x00.{5}\x00{3}", 1, 3), "ivf": Marks(rb".{2}\x00{2}.{4}\x00{4}", 0, order="little"),
    "ts": Marks(rb"\x47.{187}", 4, 1, fields=range(1, 60)), "ogv": Marks(rb"OggS", 26, 1), "mxf": Marks(rb"\x06\x0e\x2b\x34", 16),
    "y4m": Marks(rb"FRAME"), "mjpeg": Marks(rb"\xff\xd8", 4, 2), "jpg": Marks(rb"\xff[\xc0-\xfe]", 2, 2), "gif": Marks(rb"\x00[\x21\x2c]", 2, 2),
    "nut": Marks(rb"N[KMXIS][\x80-\xff]", 8, 1), "jp2": Marks(rb"\xff[\x4f-\x93]", 2, 2), "m3u8": Marks(rb"(?m)^.+$", 5, 1, fields=range(0, 40)),
}
PIECES = Marks(rb".{1,4096}", 0, fields=range(0, 200))


class Choices:
    """Choices by numbers that were drawn, and after those by random ones of the same seed."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = iter(numbers)
        self.random = random.Random(str(numbers))

    def below(self, end: int) -> int:
        number = next(self._numbers, None)
        return self.random.randrange(max(1, end)) if number is None else number * max(1, end) >> 16

    def of(self, values: Sequence[Any]) -> Any:
        return values[self.below(len(values))]


@dataclass(frozen=True)
class Damage:
    way: str
    numbers: tuple[int, ...]


def damages(ways: Sequence[str]) -> st.SearchStrategy[Damage]:
    return st.builds(Damage, st.sampled_from(ways), st.lists(st.integers(0, (1 << 16) - 1), min_size=4, max_size=12).map(tuple))


def mutate(data: bytearray, damage: Damage, kind: str) -> str:
    """Replaces ranges of a file by other bytes, and describes how."""
    choices, done = Choices(damage.numbers), []
    for _ in range(choices.of(EDITS[damage.way][0]) if len(data) > 16 else 0):
        start, end, marks = chosen_range(data, choices, damage.way, CONTAINERS.get(kind, PIECES))
        name = choices.of(EDITS[damage.way][1])
        data[start:end] = replacement(data, start, end, marks, name, choices)
        done.append(f"bytes {start} to {end} {name}")
    del data[MAXIMUM_SIZE:]
    return f"{damage.way}: {', '.join(done)}, {len(data)} left"


# The numbers of ranges, and their replacements, by the kind of the ranges.
BLOCKS = ("removed", "zeroed", "filled with ones", "random", "copied from elsewhere", "twice", "31 times", "after zeros", "after random bytes")
EDITS: dict[str, tuple[Sequence[int], Sequence[str]]] = {
    "anywhere": ((1,), (*BLOCKS, "with flipped bits")), "everywhere": ((1,), ("with flipped bits",)),
    "header": ((1, 2, 5, 20), ("with a flipped bit",)), "tail": ((1, 2, 5, 20), ("with a flipped bit",)), "start": ((1,), ("removed",)),
    "end": ((1,), ("removed",)), "units": ((1,), ("removed", "twice", "31 times", "exchanged", "backwards", "moved to the end", "shuffled")),
    "sizes": ((1, 1, 2, 5), ("another number",)), "fields": ((1, 1, 2, 5), ("with a flipped bit", "an extreme value"))}
WAYS = [way for way, weight in {"anywhere": 4, "everywhere": 2, "header": 2, "tail": 1, "start": 1, "end": 2, "units": 3, "sizes": 2,
                                "fields": 3}.items() for _ in range(weight)]


def chosen_range(data: bytearray, choices: Choices, way: str, marks: Marks) -> tuple[int, int, Marks]:
    size = len(data)
    match way:
        case "everywhere": return 0, size, marks
        case "header" | "tail":
            at = min(size - 1, choices.below(choices.of((64, 300, 2000))))
            return (at, at + 1, marks) if way == "header" else (size - 1 - at, size - at, marks)
        case "start": return 0, choices.of((1, 4, 100, 188, 1000, size // 10, size // 2, size * 9 // 10)), marks
        case "end": return max(0, choices.of((choices.below(64), choices.below(size), size - 1 - choices.below(64)))), size, marks
        case "anywhere":
            start = choices.below(size)
            return start, start + 1 + choices.below(min(choices.of((1, 16, 188, 512, 4096, size // 4)), size // 2)), marks
    found = list(re.finditer(marks.pattern, data, re.DOTALL))
    if not found:
        marks, found = PIECES, list(re.finditer(PIECES.pattern, data, re.DOTALL))
    name = choices.of(found)[0]
    # All units, those in the first part, which is mostly the header, or those of one name.
    found = choices.of((found, found[:40], [each for each in found if each[0] == name]))
    number = choices.below(len(found))
    start = found[number].start()
    if way == "units":
        later = [each.start() for each in found[number + 1:]] + [size]
        return start, choices.of((later[0], choices.of(later), choices.of(later))), marks
    at = max(0, start + (marks.size_at if way == "sizes" else choices.of(marks.fields)))
    return min(at, size - 1), at + (marks.size_width if way == "sizes" else choices.of((1, 2, 4, 8))), marks


def replacement(data: bytearray, start: int, end: int, marks: Marks, name: str, choices: Choices) -> bytes:
    old = bytes(data[start:end])
    size, value, most = len(old), int.from_bytes(old[:8], marks.order), (1 << 8 * min(8, len(old))) - 1
    match name:
        case "with a flipped bit" | "with flipped bits":
            flipped = bytearray(old)
            for _ in range(1 if name == "with a flipped bit" else max(1, size // choices.of((20_000, 5_000, 1_000, 200, 50)))):
                flipped[choices.below(size)] ^= 1 << choices.below(8)
            return bytes(flipped)
        case "removed": return b""
        case "zeroed": return bytes(size)
        case "filled with ones": return b"\xff" * size
        case "random": return choices.random.randbytes(size)
        case "copied from elsewhere":
            other = choices.below(len(data))
            return bytes(data[other:other + size])
        case "twice": return old * 2
        case "31 times": return old * 31
        case "after zeros": return bytes(choices.of((1, 3, 188, 4096, 100_000))) + old
        case "after random bytes": return choices.random.randbytes(choices.of((1, 3, 188, 4096, 100_000))) + old
        case "exchanged":
            other = choices.below(len(data) - size + 1)
            moved = bytes(data[other:other + size])
            data[other:other + size] = old
            return moved
        case "moved to the end":
            data += old
            return b""
        case "backwards" | "shuffled":
            parts = re.split(b"(?s)(?=" + marks.pattern.removeprefix(b"(?m)") + b")", old)
            return b"".join(parts[::-1] if name == "backwards" else choices.random.sample(parts, len(parts)))
        case "an extreme value": return (choices.of((*EXTREMES, choices.random.randbytes(16))) * 16)[:size]
    wrong = choices.of((0, 1, 7, value - 1, value + 1, value * 2, value // 2, value + 1000, most, most >> 1, (most >> 1) + 1, len(data),
                        choices.random.randint(0, most)))
    return (most & wrong).to_bytes(min(8, size), marks.order)


# --- Two files, and packets ---


def splice(data: bytearray, other: bytes, damage: Damage) -> str:
    choices = Choices(damage.numbers)
    how = choices.of(("continued by", "joined with", "interrupted by", "alternating with"))
    at, there, size = choices.below(len(data) + 1), choices.below(len(other) + 1), choices.of((188, 1880, 4096, 100_000))
    match how:
        case "continued by": data[at:] = other[there:]
        case "joined with": data += other
        case "interrupted by": data[at:at] = other[there:there + size]
        case _: data[:] = b"".join(bytes(data[i:i + size]) + other[i:i + size] for i in range(0, max(len(data), len(other)), size))
    del data[MAXIMUM_SIZE:]
    return f"{how} {len(other)} bytes of another file"


# Changes of packets' contents, and of their times, as ffmpeg's bitstream filters.
PACKET_FILTERS = (
    "noise=drop=lt(n\\,{n})", "noise=drop=eq(mod(n\\,{m})\\,1)", "noise=amount={a}", "noise=drop=gt(random(0)\\,0.{k})",
    "noise=amount={a}:drop=eq(mod(n\\,{m})\\,2)", "setts=pts=PTS+{j}*gt(N\\,{n}):dts=DTS+{j}*gt(N\\,{n})",
    "setts=pts=PTS-{j}*gt(N\\,{n}):dts=DTS-{j}*gt(N\\,{n})", "setts=pts=DTS", "setts=pts=PTS+{j}*eq(N\\,{n})", "setts=ts=0",
    "setts=pts=NOPTS:dts=NOPTS", "setts=pts=PTS+floor(random(0)*{j}):dts=DTS", "setts=ts=N*{j}", "setts=dts=DTS:pts={j}-PTS",
    "setts=duration={j}", "setts=time_base=1/{n}", "setts=time_base={j}/1",
)


def filter_packets(path: Path, options: list[str], damage: Damage) -> str:
    """Changes packets or their times through ffmpeg, which may refuse the result."""
    choices, filters = Choices(damage.numbers), []
    for stream in ["-bsf:v"] + ["-bsf:a"] * choices.below(2):
        filters += [stream, choices.of(PACKET_FILTERS).format(
            n=1 + choices.below(20), m=2 + choices.below(8), a=choices.of((1, 10, 100, 1000)), k=1 + choices.below(9),
            j=choices.of((1, 100, 5000, 100_000, 10_000_000, 1 << 31, 1 << 33, 1 << 40)))]
    target = path.with_stem("filtered")
    run(["ffmpeg", "-v", "quiet", "-nostdin", "-y", *options, "-i", path, "-map", "0", "-c", "copy", "-fflags", "+bitexact", *filters,
         "-fs", MAXIMUM_SIZE, target])
    if target.exists() and target.stat().st_size > 0:
        path.write_bytes(target.read_bytes())
    target.unlink(missing_ok=True)
    return " ".join(filters)

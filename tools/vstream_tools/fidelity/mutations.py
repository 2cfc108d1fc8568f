"""The kinds of damage. Each is a way and a seed, and is applied to the bytes of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from hypothesis import strategies as st

from .inputs import BITEXACT
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


BOXES = Marks(rb"ftyp|moov|trak|mdia|minf|stbl|edts|udta|mvex|moof|traf|mdat|[mt]fhd|mvhd|tkhd|mdhd|hdlr|elst|"
              rb"st(?:ts|ss|sz|sc|co|sd)|ctts|tfdt|trun|trex|sidx|tmcd|chpl|dref", -4, fields=range(4, 60))
ELEMENTS = Marks(rb"\x18S\x80g|\x1fC\xb6u|\x16T\xaek|\x15I\xa9f|\x1cS\xbbk|\x11M\x9bt|\x10C\xa7p|"
                 rb"\x12T\xc3g|\x19A\xa4i|\*\xd7\xb1|#\xe3\x83|c\xa2|"
                 rb"[\xae\xe0\xe1\xa3\xa0\xbb\xb7\xe7\x9b\xb0\xba\x86\xb5\x9f](?=[\x81-\xbf])", 1, 1, fields=range(1, 12))
CHUNKS = Marks(rb"RIFF|LIST|avih|strh|strf|movi|idx1|\d\d(?:dc|wb|db)|VP8[ LX]", 4, order="little", fields=range(8, 60))
PNG = Marks(rb"IHDR|IDAT|PLTE|acTL|fcTL|fdAT|IEND|pHYs|tRNS", -4, fields=range(4, 30))
OBJECTS = Marks(rb".{6}\xcf\x11.{8}", 16, 8, "little", range(24, 100))
PROGRAM, NALS = Marks(rb"\x00\x00\x01[\xba-\xef]", 4, 2, fields=range(4, 19)), Marks(rb"\x00\x00\x01", 3, 2, fields=range(3, 19))
CONTAINERS = {
    **dict.fromkeys(["mp4", "mov", "3gp", "m4s"], BOXES), **dict.fromkeys(["h264", "hevc", "m2v", "m4v"], NALS),
    "mkv": ELEMENTS, "webm": ELEMENTS, "avi": CHUNKS, "webp": CHUNKS, "png": PNG, "apng": PNG, "wmv": OBJECTS, "asf": OBJECTS,
    "mpg": PROGRAM, "vob": PROGRAM,
    "flv": Marks(rb"[\x08\x09\x12]\x00.{5}\x00{3}", 1, 3), "ivf": Marks(rb".{2}\x00{2}.{4}\x00{4}", 0, order="little"),
    "ts": Marks(rb"\x47.{187}", 4, 1, fields=range(1, 60)), "ogv": Marks(rb"OggS", 26, 1), "mxf": Marks(rb"\x06\x0e\x2b\x34", 16),
    "y4m": Marks(rb"FRAME"), "mjpeg": Marks(rb"\xff\xd8", 4, 2), "jpg": Marks(rb"\xff[\xc0-\xfe]", 2, 2),
    "gif": Marks(rb"\x00[\x21\x2c]", 2, 2), "nut": Marks(rb"N[KMXIS][\x80-\xff]", 8, 1), "jp2": Marks(rb"\xff[\x4f-\x93]", 2, 2),
    "m3u8": Marks(rb"(?<=\n)[^\n]+", 5, 1, fields=range(40)),
}
PIECES = Marks(rb".{1,4096}", 0, fields=range(200))


@dataclass(frozen=True)
class Damage:
    way: str
    seed: int


def damages(ways: Sequence[str]) -> st.SearchStrategy[Damage]:
    return st.builds(Damage, st.sampled_from(ways), st.integers(0, (1 << 32) - 1))


class Edit(NamedTuple):
    """A range of a file that is replaced."""

    data: bytearray
    start: int
    end: int
    marks: Marks
    rng: Random

    @property
    def old(self) -> bytes:
        return bytes(self.data[self.start:self.end])

    def flipped(self, one_in: int) -> bytes:
        """With one bit flipped in so many bytes."""
        new = bytearray(self.old)
        for _ in range(max(1, len(new) // one_in)):
            new[self.rng.randrange(len(new))] ^= 1 << self.rng.randrange(8)
        return bytes(new)

    def reordered(self, order: Callable[[list[bytes]], list[bytes]]) -> bytes:
        return b"".join(order(re.split(b"(?s)(?=" + self.marks.pattern + b")", self.old)))

    def elsewhere(self) -> bytes:
        """Another block of the same length."""
        at = self.rng.randrange(len(self.data) - len(self.old) + 1)
        return bytes(self.data[at:at + len(self.old)])

    def another_number(self) -> bytes:
        size = min(8, len(self.old))
        value, most = int.from_bytes(self.old[:size], self.marks.order), (1 << 8 * size) - 1
        number = self.rng.choice((0, 1, 7, value - 1, value + 1, value * 2, value // 2, value + 1000, most, most >> 1,
                                  (most >> 1) + 1, len(self.data), self.rng.randint(0, most)))
        return (most & number).to_bytes(size, self.marks.order)


REPLACEMENTS: dict[str, Callable[[Edit], bytes]] = {
    "removed": lambda e: b"", "zeroed": lambda e: bytes(len(e.old)), "filled with ones": lambda e: b"\xff" * len(e.old),
    "random": lambda e: e.rng.randbytes(len(e.old)), "copied from elsewhere": Edit.elsewhere,
    "twice": lambda e: e.old * 2, "31 times": lambda e: e.old * 31,
    "after zeros": lambda e: bytes(e.rng.choice((1, 3, 188, 4096, 100_000))) + e.old,
    "after random bytes": lambda e: e.rng.randbytes(e.rng.choice((1, 3, 188, 4096, 100_000))) + e.old,
    "backwards": lambda e: e.reordered(lambda units: units[::-1]),
    "shuffled": lambda e: e.reordered(lambda units: e.rng.sample(units, len(units))),
    "with a flipped bit": lambda e: e.flipped(1 << 30),
    "with flipped bits": lambda e: e.flipped(e.rng.choice((20_000, 5_000, 1_000, 200, 50))),
    "an extreme value": lambda e: (e.rng.choice((*EXTREMES, e.rng.randbytes(16))) * 16)[:len(e.old)],
    "another number": Edit.another_number,
}
BLOCKS = ("removed", "zeroed", "filled with ones", "random", "copied from elsewhere", "twice", "31 times", "after zeros",
          "after random bytes")


class Way(NamedTuple):
    weight: int
    replacements: Sequence[str]
    # The possible numbers of ranges, and the range in a file of a size. Those of units, sizes and fields are found by marks.
    counts: Sequence[int] = (1,)
    chosen: Callable[[int, Random], tuple[int, int]] | None = None


def block(size: int, rng: Random) -> tuple[int, int]:
    start = rng.randrange(size)
    return start, start + 1 + rng.randrange(min(rng.choice((1, 16, 188, 512, 4096, size // 4)), size // 2) or 1)


def near_start(rng: Random) -> int:
    return rng.randrange(rng.choice((64, 300, 2000)))


EDITS = {
    "anywhere": Way(4, (*BLOCKS, "with flipped bits"), (1,), block),
    "everywhere": Way(2, ("with flipped bits",), (1,), lambda size, rng: (0, size)),
    "header": Way(2, ("with a flipped bit",), (1, 2, 5, 20), lambda size, rng: (near_start(rng), 0)),
    "tail": Way(1, ("with a flipped bit",), (1, 2, 5, 20), lambda size, rng: (size - 1 - near_start(rng), 0)),
    "start": Way(1, ("removed",), (1,), lambda size, rng: (0, rng.choice((1, 4, 100, 188, 1000, size // 10, size // 2)))),
    "end": Way(2, ("removed",), (1,), lambda size, rng: (rng.choice((near_start(rng), rng.randrange(size), size - near_start(rng))), size)),
    "units": Way(3, ("removed", "twice", "31 times", "backwards", "shuffled", "backwards", "shuffled")),
    "sizes": Way(2, ("another number",), (1, 1, 2, 5)),
    "fields": Way(3, ("with a flipped bit", "an extreme value"), (1, 1, 2, 5)),
}
WAYS = [name for name, way in EDITS.items() for _ in range(way.weight)]


def chosen_range(data: bytearray, rng: Random, way: str, marks: Marks) -> tuple[int, int, Marks]:
    if chosen := EDITS[way].chosen:
        return *chosen(len(data), rng), marks
    found = list(re.finditer(marks.pattern, data, re.DOTALL))
    if not found:
        return chosen_range(data, rng, way, PIECES)
    name = rng.choice(found)[0]
    # All units, those in the first part, which is mostly the header, or those of one name.
    found = rng.choice((found, found[:40], [each for each in found if each[0] == name]))
    number = rng.randrange(len(found))
    start = found[number].start()
    if way == "units":
        later = [*(each.start() for each in found[number + 1:]), len(data)]
        return start, rng.choice((later[0], rng.choice(later), rng.choice(later))), marks
    at = start + (marks.size_at if way == "sizes" else rng.choice(marks.fields))
    return at, at + (marks.size_width if way == "sizes" else rng.choice((1, 2, 4, 8))), marks


def mutate(data: bytearray, damage: Damage, kind: str) -> str:
    """Replaces ranges of a file by other bytes, and describes how."""
    rng, done = Random(damage.seed), []
    for _ in range(rng.choice(EDITS[damage.way].counts) if len(data) > 16 else 0):
        start, end, marks = chosen_range(data, rng, damage.way, CONTAINERS.get(kind, PIECES))
        start = min(max(0, start), len(data) - 1)
        edit, name = Edit(data, start, max(start + 1, end), marks, rng), rng.choice(EDITS[damage.way].replacements)
        new = REPLACEMENTS[name](edit)
        data[edit.start:edit.end] = new
        done.append(f"bytes {edit.start} to {edit.end} {name}")
    del data[MAXIMUM_SIZE:]
    return f"{damage.way}: {', '.join(done)}, {len(data)} left"


# --- Two files, and packets ---


def splice(data: bytearray, other: bytes, damage: Damage) -> str:
    rng = Random(damage.seed)
    how = rng.choice(("continued by", "joined with", "interrupted by", "alternating with"))
    at, there, size = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1), rng.choice((188, 1880, 4096, 100_000))
    if how == "interrupted by":
        data[at:at] = other[there:there + size]
    elif how == "alternating with":
        data[:] = b"".join(bytes(data[i:i + size]) + other[i:i + size] for i in range(0, max(len(data), len(other)), size))
    else:
        data[at if how == "continued by" else len(data):] = other[there if how == "continued by" else 0:]
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
    rng, filters = Random(damage.seed), []
    for stream in ["-bsf:v"] + ["-bsf:a"] * rng.randrange(2):
        filters += [stream, rng.choice(PACKET_FILTERS).format(
            n=1 + rng.randrange(20), m=2 + rng.randrange(8), a=rng.choice((1, 10, 100, 1000)), k=1 + rng.randrange(9),
            j=rng.choice((1, 100, 5000, 100_000, 10_000_000, 1 << 31, 1 << 33, 1 << 40)))]
    target = path.with_stem("filtered")
    run(["ffmpeg", "-v", "quiet", "-nostdin", "-y", *options, "-i", path, "-map", "0", "-c", "copy", *BITEXACT, *filters, "-fs",
         MAXIMUM_SIZE, target])
    if target.exists() and target.stat().st_size > 0:
        path.write_bytes(target.read_bytes())
    target.unlink(missing_ok=True)
    return " ".join(filters)

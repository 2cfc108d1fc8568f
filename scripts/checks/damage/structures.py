"""Where the units, sizes and other fields of each container are, for scripts/checks/damaged-inputs.

A container of unknown structure is cut into pieces of equal length, and its sizes are any four bytes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Order = Literal["big", "little"]


class Element(NamedTuple):
    """A box, element or chunk with its header."""

    name: bytes
    start: int
    # The position of the size field, and its bytes.
    size_at: int
    size_width: int
    body: int
    end: int


# --- Nested elements ---

BOXES_WITH_BOXES = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"udta", b"mvex", b"moof", b"traf", b"dinf"}
BOXES_WITH_FIELDS = {
    b"ftyp", b"mvhd", b"tkhd", b"mdhd", b"hdlr", b"elst", b"stts", b"ctts", b"stss", b"stsz", b"stsc", b"stco", b"stsd", b"tfdt",
    b"tfhd", b"trun", b"trex", b"mfhd", b"sidx", b"tmcd", b"chpl", b"dref",
}
ELEMENTS_WITH_ELEMENTS = {
    bytes.fromhex(name) for name in ("18538067", "1F43B675", "1654AE6B", "AE", "E0", "E1", "1549A966", "A0", "1A45DFA3", "1C53BB6B",
                                     "BB", "B7", "114D9B74", "4DBB", "1043A770", "45B9", "B6", "1254C367", "1941A469", "61A7")
}
CHUNKS_WITH_CHUNKS = {b"RIFF", b"LIST"}


def boxes(data: bytes, start: int, end: int) -> Iterator[Element]:
    while start + 8 <= end:
        size = int.from_bytes(data[start:start + 4], "big")
        if size < 8 or start + size > end:
            return
        name = bytes(data[start + 4:start + 8])
        yield Element(name, start, start, 4, start + 8, start + size)
        if name in BOXES_WITH_BOXES:
            yield from boxes(data, start + 8, start + size)
        start += size


def elements(data: bytes, start: int, end: int) -> Iterator[Element]:
    """Matroska's."""
    while start + 2 <= end and data[start]:
        width = 9 - data[start].bit_length()
        name, size_at = bytes(data[start:start + width]), start + width
        if width > 4 or size_at >= end or not data[size_at]:
            return
        size_width = 9 - data[size_at].bit_length()
        size = int.from_bytes(data[size_at:size_at + size_width], "big") & ((1 << 7 * size_width) - 1)
        body = size_at + size_width
        if body + size > end:
            return
        yield Element(name, start, size_at, size_width, body, body + size)
        if name in ELEMENTS_WITH_ELEMENTS:
            yield from elements(data, body, body + size)
        start = body + size


def chunks(data: bytes, start: int, end: int) -> Iterator[Element]:
    """RIFF's."""
    while start + 8 <= end:
        size = int.from_bytes(data[start + 4:start + 8], "little")
        if start + 8 + size > end:
            return
        name = bytes(data[start:start + 4])
        yield Element(name, start, start + 4, 4, start + 8, start + 8 + size)
        if name in CHUNKS_WITH_CHUNKS:
            yield from chunks(data, start + 12, start + 8 + size)
        start += 8 + size + size % 2


# --- Flat units ---


def tags(data: bytes) -> Iterator[Element]:
    """FLV's."""
    start = 13
    while start + 15 <= len(data):
        size = int.from_bytes(data[start + 1:start + 4], "big")
        yield Element(b"tag", start, start + 1, 3, start + 4, min(len(data), start + 15 + size))
        start += 15 + size


def ivf_frames(data: bytes) -> Iterator[Element]:
    start = 32
    while start + 12 <= len(data):
        size = int.from_bytes(data[start:start + 4], "little")
        yield Element(b"frame", start, start, 4, start + 4, min(len(data), start + 12 + size))
        start += 12 + size


def png_chunks(data: bytes) -> Iterator[Element]:
    start = 8
    while start + 12 <= len(data):
        size = int.from_bytes(data[start:start + 4], "big")
        yield Element(bytes(data[start + 4:start + 8]), start, start, 4, start + 8, min(len(data), start + 12 + size))
        start += 12 + size


def asf_objects(data: bytes) -> Iterator[Element]:
    """ASF's objects, and those in its header."""
    start = 0
    while start + 24 <= len(data):
        size = int.from_bytes(data[start + 16:start + 24], "little")
        yield Element(b"object", start, start + 16, 8, start + 24, min(len(data), start + size))
        start += 30 if start == 0 else max(24, size)


MARKS = {
    "ogg": rb"OggS", "mpg": rb"\x00\x00\x01[\xba-\xef]", "vob": rb"\x00\x00\x01[\xba-\xef]", "mxf": rb"\x06\x0e\x2b\x34",
    "h264": rb"\x00\x00\x01", "hevc": rb"\x00\x00\x01", "m2v": rb"\x00\x00\x01", "m4v": rb"\x00\x00\x01", "y4m": rb"FRAME",
    "mjpeg": rb"\xff\xd8", "jpg": rb"\xff[\xc0-\xfe]", "gif": rb"\x00[\x21\x2c]", "nut": rb"N[KMXIS][\x80-\xff]", "jp2": rb"\xff[\x4f-\x93]",
    "m3u8": rb"#EXT",
}
PIECES = {"ts": 188, "dv": 144_000, "wtv": 4096, "yuv": 4608}


def all_elements(data: bytes, kind: str) -> list[Element]:
    match kind:
        case "mp4" | "mov" | "3gp" | "m4s": return list(boxes(data, 0, len(data)))
        case "mkv" | "webm": return list(elements(data, 0, len(data)))
        case "avi": return list(chunks(data, 0, len(data)))
        case "flv": return list(tags(data))
        case "ivf": return list(ivf_frames(data))
        case "png": return list(png_chunks(data))
        case "asf": return list(asf_objects(data))
    return []


def units_of(data: bytes, kind: str, numbers: random.Random) -> list[tuple[int, int]]:
    """Ranges that cover the data and can be reordered: the elements of one container, or packets, or pieces."""
    found = all_elements(data, kind)
    if found:
        starts = sibling_starts(found, numbers)
    elif kind in MARKS:
        starts = [match.start() for match in re.finditer(MARKS[kind], data, re.DOTALL)]
    else:
        size = PIECES.get(kind) or numbers.choice((16, 256, max(16, len(data) // 10)))
        starts = list(range(0, len(data), size))
    starts = sorted({0, *starts})
    return list(zip(starts, [*starts[1:], len(data)]))


def sibling_starts(found: list[Element], numbers: random.Random) -> list[int]:
    """The starts of the elements in one other element, or at the top."""
    parents = [parent for parent in found if any(parent.start < child.start < parent.end for child in found)]
    parent = numbers.choice([None, *parents])
    inside = [each for each in found if parent is None or parent.start < each.start < parent.end]
    starts, end = [], 0
    for each in inside:
        if each.start >= end:
            starts.append(each.start)
            end = each.end
    return starts + [end]


def sizes_of(data: bytes, kind: str) -> list[tuple[int, int, Order]]:
    """The positions, widths and byte orders of size fields."""
    order: Order = "little" if kind in ("avi", "ivf", "asf", "bmp") else "big"
    found: list[tuple[int, int, Order]] = [(each.size_at, each.size_width, order) for each in all_elements(data, kind)]
    if not found and kind in MARKS:
        found = [(match.end(), 2, order) for match in re.finditer(MARKS[kind], data, re.DOTALL) if match.end() + 2 <= len(data)]
    if not found and kind == "ts":
        found = [(at + 4, 1, "big") for at in range(0, len(data) - 187, 188)]
    return found or [(at, 4, order) for at in range(0, min(1000, len(data) - 4))] or [(0, 1, order)]


def fields_of(data: bytes, kind: str) -> list[tuple[str, int, int]]:
    """Named ranges of bytes with times, rates, dimensions, codecs and counts."""
    match kind:
        case "mp4" | "mov" | "3gp" | "m4s": found = [each for each in all_elements(data, kind) if each.name in BOXES_WITH_FIELDS]
        case "mkv" | "webm":
            found = [each for each in all_elements(data, kind) if each.name not in ELEMENTS_WITH_ELEMENTS]
            found = [each._replace(end=min(each.end, each.body + 8)) for each in found]
        case "ts": return ts_fields(data)
        case "mpg" | "vob":
            return [("pack", at.start(), at.start() + 14) for at in re.finditer(MARKS[kind], data, re.DOTALL)] or [("start", 0, 14)]
        case "ogg":
            return [("page", at.start() + 4, at.start() + 28) for at in re.finditer(b"OggS", data)] or [("start", 0, 28)]
        case "m3u8": return [("line", at.start(), at.end()) for at in re.finditer(rb"[^\n]+", data)] or [("text", 0, len(data))]
        case _: found = [each._replace(end=min(each.end, each.body + 60)) for each in all_elements(data, kind)]
    return [(each.name.hex() if kind in ("mkv", "webm") else each.name.decode("latin-1"), each.body, each.end)
            for each in found if each.end > each.body] or [("start", 0, min(len(data), 200))]


def ts_fields(data: bytes) -> list[tuple[str, int, int]]:
    """Headers, clocks, tables, and the headers of streams' packets."""
    found = []
    for at in range(0, len(data) - 187, 188):
        pid = int.from_bytes(data[at + 1:at + 3], "big") & 0x1FFF
        found.append(("header", at + 1, at + 4))
        if data[at + 3] & 0x20 and data[at + 4]:
            found.append(("clock", at + 5, min(at + 12, at + 188)))
        if pid in (0, 17, 4096):
            found += [("table", at + 5, at + 60)] * 3
        if data[at + 1] & 0x40 and (payload := data.find(b"\0\0\1", at, at + 188)) > 0:
            found += [("times", payload + 3, min(payload + 19, at + 188))] * 2
    return found or [("start", 0, min(len(data), 188))]

"""The kinds of damage of scripts/checks/damaged-inputs. Each takes bytes and seeded random numbers, and returns other bytes."""

from __future__ import annotations

import random
from collections.abc import Callable

from structures import fields_of, sizes_of, units_of

Random = random.Random
# Values of lying fields: nothing, little, and the largest of each sign.
EXTREMES = (b"\0", b"\xff", b"\x7f" + b"\xff" * 15, b"\x80" + b"\0" * 15, b"\0" * 7 + b"\1")
MAXIMUM_SIZE = 2_000_000


# --- Bytes, whatever they mean ---


def flip(data: bytearray, numbers: Random, start: int, end: int, count: int) -> str:
    end = min(end, len(data))
    for _ in range(count if end > start else 0):
        data[numbers.randrange(start, end)] ^= 1 << numbers.randrange(8)
    return f"{count} bits flipped in bytes {start} to {end}"


def flips(data: bytearray, numbers: Random, kind: str) -> str:
    one_in = numbers.choice((20_000, 5_000, 1_000, 200, 50))
    return flip(data, numbers, 0, len(data), max(1, len(data) // one_in))


def header_flips(data: bytearray, numbers: Random, kind: str) -> str:
    return flip(data, numbers, 0, numbers.choice((64, 300, 2000)), numbers.choice((1, 2, 5, 20)))


def tail_flips(data: bytearray, numbers: Random, kind: str) -> str:
    return flip(data, numbers, max(0, len(data) - numbers.choice((64, 300, 2000))), len(data), numbers.choice((1, 2, 5, 20)))


def piece(data: bytearray, numbers: Random, most: int = 4) -> tuple[int, int]:
    """A range of up to a part of the file."""
    length = numbers.choice((1, 16, 188, 512, 4096, max(1, len(data) // most)))
    length = numbers.randint(1, max(1, min(length, len(data) // 2)))
    start = numbers.randrange(0, max(1, len(data) - length))
    return start, start + length


def cut_start(data: bytearray, numbers: Random, kind: str) -> str:
    count = numbers.choice((1, 4, 100, 188, 1000, len(data) // 10, len(data) // 2, len(data) * 9 // 10))
    del data[:numbers.randint(1, max(1, count))]
    return f"the start cut off, {len(data)} bytes left"


def cut_middle(data: bytearray, numbers: Random, kind: str) -> str:
    start, end = piece(data, numbers)
    del data[start:end]
    return f"bytes {start} to {end} cut out"


def cut_end(data: bytearray, numbers: Random, kind: str) -> str:
    del data[numbers.choice((numbers.randrange(0, 64), numbers.randrange(0, len(data)), len(data) - numbers.randint(1, 64))):]
    return f"the end cut off, {len(data)} bytes left"


def overwritten(data: bytearray, numbers: Random, kind: str) -> str:
    start, end = piece(data, numbers)
    value = numbers.choice(("zeroed", "filled with ones", "filled at random", "replaced by another block"))
    other = numbers.randrange(0, len(data))
    data[start:end] = {"zeroed": bytes(end - start), "filled with ones": b"\xff" * (end - start),
                       "filled at random": numbers.randbytes(end - start)}.get(value, data[other:other + end - start])
    return f"bytes {start} to {end} {value}"


def repeated(data: bytearray, numbers: Random, kind: str) -> str:
    start, end = piece(data, numbers)
    count = numbers.choice((1, 2, 30))
    data[end:end] = data[start:end] * count
    del data[MAXIMUM_SIZE:]
    return f"bytes {start} to {end} repeated {count} times"


def inserted(data: bytearray, numbers: Random, kind: str) -> str:
    position, count = numbers.randrange(0, len(data) + 1), numbers.choice((1, 3, 188, 4096, 100_000))
    data[position:position] = numbers.choice((bytes(count), numbers.randbytes(count)))
    return f"{count} bytes inserted at {position}"


# --- Units of the container: packets, boxes, elements, chunks, pages ---


def reordered(data: bytearray, numbers: Random, kind: str) -> str:
    units = units_of(data, kind, numbers)
    action = numbers.choice(("shuffled", "swapped", "reversed", "duplicated", "dropped", "moved to the end"))
    kept = numbers.choice((0, 1, 2, 3, 8))  # the first ones, mostly headers
    start = min(kept, max(0, len(units) - 2))
    parts = [bytes(data[a:b]) for a, b in units]
    moved = parts[start:]
    if len(moved) > 1:
        first, last = sorted(numbers.sample(range(len(moved)), 2))
        count = numbers.choice((1, 1, 3, len(moved)))
        match action:
            case "shuffled": moved[first:last] = numbers.sample(moved[first:last], last - first)
            case "swapped": moved[first], moved[last] = moved[last], moved[first]
            case "reversed": moved[first:last] = moved[first:last][::-1]
            case "duplicated": moved[last:last] = moved[first:first + count]
            case "dropped": del moved[first:first + count]
            case _: moved.append(moved.pop(first))
    data[:] = b"".join(parts[:start] + moved)[:MAXIMUM_SIZE]
    return f"units {action}, of {len(units)}"


def lying_sizes(data: bytearray, numbers: Random, kind: str) -> str:
    sizes = sizes_of(data, kind)
    done = []
    for position, width, order in numbers.sample(sizes, min(len(sizes), numbers.choice((1, 1, 2, 5)))):
        value = int.from_bytes(data[position:position + width], order)
        most = (1 << 8 * width) - 1
        lie = numbers.choice((0, 1, 7, value - 1, value + 1, value * 2, value // 2, value + 1000, most, most >> 1, (most >> 1) + 1,
                              len(data), numbers.randint(0, most)))
        data[position:position + width] = (lie & most).to_bytes(width, order)
        done.append(f"{value} at {position} is {lie & most}")
    return "sizes: " + ", ".join(done)


def lying_fields(data: bytearray, numbers: Random, kind: str) -> str:
    """Times, rates, dimensions, codecs and counts."""
    fields = fields_of(data, kind)
    done = []
    for name, start, end in numbers.sample(fields, min(len(fields), numbers.choice((1, 1, 2, 5)))):
        width = numbers.choice((1, 2, 4, 8))
        position = numbers.randrange(start, max(start + 1, end - width + 1))
        width = min(width, end - position)
        if numbers.random() < 0.5:
            flip(data, numbers, start, end, 1)
        else:
            extreme = numbers.choice((*EXTREMES, numbers.randbytes(16)))
            data[position:position + width] = (extreme * 16)[:width]
        done.append(f"{name} at {position}")
    return "fields: " + ", ".join(done)


SIMPLE: list[Callable[[bytearray, Random, str], str]] = [
    flips, flips, header_flips, header_flips, tail_flips, cut_start, cut_middle, cut_end, cut_end, overwritten, repeated,
    inserted, reordered, reordered, reordered, lying_sizes, lying_sizes, lying_fields, lying_fields, lying_fields,
]


# --- Two files ---


def spliced(data: bytearray, other: bytes, numbers: Random) -> str:
    how = numbers.choice(("continued by", "joined with", "interrupted by", "alternating with"))
    at, there = numbers.randrange(0, len(data) + 1), numbers.randrange(0, len(other) + 1)
    match how:
        case "continued by": data[at:] = other[there:]
        case "joined with": data += other
        case "interrupted by": data[at:at] = other[there:there + numbers.choice((188, 5000, 100_000))]
        case _:
            size = numbers.choice((188, 1880, 4096))
            data[:] = b"".join(bytes(data[i:i + size]) + other[i:i + size] for i in range(0, max(len(data), len(other)), size))
    del data[MAXIMUM_SIZE:]
    return f"{how} {len(other)} bytes of another file"


# --- Packets, through ffmpeg ---

# Changes of packets' contents, and of their times.
PACKET_FILTERS = (
    "noise=drop=lt(n\\,{n})", "noise=drop=eq(mod(n\\,{m})\\,1)", "noise=amount={a}", "noise=drop=gt(random(0)\\,0.{k})",
    "noise=amount={a}:drop=eq(mod(n\\,{m})\\,2)",
    "setts=pts=PTS+{j}*gt(N\\,{n}):dts=DTS+{j}*gt(N\\,{n})", "setts=pts=PTS-{j}*gt(N\\,{n}):dts=DTS-{j}*gt(N\\,{n})",
    "setts=pts=DTS", "setts=pts=PTS+{j}*eq(N\\,{n})", "setts=ts=0", "setts=pts=NOPTS:dts=NOPTS",
    "setts=pts=PTS+floor(random(0)*{j}):dts=DTS", "setts=ts=N*{j}", "setts=dts=DTS:pts={j}-PTS",
    "setts=duration={j}", "setts=time_base=1/{n}", "setts=time_base={j}/1",
)


def packet_filter(numbers: Random) -> str:
    jumps = (1, 100, 5000, 100_000, 10_000_000, 1 << 31, 1 << 33, 1 << 40)
    return numbers.choice(PACKET_FILTERS).format(
        n=numbers.randint(1, 20), m=numbers.randint(2, 9), a=numbers.choice((1, 10, 100, 1000)), k=numbers.randint(1, 9),
        j=numbers.choice(jumps))

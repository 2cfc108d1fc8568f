"""The differences from ffmpeg that are intended, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .conversions import CONSTANT_RATE, Case, main_video
from .facts import hidden_seconds

ISOM = {"mp4", "mov"}
MATROSKA = {"mkv", "webm"}
TICK = 0.0021  # the times of both programs are rounded to milliseconds
PACKET = 0.0971  # the longest packet of sound


@dataclass
class Result:
    """The files that both programs made of a case."""

    case: Case
    # ffprobe's description of the input.
    source: dict[str, Any]
    # vstream's exit status and messages, and the codecs of streams that are not copied, by the index in the input.
    status: int = 0
    lines: list[str] = field(default_factory=list)
    encoded: dict[int, str] = field(default_factory=dict)
    # The facts of either file, and of the part of the input. Empty if there is no file.
    reference: dict[str, Any] = field(default_factory=dict)
    ours: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    # The commands that made the files.
    commands: list[str] = field(default_factory=list)
    is_refused_by_ffmpeg: bool = False
    is_timeout: bool = False


class Difference:
    """A fact in which the two files of a case differ."""

    def __init__(self, result: Result, fact: str) -> None:
        self.fact, self.case, self.source = fact, result.case, result.source
        # All facts of ffmpeg's file, of vstream's, and of the part of the input, and this one.
        self.theirs, self.ours, self.input = result.reference, result.ours, result.expected
        self.ffmpeg: Any = self.theirs.get(fact)
        self.vstream: Any = self.ours.get(fact)
        self.expected: Any = self.input.get(fact)
        self.of, self.to, self.has = self.case.source.container, self.case.container, self.case.source.has
        self.skip, self.length = self.case.skip, self.case.length
        # The stream of the fact, as audio1.
        self.label, _, self.member = fact.partition(" ")
        self.encoded_kinds = {stream["codec_type"] for stream in self.source["streams"] if stream["index"] in result.encoded}
        # ffprobe's description of the input's main video.
        self.before = next(each for each in self.source["streams"] if each["index"] == main_video(self.source["streams"]))

    def all_three(self, member: str) -> list[Any]:
        """Another fact of the same stream, of ffmpeg's file, vstream's, and the part of the input."""
        return [found.get(f"{self.label} {member}") for found in (self.theirs, self.ours, self.input)]

    @property
    def lead(self) -> float:
        """Seconds by which ffmpeg's value is later, without those by which its option muxdelay delays transport streams."""
        return self.ffmpeg - self.vstream - (1.4 if self.fact == "starts at" and self.to == "ts" else 0)


@dataclass(frozen=True)
class Row:
    name: str
    reason: str
    # The facts, as a regular expression.
    facts: str
    test: Callable[[Difference], Any] = lambda d: True
    # The major version of FFmpeg from which on it is needed.
    since: int = 5

    def applies(self, difference: Difference) -> bool:
        try:
            return re.fullmatch(self.facts, difference.fact) is not None and bool(self.test(difference))
        except (TypeError, KeyError, IndexError):
            # One of the files does not have a fact, which no row expects.
            return False


def near(one: Any, other: Any, tolerance: float = TICK) -> bool:
    """Whether two numbers, or two lists, are equal but for a tolerance."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(near(a, b, tolerance) for a, b in zip(one, other))
    are_numbers = isinstance(one, float | int) and isinstance(other, float | int)
    return abs(one - other) <= tolerance if are_numbers else one == other


def equal_but_last(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and near(one[:-1], other[:-1])


def is_as_in_input(d: Difference) -> bool:
    """Whether a fact is that of the part of the input that was asked for."""
    is_cut = bool(d.skip or d.length)
    match d.member:
        case "packets":
            # AVI counts frames as they are decoded, B-frames earlier than they are shown.
            return abs(d.vstream - d.expected) <= is_cut * (1 + 2 * (d.of == "avi"))
        case "data":
            longer, shorter = sorted((d.vstream, d.expected), key=len, reverse=True)
            return is_cut and len(longer) - len(shorter) <= 4 and any(longer[at:at + len(shorter)] == shorter for at in range(5))
        case "durations":
            return lasts_as_in_input(d) if d.label == "video0" else equal_but_last(d.expected, d.vstream)
        case "times" | "decoding times":
            # Packets that are cut off at an end of the part.
            _, ours, expected = d.all_three("times")
            return near(ours[:len(expected)], expected[:len(ours)]) and abs(len(ours) - len(expected)) <= is_cut
        case "first":
            return near(d.vstream, d.expected, 0.0111 if d.skip else 0.0031)
    return d.fact in d.input and d.fact != "streams" and near(d.vstream, d.expected, 0.0031)


def lasts_as_in_input(d: Difference) -> bool:
    """Whether the last frame lasts to the end of the part or the input, or as long as in the input."""
    end = d.ours["video0 times"][-1] + d.vstream[-1] + (d.ours["starts at"] or 0)
    last = (d.input["starts at"] or 0) + d.input.get("video0 times", [float("nan")])[-1]
    ends = [float(stated.get("duration", 0)) + min(0.0, float(stated.get("start_time", 0))) - d.skip
            for stated in (d.source["format"], d.before)]
    return equal_but_last(d.ffmpeg, d.vstream) and (
        any(near(end, each, 0.0031) for each in (d.length, d.input.get("duration")))
        or any(near(d.vstream[-1], each) for each in [*d.expected, *(each - last for each in ends)]))


def is_nearer(d: Difference) -> bool:
    """Whether times are nearer to those of the input, which may be rounded to frames."""
    def numbers(value: Any) -> list[float]:
        return [value] if isinstance(value, float) else [number for each in value or () if not isinstance(each, str)
                                                         for number in numbers(each)]

    def error(value: Any) -> float:
        found, expected = numbers(value), numbers(d.expected)
        return max(abs(a - b) for a, b in zip(found, expected)) if len(found) == len(expected) > 0 else float("inf")

    return error(d.vstream) < 0.2 and error(d.vstream) <= error(d.ffmpeg) + 0.0011


def follows_the_input(d: Difference) -> bool:
    """Whether sound that both encode begins nearer to where it begins in the input, is continuous, and ends with it."""
    if "audio" not in d.encoded_kinds:
        return False
    if d.fact == "decoded counts":
        return all(abs(d.ffmpeg[index] - d.vstream[index]) <= (index > 0) for index in d.ffmpeg | d.vstream)
    if d.fact in {"starts at", "duration"}:
        return near(d.ffmpeg, d.vstream, PACKET)
    if d.member == "packets" and (d.skip or d.length):
        return abs(d.ffmpeg - d.vstream) <= 2
    samples = d.all_three("skipped samples")[1]
    if d.member == "first":
        delay = next((entry[1] or 0 for entry in samples if entry[0] == 0), 0) / int(d.all_three("sample_rate")[1])
        return d.ffmpeg is None or near(d.ffmpeg, d.vstream, 0.0071) or any(
            abs(d.vstream + delay - time) <= abs(d.ffmpeg + delay - time) for time in (d.expected, max(d.expected, 0)))
    times, durations = d.all_three("times"), d.all_three("durations")
    ends = [first + of[-1] + lengths[-1] for first, of, lengths in zip(d.all_three("first"), times, durations) if of]
    is_continuous = max(durations[1], default=0) <= 0.1 and min((later - time for time, later in pairwise(times[1])), default=1) > 0.0005
    return is_continuous and any(near(ends[1], end, PACKET) for end in (ends[0], ends[-1])) and all(
        int(count or 0) <= 4608 for entry in samples for count in entry[1:])


def delays_hidden_sound(d: Difference) -> bool:
    # Without that sound, ffmpeg delays the others by what the input starts before 0.
    delays = {hidden_seconds(d.source), max(0.0, -float(d.source["format"].get("start_time", 0)))} - {0.0}
    if d.fact == "chapters":
        return any(near([each[0] - delay for each in d.ffmpeg], [each[0] for each in d.vstream], 0.011) for delay in delays)
    if d.fact in {"starts at", "duration"}:
        return any(near(d.lead, delay) for delay in delays)
    # A time that is rounded to ticks hides a sample.
    return bool(delays or d.ours.get("audio0 skipped samples") == [(0, 1, 0)]) and not d.theirs.get("audio0 skipped samples")


def omits_hidden_packets(d: Difference) -> bool:
    """Whether a container without times before 0 has the sound of the input but for packets at its start."""
    (theirs, ours, _), (one, other, _), times = d.all_three("data"), d.all_three("first"), d.all_three("times")
    if d.to not in MATROSKA | {"nut"} or len(theirs) < len(ours):
        return False
    return ours == theirs[-len(ours):] or (one < 0.0271 and near(one + times[0][-1], other + times[1][-1], 0.0031))


def shows_each_text(d: Difference) -> bool:
    """Whether texts differ that overlap, that an edit list cut off, or whose durations are not in the input's fragments."""
    if ("subtitle", "mov_text") not in d.ours["streams"] and d.of not in ISOM:
        return False
    if d.member == "durations":
        return not any(d.ffmpeg) or d.of in ISOM
    # Where a text of the input begins or ends, as the texts that are shown change there.
    begins, durations = (d.all_three(member)[2] for member in ("times", "durations"))
    changes = begins + [begin + duration for begin, duration in zip(begins, durations)]
    return d.has("editlist") or (len(d.ffmpeg) == len(d.vstream) and all(
        any(near(time, each, 0.0031) for each in changes) for time in d.vstream))


def is_converted(d: Difference) -> bool:
    theirs, ours = (found.get("likeness", 0.0) for found in (d.theirs, d.ours))
    return d.before.get("pix_fmt") != d.ours["video0 pix_fmt"] and (d.vstream > 35 or ours > max(20, theirs - 0.5))


def without(tags: dict, name: str) -> dict:
    return {key: value for key, value in tags.items() if key != name}


INTENDED = [
    # Times and sizes
    Row("as in the input", "the packets, times and descriptions are those of the input; ffmpeg's are not", ".*", is_as_in_input),
    Row("nearer to the input", "times are nearer to the input's; ffmpeg rounds them to frames, and ends each stream by itself",
        r"starts at|duration|chapters|.* first|.*times|.* durations", is_nearer),
    Row("sound as in the input", "encoded sound begins where the input's begins, without gaps; ffmpeg 5 rounds or doubles delays",
        r"audio\d (first|.*times|durations|packets|skipped samples)|starts at|duration|decoded counts", follows_the_input),
    Row("each text", "overlapping texts are shown together in timed text; ffmpeg ends each when the next begins",
        r"subtitle\d (first|.*times|durations)", shows_each_text),
    Row("sound before 0", "ffmpeg delays all streams, so that hidden sound (encoder delay, edit lists) is played after 0",
        r"starts at|duration|chapters|decoded sound|.* skipped samples", delays_hidden_sound),
    Row("hidden sound", "NUT and readers of Matroska know no times before 0: sound that ends before it is omitted",
        r"audio\d (packets|first|.*times|data|durations|skipped samples)", omits_hidden_packets),
    Row("hidden start in NUT", "NUT has no times before 0: a second video that an edit list cuts begins without its key frame",
        "messages when decoded|starts at", lambda d: d.to == "nut" and d.has("second") and d.has("editlist")),
    Row("last sound in Matroska", "FFmpeg 5 does not add the delay of Opus, and counts the last packet of sound to its stated end",
        "duration", lambda d: d.to in MATROSKA and {("audio", "opus"), ("audio", "alac"), ("audio", "flac")} & {*d.ours["streams"]}
        and near(d.vstream, d.ffmpeg, PACKET)),
    Row("starts at 0", "outputs start at 0, also with a late first frame or start; ffmpeg delays transport streams by its option muxdelay",
        "starts at|duration", lambda d: near(d.ours["starts at"], 0.0) and (d.fact == "starts at" or near(
            d.lead, d.theirs["starts at"] - 1.4 * (d.to == "ts"), 0.0101))),
    Row("rounded to frames", "ffmpeg rounds the times of MPEG-1 and -2, and of containers that count frames, to frames",
        r"video0 (.*times|durations)|.* first|starts at|duration|audio\d packets",
        lambda d: (d.case.codec == "mpeg2video" or d.to in CONSTANT_RATE) and near(
            d.ffmpeg - 1.4 if d.fact == "starts at" and d.to == "ts" else d.ffmpeg, d.vstream,
            1 if d.member == "packets" else TICK + float(Fraction(1, 2) / Fraction(d.before["r_frame_rate"])))),
    Row("unknown durations", "last packets in fragments, and those of AVI, state no durations; ffmpeg writes some as 0",
        ".* durations", lambda d: near([b if 0 in (a, b) else a for a, b in zip(d.ffmpeg, d.vstream, strict=True)], d.vstream)
        and (d.to == "avi" or (d.case.piped and d.to in ISOM) or d.ffmpeg[-1] == 0)),
    Row("ticks of GIF", "GIF counts hundredths of a second, to which either rounds", "video0 .*|duration|starts at",
        lambda d: d.to == "gif" and near(d.ffmpeg, d.vstream, 0.0201 if d.fact == "duration" else 0.0101)),
    Row("constant rate", "AVI has a constant frame rate only (docs/guarantees.md); ffmpeg repeats and omits frames", "exit status",
        lambda d: "supports a constant frame rate only" in str(d.vstream)),
    # Parts
    Row("one start", "--start cuts sound and texts where it cuts the video; ffmpeg's -ss copies them from where it could seek to",
        r".* (first|skipped samples)|starts at|chapters|duration|decoded sound", lambda d: d.skip and any(
            value < -TICK for fact, value in d.theirs.items() if fact.endswith(" first") and isinstance(value, float))),
    Row("no key frame", "a second video is copied from its first key frame after --start on, ffmpeg's from the one before",
        "video1 .*|streams|messages when decoded|decoded counts|duration|warnings",
        lambda d: d.skip and d.has("second") and not d.ours.get("video1 packets")),
    # Frames and samples
    Row("bit rate", "sound that a container cannot hold is encoded with 96 kbit/s a channel",
        "decoded sound|.* (data|extradata_hash)",
        lambda d: ("audio" if d.fact == "decoded sound" else d.label[:-1]) in d.encoded_kinds),
    Row("interlaced", "frames that are marked as interlaced are deinterlaced, by the comparison's ffmpeg only if the container is",
        "decoded frames|video0 field_order|warnings",
        lambda d: d.has("interlaced") and (d.fact != "warnings" or "interlaced input is deinterlaced" in "".join(d.vstream[:2]))),
    Row("conversion", "vstream converts pixel formats with accurate rounding and full chroma resolution", "decoded frames",
        is_converted),
    Row("palette", "the colours of a GIF are dithered, differently after other conversions", "decoded frames",
        lambda d: d.to == "gif" and d.vstream > 25),
    Row("full range", "the full range is kept where the output says so; ffmpeg converts it for encoders without yuvj formats",
        "video0 color_range|decoded frames",
        lambda d: d.before.get("color_range") == "pc" and (d.ours["video0 color_range"] == "pc" or d.to == "avi")),
    Row("colours of RGB", "vstream tags the matrix and the range that its conversion from RGB used; ffmpeg tags nothing",
        "video0 color_(range|space)", lambda d: d.ffmpeg in {None, "gbr"} and d.of == "gif"),
    Row("misread AAC in AVI", "libav's reader of AVI misreads packets of AAC, also in ffmpeg's copies", "messages when decoded",
        lambda d: d.to == "avi" and ("audio", "aac") in d.ours["streams"] and all("Error while" in each for each in d.vstream)),
    # Descriptions
    Row("timecode", "a timecode is later by the seconds that --start skips, and kept in MP4", r".*tags|data\d data",
        lambda d: d.skip if d.member == "data" else
        without(d.ffmpeg, "timecode") == without(d.vstream, "timecode") and (
            d.skip or d.has("editlist") or "timecode" not in d.ffmpeg)),
    Row("cover", "vstream writes a cover image as an attachment of MKV, ffmpeg as a video of one frame", "video1 .*", lambda d:
        d.to == "mkv" and any(stream["disposition"]["attached_pic"] for stream in d.source["streams"])),
    Row("cover in fragments", "a cover image cannot be read from an MP4 in fragments", "warnings|streams|messages when decoded",
        lambda d: d.case.piped and ("video", None) in d.theirs["streams"]),
    Row("codec tags", "vstream writes the container's usual tag, and hvc1 for Apple's players; ffmpeg the input's",
        ".* codec_tag_string", lambda d: d.label != "video0" or (d.ffmpeg, d.vstream) == ("hev1", "hvc1")),
    Row("language of QuickTime", "QuickTime has codes for some languages, as ger for deu; ffmpeg omits others", ".* language",
        lambda d: d.to == "mov" and d.ffmpeg == "und" and {"fre": "fra", "deu": "ger"}.get(d.expected) == d.vstream),
    Row("ADTS", "vstream stores AAC of transport streams as in other files, ffmpeg with the headers of the transport stream",
        r"audio\d (data|profile|extradata_hash)", lambda d: d.of == "ts" and ("audio", "aac") in d.ours["streams"]),
    # Newer versions of FFmpeg
    Row("AAC in AVI", "FFmpeg 9 does not write AAC with ADTS headers to AVI; vstream encodes it", "warnings", lambda d:
        d.to == "avi" and all("(audio, aac) is encoded as mp3: avi cannot hold it" in each for each in d.vstream), since=9),
    Row("holes in sound", "FFmpeg 9 decodes less of ALAC with an edit list; vstream fills the holes",
        ".* packets", lambda d: d.vstream > d.ffmpeg and "alac" in str(d.source["streams"]),
        since=9),
    Row("long packets in MP4", "of sound that an edit list hides, FFmpeg 7 encodes no sample, vstream the last packet's",
        r"audio\d packets|starts at|duration|chapters", lambda d: d.has("editlist") and {"flac", "alac"} & {*d.case.source.audio}
        and (d.member != "packets" or 0 < d.vstream - d.ffmpeg <= 5), since=7),
]

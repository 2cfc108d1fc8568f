"""The differences from ffmpeg that are intended, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .conversions import CONSTANT_RATE, Case, main_video
from .facts import hidden_seconds

ISOM = {"mp4", "mov", "3gp"}
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
        self.case, self.fact, self.reference, self.ours, self.source = result.case, fact, result.reference, result.ours, result.source
        self.ffmpeg, self.vstream = result.reference.get(fact), result.ours.get(fact)
        # The facts of the part of the input, and this one.
        self.facts_of_input, self.expected = result.expected, result.expected.get(fact)
        self.of, self.to, self.has = self.case.source.container, self.case.container, self.case.source.has
        self.skip, self.length = self.case.skip, self.case.length
        # The stream of the fact, as audio1.
        self.label, _, self.member = fact.partition(" ")
        self.kind = self.label.rstrip("0123456789")
        self.encoded_kinds = {stream["codec_type"] for stream in self.source["streams"] if stream["index"] in result.encoded}
        # ffprobe's description of the input's main video.
        self.before = next(stream for stream in self.source["streams"] if stream["index"] == main_video(self.source["streams"]))

    def both(self, member: str) -> tuple[Any, Any]:
        """Another fact of the same stream, of either file."""
        return self.reference[f"{self.label} {member}"], self.ours[f"{self.label} {member}"]

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
    test: Callable[[Difference], Any] = field(default=lambda d: True)
    # A seed of a whole run in which cases need the row.
    seed: int = 1
    # The major version of FFmpeg from which on they do.
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
    return abs(one - other) <= tolerance if isinstance(one, float) and isinstance(other, float) else one == other


def equal_but_last(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and near(one[:-1], other[:-1])


def contains(one: list, other: list) -> bool:
    """Whether a list is another one without up to three entries at its ends, or reverse."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return any(longer[start:start + len(shorter)] == shorter for start in range(4)) and len(longer) - len(shorter) <= 3


# --- Rules for several facts ---


def is_as_in_input(d: Difference) -> bool:
    """Whether a fact is that of the part of the input that was asked for."""
    is_cut = bool(d.skip or d.length)
    match d.member:
        case "packets":
            return abs(d.vstream - d.expected) <= (1 if is_cut else 0)
        case "data":
            return is_cut and contains(d.vstream, d.expected)
        case "durations":
            return equal_but_last(d.expected, d.vstream) if d.kind != "video" or d.label != "video0" else lasts_as_in_input(d)
        case "times" | "decoding times":
            # Packets that are cut off at an end of the part.
            ours, expected = (found[f"{d.label} times"] for found in (d.ours, d.facts_of_input))
            return near(ours, expected) or is_cut and near(ours[:len(expected)], expected[:len(ours)]) and abs(len(ours) - len(expected)) <= 1
        case "first":
            return near(d.vstream, d.expected, 0.0111 if d.skip else 0.0031)
    return d.fact in d.facts_of_input and d.fact != "streams" and near(d.vstream, d.expected, 0.0031)


def lasts_as_in_input(d: Difference) -> bool:
    """Whether the last frame lasts to the end of the part or the input, or as long as in the input."""
    end = d.ours["video0 times"][-1] + d.vstream[-1]
    return equal_but_last(d.ffmpeg, d.vstream) and (
        any(near(d.vstream[-1], each) for each in d.expected) or any(
            near(time, d.facts_of_input.get("duration"), 0.0031) for time in (end, end + (d.ours["starts at"] or 0))))


def is_nearer(d: Difference) -> bool:
    """Whether times are nearer to those of the input, which may be rounded to frames."""
    def error(value: Any) -> float:
        values = [(a, b) for a, b in zip(*([each] if isinstance(each, float) else each for each in (value, d.expected)), strict=True)]
        pairs = [(a, b) if isinstance(a, float) else (a[i], b[i]) for a, b in values for i in ([0] if isinstance(a, float) else [0, 1])]
        return max(abs(a - b) for a, b in pairs)

    try:
        ours = error(d.vstream)
    except ValueError:
        return False
    try:
        return ours < 0.2 and ours <= error(d.ffmpeg) + 0.0011
    except (ValueError, TypeError):
        return ours < 0.2


def follows_the_input(d: Difference) -> bool:
    """Whether sound that both encode begins nearer to where it begins in the input than ffmpeg's, is continuous, and ends with it."""
    if "audio" not in d.encoded_kinds:
        return False
    if d.fact == "decoded counts":
        return all(abs(d.ffmpeg[index] - d.vstream[index]) <= (index > 0) for index in d.ffmpeg | d.vstream)
    if d.fact in {"starts at", "duration"}:
        return near(d.ffmpeg, d.vstream, PACKET)
    if d.member == "first":
        expected = d.facts_of_input[d.fact]
        delays = [entry[1] for entry in d.ours.get(f"{d.label} skipped samples", []) if entry[0] == 0]
        delay = (delays[0] if delays else 0) / int(d.ours[f"{d.label} sample_rate"])
        return d.ffmpeg is None or near(d.ffmpeg, d.vstream, 0.0071) or any(
            abs(d.vstream + delay - time) <= abs(d.ffmpeg + delay - time) for time in (expected, max(expected, 0)))
    times, durations = d.ours[f"{d.label} times"], d.ours[f"{d.label} durations"]
    ends = [found[f"{d.label} first"] + found[f"{d.label} times"][-1] + found[f"{d.label} durations"][-1]
            for found in (d.ours, d.reference, d.facts_of_input) if f"{d.label} first" in found]
    skipped = [int(samples or 0) for entry in d.ours[f"{d.label} skipped samples"] for samples in entry[1:]]
    return any(near(ends[0], end, PACKET) for end in ends[1:]) and all(b - a > 0.0005 for a, b in zip(times, times[1:])) \
        and max(durations, default=0) <= 0.1 and max(skipped, default=0) <= 4608


def delays_hidden_sound(d: Difference) -> bool:
    # Without that sound, ffmpeg delays the others by what the input starts before 0.
    delays = {hidden_seconds(d.source), max(0.0, -float(d.source["format"].get("start_time", 0)))} - {0.0}
    if d.fact == "chapters":
        return any(near([c[0] - delay for c in d.ffmpeg], [c[0] for c in d.vstream], 0.011) for delay in delays)
    if d.fact in {"starts at", "duration"}:
        return any(near(d.lead, delay) for delay in delays)
    return bool(delays) and not d.reference.get("audio0 skipped samples")


def omits_hidden_packets(d: Difference) -> bool:
    """Whether a container without times before 0 has the sound of the input but for packets that end before it."""
    packets, first = d.both("packets"), d.both("first")
    return (hidden_seconds(d.source) > 0 or near(*first, 0.0271)) and packets[0] >= packets[1]


def shows_each_text(d: Difference) -> bool:
    """Whether texts differ that overlap, that were cut off by an edit list, or whose durations are not in the input's fragments."""
    if ("subtitle", "mov_text") not in d.ours["streams"] and d.of not in ISOM:
        return False
    if d.member == "durations":
        return not any(d.ffmpeg) or d.of in ISOM
    if d.has("editlist") and d.member == "first":
        return True
    # Where a text of the input begins or ends, as the texts that are shown change there.
    begins = d.facts_of_input[f"{d.label} times"]
    changes = begins + [begin + duration for begin, duration in zip(begins, d.facts_of_input[f"{d.label} durations"])]
    return d.has("editlist") or len(d.ffmpeg) == len(d.vstream) and all(any(near(time, each, 0.0031) for each in changes) for time in d.vstream)


def is_converted(d: Difference) -> bool:
    likeness = [found.get("likeness", 0.0) for found in (d.reference, d.ours)]
    return isinstance(d.vstream, float) and d.before.get("pix_fmt") != d.ours.get("video0 pix_fmt") \
        and (d.vstream > 35 or likeness[1] > max(20, likeness[0] - 0.5))


def without(tags: dict, name: str) -> dict:
    return {key: value for key, value in tags.items() if key != name}


def seconds_of_frame(d: Difference) -> float:
    rate, _, base = str(d.ours.get(f"{d.label if d.kind == 'video' else 'video0'} r_frame_rate", "25/1")).partition("/")
    return int(base or 1) / int(rate)


SOUND = r"audio\d "
INTENDED = [
    Row("as in the input", "the packets, times and descriptions are those of the part of the input; ffmpeg's are not", ".*", is_as_in_input),
    Row("nearer to the input", "times and durations are nearer to the input's; ffmpeg rounds the video's to frames for MPEG-1 and -2 and for "
        "containers that count frames, and ends each stream by itself", r"starts at|duration|.* first|video\d times|chapters", is_nearer),
    Row("sound as in the input", "sound that is encoded begins where it begins in the input, without gaps; ffmpeg 5 rounds the encoder's delay, "
        "adds Opus's twice, closes gaps, and takes times of AC-3 and WMA from the wrong packets",
        SOUND + "(first|.*times|durations|packets|skipped samples)|starts at|duration|decoded counts", follows_the_input),
    Row("bit rate", "sound that a container cannot hold is encoded with 96 kbit/s a channel", r"decoded sound|.* (data|extradata_hash)",
        lambda d: ("audio" if d.fact == "decoded sound" else d.kind) in d.encoded_kinds),
    Row("each text", "texts that overlap are shown together in timed text, and begin and end at their times; ffmpeg ends each when the next "
        "begins, and does not know the durations of fragments", r"subtitle\d (first|.*times|durations)", shows_each_text),
    Row("sound before 0", "ffmpeg delays all streams so that sound which is not played (encoder delay, edit lists) comes after 0, where it is "
        "played; vstream keeps the video at its time", r"starts at|duration|chapters|decoded sound|.* skipped samples", delays_hidden_sound),
    Row("hidden sound", "NUT and readers of Matroska know no times before 0: sound that ends before it is omitted",
        SOUND + "(packets|first|times|decoding times|data|durations|skipped samples)",
        lambda d: d.to in MATROSKA | {"nut"} and omits_hidden_packets(d)),
    Row("before 0 in Matroska", "a second video that begins before 0 keeps its key frame, whose time readers of Matroska do not know",
        r".* (untimed packets|first|.*times)", lambda d: d.to in MATROSKA and d.ours[f"{d.label} untimed packets"]),
    Row("hidden start in NUT", "NUT has no times before 0: a second video that an edit list cuts begins without its key frame",
        "messages when decoded", lambda d: d.to == "nut" and d.has("second") and d.vstream == ["warning: first frame is no keyframe"], seed=2),
    Row("delay of Opus", "Opus in Matroska is later by its delay, which players subtract but FFmpeg's muxer adds only from 6 on", "duration",
        lambda d: d.to in MATROSKA and ("audio", "opus") in d.ours["streams"] and near(d.vstream - d.ffmpeg, 0.0065)),
    Row("late first frame", "an output of video alone starts with its first frame, at 0", "starts at|duration",
        lambda d: {kind for kind, _ in d.ours["streams"]} == {"video"} and 0 < d.lead < 0.1),
    Row("transport streams start at 0", "ffmpeg delays them by its option muxdelay; vstream's outputs start at 0", "starts at",
        lambda d: d.to == "ts" and near(d.lead, 0.0)),
    Row("raw streams start at 0", "times that the codec itself stores count from the first frame", "starts at",
        lambda d: d.to in {"m4v", "m2v", "h264"} and d.vstream == 0),
    Row("start of a program stream", "program streams begin with a delay that the muxer chooses", "starts at",
        lambda d: d.to == "mpg" and near(d.ffmpeg, d.vstream, 0.0101)),
    Row("order in program streams", "program streams have no list of streams, whose order is that of their first packets",
        "decoded counts|decoded sound", lambda d: d.to == "mpg" and sorted(map(str, getattr(d.ffmpeg, "values", d.ffmpeg.__iter__)()))
        == sorted(map(str, getattr(d.vstream, "values", d.vstream.__iter__)()))),
    Row("one start", "--start cuts sound and subtitles where it cuts the video; ffmpeg's -ss copies them from where it could seek to",
        r".* (first|data|durations|skipped samples)|starts at|chapters|duration|decoded sound", lambda d: d.skip and any(
            value < -TICK for fact, value in d.reference.items() if fact.endswith(" first") and isinstance(value, float))),
    Row("right frame", "after --start the first frame is the input's first one from there on; ffmpeg trusts where it could seek to, in Ogg, MXF, "
        "MPEG and ASF", r"video0 .*|decoded .*|.* data|.* packets",
        lambda d: d.skip and d.of in {"ogv", "mxf", "mpg", "wmv", "ts"} and near(d.ours["starts at"], d.facts_of_input["starts at"], 0.021)),
    Row("repeated frames of Theora", "Theora has no packets for frames that repeat the one before", "video0 (packets|key frames)",
        lambda d: d.to == "ogv" and d.skip),
    Row("right frames", "the frames of the part are those that --start and --duration name, to the last", "decoded (frames|counts|sound)",
        lambda d: (d.skip or d.length) and d.reference["video0 packets"] != d.ours["video0 packets"] == d.facts_of_input["video0 packets"]),
    Row("no key frame", "a second video is copied from its first key frame after --start on, ffmpeg's from the one before",
        "video1 .*|streams|messages when decoded|decoded counts|duration|warnings",
        lambda d: d.skip and d.has("second") and not d.ours.get("video1 packets")),
    Row("cut packets", "ffmpeg's -ss begins with half a packet of sound where a program stream's packets hold several",
        "messages when decoded", lambda d: d.skip and d.vstream == []),
    Row("ends of fragments", "fragments do not state the durations of their last packets, and are cut elsewhere", ".* durations",
        lambda d: d.case.piped and d.to in ISOM and len(d.ffmpeg) == len(d.vstream)
        and all(near(a, b) or 0 in (a, b) for a, b in zip(d.ffmpeg, d.vstream)), seed=2),
    Row("last packet of sound", "the last packet of sound lasts to the stream's end where the input does not state its duration",
        SOUND + "durations", lambda d: d.ffmpeg[-1] == 0 and equal_but_last(d.ffmpeg, d.vstream)),
    Row("rate of a second video", "Matroska states the frame rate of a second video; ffmpeg keeps durations that fragments state wrongly",
        "video1 durations", lambda d: near(d.vstream, [seconds_of_frame(d)] * len(d.vstream))),
    Row("ASF", "ASF has no durations of frames, which ffprobe estimates", "video0 durations", lambda d: d.to == "wmv"),
    Row("ticks of GIF", "GIF counts hundredths of a second, to which either rounds", "video0 .*|duration|starts at", lambda d: d.to == "gif" and (
        d.member == "r_frame_rate" or near(d.ffmpeg, d.vstream, 0.0201 if d.fact == "duration" else 0.0101))),
    Row("rounded to frames", "ffmpeg rounds the times of the video to frames for MPEG-1 and -2, and for containers that count frames",
        r"video0 .*(times|durations)|.* first|starts at|duration", lambda d: (d.case.codec in {"mpeg1video", "mpeg2video"} or d.to in CONSTANT_RATE)
        and near(d.lead if isinstance(d.ffmpeg, float) else d.ffmpeg, 0.0 if isinstance(d.ffmpeg, float) else d.vstream,
                 0.5 * seconds_of_frame(d) + TICK)),
    Row("filled start", "ffmpeg repeats the first frame where sound begins before the video and the container counts frames",
        r"starts at|video0 (packets|times|key frames)|audio\d first|duration|decoded frames", lambda d: d.to in CONSTANT_RATE and (
            d.reference["video0 packets"] > d.ours["video0 packets"] or (d.reference["starts at"] or 0) < (d.ours["starts at"] or 0))),
    Row("first frame alone", "ffmpeg shows the first frame while sound is played that the input hides", "video0 times",
        lambda d: d.to in CONSTANT_RATE and near([time - d.ffmpeg[1] for time in d.ffmpeg[1:]], [time - d.vstream[1] for time in d.vstream[1:]])),
    Row("in order", "frames are decoded when they are shown; ffmpeg shows a first frame twice in containers that count frames",
        "video0 decoding times", lambda d: d.to in CONSTANT_RATE and near(d.ours["video0 times"], d.vstream)),
    Row("constant rate", "AVI has a constant frame rate only (docs/guarantees.md); ffmpeg repeats and omits frames", "exit status",
        lambda d: "supports a constant frame rate only" in str(d.vstream)),
    Row("estimated rate", "ffprobe estimates r_frame_rate from times, which are compared by themselves", ".* r_frame_rate",
        lambda d: d.skip or d.has("variable") or f"{d.label} times" not in d.reference or near(*d.both("times"), 0.0211)),
    Row("interlaced", "vstream deinterlaces frames that are marked as interlaced; the comparison's ffmpeg only where the container says it",
        "decoded frames|video0 field_order|warnings",
        lambda d: d.has("interlaced") and (d.fact != "warnings" or "interlaced input is deinterlaced" in d.vstream[0] and not d.vstream[1:])),
    Row("conversion", "vstream converts pixel formats with accurate rounding and full chroma resolution, ffmpeg by default with neither",
        "decoded frames", is_converted),
    Row("palette", "the colours of a GIF are dithered, differently after other conversions", "decoded frames",
        lambda d: d.to == "gif" and isinstance(d.vstream, float) and d.vstream > 25),
    Row("full range", "vstream keeps the full range of samples where the output says so; ffmpeg converts it for all encoders that do not list "
        "the yuvj formats", "video0 color_range|decoded frames",
        lambda d: d.before.get("color_range") == "pc" == d.ours["video0 color_range"]),
    Row("unknown range", "a range that the input does not state is not stated", "video0 color_range",
        lambda d: d.vstream is None and d.before.get("color_range") in {None, "unknown"}),
    Row("colours of RGB", "vstream tags the matrix and the range that its conversion from RGB used; ffmpeg tags nothing",
        "video0 color_(range|space)", lambda d: d.ffmpeg in {None, "gbr"} and d.of == "gif"),
    Row("timecode", "a timecode is later by what --start skips, and kept in MP4", ".*tags", lambda d: without(d.ffmpeg, "timecode")
        == without(d.vstream, "timecode") and (d.skip or "timecode" not in d.ffmpeg)),
    Row("software of AVI", "the name of the program that wrote an AVI is no description of the video", ".*tags",
        lambda d: d.source["format"]["format_name"] == "avi" and without(d.ffmpeg, "software") == d.vstream),
    Row("cover", "vstream writes a cover image as an attachment of MKV, ffmpeg as a video of one frame", "video1 .*",
        lambda d: d.to == "mkv" and any(stream["disposition"]["attached_pic"] for stream in d.source["streams"])),
    Row("cover in fragments", "a cover image cannot be read from an MP4 in fragments", "warnings|.*streams|messages when decoded",
        lambda d: any("codec_name" not in stream for stream in d.source["streams"])
        or d.fact != "warnings" and ("video", None) in d.reference["streams"] and ("video", None) not in d.ours["streams"]),
    Row("tag of a copy", "vstream writes the container's usual tag of the codec, ffmpeg the input's", "(?!video0).* codec_tag_string"),
    Row("hvc1", "HEVC in MP4 is tagged hvc1, which Apple's players require", "video0 codec_tag_string",
        lambda d: (d.ffmpeg, d.vstream) == ("hev1", "hvc1")),
    Row("channel layout", "ffmpeg guesses the layout of PCM from the number of channels; vstream keeps that it is unknown", ".* channel_layout",
        lambda d: None in {d.ffmpeg, d.vstream}),
    Row("no default by itself", "ffmpeg marks the first of several streams as default if none is; vstream keeps dispositions", ".* disposition",
        lambda d: sorted({*d.vstream, "default"}) == d.ffmpeg),
    Row("language of QuickTime", "vstream gives QuickTime the code that it has for a language, as ger for deu; ffmpeg omits others",
        ".* language", lambda d: d.to == "mov" and d.ffmpeg == "und" and {"fre": "fra", "deu": "ger"}.get(d.expected) == d.vstream),
    Row("ADTS", "vstream stores AAC of transport streams in ASF as in other files, ffmpeg with the headers of the transport stream",
        SOUND + "(data|profile|extradata_hash)",
        lambda d: d.of == "ts" and any(stream.get("codec_name") == "aac" for stream in d.source["streams"])),
    Row("misread AAC in AVI", "libav's reader of AVI misreads some packets of AAC, ffmpeg's copies of them as well", "messages when decoded",
        lambda d: d.to == "avi" and ("audio", "aac") in d.ours["streams"] and all("Error while decoding stream #0:" in line for line in d.vstream)),
    Row("AAC in AVI", "FFmpeg 9 does not write AAC with ADTS headers to AVI; vstream encodes it, ffmpeg ends with an error", "warnings",
        lambda d: d.to == "avi" and not d.ffmpeg
        and all("(audio, aac) is encoded as mp3: avi cannot hold it as it is" in line for line in d.vstream), since=9),
    Row("holes in sound", "FFmpeg 9 decodes less of ALAC with an edit list; vstream fills the holes, so that sound stays in time", ".* packets",
        lambda d: d.vstream > d.ffmpeg and any(stream.get("codec_name") == "alac" for stream in d.source["streams"]), since=9),
    Row("long packets in MP4", "of sound that an edit list hides, FFmpeg 7 encodes no sample, FFmpeg 5 and vstream the last packet's",
        SOUND + "packets|starts at|duration|chapters", lambda d: d.has("editlist") and {"flac", "alac"} & {*d.case.source.audio} and (
            d.member != "packets" or 0 < d.vstream - d.ffmpeg <= 5), since=7),
    Row("raw MPEG-4", "FFmpeg 7 reads the times of a raw MPEG-4 stream as if all its frames were in one", ".*", lambda d: d.of == "m4v" and (
        (d.reference.get("video0 times") or [d.reference.get("duration") or 0])[-1] < 0.1
        or d.reference["video0 packets"] < d.ours["video0 packets"] or d.fact == "decoded frames"), since=7),
    Row("raw MPEG-2", "FFmpeg 7 counts from the first frame of a raw MPEG-2 stream, vstream from its first packet",
        "starts at|duration|video0 (durations|times)",
        lambda d: d.of == "m2v" and 0 <= (d.ours["starts at"] or 0) - (d.reference["starts at"] or 0) < 0.1, since=7),
]

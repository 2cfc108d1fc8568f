"""The differences of scripts/checks/compare-with-ffmpeg that are intended, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from conversions.cases import CONSTANT_RATE, Case, copied_streams, main_video
from conversions.facts import first_time, hidden_seconds, seconds


@dataclass(frozen=True)
class Difference:
    """A fact in which the two files of a case differ."""

    case: Case
    fact: str
    ffmpeg: object
    vstream: object
    # All facts of either file.
    reference: dict[str, object]
    ours: dict[str, object]
    # ffprobe's description of the input.
    source: dict
    # The codecs of streams that are not copied, by the index in the input.
    converted: dict[int, str]


@dataclass(frozen=True)
class Intended:
    name: str
    reason: str
    test: Callable[[Difference], bool]
    # A seed of a whole run in which cases need the row.
    seed: int = 1
    # The major version of FFmpeg from which on they do.
    since: int = 5

    def applies(self, difference: Difference) -> bool:
        try:
            return self.test(difference)
        except (TypeError, KeyError):
            # One of the files does not have a fact, which no row expects.
            return False


def near(one: object, other: object, tolerance: float = 0.0021) -> bool:
    return isinstance(one, float) and isinstance(other, float) and abs(one - other) <= tolerance


def source_video(difference: Difference) -> dict:
    """ffprobe's description of the input's video that is re-encoded."""
    index = main_video(difference.source["streams"])
    return next(stream for stream in difference.source["streams"] if stream["index"] == index)


def starts_at_zero(difference: Difference) -> bool:
    return difference.fact == "starts at" and difference.case.container == "ts" and near(difference.ffmpeg - difference.vstream, 1.4)


def starts_with_its_frame(difference: Difference) -> bool:
    # Of video alone, ffmpeg keeps the time before the first frame that can be decoded.
    is_alone = all(kind == "video" for kind, _ in difference.ours["streams"])
    delay = 1.4 if difference.fact == "starts at" and difference.case.container == "ts" else 0.0
    return difference.fact in {"starts at", "duration"} and is_alone and 0 < difference.ffmpeg - difference.vstream - delay < 0.1


def is_default_by_itself(difference: Difference) -> bool:
    return difference.fact.endswith(" disposition") and sorted({*difference.vstream, "default"}) == difference.ffmpeg


def is_colour_of_rgb(difference: Difference) -> bool:
    return difference.fact in {"video0 color_range", "video0 color_space"} and difference.ffmpeg in {None, "gbr"} \
        and difference.case.source.container == "gif"


def delays_hidden_sound(difference: Difference) -> bool:
    hidden = hidden_seconds(difference.source)
    # Without that sound, ffmpeg delays the others by what the input starts before 0.
    delays = {hidden, max(0.0, -float(difference.source["format"].get("start_time", 0)))} - {0.0}
    muxer = 1.4 if difference.case.container == "ts" and difference.fact == "starts at" else 0
    if difference.fact in {"starts at", "duration"} and isinstance(difference.ffmpeg, float) and isinstance(difference.vstream, float):
        return any(near(difference.ffmpeg - difference.vstream - muxer, delay) for delay in delays)
    if difference.fact.endswith(" skipped samples") or difference.fact == "decoded sound":
        return bool(delays) and not difference.reference.get("audio0 skipped samples")
    return difference.fact == "chapters" and len(difference.ffmpeg) == len(difference.vstream) and any(all(
        near(one[0] - other[0], delay, 0.011) for one, other in zip(difference.ffmpeg, difference.vstream)) for delay in delays)


def converted(difference: Difference) -> bool:
    before = source_video(difference)
    likeness = [found.get("likeness", 0.0) for found in (difference.reference, difference.ours)]
    return difference.fact == "decoded frames" and isinstance(difference.vstream, float) \
        and (difference.vstream > 35 or likeness[1] > max(20, likeness[0] - 0.5)) \
        and before.get("pix_fmt") != difference.ours.get("video0 pix_fmt")


def is_palette(difference: Difference) -> bool:
    return difference.fact == "decoded frames" and difference.case.container == "gif" and isinstance(difference.vstream, float) \
        and difference.vstream > 25


def keeps_full_range(difference: Difference) -> bool:
    before = source_video(difference)
    return before.get("color_range") == "pc" and difference.ours.get("video0 color_range") == "pc" \
        and difference.fact in {"video0 color_range", "decoded frames"}


def trims_all_streams_at_once(difference: Difference) -> bool:
    """Whether the reference has exactly those frames more that are shown after the end."""
    length, times = difference.case.reading.length, difference.reference.get("video0 times")
    if length and difference.fact == "video0 packets" and difference.vstream < difference.ffmpeg:
        return is_cut_exactly(difference, "video0")
    if not length or difference.fact not in {"video0 packets", "duration", "decoded frames", "decoded counts"} or not times:
        return False
    start = difference.ours["starts at"] or 0
    return difference.ours["video0 packets"] == sum(start + time < length - 1e-4 for time in times)


def starts_before(difference: Difference) -> bool:
    """Whether the reference has packets of a copied stream that precede the start that was asked for."""
    stream, _, member = difference.fact.partition(" ")
    if not difference.case.reading.skip:
        return False
    if member in {"packets", "first"} and stream != "video0":
        one, other = difference.reference.get(f"{stream} first"), difference.ours.get(f"{stream} first")
        return one is not None and (other is None or one < other) or member == "first" and begins_with_the_part(difference, stream)
    if member == "data" and stream != "video0":
        # The same packets, but for those at either end.
        return len({*difference.vstream} - {*difference.ffmpeg}) <= 3
    if member == "durations" and stream != "video0":
        return all(duration <= max(difference.ffmpeg) + 0.0021 for duration in difference.vstream)
    if member == "skipped samples" and stream != "video0":
        return len(difference.vstream) <= len(difference.ffmpeg)
    early = min((value for fact, value in difference.reference.items() if fact.endswith(" first") and isinstance(value, float)), default=0)
    start = difference.reference["starts at"] or 0
    return difference.fact in {"starts at", "chapters", "duration"} and early < 0 and start > (difference.ours["starts at"] or 0)


def begins_with_the_part(difference: Difference, label: str) -> bool:
    """Whether a copied stream begins with the input's first packet after the start."""
    begin = max(0.0, float(difference.source["format"].get("start_time", 0))) + difference.case.reading.skip
    shown, heard = (min((time for time in label_times(difference, of) if time >= begin - 1e-4), default=begin) for of in ("video0", label))
    return near(difference.vstream, heard - shown, 0.0111)


def label_times(difference: Difference, label: str) -> list[float]:
    return [float(p["pts_time"]) for p in source_packets(difference, label) if "pts_time" in p]


def starts_before_key_frame(difference: Difference) -> bool:
    """Whether a second video is copied from its next key frame on, and has none, so that MP4 omits it."""
    return difference.case.reading.skip > 0 and difference.case.source.has("second") \
        and not difference.ours.get("video1 packets") and (difference.fact.startswith("video1 ") or difference.fact in {
            "streams", "messages when decoded", "decoded counts", "duration", "warnings"})


def only_ffmpeg_is_damaged(difference: Difference) -> bool:
    return difference.fact == "messages when decoded" and difference.vstream == [] and difference.case.reading.skip > 0


def starts_at_first_frame(difference: Difference) -> bool:
    return difference.fact == "starts at" and difference.case.container in {"m4v", "m2v", "h264"} and difference.vstream == 0


def has_no_times(difference: Difference) -> bool:
    """Whether the reference's frames are all within a hundredth of their time."""
    reference, ours = difference.reference, difference.ours
    times = reference.get("video0 times") or [reference.get("duration") or 0]
    return difference.case.source.container == "m4v" and (
        times[-1] < 0.1 or reference["video0 packets"] < ours["video0 packets"] or difference.fact == "decoded frames")


def counts_from_first_packet(difference: Difference) -> bool:
    """Whether a file starts, and ends, up to two frames later."""
    later = (difference.ours["starts at"] or 0) - (difference.reference["starts at"] or 0)
    return difference.case.source.container == "m2v" and 0 <= later < 0.1 and difference.fact in {
        "starts at", "duration", "video0 durations", "video0 times"}


def encodes_hidden_packet(difference: Difference) -> bool:
    """Whether there are up to five packets more of sound that was FLAC or ALAC in MP4, or the file starts or ends with them."""
    if not difference.case.source.has("editlist") or not {"flac", "alac"} & set(difference.case.source.audio):
        return False
    label = difference.fact.partition(" ")[0]
    return difference.fact in {"starts at", "duration", "chapters"} or difference.fact.endswith(" packets") and label.startswith("audio") \
        and 0 < difference.vstream - difference.ffmpeg <= 5


def repeats_first_frame(difference: Difference) -> bool:
    """Whether the reference fills the time before the first frame of a constant-rate output."""
    reference, ours = difference.reference, difference.ours
    return difference.case.container in CONSTANT_RATE and bool(ours) and difference.fact in {
        "starts at", "video0 packets", "video0 times", "video0 key frames", "audio0 first", "audio1 first", "audio2 first", "duration",
        "decoded frames"} and (
            reference["video0 packets"] > ours["video0 packets"] or (reference["starts at"] or 0) < (ours["starts at"] or 0))


def is_alone_in_time(difference: Difference) -> bool:
    """Whether the reference's first frame is shown for the time by which AVI's others are late, with sound that is not played."""
    one, other = difference.ffmpeg, difference.vstream
    return difference.case.container in CONSTANT_RATE and difference.fact == "video0 times" and len(one) == len(other) > 2 and all(
        near(a - one[1], b - other[1]) for a, b in zip(one[1:], other[1:]))


def drops_hidden_sound(difference: Difference) -> bool:
    """Whether NUT has the sound of the input but for packets that precede 0."""
    label, _, member = difference.fact.partition(" ")
    # What ends before the video begins is not played.
    is_hidden = hidden_seconds(difference.source) > 0 or near(difference.ours[f"{label} first"], difference.reference[f"{label} first"], 0.0271)
    return difference.case.container == "nut" and is_hidden and label.startswith("audio") \
        and member in {"packets", "first", "skipped samples", "data", "times"} \
        and difference.reference[f"{label} packets"] >= difference.ours[f"{label} packets"]


def refuses_variable_rate(difference: Difference) -> bool:
    return difference.fact == "exit status" and "supports a constant frame rate only" in str(difference.vstream)


def guesses_layout(difference: Difference) -> bool:
    return difference.fact.endswith(" channel_layout") and None in {difference.ffmpeg, difference.vstream}


def first_after_start(difference: Difference) -> bool:
    """Whether vstream's first frame is the input's first one after the start that was asked for, at its exact time."""
    times = sorted(float(p["pts_time"]) for p in source_packets(difference, "video0") if "pts_time" in p)
    start = max(0.0, float(difference.source["format"].get("start_time", 0))) + difference.case.reading.skip
    expected = next((time - start for time in times if time >= start - 1e-4), None)
    if difference.case.container == "ogv" and difference.case.reading.skip and difference.fact in {"video0 packets", "video0 key frames"}:
        # Theora has no packets for frames that repeat the one before.
        return True
    if difference.fact == "video0 packets" and difference.case.reading.skip:
        return is_cut_exactly(difference, "video0")
    if difference.fact == "decoded frames" or difference.fact.endswith((" data", " packets")) or difference.fact in {"decoded sound"}:
        # Its frames, and the sound beside them, are then the right ones.
        return difference.case.source.container in {"ogv", "mxf", "mpg", "wmv", "ts"} and difference.case.reading.skip > 0
    # In whole ticks of the input, which may be frames.
    return difference.fact in {"starts at", "duration"} and difference.case.reading.skip > 0 and expected is not None \
        and isinstance(difference.ours["starts at"], float) and near(difference.ours["starts at"], expected, 0.021)


def is_tick_of_gif(difference: Difference) -> bool:
    """Whether times differ by a hundredth of a second, GIF's unit."""
    if difference.case.container != "gif":
        return False
    if difference.fact == "video0 r_frame_rate":
        return True
    one, other = difference.ffmpeg, difference.vstream
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(near(a, b, 0.0101) for a, b in zip(one, other))
    # The last frame's duration is rounded as well.
    return near(one, other, 0.0201 if difference.fact == "duration" else 0.0101)


def drops_headers(difference: Difference) -> bool:
    streams = difference.source["streams"]
    return difference.case.source.container == "ts" and difference.fact.partition(" ")[2] in {"data", "profile", "extradata_hash"} \
        and difference.fact.startswith("audio") and any(stream.get("codec_name") == "aac" for stream in streams)


def source_index(difference: Difference, label: str) -> int:
    """The index in the input of a stream of the output; -1 without one."""
    streams, video = difference.source["streams"], main_video(difference.source["streams"])
    kind, number = label.rstrip("0123456789"), int(label[len(label.rstrip("0123456789")):])
    chosen = [video, *sorted({*copied_streams(streams, video, difference.case), *difference.converted})]
    same = [index for index in chosen if streams[index]["codec_type"] == kind]
    return same[number] if number < len(same) else -1


def source_packets(difference: Difference, label: str) -> list[dict]:
    """The input's packets of a stream of the output, without those that are not shown."""
    index = source_index(difference, label)
    return [p for p in difference.source["packets"] if p["stream_index"] == index and "D" not in p.get("flags", "") and int(p["size"]) > 0]


def is_as_in_input(difference: Difference) -> bool:
    """Whether vstream's packets of a copied stream have the number and the times of the input's."""
    label, _, member = difference.fact.partition(" ")
    if (difference.case.reading.skip or difference.case.reading.length) and member == "packets" and label != "video0":
        return is_cut_exactly(difference, label)
    if difference.case.reading.skip or label == "video0" or not label[-1:].isdigit():
        return False
    packets = source_packets(difference, label)
    if difference.case.reading.length:
        packets = packets[:difference.ours.get(f"{label} packets") or 0]
    if member == "decoding times":
        ours = difference.ours.get(f"{label} times")
        return ours is not None and is_as_in_input(replace(difference, fact=f"{label} times", vstream=ours))
    if member == "durations":
        durations = [float(p.get("duration_time", 0)) for p in packets]
        return len(durations) == len(difference.vstream) and equal_but_last(durations, difference.vstream)
    if member == "packets":
        return difference.vstream == len(packets)
    times = sorted(float(p["pts_time"]) for p in packets if "pts_time" in p)
    origin = first_time(source_packets(difference, "video0"))
    if member not in {"times", "first"} or not times or origin is None:
        return False
    if member == "first":
        # A tick of either container, and of a video that is rounded to frames.
        return near(difference.vstream, times[0] - origin, 0.0031)
    return len(times) == len(difference.vstream) and all(near(time - times[0], ours) for time, ours in zip(times, difference.vstream))


def is_cut_exactly(difference: Difference, label: str) -> bool:
    """Whether vstream's packets of a stream are those of the input from --start to its end."""
    reading = difference.case.reading
    start = max(0.0, float(difference.source["format"].get("start_time", 0))) + reading.skip
    end = start + (reading.length or float("inf"))
    packets = source_packets(difference, label)
    # AVI counts frames as they are decoded.
    times = [float(p.get("pts_time", p.get("dts_time", 0))) for p in packets
             if "pts_time" in p or difference.source["format"]["format_name"] == "avi"]
    if len(times) < len(packets) and label == "video0" and not reading.length:
        # Program streams give times only to frames with which a packet begins.
        first, last = min(times), max(times)
        return abs(difference.vstream - len(packets) * (1 - reading.skip / (last - first + (last - first) / len(packets)))) <= 2
    within = [packet for packet, time in zip(packets, times) if start - 1e-4 <= time < end - 1e-4]
    codecs = {difference.source["streams"][p["stream_index"]]["codec_name"] for p in packets}
    if difference.case.container == "avi" and any(codec.startswith("pcm_") for codec in codecs):
        # AVI has no packets of PCM; its reader returns equal pieces.
        return near(sum(difference.ours[f"{label} durations"]), sum(float(p["duration_time"]) for p in within), 0.0011)
    return abs(difference.vstream - len(within)) <= 1


def input_seconds(difference: Difference) -> float | None:
    """The input's duration; libav takes the time of Matroska's end for it."""
    stated = difference.source["format"]
    whole, start = seconds(stated.get("duration")), seconds(stated.get("start_time"))
    is_end = stated["format_name"].startswith("matroska") and whole is not None and start is not None
    return whole - max(0.0, start) if is_end else whole


def lasts_as_the_input(difference: Difference) -> bool:
    """Whether the duration of vstream's file, or of its last frame, is nearer to the input's."""
    if difference.fact == "duration" and difference.vstream is not None:
        length = input_seconds(difference)
        return length is not None and (
            difference.ffmpeg is None or abs(difference.vstream - length) < abs(difference.ffmpeg - length) + 0.0011)
    if difference.fact == "chapters":
        # A chapter that ends with the input.
        length = input_seconds(difference) or 0
        return [c[:1] + c[2:] for c in difference.ffmpeg] == [c[:1] + c[2:] for c in difference.vstream] and all(
            near(one[1], other[1], 0.011) or near(other[1], length, 0.011)
            for one, other in zip(difference.ffmpeg, difference.vstream))
    if difference.fact != "video0 durations" or not equal_but_last(difference.ffmpeg, difference.vstream):
        return False
    packets = [p for p in source_packets(difference, "video0") if "pts_time" in p]
    last = max(packets, key=lambda p: float(p["pts_time"]), default={})
    whole = input_seconds(difference)
    if whole is not None and near(max(difference.ours["video0 times"]) + difference.vstream[-1], whole):
        return True
    return near(difference.vstream[-1], float(last.get("duration_time", 0)), 0.0011)


def equal_but_last(one: list[float], other: list[float]) -> bool:
    return len(one) == len(other) and all(near(a, b) for a, b in zip(one[:-1], other[:-1]))


def is_rounded_to_frames(difference: Difference) -> bool:
    """Whether the reference's times are off by half a frame at most, where ffmpeg counts frames."""
    if difference.case.codec not in {"mpeg1video", "mpeg2video"} and difference.case.container not in CONSTANT_RATE:
        return False
    rate, _, base = str(difference.reference.get("video0 r_frame_rate", "25/1")).partition("/")
    tolerance = 0.5 * int(base or 1) / int(rate) + 0.0021
    one, other = difference.ffmpeg, difference.vstream
    if difference.case.container == "ts" and difference.fact == "starts at":
        one -= 1.4
    if isinstance(one, list) and isinstance(other, list) and all(isinstance(value, float) for value in one + other):
        return len(one) == len(other) and all(near(a, b, tolerance) for a, b in zip(one, other))
    return near(one, other, tolerance) if difference.fact.endswith(("starts at", " first", "duration")) else False


def is_cover(difference: Difference) -> bool:
    streams = difference.source["streams"]
    return difference.case.container == "mkv" and difference.fact.startswith("video1 ") and any(
        stream["disposition"]["attached_pic"] for stream in streams)


def is_tag_of_copy(difference: Difference) -> bool:
    return difference.fact.endswith(" codec_tag_string") and not difference.fact.startswith("video0")


def converted_kinds(difference: Difference) -> set[str]:
    return {stream["codec_type"] for stream in difference.source["streams"] if stream["index"] in difference.converted}


def is_encoded_otherwise(difference: Difference) -> bool:
    """Whether a stream is encoded by both, where vstream chooses the bit rate by the number of channels."""
    kind, _, member = difference.fact.partition(" ")
    if difference.fact == "decoded sound":
        return "audio" in converted_kinds(difference)
    return kind.rstrip("0123456789") in converted_kinds(difference) and member in {"data", "extradata_hash"}


def starts_as_its_source(difference: Difference) -> bool:
    """Whether the sound of a stream that both encode begins nearer to where it begins in the input than ffmpeg's."""
    if "audio" not in converted_kinds(difference):
        return False
    label, _, member = difference.fact.partition(" ")
    if difference.fact in {"starts at", "duration", "decoded counts"}:
        # Of the delay that either adds to an output, at most one packet.
        return near_counts(difference) if difference.fact == "decoded counts" else near(difference.ffmpeg, difference.vstream, 0.0971)
    if not label.startswith("audio") or member not in {
            "first", "times", "decoding times", "durations", "packets", "skipped samples", "duration"}:
        return False
    if member == "packets":
        # Those of Vorbis have different lengths.
        is_vorbis = ("audio", "vorbis") in difference.ours["streams"]
        return is_vorbis or abs(difference.ffmpeg - difference.vstream) <= 1 or lasts_as_packets(difference, label)
    if member == "first":
        if difference.ffmpeg is None or near(difference.ffmpeg, difference.vstream, 0.0071):
            return True
        origin, packets = first_time(source_packets(difference, "video0")), source_packets(difference, label)
        if origin is None or not packets:
            return False
        start = first_time(packets) - origin - difference.case.reading.skip
        delays = [entry[1] for entry in difference.ours.get(f"{label} skipped samples", []) if entry[0] == 0]
        delay = (delays[0] if delays else 0) / int(difference.ours[f"{label} sample_rate"])
        return any(
            abs(difference.vstream + delay - time) <= abs(difference.ffmpeg + delay - time) for time in (start, max(start, 0)))
    if member.endswith("times"):
        # Each packet follows the one before it, to the same end but for a packet.
        one, other = difference.ffmpeg, difference.vstream
        ends = near(one[-1], other[-1], 0.0971) or bool(difference.case.reading.skip or difference.case.reading.length)
        return ends and all(later - time > 0.0005 for time, later in zip(other, other[1:]))
    if member == "skipped samples":
        return all(int(samples or 0) <= 4608 for entry in difference.vstream for samples in entry[1:])
    return all(duration <= 0.1 for duration in difference.vstream)


def near_counts(difference: Difference) -> bool:
    """Whether as many frames of each stream are decoded, but for the last packet of sound."""
    one, other = difference.ffmpeg, difference.vstream
    return one.keys() == other.keys() and one[0] == other[0] and all(abs(one[index] - other[index]) <= 1 for index in one)


def lasts_as_packets(difference: Difference, label: str) -> bool:
    """Whether the sound is cut between the input's packets, which may be longer than the encoder's."""
    times = label_times(difference, label)
    longest = max([float(p.get("duration_time", 0)) for p in source_packets(difference, label)]
                  + [later - time for time, later in zip(times, times[1:])], default=0)
    rate = int(difference.ours[f"{label} sample_rate"])
    reading = difference.case.reading
    total = sum(difference.ours[f"{label} durations"])
    if reading.length and near(total + max(0, difference.ours.get(f"{label} first", 0)), reading.length, longest + 0.0211):
        return True
    return bool(reading.skip or reading.length) and abs(difference.ffmpeg - difference.vstream) * 960 / rate <= 2 * longest + 0.05


def shows_each_text(difference: Difference) -> bool:
    """Whether texts differ that overlap, that were cut off by an edit list, or whose durations are not in the input's fragments."""
    source = difference.case.source
    if not difference.fact.startswith("subtitle") or not (
            ("subtitle", "mov_text") in difference.ours["streams"] or source.container in {"mp4", "mov", "3gp"}):
        return False
    member = difference.fact.partition(" ")[2]
    if member == "durations":
        return not any(difference.ffmpeg) or source.container in {"mp4", "mov", "3gp"}
    if source.has("editlist") and member in {"first", "times", "decoding times"}:
        return True
    # Where a text of the input begins or ends, as the texts that are shown change there.
    packets = [p for p in source_packets(difference, difference.fact.partition(" ")[0]) if "pts_time" in p]
    begins = [float(p["pts_time"]) for p in packets]
    changes = begins + [float(p["pts_time"]) + float(p.get("duration_time", 0)) for p in packets]
    return member.endswith("times") and len(difference.ffmpeg) == len(difference.vstream) and all(
        any(near(time, change - min(begins), 0.0031) for change in changes) for time in difference.vstream)


def ends_with_the_part(difference: Difference) -> bool:
    """Whether texts or chapters that begin after the part's end are omitted."""
    length = difference.case.reading.length
    if not length:
        return False
    if difference.fact == "chapters":
        skip = difference.case.reading.skip + max(0.0, float(difference.source["format"].get("start_time", 0)))
        # MP4's chapters have no ends: the last one ends with the file, whose duration is compared by itself.
        ends = [float(chapter["end_time"]) - skip for chapter in difference.source["chapters"]] + [difference.ours["duration"] or 0]
        return len(difference.ffmpeg) == len(difference.vstream) and all(
            any(near(chapter[1], end, 0.0111) for end in ends) for chapter in difference.vstream)
    label, _, member = difference.fact.partition(" ")
    return label.startswith("subtitle") and member == "packets" and difference.vstream < difference.ffmpeg \
        and max(difference.reference[f"{label} times"]) + difference.reference[f"{label} first"] >= length


def is_part_of_a_frame(difference: Difference) -> bool:
    """Whether the last frame lasts to the end of the part, or as long as in the input."""
    if difference.fact != "video0 durations" or not equal_but_last(difference.ffmpeg, difference.vstream):
        return False
    last = max(difference.ours["video0 times"]) + difference.vstream[-1]
    durations = [float(p.get("duration_time", 0)) for p in source_packets(difference, "video0")]
    length = difference.case.reading.length
    end = max((float(p["pts_time"]) for p in source_packets(difference, "video0") if "pts_time" in p), default=0)
    described = [difference.source["format"], difference.source["streams"][main_video(difference.source["streams"])]]
    rests = [float(entry.get("start_time", 0)) + float(entry.get("duration", 0)) - end for entry in described]
    return near(last + (difference.ours["starts at"] or 0), length, 0.0031) or any(
        near(difference.vstream[-1], duration, 0.0021) for duration in [*durations, *rests])


def has_no_durations(difference: Difference) -> bool:
    """Whether ffprobe estimates durations in a container that has none."""
    return difference.case.container == "wmv" and difference.fact == "video0 durations"


def is_unknown_at_the_end(difference: Difference) -> bool:
    """Whether only the reference has a last packet without a duration."""
    return difference.fact.startswith("audio") and difference.fact.endswith(" durations") and difference.ffmpeg[-1] == 0 \
        and equal_but_last(difference.ffmpeg, difference.vstream)


def is_end_of_fragment(difference: Difference) -> bool:
    """Whether only durations differ that fragments do not state: those of their last packets."""
    one, other = difference.ffmpeg, difference.vstream
    return difference.case.piped and difference.case.container in {"mp4", "mov", "3gp"} and difference.fact.endswith(" durations") \
        and len(one) == len(other) and all(near(a, b) or a == 0 or b == 0 for a, b in zip(one, other))


def is_rate_of_source(difference: Difference) -> bool:
    """Whether sound has the input's sample rate, which ffmpeg did not find."""
    rates = {stream.get("sample_rate") for stream in difference.source["streams"]}
    return difference.fact.endswith(" sample_rate") and difference.vstream in rates and difference.ffmpeg not in rates


def loses_key_frame(difference: Difference) -> bool:
    """Whether the hidden start of a second video is missing in NUT, which has no times before 0."""
    return difference.case.container == "nut" and difference.fact == "messages when decoded" and difference.case.source.has("second") \
        and difference.vstream == ["warning: first frame is no keyframe"]


def is_delay_of_opus(difference: Difference) -> bool:
    """Whether a Matroska with Opus is longer by Opus's delay."""
    return difference.case.container in {"mkv", "webm"} and difference.fact == "duration" \
        and ("audio", "opus") in difference.ours["streams"] and near(difference.vstream - difference.ffmpeg, 0.0065, 0.0021)


def is_start_of_program_stream(difference: Difference) -> bool:
    """Whether the first frame of a program stream is later or earlier by less than a frame, with its sound."""
    return difference.case.container == "mpg" and difference.fact == "starts at" and near(difference.ffmpeg, difference.vstream, 0.0101)


def fills_gaps(difference: Difference) -> bool:
    """Whether sound that is encoded has the length of an input with a gap, which ffmpeg closes."""
    label, _, member = difference.fact.partition(" ")
    times = label_times(difference, label) if label.startswith("audio") else []
    steps = sorted(later - time for time, later in zip(times, times[1:]))
    return "audio" in converted_kinds(difference) and member == "packets" and bool(steps) and steps[-1] > 2 * steps[len(steps) // 2] + 0.01


def lasts_as_its_rate(difference: Difference) -> bool:
    """Whether frames of a second video last as long as its frame rate says."""
    rate, _, base = str(difference.ours.get("video1 r_frame_rate", "1/1")).partition("/")
    return difference.fact == "video1 durations" and all(near(duration, int(base) / int(rate)) for duration in difference.vstream)


def is_order_of_first_packets(difference: Difference) -> bool:
    """Whether the streams of a program stream, which has no list of them, are found in another order."""
    if difference.case.container != "mpg" or difference.fact not in {"decoded counts", "decoded sound"}:
        return False
    one, other = ([*value.values()] if isinstance(value, dict) else value for value in (difference.ffmpeg, difference.vstream))
    return sorted(one) == sorted(other)


def deinterlaces(difference: Difference) -> bool:
    """Whether only vstream sees that frames are interlaced, where the container does not say so."""
    return difference.case.source.has("interlaced") and (
        difference.fact in {"decoded frames", "video0 field_order"}
        or difference.fact == "warnings" and len(difference.vstream) == 1 and "interlaced input is deinterlaced" in difference.vstream[0])


def follows_the_start(difference: Difference) -> bool:
    """Whether a timecode is later by what is skipped, or kept where ffmpeg drops it."""
    def stripped(tags: dict) -> dict:
        return {key: value for key, value in tags.items() if key != "timecode"}
    return difference.fact.endswith("tags") and stripped(difference.ffmpeg) == stripped(difference.vstream) \
        and (difference.case.reading.skip > 0 or "timecode" not in difference.ffmpeg)


def is_name_of_a_program(difference: Difference) -> bool:
    is_avi = difference.source["format"]["format_name"] == "avi"
    return difference.fact.endswith("tags") and is_avi and {
        key: value for key, value in difference.ffmpeg.items() if key != "software"} == difference.vstream


def is_in_order(difference: Difference) -> bool:
    """Whether frames are decoded when they are shown, in a container that counts frames."""
    return difference.case.container in CONSTANT_RATE and difference.fact == "video0 decoding times" and all(
        near(one, other, 0.0021) for one, other in zip(difference.ours["video0 times"], difference.vstream))


def is_estimate_of_rate(difference: Difference) -> bool:
    """Whether ffprobe estimates another rate from times that are equal, or that ffmpeg rounds."""
    label = difference.fact.partition(" ")[0]
    one, other = (found.get(f"{label} times") for found in (difference.reference, difference.ours))
    return difference.fact.endswith(" r_frame_rate") and (
        one is None or bool(difference.case.reading.skip) or difference.case.source.has("variable") or len(one) == len(other) and all(near(a, b, 0.0211) for a, b in zip(one, other)))


def is_unreadable_cover(difference: Difference) -> bool:
    """Whether the reference has a stream that nobody can read: a cover image in fragments."""
    if difference.fact == "warnings" or ("data", "bin_data") in difference.reference["streams"]:
        return any("codec_name" not in stream for stream in difference.source["streams"])
    return difference.fact in {"streams", "messages when decoded"} and ("video", None) in difference.reference["streams"] \
        and ("video", None) not in difference.ours["streams"]


def stays_unknown(difference: Difference) -> bool:
    """Whether the range of the samples is as unknown as in the input."""
    before = source_video(difference)
    return difference.fact == "video0 color_range" and difference.vstream is None and before.get("color_range") in {None, "unknown"}


def is_hidden_in_matroska(difference: Difference) -> bool:
    """Whether packets are hidden before 0, where readers of Matroska know no times."""
    label, _, member = difference.fact.partition(" ")
    return difference.case.container in {"mkv", "webm"} and bool(difference.ours.get(f"{label} untimed packets")) \
        and member in {"untimed packets", "first", "times", "decoding times"}


def omits_hidden_packets(difference: Difference) -> bool:
    """Whether Matroska has the sound of the input but for packets that end before 0."""
    label, _, member = difference.fact.partition(" ")
    before = difference.reference.get(f"{label} packets", 0) - difference.ours.get(f"{label} packets", 0)
    if difference.case.container not in {"mkv", "webm", "nut"} or hidden_seconds(difference.source) <= 0:
        return False
    if difference.fact == "starts at":
        return difference.vstream == 0
    return label.startswith("audio") and (member == "packets" and before > 0 or member == "first" and difference.vstream > difference.ffmpeg)


def is_exact_shape(difference: Difference) -> bool:
    """Whether the container has the shape of the input's pixels, which MPEG-4 can only express roughly."""
    before = source_video(difference)
    return difference.fact == "video0 sample_aspect_ratio" and difference.vstream == before.get("sample_aspect_ratio", "1:1")


def is_misread_sound(difference: Difference) -> bool:
    """Whether libav's reader of AVI takes packets of AAC for others."""
    streams = difference.ours["streams"]
    return difference.fact == "messages when decoded" and difference.case.container == "avi" and ("audio", "aac") in streams \
        and all("Error while decoding stream #0:" in line for line in difference.vstream)


def is_encoded_for_avi(difference: Difference) -> bool:
    """Whether AAC is encoded as AVI cannot hold it with headers."""
    return difference.fact == "warnings" and difference.case.container == "avi" and not difference.ffmpeg and all(
        "(audio, aac) is encoded as mp3: avi cannot hold it as it is" in line for line in difference.vstream)


def fills_holes(difference: Difference) -> bool:
    """Whether sound from ALAC is whole, of which FFmpeg decodes less, and so is the video with it."""
    return difference.fact.endswith(" packets") and difference.vstream > difference.ffmpeg and any(
        stream.get("codec_name") == "alac" for stream in difference.source["streams"])


def is_language_of_quicktime(difference: Difference) -> bool:
    """Whether MOV has the language of the input, by the code of ISO 639-2 that QuickTime knows."""
    label, _, member = difference.fact.partition(" ")
    if member != "language" or difference.case.container != "mov" or difference.ffmpeg != "und":
        return False
    before = difference.source["streams"][source_index(difference, label)]["tags"]["language"]
    return {"fre": "fra", "deu": "ger"}.get(before) == difference.vstream


def is_tag_of_hevc(difference: Difference) -> bool:
    return difference.fact == "video0 codec_tag_string" and (difference.ffmpeg, difference.vstream) == ("hev1", "hvc1")


INTENDED: list[Intended] = [
    Intended("a late first frame", "an output of video alone starts with its first frame, at 0", starts_with_its_frame),
    Intended("bit rate", "audio that a container cannot hold is encoded with 96 kbit/s a channel", is_encoded_otherwise),
    Intended("sound as in the input", "sound that is encoded begins where it begins in the input; ffmpeg 5 rounds the encoder's delay to "
             "the container's ticks, adds Opus's twice, and takes the times of AC-3 and WMA from the wrong packets", starts_as_its_source),
    Intended("each text", "texts that overlap are shown together in timed text, and begin and end at their times; ffmpeg ends each when "
             "the next begins, and does not know the durations of fragments", shows_each_text),
    Intended("one end of texts", "texts and chapters after the part's end are omitted", ends_with_the_part),
    Intended("last frame", "the last frame lasts to the end of the part, or as long as in the input", is_part_of_a_frame),
    Intended("last packet of sound", "the last packet of sound lasts to the stream's end where the input does not state its duration",
             is_unknown_at_the_end),
    Intended("ends of fragments", "fragments do not state the durations of their last packets, and are cut elsewhere", is_end_of_fragment, seed=2),
    Intended("sample rate", "ffmpeg does not find the sample rate of a program stream's sound after -ss", is_rate_of_source, seed=2),
    Intended("hidden start in NUT", "NUT has no times before 0: a second video that an edit list cuts begins without its key frame",
             loses_key_frame, seed=2),
    Intended("delay of Opus", "Opus in Matroska is later by its delay, which players subtract but FFmpeg's muxer adds only from 6 on",
             is_delay_of_opus),
    Intended("start of a program stream", "program streams begin with a delay that the muxer chooses", is_start_of_program_stream),
    Intended("gaps", "a gap in sound that is encoded is filled with silence, so that the sound stays with the video", fills_gaps),
    Intended("rate of a second video", "Matroska states the frame rate of a second video; ffmpeg keeps durations that fragments state "
             "wrongly", lasts_as_its_rate),
    Intended("order in program streams", "program streams have no list of streams, whose order is that of their first packets",
             is_order_of_first_packets),
    Intended("ASF", "ASF has no durations of frames, which ffprobe estimates", has_no_durations),
    Intended("interlaced", "vstream deinterlaces frames that are marked as interlaced; the comparison's ffmpeg only where the container says it",
             deinterlaces),
    Intended("timecode", "a timecode is later by what --start skips, and kept in MP4", follows_the_start),
    Intended("software of AVI", "the name of the program that wrote an AVI is no description of the video", is_name_of_a_program),
    Intended("in order", "frames are decoded when they are shown; ffmpeg shows a first frame twice in containers that count frames", is_in_order),
    Intended("estimated rate", "ffprobe estimates r_frame_rate from times, which are compared by themselves", is_estimate_of_rate),
    Intended("cover in fragments", "a cover image cannot be read from an MP4 in fragments", is_unreadable_cover),
    Intended("unknown range", "a range that the input does not state is not stated", stays_unknown),
    Intended("before 0 in Matroska", "a second video that begins before 0 keeps its key frame, whose time readers of Matroska do not know",
             is_hidden_in_matroska),
    Intended("hidden sound in Matroska", "sound that ends before 0 is not written to Matroska, whose readers do not know times before 0",
             omits_hidden_packets),
    Intended("exact shape", "MP4 states the exact shape of pixels, which MPEG-4 can only express roughly", is_exact_shape),
    Intended("AAC in AVI", "libav's reader of AVI misreads some packets of AAC, ffmpeg's copies of them as well", is_misread_sound),
    Intended("hvc1", "HEVC in MP4 is tagged hvc1, which Apple's players require", is_tag_of_hevc),
    Intended("transport streams start at 0", "ffmpeg delays them by its option muxdelay; vstream's outputs start at 0", starts_at_zero),
    Intended("no default by itself", "ffmpeg marks the first of several streams as default if none is; vstream keeps dispositions",
             is_default_by_itself),
    Intended("colours of RGB", "vstream tags the matrix and the range that its conversion from RGB used; ffmpeg tags nothing",
             is_colour_of_rgb),
    Intended("sound before 0", "ffmpeg delays all streams so that sound which is not played (encoder delay, edit lists) comes after "
             "0, where it is played; vstream keeps the video at its time", delays_hidden_sound),
    Intended("conversion", "vstream converts pixel formats with accurate rounding and full chroma resolution, ffmpeg by default with "
             "neither", converted),
    Intended("palette", "the colours of a GIF are dithered, differently after other conversions", is_palette),
    Intended("full range", "vstream keeps the full range of samples where the output says so; ffmpeg converts it for all encoders "
             "that do not list the yuvj formats", keeps_full_range),
    Intended("one end", "--duration ends all streams at one time; ffmpeg's -t counts from each stream's first frame",
             trims_all_streams_at_once),
    Intended("one start", "--start cuts sound and subtitles where it cuts the video; ffmpeg's -ss copies them from where it could seek to",
             starts_before),
    Intended("no key frame", "a second video is copied from its first key frame after --start on, ffmpeg's from the one before",
             starts_before_key_frame),
    Intended("cut packets", "ffmpeg's -ss begins with half a packet of sound where a program stream's packets hold several",
             only_ffmpeg_is_damaged),
    Intended("raw MPEG-4", "FFmpeg 7 reads the times of a raw MPEG-4 stream as if all its frames were in one", has_no_times, since=7),
    Intended("raw MPEG-2", "FFmpeg 7 counts from the first frame of a raw MPEG-2 stream, vstream from its first packet",
             counts_from_first_packet, since=7),
    Intended("long packets in MP4", "of sound that an edit list hides, FFmpeg 7 encodes no sample, FFmpeg 5 and vstream the last packet's",
             encodes_hidden_packet, since=7),
    Intended("AAC in AVI", "FFmpeg 9 does not write AAC with ADTS headers to AVI; vstream encodes it, ffmpeg ends with an error",
             is_encoded_for_avi, since=9),
    Intended("holes in sound", "FFmpeg 9 decodes less of ALAC with an edit list; vstream fills the holes, so that sound stays in time, "
             "and MXF keeps the video beside it", fills_holes, since=9),
    Intended("raw streams start at 0", "times that the codec itself stores count from the first frame", starts_at_first_frame),
    Intended("filled start", "ffmpeg repeats the first frame where sound begins before the video and the container counts frames",
             repeats_first_frame),
    Intended("first frame alone", "ffmpeg shows the first frame while sound is played that the input hides", is_alone_in_time),
    Intended("NUT", "NUT has no times before 0: packets of sound that precede it, and are not played, are omitted", drops_hidden_sound),
    Intended("constant rate", "AVI has a constant frame rate only (README, Limits); ffmpeg repeats and omits frames", refuses_variable_rate),
    Intended("channel layout", "ffmpeg guesses the layout of PCM from the number of channels; vstream keeps that it is unknown",
             guesses_layout),
    Intended("as in the input", "the copied packets have the number and the times that they have in the input; ffmpeg's have not",
             is_as_in_input),
    Intended("as long as the input", "the duration is nearer to the input's than ffmpeg's", lasts_as_the_input),
    Intended("rounded to frames", "ffmpeg rounds the times of the video to multiples of a frame for MPEG-1 and -2, and for containers that "
             "count frames; vstream keeps them, and their distance to the sound", is_rounded_to_frames),
    Intended("cover", "vstream writes a cover image as an attachment of MKV, ffmpeg as a video of one frame", is_cover),
    Intended("tag of a copy", "vstream writes the container's usual tag of the codec, ffmpeg the input's", is_tag_of_copy),
    Intended("right frame", "after --start vstream's first frame is the input's first one from there on; ffmpeg trusts where it could "
             "seek to, in Ogg, MXF, MPEG and ASF", first_after_start),
    Intended("ticks of GIF", "GIF counts hundredths of a second, to which either rounds", is_tick_of_gif),
    Intended("language of QuickTime", "vstream gives QuickTime the code that it has for a language, as ger for deu; ffmpeg omits others",
             is_language_of_quicktime),
    Intended("ADTS", "vstream stores AAC of transport streams in ASF as in other files, ffmpeg with the headers of the transport stream",
             drops_headers),
]

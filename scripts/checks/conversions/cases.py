"""The cases of scripts/checks/compare-with-ffmpeg: inputs, what they are converted to, and the options of either program."""

from __future__ import annotations

import random
from dataclasses import dataclass

from common import ffmpeg_version
from conversions.inputs import FORMATS, Input, random_input

# The encoders of an output's video.
OUTPUTS = {
    "mp4": ["libx264", "libx264", "mpeg4", "libx265"], "mov": ["libx264", "mjpeg", "prores_ks"],
    "mkv": ["libx264", "ffv1", "mpeg4", "libvpx-vp9", "mjpeg"], "webm": ["libvpx", "libvpx-vp9"],
    "ts": ["libx264", "mpeg2video"], "avi": ["mpeg4", "libx264", "ffv1"], "flv": ["libx264", "flv"],
    "nut": ["ffv1", "mpeg4", "rawvideo", "libx264"], "ogv": ["libtheora"], "mxf": ["mpeg2video"], "mpg": ["mpeg2video", "mpeg1video"],
    "wmv": ["wmv2", "msmpeg4"], "3gp": ["libx264", "mpeg4"], "gif": ["gif"], "y4m": ["wrapped_avframe"], "raw": ["rawvideo"],
    "h264": ["libx264"], "m4v": ["mpeg4"], "m2v": ["mpeg2video"],
}
# FFmpeg's names of the sound and subtitles that an output can hold as they are; `None` for any.
AUDIO = {
    "mp4": {"aac", "mp3", "ac3", "alac", "flac", "opus", "mp2", "vorbis"}, "mov": {"aac", "mp3", "ac3", "alac", "pcm_s16le", "mp2"},
    "mkv": None, "webm": {"opus", "vorbis"}, "ts": {"aac", "mp3", "mp2", "ac3", "opus"},
    "avi": {"mp3", "pcm_s16le", "ac3", "mp2", "aac", "wmav2", "vorbis"}, "flv": {"aac", "mp3"},
    "nut": {"aac", "mp3", "mp2", "ac3", "pcm_s16le", "flac", "vorbis", "opus"}, "ogv": {"vorbis", "flac", "opus"},
    "mxf": {"pcm_s16le"}, "mpg": {"mp2", "mp3", "ac3"}, "wmv": {"wmav2", "mp3", "mp2", "ac3", "aac", "pcm_s16le", "vorbis"}, "3gp": {"aac"},
}
if ffmpeg_version() >= 7:
    AUDIO["mp4"].add("pcm_s16le")
SUBTITLES = {"mp4": {"mov_text"}, "mov": {"mov_text"}, "mkv": {"subrip", "ass", "webvtt"}, "webm": {"webvtt"}, "nut": {"ass"},
             "3gp": {"mov_text"}}
SECOND_VIDEO = {"mpg", "mp4", "mov", "mkv", "nut", "ts", "avi", "3gp", "wmv"}
ONE_SOUND = {"flv"}
# Outputs whose frames are counted, so that only constant rates fit.
CONSTANT_RATE = {"avi", "y4m", "ogv", "mxf"}
WITHOUT_REORDERING = CONSTANT_RATE | {"nut"}
# Containers that are written to a pipe as well.
PIPED = {"mkv", "nut", "ts", "flv", "mp4", "avi", "webm", "y4m", "raw", "mpg"}
RATES_OF_MPEG2 = {"24", "25", "30", "50", "60", "24000/1001", "30000/1001"}


@dataclass(frozen=True)
class Reading:
    """An input, and how it is read. All of its cases are converted by one run of ffmpeg."""

    source: Input
    # Seconds: where reading starts, and how much is read; 0 for all.
    skip: float = 0
    length: float = 0
    # Whether the input is a pipe.
    piped: bool = False

    @property
    def name(self) -> str:
        parts = [self.source.name]
        parts += [f"--start {self.skip:g}"] if self.skip else []
        parts += [f"--duration {self.length:g}"] if self.length else []
        parts += ["piped"] if self.piped else []
        return " ".join(parts)


@dataclass(frozen=True)
class Case:
    """One conversion."""

    reading: Reading
    container: str
    codec: str
    # Whether the output is standard output.
    piped: bool = False

    @property
    def source(self) -> Input:
        return self.reading.source

    @property
    def name(self) -> str:
        return f"{self.reading.name} to {self.container} {self.codec}{' piped' if self.piped else ''}"


def random_readings(seed: int, count: int) -> list[list[Case]]:
    """`count` different cases, grouped by what they read."""
    rng = random.Random(seed)
    seen: set[Case] = set()
    groups: list[list[Case]] = []
    while len(seen) < count:
        reading = random_reading(rng)
        wanted = min(rng.choice([4, 5, 6]), count - len(seen))
        group: list[Case] = []
        for container in rng.sample(list(OUTPUTS), len(OUTPUTS)):
            case = Case(reading, container, rng.choice(OUTPUTS[container]), container in PIPED and rng.random() < 0.12)
            if len(group) < wanted and case not in seen and is_meaningful(case):
                group.append(case)
        seen.update(group)
        groups.append(group)
    return groups


def random_reading(rng: random.Random) -> Reading:
    source = random_input(rng)
    if source.sample:
        return Reading(source, skip=rng.choice([0, 0.5, 1.04]), length=rng.choice([0.5, 0.8]))
    trims = source.container not in {"h264", "hevc", "m4v", "m2v", "y4m", "gif"} and rng.random() < 0.2
    skip, length = (rng.choice([0, 0.2, 0.44]), rng.choice([0, 0.3, 0.5])) if trims else (0, 0)
    pipes = source.container in {"mkv", "ts", "flv", "nut", "mpg", "webm", "avi", "ogv"} and not trims and rng.random() < 0.15
    return Reading(source, skip, length, pipes)


def is_meaningful(case: Case) -> bool:
    """Whether both programs can be expected to convert it."""
    source = case.source
    if case.container in CONSTANT_RATE and (source.has("variable") or source.container == "gif"):
        return False
    if case.codec in {"mpeg2video", "mpeg1video"} and not source.sample:
        if source.rate not in RATES_OF_MPEG2 or source.has("variable"):
            return False
    if case.codec in {"mpeg2video", "mpeg1video"} and source.sample == "street.avi":
        return False
    if case.container == "gif" and source.rate in {"60", "120"}:
        return False
    # Both programs would have to choose the options of live outputs.
    return not (case.piped and case.reading.piped)


def fits(stream: dict, case: Case) -> bool:
    """Whether a stream of the input, as ffprobe describes it, can be copied to the case's output."""
    kind, codec = stream["codec_type"], stream.get("codec_name", "")
    if stream.get("disposition", {}).get("attached_pic"):
        return case.container in {"mp4", "mkv"}
    if case.container in {"gif", "y4m", "raw", "h264", "m4v", "m2v"}:
        return False
    match kind:
        case "audio":
            known = AUDIO.get(case.container, set())
            return known is None or codec in known
        case "subtitle":
            return codec in SUBTITLES.get(case.container, set())
        case "video":
            return case.container in SECOND_VIDEO and not (case.container == "ts" and codec == "mjpeg")
        case "attachment":
            return case.container == "mkv"
    return False


def copied_streams(streams: list[dict], video: int, case: Case) -> list[int]:
    chosen = []
    sounds = 0
    for stream in streams:
        if stream["index"] == video or not fits(stream, case):
            continue
        if stream["codec_type"] == "audio":
            sounds += 1
            if sounds > 1 and case.container in ONE_SOUND:
                continue
        chosen.append(stream["index"])
    return chosen


def main_video(streams: list[dict]) -> int:
    """The index of the video that vstream re-encodes: the largest of those that are marked as default, else of all."""
    videos = [s for s in streams if s["codec_type"] == "video" and not s["disposition"]["attached_pic"]]
    candidates = [s for s in videos if s["disposition"]["default"]] or videos
    return max(candidates, key=lambda s: (s["width"] * s["height"], -s["index"]))["index"]


def quality(codec: str) -> list[str]:
    """vstream's default quality, as ffmpeg's options."""
    match codec:
        case "libx264":
            return ["-preset", "ultrafast", "-crf", "20"]
        case "libx265":
            return ["-preset", "ultrafast", "-crf", "23", "-x265-params", "log-level=error"]
        case "libvpx":
            return ["-cpu-used", "5", "-crf", "31"]
        case "libvpx-vp9":
            return ["-cpu-used", "5", "-crf", "31", "-row-mt", "1"]
        case "mjpeg":
            return ["-q:v", "2"]
        case "mpeg4" | "mpeg2video" | "mpeg1video" | "flv" | "wmv2" | "msmpeg4":
            return ["-q:v", "3"]
    return []


# FFmpeg's encoders for the names of codecs.
ENCODERS = {"opus": "libopus", "vorbis": "libvorbis", "mp3": "libmp3lame"}


def reference_options(case: Case, streams: list[dict], converted: dict[int, str], target: str, *, interlaced: bool) -> list[str]:
    """ffmpeg's options for the case's output, after those of its input. `converted` has the codecs of streams that are not copied."""
    video = main_video(streams)
    options = ["-map", f"0:{video}"]
    written = sorted({*copied_streams(streams, video, case), *converted})
    for index in written:
        options += ["-map", f"0:{index}"]
    options += ["-c", "copy", "-c:v:0", case.codec, *quality(case.codec)]
    for number, index in enumerate(written, start=1):
        options += [f"-c:{number}", ENCODERS.get(converted[index], converted[index])] if index in converted else []
    if converted and case.container == "mxf":
        options += ["-ar", "48000"]
    if interlaced:
        options += ["-filter:v:0", "bwdif=mode=send_frame:parity=auto:deint=interlaced"]
    if case.container in WITHOUT_REORDERING:
        options += ["-bf", "0"]
    if case.container not in CONSTANT_RATE:
        options += ["-fps_mode", "passthrough"]
        if case.codec not in {"mpeg1video", "mpeg2video"}:
            options += ["-enc_time_base", "-1"]
    if case.container in {"mp4", "mov", "3gp"} and case.piped:
        options += ["-movflags", "+delay_moov+default_base_moof", "-frag_duration", "500000"]
    # Sound that MP4 has only by FFmpeg's experimental option; for Motion JPEG it would allow other pixel formats.
    options += ["-strict", "-2"] if case.codec != "mjpeg" else []
    return options + ["-f", FORMATS.get(case.container, case.container), target]


def vstream_options(case: Case) -> list[str]:
    options = ["--detect", "none", "-y", "--codec", case.codec]
    options += ["--preset", "ultrafast"] if case.codec in {"libx264", "libx265"} else []
    options += ["--start", f"{case.reading.skip:g}"] if case.reading.skip else []
    options += ["--duration", f"{case.reading.length:g}"] if case.reading.length else []
    return options + ["--output-format", FORMATS.get(case.container, case.container)]

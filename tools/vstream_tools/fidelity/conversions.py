"""Conversions that are drawn: an input, its output, and the options of either program."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from ..common import ffmpeg_version
from .inputs import FORMATS, MPEG2_RATES, Draw, Input, chance, inputs

# The encoders of an output's video.
OUTPUTS = {
    "mp4": ["libx264", "libx264", "mpeg4", "libx265"], "mov": ["libx264", "mjpeg", "prores_ks"],
    "mkv": ["libx264", "ffv1", "mpeg4", "libvpx-vp9", "mjpeg"], "webm": ["libvpx", "libvpx-vp9"],
    "ts": ["libx264", "mpeg2video"], "avi": ["mpeg4", "libx264", "ffv1"], "flv": ["libx264", "flv"],
    "nut": ["ffv1", "mpeg4", "rawvideo", "libx264"], "mxf": ["mpeg2video"], "gif": ["gif"],
}
# FFmpeg's names of the sound and subtitles that an output can hold as they are; Matroska holds any sound.
HELD = {
    "mp4": "aac mp3 ac3 alac flac opus mp2 vorbis mov_text", "mov": "aac mp3 ac3 alac pcm_s16le mp2 mov_text",
    "mkv": "subrip ass webvtt", "webm": "opus vorbis webvtt",
    "ts": "aac mp3 mp2 ac3 opus", "avi": "mp3 pcm_s16le ac3 mp2 aac wmav2 vorbis", "flv": "aac mp3",
    "nut": "aac mp3 mp2 ac3 pcm_s16le flac vorbis opus ass", "mxf": "pcm_s16le",
}
if ffmpeg_version() >= 7:
    HELD["mp4"] += " pcm_s16le"
SECOND_VIDEO = {"mp4", "mov", "mkv", "nut", "ts", "avi"}
# Outputs whose frames are counted, so that only constant rates fit.
CONSTANT_RATE = {"avi", "mxf"}
# Containers that are written to a pipe as well.
PIPED = {"mkv", "nut", "ts", "flv", "mp4", "avi", "webm"}
# vstream's default quality, as ffmpeg's options.
QUALITY = {"libx264": "-preset ultrafast -crf 20", "libx265": "-preset ultrafast -crf 23 -x265-params log-level=error",
           "libvpx": "-cpu-used 5 -crf 31", "libvpx-vp9": "-cpu-used 5 -crf 31 -row-mt 1", "mjpeg": "-q:v 2",
           **dict.fromkeys(["mpeg4", "mpeg2video", "flv"], "-q:v 3")}
# FFmpeg's encoders for the names of codecs.
ENCODERS = {"opus": "libopus", "vorbis": "libvorbis", "mp3": "libmp3lame"}


@dataclass(frozen=True)
class Case:
    """One conversion."""

    source: Input
    container: str
    codec: str
    # Seconds: where reading starts, and how much is read; 0 for all.
    skip: float = 0
    length: float = 0
    # Whether the input is a pipe, and the output standard output.
    from_pipe: bool = False
    piped: bool = False

    @property
    def name(self) -> str:
        return (self.source.name + f" --start {self.skip:g}" * bool(self.skip) + f" --duration {self.length:g}" * bool(self.length)
                + " piped" * self.from_pipe + f" to {self.container} {self.codec}" + " piped" * self.piped)


@st.composite
def groups(draw: Draw) -> tuple[Case, ...]:
    """Conversions of an input that is read in one way, which one run of ffmpeg makes."""
    source = draw(inputs())
    skip, length = 0, 0
    if source.sample:
        skip, length = draw(st.sampled_from([0, 0.5, 1.04])), draw(st.sampled_from([0.5, 0.8]))
    elif source.container != "gif" and chance(draw, 20):
        skip, length = draw(st.sampled_from([0, 0.2, 0.44])), draw(st.sampled_from([0, 0.3, 0.5]))
    pipes = source.container in {"mkv", "ts", "flv", "nut", "webm", "avi"} and not (source.sample or skip or length)
    from_pipe = pipes and chance(draw, 15)
    possible = [(container, codec) for container, codecs in OUTPUTS.items() for codec in codecs
                if is_meaningful(source, container, codec)]
    chosen = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=9, unique_by=lambda output: output[0]))
    # A pipe at both ends would be a live output, whose options both programs would have to choose.
    return tuple(Case(source, container, codec, skip, length, from_pipe, container in PIPED and not from_pipe and chance(draw, 12))
                 for container, codec in chosen)


def is_meaningful(source: Input, container: str, codec: str) -> bool:
    """Whether both programs can be expected to convert it."""
    if container in CONSTANT_RATE and (source.has("variable") or source.container == "gif"):
        return False
    if codec == "mpeg2video":
        return source.sample != "street.avi" if source.sample else source.rate in MPEG2_RATES and not source.has("variable")
    return container != "gif" or source.rate not in {"60", "120"}


def fits(stream: dict, container: str) -> bool:
    """Whether a stream of the input, as ffprobe describes it, can be copied to an output."""
    kind, codec = stream["codec_type"], stream.get("codec_name", "")
    if stream.get("disposition", {}).get("attached_pic"):
        return container in {"mp4", "mkv"}
    return container != "gif" and {
        "audio": container == "mkv" or codec in HELD[container].split() if container in HELD else False,
        "subtitle": container in HELD and codec in HELD[container].split(),
        "video": container in SECOND_VIDEO and not (container == "ts" and codec == "mjpeg"),
        "attachment": container == "mkv"}.get(kind, False)


def copied_streams(streams: list[dict], container: str) -> list[int]:
    """The indices of the streams that are copied beside the main video, to FLV with one sound only."""
    chosen = [stream for stream in streams if stream["index"] != main_video(streams) and fits(stream, container)]
    sounds = [stream for stream in chosen if stream["codec_type"] == "audio"]
    return [stream["index"] for stream in chosen if container != "flv" or stream not in sounds[1:]]


def main_video(streams: list[dict]) -> int:
    """The index of the video that vstream re-encodes: the largest of those that are marked as default, else of all."""
    videos = [s for s in streams if s["codec_type"] == "video" and not s["disposition"]["attached_pic"]]
    candidates = [s for s in videos if s["disposition"]["default"]] or videos
    return max(candidates, key=lambda s: (s["width"] * s["height"], -s["index"]))["index"]


def is_interlaced(streams: list[dict]) -> bool:
    return any(stream.get("field_order") in {"tt", "bb", "tb", "bt"} for stream in streams)


def reference_options(case: Case, streams: list[dict], encoded: dict[int, str], target: str) -> list[str]:
    """ffmpeg's options for the output, after those of its input. `encoded` has the codecs of streams that are not copied."""
    written = sorted({*copied_streams(streams, case.container), *encoded})
    options = [word for index in [main_video(streams), *written] for word in ("-map", f"0:{index}")]
    options += ["-c", "copy", "-c:v:0", case.codec, *QUALITY.get(case.codec, "").split()]
    for number, index in enumerate(written, start=1):
        options += [f"-c:{number}", ENCODERS.get(encoded[index], encoded[index])] if index in encoded else []
    options += ["-ar", "48000"] if encoded and case.container == "mxf" else []
    options += ["-filter:v:0", "bwdif=mode=send_frame:parity=auto:deint=interlaced"] if is_interlaced(streams) else []
    options += ["-bf", "0"] if case.container in CONSTANT_RATE | {"nut"} else []
    if case.container not in CONSTANT_RATE:
        options += ["-fps_mode", "passthrough"]
        options += ["-enc_time_base", "-1"] if case.codec != "mpeg2video" else []
    if case.container in {"mp4", "mov"} and case.piped:
        options += ["-movflags", "+delay_moov+default_base_moof", "-frag_duration", "500000"]
    # Sound that MP4 has only by FFmpeg's experimental option; for Motion JPEG it would allow other pixel formats.
    options += ["-strict", "-2"] if case.codec != "mjpeg" else []
    return options + ["-f", FORMATS.get(case.container, case.container), target]


def vstream_options(case: Case) -> list[str]:
    options = ["--detect", "none", "-y", "--codec", case.codec]
    options += ["--preset", "ultrafast"] if case.codec in {"libx264", "libx265"} else []
    options += ["--start", f"{case.skip:g}"] if case.skip else []
    options += ["--duration", f"{case.length:g}"] if case.length else []
    return options + ["--output-format", FORMATS.get(case.container, case.container)]

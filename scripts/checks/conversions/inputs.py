"""The inputs of scripts/checks/compare-with-ffmpeg: what a container can hold, and how ffmpeg makes a short file of it."""

from __future__ import annotations

import random
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

from common import VIDEOS, rotating

SECONDS = 1.0
FORMATS = {"mkv": "matroska", "ts": "mpegts", "mpg": "mpeg", "ogv": "ogg", "wmv": "asf", "y4m": "yuv4mpegpipe", "raw": "rawvideo",
           "m2v": "mpeg2video", "none": "null"}
EXACT_RATES = ["12", "24", "25", "30", "50", "60", "120", "24000/1001", "30000/1001"]
MPEG2_RATES = ["24", "25", "30", "50", "60", "24000/1001", "30000/1001"]
# A container's video, audio and subtitle codecs.
CONTAINERS = {
    "mp4": (["libx264", "mpeg4", "libx265"], ["aac", "libmp3lame", "ac3", "alac", "flac", "libopus"], ["mov_text"]),
    "mov": (["libx264", "mjpeg", "prores_ks", "mpeg4"], ["aac", "pcm_s16le", "alac", "libmp3lame"], ["mov_text"]),
    "mkv": (["libx264", "libx265", "libvpx", "ffv1", "mpeg2video", "libtheora", "mjpeg", "mpeg4"],
            ["aac", "flac", "libopus", "libvorbis", "ac3", "pcm_s16le", "libmp3lame"], ["srt", "ass", "webvtt"]),
    "webm": (["libvpx", "libvpx-vp9"], ["libopus", "libvorbis"], ["webvtt"]),
    "ts": (["libx264", "mpeg2video", "libx265"], ["aac", "mp2", "ac3", "libmp3lame"], []),
    "mpg": (["mpeg2video", "mpeg1video"], ["mp2", "ac3"], []),
    "avi": (["mpeg4", "mjpeg", "libx264", "ffv1"], ["libmp3lame", "pcm_s16le", "ac3"], []),
    "flv": (["libx264", "flv"], ["aac", "libmp3lame"], []),
    "nut": (["libx264", "ffv1", "mpeg4"], ["pcm_s16le", "libmp3lame", "flac", "aac"], []),
    "ogv": (["libtheora"], ["libvorbis", "flac"], []),
    "mxf": (["mpeg2video"], ["pcm_s16le"], []),
    "wmv": (["wmv2", "msmpeg4"], ["wmav2"], []),
    "3gp": (["libx264", "mpeg4"], ["aac"], []),
    "gif": (["gif"], [], []),
    "y4m": (["wrapped_avframe"], [], []),
    "h264": (["libx264"], [], []),
    "hevc": (["libx265"], [], []),
    "m4v": (["mpeg4"], [], []),
    "m2v": (["mpeg2video"], [], []),
}
SINGLE_SOUND = {"flv", "ogv", "3gp"}
STARTS = {"ts": [0, 0, 1.4, 10, 3600.5, 40000], "mkv": [0, 0, 1.4, 3600.5, 40000], "mpg": [0, 0, 10, 3600.5], "nut": [0, 0, 1.4, 3600.5],
          "webm": [0, 0, 1.4], "flv": [0, 0, 1.4], "mp4": [0, 0, 0, 1.4], "mov": [0, 0, 0, 1.4]}
VARIABLE = {"mkv", "mp4", "mov", "webm", "nut", "flv", "wmv"}
REORDERING = {"libx264", "libx265", "mpeg4", "mpeg2video", "mpeg1video"}
DEEP = {"libx264": "yuv420p10le", "libx265": "yuv420p10le", "ffv1": "yuv422p10le", "libvpx-vp9": "yuv420p10le"}


@dataclass(frozen=True)
class Input:
    """What an input file is made of. Two of equal members are the same file."""

    container: str
    video: str
    audio: tuple[str, ...] = ()
    subtitles: tuple[str, ...] = ()
    size: str = "64x48"
    rate: str = "25"
    start: float = 0
    # Seconds by which sound begins after the video, or before it.
    skew: float = 0
    bframes: int = 0
    # Further properties, by name; `make` says what each does.
    traits: frozenset[str] = frozenset()
    # A file of SampleVideos instead.
    sample: str = ""

    @property
    def name(self) -> str:
        if self.sample:
            return self.sample
        parts = [self.container, self.video, "+".join(self.audio) or "silent"]
        parts += ["+".join(self.subtitles)] if self.subtitles else []
        parts += [self.size, self.rate]
        parts += [f"start{self.start:g}"] if self.start else []
        parts += [f"skew{self.skew:g}"] if self.skew else []
        parts += [f"b{self.bframes}"] if self.bframes else []
        return " ".join(parts + sorted(self.traits))

    def has(self, trait: str) -> bool:
        return trait in self.traits


def random_input(rng: random.Random) -> Input:
    if rng.random() < 0.04:
        sample = rng.choice(sorted(path.name for path in VIDEOS.iterdir() if path.suffix in {".mp4", ".avi"}))
        return Input(container=sample.rpartition(".")[2], video="", sample=sample)
    common = ["mp4", "mov", "mkv", "mkv", "ts"]
    container = rng.choice(common if rng.random() < 0.4 else list(CONTAINERS))
    videos, audios, texts = CONTAINERS[container]
    video = rng.choice(videos)
    count = min(rng.choice([0, 1, 1, 1, 2, 3]), 1 if container in SINGLE_SOUND else 3) if audios else 0
    audio = tuple(rng.choice(audios) for _ in range(count))
    subtitles = tuple(rng.choice(texts) for _ in range(rng.choice([0, 0, 1, 2]))) if texts else ()
    rates = MPEG2_RATES if video in {"mpeg2video", "mpeg1video"} or container == "mxf" else EXACT_RATES
    bframes = rng.choice([0, 2]) if video in REORDERING and container not in {"3gp", "m4v"} else 0
    return Input(
        container, video, audio, subtitles, size=rng.choice(["64x48", "128x96", "178x98", "96x80"]),
        rate=rng.choice(rates), start=rng.choice(STARTS.get(container, [0])),
        skew=rng.choice([0, 0, 0, 0.25, -0.3]) if count and container not in {"avi", "mxf", "ogv"} else 0,
        bframes=bframes, traits=frozenset(random_traits(rng, container, video, count, len(subtitles), bframes)))


def random_traits(rng: random.Random, container: str, video: str, audio: int, subtitles: int, bframes: int) -> list[str]:
    traits = []

    def maybe(trait: str, chance: float, condition: bool = True) -> None:
        if condition and rng.random() < chance:
            traits.append(trait)

    tagged = container in {"mp4", "mov", "mkv", "webm", "avi", "nut", "flv", "wmv", "ogv", "mxf", "ts", "3gp"}
    maybe("variable", 0.3, container in VARIABLE)
    maybe("wide", 0.2, container not in {"gif", "h264", "hevc"})
    maybe("chapters", 0.3, container in {"mkv", "mp4", "mov", "webm", "nut", "ogv", "wmv"})
    maybe("tags", 0.5, tagged)
    maybe("languages", 0.6, tagged and audio + subtitles > 0)
    maybe("dispositions", 0.3, container in {"mp4", "mov", "mkv", "webm"} and audio + subtitles > 0)
    maybe("opengop", 0.3, bframes > 0 and video in {"libx264", "mpeg2video"})
    maybe("deep", 0.2, video in DEEP and container not in {"avi", "flv", "3gp"})
    maybe("interlaced", 0.15, video in {"libx264", "mpeg2video"} and "variable" not in traits)
    maybe("rotated", 0.15, container in {"mp4", "mov"})
    maybe("colours", 0.3, video in {"libx264", "libx265", "mpeg2video", "prores_ks", "libvpx-vp9"})
    maybe("fullrange", 0.15, video in {"libx264", "libx265"})
    maybe("timecode", 0.1, container in {"mov", "mp4", "mxf"} and "variable" not in traits)
    maybe("cover", 0.15, container in {"mp4", "mkv"} and video != "mjpeg")
    maybe("attachment", 0.2, container == "mkv")
    maybe("second", 0.15, container in {"mp4", "mov", "mkv", "nut", "ts"} and "cover" not in traits)
    maybe("editlist", 0.2, container in {"mp4", "mov"} and video in {"libx264", "mpeg4", "libx265"})
    maybe("fragmented", 0.15, container in {"mp4", "mov"} and "editlist" not in traits)
    return traits


CUES = "1\n00:00:00,100 --> 00:00:00,500\none\n\n2\n00:00:00,100 --> 00:00:00,700\ntwo\n\n3\n00:00:00,800 --> 00:00:00,950\nthree\n"
METADATA = ";FFMETADATA1\n{tags}" + "".join(
    f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n" for start, end, title in
    [(0, 400, "first"), (400, 1000, "second")])
TAGS = {"title": "A title: größer", "artist": "somebody", "comment": "two\nlines", "date": "2024", "genre": "test"}


def png(width: int = 16, height: int = 16) -> bytes:
    """A PNG of one colour."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x20\x80\xc0" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def encoder_options(source: Input) -> list[str]:
    video = source.video
    options = ["-c:v:0", video, "-g", "12"]
    if video in REORDERING:
        options += ["-bf", str(source.bframes)]
    if video == "libx264":
        options += ["-preset", "ultrafast", "-tune", "zerolatency"] if source.bframes == 0 else ["-preset", "ultrafast"]
    if source.has("opengop"):
        options += ["-x264-params", "open-gop=1:keyint=8:min-keyint=8"] if video == "libx264" else ["-flags:v:0", "-cgop"]
    if video == "libx265":
        options += ["-preset", "ultrafast", "-x265-params", f"log-level=error:bframes={source.bframes}:keyint=12"]
        options += ["-tag:v:0", "hvc1"] if source.container in {"mp4", "mov"} else []
    # Without it, Theora's encoder omits frames to keep its bit rate.
    options += ["-q:v:0", "7"] if video == "libtheora" else []
    if video in {"libvpx", "libvpx-vp9"}:
        options += ["-deadline", "realtime", "-cpu-used", "8"]
    if source.has("interlaced"):
        options += ["-flags:v:0", "+ildct+ilme"] + (["-x264opts", "tff=1"] if video == "libx264" else ["-top:v:0", "1"])
    if source.has("colours"):
        options += ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]
    options += ["-color_range", "pc"] if source.has("fullrange") else []
    return options


def pixel_format(source: Input) -> str | None:
    if source.has("deep"):
        return DEEP[source.video]
    return {"mjpeg": "yuvj420p", "prores_ks": "yuv422p10le", "gif": None, "ffv1": "yuv420p"}.get(source.video, "yuv420p")


def filters(source: Input) -> str:
    chain = ["select='not(eq(mod(n,7),3))'"] if source.has("variable") else []
    chain += ["setfield=tff"] if source.has("interlaced") else []
    chain += ["scale=out_range=pc"] if source.has("fullrange") else []
    return ",".join(chain or ["null"])


def stream_options(source: Input) -> list[str]:
    """Options for the streams beside the video, and for the tags."""
    options = []
    languages = ["eng", "deu", "fra"]
    for index, codec in enumerate(source.audio):
        options += [f"-c:a:{index}", codec] + (["-strict", "-2"] if codec in {"flac", "libopus"} else [])
        options += [f"-metadata:s:a:{index}", f"language={languages[index]}"] if source.has("languages") else []
    for index, codec in enumerate(source.subtitles):
        options += [f"-c:s:{index}", codec]
        options += [f"-metadata:s:s:{index}", f"language={languages[index]}"] if source.has("languages") else []
    if source.has("dispositions"):
        options += [f"-disposition:a:{len(source.audio) - 1}", "default+comment"] if source.audio else []
        options += ["-disposition:s:0", "forced"] if source.subtitles else []
    if source.has("tags"):
        for key, value in TAGS.items():
            options += ["-metadata", f"{key}={value}"]
        options += ["-metadata:s:a:0", "title=Sound"] if source.audio else []
    options += ["-aspect:v:0", "16:9"] if source.has("wide") else []
    options += ["-timecode", "01:02:03:04"] if source.has("timecode") else []
    return options


def make_command(source: Input, folder: Path, target: Path) -> list[str]:
    """ffmpeg's arguments that make the file; small files that they need are written to `folder`."""
    arguments = ["-f", "lavfi", "-i", f"testsrc2=d={SECONDS}:s={source.size}:r={source.rate}"]
    count = 1
    for index in range(len(source.audio)):
        arguments += ["-itsoffset", str(source.skew)] if source.skew else []
        arguments += ["-f", "lavfi", "-i", f"sine=f={440 + 110 * index}:d={SECONDS}:r=48000"]
        count += 1
    for index in range(len(source.subtitles)):
        text = folder / f"cues{index}.srt"
        text.write_text(CUES)
        arguments += ["-i", str(text)]
        count += 1
    maps = [str(index) for index in range(count)]
    if source.has("second"):
        arguments += ["-f", "lavfi", "-i", f"testsrc=d={SECONDS}:s=32x32:r=10"]
        maps.append(str(count))
        count += 1
    if source.has("cover"):
        (folder / "cover.png").write_bytes(png())
        if source.container == "mp4":
            arguments += ["-i", str(folder / "cover.png")]
            maps.append(str(count))
            count += 1
    if source.has("chapters"):
        (folder / "chapters.ffmeta").write_text(METADATA.format(tags=""))
        arguments += ["-i", str(folder / "chapters.ffmeta"), "-map_metadata", str(count)]
    for entry in maps:
        arguments += ["-map", entry]
    pixels = pixel_format(source)
    arguments += ["-filter:v:0", filters(source), "-fps_mode:v:0", "passthrough" if source.has("variable") else "cfr"]
    arguments += (["-pix_fmt:v:0", pixels] if pixels else []) + encoder_options(source) + stream_options(source)
    if source.has("second"):
        arguments += ["-c:v:1", "mpeg4" if source.container != "ts" else "mpeg2video", "-disposition:v:0", "default"]
        arguments += ["-filter:v:1", "fps=25"] if source.container == "ts" else []
    if source.has("cover"):
        arguments += (["-c:v:1", "copy", "-disposition:v:1", "attached_pic"] if source.container == "mp4" else
                      ["-attach", str(folder / "cover.png"), "-metadata:s:t:0", "mimetype=image/png"])
    if source.has("attachment"):
        (folder / "font.ttf").write_bytes(b"\0\1\0\0 not a font" * 20)
        index = 1 if source.has("cover") else 0
        arguments += ["-attach", str(folder / "font.ttf"), f"-metadata:s:t:{index}", "mimetype=application/x-truetype-font"]
    if source.start:
        arguments += ["-output_ts_offset", str(source.start)]
    if source.has("fragmented"):
        arguments += ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]
    arguments += ["-f", FORMATS.get(source.container, source.container)]
    return [*(rotating(arguments, 90) if source.has("rotated") else arguments), str(target)]


def make(source: Input, folder: Path) -> Path | None:
    """Makes the file with ffmpeg. Returns its path, or `None` if ffmpeg refuses the combination."""
    if source.sample:
        return VIDEOS / source.sample
    path = folder / f"input.{source.container}"
    whole = folder / f"whole.{source.container}" if source.has("editlist") else path
    if not ffmpeg(make_command(source, folder, whole)):
        return None
    if source.has("editlist"):
        # A copy from between two key frames begins with frames that are not shown.
        if not ffmpeg(["-ss", "0.3", "-i", str(whole), "-map", "0", "-map", "-0:d", "-c", "copy", str(path)]):
            return None
    return path


def ffmpeg(arguments: list[str]) -> bool:
    try:
        done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0

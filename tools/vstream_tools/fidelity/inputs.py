"""Short inputs, made by ffmpeg: those that are drawn for comparisons, and a list of small ones that are damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ..common import VIDEOS, rotating
from .generation import drawn
from .running import run

FORMATS = {"mkv": "matroska", "ts": "mpegts", "mpg": "mpeg", "ogv": "ogg", "wmv": "asf", "y4m": "yuv4mpegpipe", "raw": "rawvideo",
           "m2v": "mpeg2video"}
MPEG2_RATES = ["25", "24", "30", "50", "60", "24000/1001", "30000/1001"]
RATES = [*MPEG2_RATES, "12", "120"]
# A container's video, audio and subtitle codecs.
CONTAINERS: dict[str, tuple[list[str], list[str], list[str]]] = {
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
    "gif": (["gif"], [], []), "y4m": (["wrapped_avframe"], [], []), "h264": (["libx264"], [], []), "hevc": (["libx265"], [], []),
    "m4v": (["mpeg4"], [], []), "m2v": (["mpeg2video"], [], []),
}
STARTS: dict[str, list[float]] = {
    "ts": [0, 0, 1.4, 10, 3600.5, 40000], "mkv": [0, 0, 1.4, 3600.5, 40000], "mpg": [0, 0, 10, 3600.5], "nut": [0, 0, 1.4, 3600.5],
    "webm": [0, 0, 1.4], "flv": [0, 0, 1.4], "mp4": [0, 0, 0, 1.4], "mov": [0, 0, 0, 1.4]}
REORDERING = {"libx264", "libx265", "mpeg4", "mpeg2video", "mpeg1video"}
DEEP = {"libx264": "yuv420p10le", "libx265": "yuv420p10le", "ffv1": "yuv422p10le", "libvpx-vp9": "yuv420p10le"}
PIXELS = {"mjpeg": "yuvj420p", "prores_ks": "yuv422p10le"}
TAGS = {"title": "A title: größer", "artist": "somebody", "comment": "two\nlines", "date": "2024", "genre": "test"}
BITEXACT = ["-fflags", "+bitexact", "-threads", "1"]
CUES = "1\n00:00:00,100 --> 00:00:00,500\none\n\n2\n00:00:00,100 --> 00:00:00,700\ntwo\n\n3\n00:00:00,800 --> 00:00:00,950\nthree\n"
CHAPTERS = ";FFMETADATA1\n" + "".join(
    f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n" for start, end, title in
    [(0, 400, "first"), (400, 1000, "second")])

Draw = Callable[[st.SearchStrategy[Any]], Any]


def chance(draw: Draw, percent: int) -> bool:
    return draw(st.integers(0, 99)) >= 100 - percent


def write_materials(folder: Path) -> None:
    """Writes the subtitles, chapters, cover image and font that inputs are made of."""
    folder.mkdir(parents=True)
    (folder / "cues.srt").write_text(CUES)
    (folder / "chapters.txt").write_text(CHAPTERS)
    (folder / "font.ttf").write_bytes(b"\0\1\0\0 not a font" * 20)
    ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=32x32:d=1", "-frames:v", "1", str(folder / "cover.png")])


def ffmpeg(arguments: list[str]) -> bool:
    return run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]).status == 0


# --- Drawn inputs ---


@dataclass(frozen=True)
class Input:
    """The properties of an input file. Two with equal members are the same file."""

    container: str = ""
    video: str = ""
    audio: tuple[str, ...] = ()
    subtitles: tuple[str, ...] = ()
    size: str = "64x48"
    rate: str = "25"
    start: float = 0
    # Seconds by which sound begins after the video, or before it.
    skew: float = 0
    bframes: int = 0
    # Further properties, by name; `make_commands` defines them.
    traits: tuple[str, ...] = ()
    # A file of SampleVideos, or one of SPECIAL, instead.
    sample: str = ""
    special: str = ""

    @property
    def name(self) -> str:
        parts = [self.container, self.video, "+".join(self.audio) or "silent", "+".join(self.subtitles), self.size, self.rate,
                 f"start{self.start:g}" if self.start else "", f"skew{self.skew:g}" if self.skew else "",
                 f"b{self.bframes}" if self.bframes else "", *self.traits]
        return self.sample or self.special or " ".join(filter(None, parts))

    @property
    def file(self) -> str:
        """The name of the file to open."""
        return self.sample or self.special or f"input.{self.container}"

    @property
    def suffix(self) -> str:
        return self.file.rpartition(".")[2]

    @property
    def is_folder(self) -> bool:
        return self.suffix == "m3u8" or "%" in self.file

    @property
    def reading_options(self) -> list[str]:
        """ffmpeg's options that read it, for a format that has no header."""
        return ["-f", "rawvideo", "-video_size", "64x48"] if self.special == "frames.yuv" else []

    def has(self, trait: str) -> bool:
        return trait in self.traits

    def commands(self, materials: Path, folder: Path) -> list[list[str]]:
        """ffmpeg's arguments that make the file, for one or two runs."""
        return [special_command(self.special, folder)] if self.special else make_commands(self, materials, folder / self.file)

    def make(self, materials: Path, folder: Path) -> Path | None:
        """Makes the file. Returns its path, or `None` if ffmpeg refuses the combination."""
        if self.sample:
            return VIDEOS / self.sample
        is_made = all(ffmpeg(arguments) for arguments in self.commands(materials, folder))
        (folder / f"whole.{self.suffix}").unlink(missing_ok=True)
        return folder / self.file if is_made else None


@st.composite
def inputs(draw: Draw) -> Input:
    def pick(values: list) -> Any:
        return draw(st.sampled_from(values))

    if chance(draw, 4):
        sample = pick(sorted(path.name for path in VIDEOS.iterdir() if path.suffix in {".mp4", ".avi"}))
        return Input(container=sample.rpartition(".")[2], sample=sample)
    container = pick(list(CONTAINERS) if chance(draw, 60) else ["mp4", "mov", "mkv", "mkv", "ts"])
    videos, audios, texts = CONTAINERS[container]
    video = pick(videos)
    most = 1 if container in {"flv", "ogv", "3gp"} else 3
    audio = tuple(pick(audios) for _ in range(min(pick([0, 1, 1, 1, 2, 3]), most))) if audios else ()
    subtitles = tuple(pick(texts) for _ in range(pick([0, 0, 1, 2]))) if texts else ()
    is_mpeg2 = video in {"mpeg2video", "mpeg1video"} or container == "mxf"
    bframes = pick([0, 2]) if video in REORDERING and container not in {"3gp", "m4v"} else 0
    skew = pick([0, 0, 0, 0.25, -0.3]) if audio and container not in {"avi", "mxf", "ogv"} else 0
    return Input(container, video, audio, subtitles, pick(["64x48", "128x96", "178x98", "96x80"]), pick(MPEG2_RATES if is_mpeg2 else RATES),
                 pick(STARTS.get(container, [0])), skew, bframes, traits(draw, container, video, len(audio) + len(subtitles), bframes))


def traits(draw: Draw, container: str, video: str, others: int, bframes: int) -> tuple[str, ...]:
    """Further properties of an input whose video has `others` beside it."""
    found: list[str] = []
    is_tagged = container in {"mp4", "mov", "mkv", "webm", "avi", "nut", "flv", "wmv", "ogv", "mxf", "ts", "3gp"}
    is_isom = container in {"mp4", "mov"}
    for trait, percent, is_possible in [
        ("variable", 30, container in {"mkv", "mp4", "mov", "webm", "nut", "flv", "wmv"}),
        ("wide", 20, container not in {"gif", "h264", "hevc"}),
        ("chapters", 30, container in {"mkv", "mp4", "mov", "webm", "nut", "ogv", "wmv"}),
        ("tags", 50, is_tagged),
        ("languages", 60, is_tagged and others > 0),
        ("dispositions", 30, container in {"mp4", "mov", "mkv", "webm"} and others > 0),
        ("opengop", 30, bframes > 0 and video in {"libx264", "mpeg2video"}),
        ("deep", 20, video in DEEP and container not in {"avi", "flv", "3gp"}),
        ("interlaced", 15, video in {"libx264", "mpeg2video"}),
        ("rotated", 15, is_isom),
        ("colours", 30, video in {"libx264", "libx265", "mpeg2video", "prores_ks", "libvpx-vp9"}),
        ("fullrange", 15, video in {"libx264", "libx265"}),
        ("timecode", 10, is_isom or container == "mxf"),
        ("cover", 15, container in {"mp4", "mkv"} and video != "mjpeg"),
        ("attachment", 20, container == "mkv"),
        ("second", 15, container in {"mp4", "mov", "mkv", "nut", "ts"}),
        ("editlist", 20, is_isom and video in {"libx264", "mpeg4", "libx265"}),
        ("fragmented", 15, is_isom),
    ]:
        excluded = {"interlaced": "variable", "timecode": "variable", "second": "cover", "fragmented": "editlist"}.get(trait)
        if is_possible and excluded not in found and chance(draw, percent):
            found.append(trait)
    return tuple(found)


def video_options(source: Input) -> list[str]:
    """Options of the first video."""
    video, has = source.video, source.has
    chain = ["select='not(eq(mod(n,7),3))'"] * has("variable") + ["setfield=tff"] * has("interlaced") + ["scale=out_range=pc"] * has("fullrange")
    options = ["-filter:v:0", ",".join(chain or ["null"]), "-fps_mode:v:0", "passthrough" if has("variable") else "cfr", "-c:v:0", video,
               "-g", "12"]
    options += ["-pix_fmt:v:0", DEEP[video] if has("deep") else PIXELS.get(video, "yuv420p")] if video != "gif" else []
    options += ["-bf", str(source.bframes)] if video in REORDERING else []
    if video == "libx264":
        options += ["-preset", "ultrafast"] + ["-tune", "zerolatency"] * (source.bframes == 0)
    if has("opengop"):
        options += ["-x264-params", "open-gop=1:keyint=8:min-keyint=8"] if video == "libx264" else ["-flags:v:0", "-cgop"]
    if video == "libx265":
        options += ["-preset", "ultrafast", "-x265-params", f"log-level=error:bframes={source.bframes}:keyint=12"]
        options += ["-tag:v:0", "hvc1"] if source.container in {"mp4", "mov"} else []
    # Without it, Theora's encoder omits frames to keep its bit rate.
    options += ["-q:v:0", "7"] if video == "libtheora" else []
    options += ["-deadline", "realtime", "-cpu-used", "8"] if video.startswith("libvpx") else []
    if has("interlaced"):
        options += ["-flags:v:0", "+ildct+ilme"] + (["-x264opts", "tff=1"] if video == "libx264" else ["-top:v:0", "1"])
    options += ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"] if has("colours") else []
    options += ["-color_range", "pc"] if has("fullrange") else []
    return options + (["-aspect:v:0", "16:9"] if has("wide") else []) + (["-timecode", "01:02:03:04"] if has("timecode") else [])


def other_options(source: Input) -> list[str]:
    """Options of sound and subtitles, and tags."""
    options: list[str] = []
    for kind, codecs in {"a": source.audio, "s": source.subtitles}.items():
        for index, codec in enumerate(codecs):
            options += [f"-c:{kind}:{index}", codec] + (["-strict", "-2"] if codec in {"flac", "libopus"} else [])
            options += [f"-metadata:s:{kind}:{index}", f"language={['eng', 'deu', 'fra'][index]}"] if source.has("languages") else []
    if source.has("dispositions"):
        options += [f"-disposition:a:{len(source.audio) - 1}", "default+comment"] if source.audio else []
        options += ["-disposition:s:0", "forced"] if source.subtitles else []
    if source.has("tags"):
        options += [word for key, value in TAGS.items() for word in ("-metadata", f"{key}={value}")]
        options += ["-metadata:s:a:0", "title=Sound"] if source.audio else []
    return options


def make_commands(source: Input, materials: Path, target: Path) -> list[list[str]]:
    """ffmpeg's arguments that make the file, for one or two runs."""
    sources = [["-f", "lavfi", "-i", f"testsrc2=d=1:s={source.size}:r={source.rate}"]]
    for index in range(len(source.audio)):
        offset = ["-itsoffset", str(source.skew)] if source.skew else []
        sources.append([*offset, "-f", "lavfi", "-i", f"sine=f={440 + 110 * index}:d=1:r=48000"])
    sources += [["-i", str(materials / "cues.srt")]] * len(source.subtitles)
    options = video_options(source) + other_options(source)
    if source.has("second"):
        is_ts = source.container == "ts"
        sources.append(["-f", "lavfi", "-i", "testsrc=d=1:s=32x32:r=10"])
        options += ["-c:v:1", "mpeg2video" if is_ts else "mpeg4", "-disposition:v:0", "default"] + ["-filter:v:1", "fps=25"] * is_ts
    if source.has("cover") and source.container == "mp4":
        sources.append(["-i", str(materials / "cover.png")])
        options += ["-c:v:1", "copy", "-disposition:v:1", "attached_pic"]
    attached = [("cover.png", "image/png")] if source.has("cover") and source.container == "mkv" else []
    attached += [("font.ttf", "application/x-truetype-font")] if source.has("attachment") else []
    for index, (name, kind) in enumerate(attached):
        options += ["-attach", str(materials / name), f"-metadata:s:t:{index}", f"mimetype={kind}"]
    chapters = ["-i", str(materials / "chapters.txt"), "-map_metadata", str(len(sources))] if source.has("chapters") else []
    options += ["-output_ts_offset", str(source.start)] if source.start else []
    options += ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"] if source.has("fragmented") else []
    maps = [word for index in range(len(sources)) for word in ("-map", str(index))]
    arguments = [*sum(sources, []), *chapters, *maps, *options, *BITEXACT, "-f", FORMATS.get(source.container, source.container)]
    whole = target.with_stem("whole") if source.has("editlist") else target
    commands = [[*(rotating(arguments, 90) if source.has("rotated") else arguments), str(whole)]]
    if source.has("editlist"):
        # A copy from between two key frames begins with frames that are not shown.
        commands.append(["-ss", "0.3", "-i", str(whole), "-map", "0", "-map", "-0:d", "-c", "copy", str(target)])
    return commands


# --- Inputs of formats, and with properties, that none is drawn of ---

X264 = "-map 0 -map 1 -c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p -c:a aac -b:a 48k"
MPEG2 = "-map 0 -map 1 -c:v mpeg2video -g 10 -bf 2 -pix_fmt yuv420p -c:a mp2 -b:a 64k"
REALTIME = "-deadline realtime -cpu-used 8"
SEGMENTS = X264 + " -f hls -hls_time 0.4 -hls_list_size 0 -hls_segment_filename {folder}/part%d"
# The size, rate and seconds of the generated video, and ffmpeg's options after those of it and of sound.
SPECIAL: dict[str, str] = dict(line.split(None, 1) for line in f"""
faststart.mp4     96x64 25 1    {X264} -movflags +faststart
offset.mov        96x64 25 1    {X264} -video_track_timescale 600 -output_ts_offset 0.5
late.ts           96x64 25 2    {X264} -output_ts_offset 95443 -mpegts_copyts 1
prores-pcm.mov    96x64 25 0.6  -map 0 -map 1 -c:v prores -profile:v 0 -pix_fmt yuv422p10le -c:a pcm_s16le
rle.mov           96x64 25 0.6  -map 0 -map 1 -c:v qtrle -c:a pcm_s16be
h263.3gp          96x64 25 1    -map 0 -map 1 -c:v h263 -s 128x96 -c:a aac -b:a 48k
two-videos.mkv    96x64 25 0.8  -map 0 -map 0 -map 1 -c:v:0 mpeg2video -c:v:1 mjpeg -pix_fmt yuvj420p -strict -1 -c:a libvorbis
alpha.webm        96x64 25 1    -map 0 -vf format=yuva420p -c:v libvpx-vp9 -pix_fmt yuva420p {REALTIME} -auto-alt-ref 0
av1.mkv           96x64 25 0.6  -map 0 -c:v libaom-av1 -cpu-used 8 -usage realtime
dvd.vob           96x64 25 1    {MPEG2} -f vob
raw.avi           64x48 25 0.4  -map 0 -c:v rawvideo -pix_fmt bgr24
huffyuv.avi       96x64 25 0.4  -map 0 -map 1 -c:v ffvhuff -c:a adpcm_ms
screen.flv        96x64 25 1    -map 0 -c:v flashsv
msmpeg4.asf       96x64 25 1    -map 0 -map 1 -c:v msmpeg4 -c:a wmav1
mpeg2-mp2.wtv     96x64 25 0.8  {MPEG2}
dv.dv             96x64 25 0.12 -map 0 -map 1 -s 720x576 -pix_fmt yuv420p -ar 48000 -ac 2
rv10.rm           96x64 25 1    -map 0 -map 1 -c:v rv10 -c:a ac3
sorenson.swf      96x64 25 1    -map 0 -c:v flv
animated.apng     96x64 10 0.6  -map 0 -c:v apng -plays 0
gray16.y4m        64x48 25 0.3  -map 0 -pix_fmt gray16le -strict -1
vp8.ivf           96x64 25 1    -map 0 -c:v libvpx {REALTIME}
av1.ivf           96x64 25 0.5  -map 0 -c:v libaom-av1 -cpu-used 8 -usage realtime
deep.h264         96x64 25 1    -map 0 -c:v libx264 -preset veryfast -g 10 -pix_fmt yuv422p10le
raw.mjpeg         96x64 25 0.6  -map 0 -c:v mjpeg -pix_fmt yuvj420p
frames.yuv        64x48 25 0.4  -map 0 -pix_fmt yuv420p -f rawvideo
photo.png         96x64 25 1    -map 0 -frames:v 1
alpha.png         96x64 25 1    -map 0 -frames:v 1 -vf format=rgba,colorchannelmixer=aa=0.5 -pix_fmt rgba
deep.png          96x64 25 1    -map 0 -frames:v 1 -pix_fmt rgb48be
photo.jpg         96x64 25 1    -map 0 -frames:v 1 -c:v mjpeg -pix_fmt yuvj444p
photo.webp        96x64 25 1    -map 0 -frames:v 1 -c:v libwebp
photo.bmp         48x32 25 1    -map 0 -frames:v 1
photo.tiff        96x64 25 1    -map 0 -frames:v 1 -compression_algo deflate
photo.ppm         48x32 25 1    -map 0 -frames:v 1
photo.tga         48x32 25 1    -map 0 -frames:v 1
photo.jp2         96x64 25 1    -map 0 -frames:v 1 -c:v jpeg2000
index.m3u8        96x64 25 2    {SEGMENTS}.ts
fragments.m3u8    96x64 25 2    {SEGMENTS}.m4s -hls_segment_type fmp4
image-%03d.png    96x64 25 0.4  -map 0 -c:v png
image-%03d.jpg    96x64 25 0.4  -map 0 -c:v mjpeg -pix_fmt yuvj420p
""".replace("{{folder}}", "{folder}").strip().splitlines())


def special_command(name: str, folder: Path) -> list[str]:
    size, rate, length, options = SPECIAL[name].split(None, 3)
    return [*f"-f lavfi -i testsrc2=s={size}:r={rate}:d={length} -f lavfi -i sine=d={length}:r=44100".split(),
            *options.format(folder=folder).split(), *BITEXACT, str(folder / name)]


def some_inputs(count: int) -> list[Input]:
    """Every special input, and `count` that are drawn, which are the same for all seeds."""
    drawn_ones = [one for one in (drawn(inputs(), 0, number) for number in range(count)) if not one.sample]
    return [*drawn_ones, *(Input(special=name) for name in SPECIAL)]

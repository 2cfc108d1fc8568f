"""Short inputs, made by ffmpeg: those that are drawn for comparisons, and a list of small ones that are damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ..common import VIDEOS, ffmpeg_version
from .running import run

FORMATS = {"mkv": "matroska", "ts": "mpegts"}
MPEG2_RATES = ["25", "24", "30", "50", "60", "24000/1001", "30000/1001"]
RATES = [*MPEG2_RATES, "12", "120"]
# A container's video, audio and subtitle codecs.
CONTAINERS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "mp4": (["libx264", "mpeg4", "libx265"], ["aac", "libmp3lame", "ac3", "alac", "flac", "libopus"], ["mov_text"]),
    "mov": (["libx264", "mjpeg", "prores_ks", "mpeg4"], ["aac", "pcm_s16le", "alac", "libmp3lame"], ["mov_text"]),
    "mkv": (["libx264", "libx265", "libvpx", "ffv1", "mpeg2video", "mjpeg", "mpeg4"],
            ["aac", "flac", "libopus", "libvorbis", "ac3", "pcm_s16le", "libmp3lame"], ["srt", "ass", "webvtt"]),
    "webm": (["libvpx", "libvpx-vp9"], ["libopus", "libvorbis"], ["webvtt"]),
    "ts": (["libx264", "mpeg2video", "libx265"], ["aac", "mp2", "ac3", "libmp3lame"], []),
    "avi": (["mpeg4", "mjpeg", "libx264", "ffv1"], ["libmp3lame", "pcm_s16le", "ac3"], []),
    "flv": (["libx264", "flv"], ["aac", "libmp3lame"], []),
    "nut": (["libx264", "ffv1", "mpeg4"], ["pcm_s16le", "libmp3lame", "flac", "aac"], []),
    "mxf": (["mpeg2video"], ["pcm_s16le"], []),
    "gif": (["gif"], [], []),
}
STARTS: dict[str, list[float]] = {
    "ts": [0, 0, 1.4, 10, 3600.5, 40000], "mkv": [0, 0, 1.4, 3600.5, 40000], "nut": [0, 0, 1.4, 3600.5],
    "webm": [0, 0, 1.4], "flv": [0, 0, 1.4], "mp4": [0, 0, 0, 1.4], "mov": [0, 0, 0, 1.4]}
REORDERING = {"libx264", "libx265", "mpeg4", "mpeg2video"}
DEEP = {"libx264", "libx265", "ffv1", "libvpx-vp9"}
PIXELS = {"mjpeg": "yuvj420p", "prores_ks": "yuv422p10le"}
REALTIME = "-deadline realtime -cpu-used 8"
TAGGED = {"mp4", "mov", "mkv", "webm", "avi", "nut", "flv", "mxf", "ts"}
BITEXACT = ["-fflags", "+bitexact", "-threads", "1"]
CUES = "1\n00:00:00,100 --> 00:00:00,500\none\n\n2\n00:00:00,100 --> 00:00:00,700\ntwo\n\n3\n00:00:00,800 --> 00:00:00,950\nthree\n"
CHAPTERS = ";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle=Part {start}\n"
                                      for start, end in [(0, 400), (400, 1000)])
TAGS = ["title=A title: größer", "artist=somebody", "comment=two\nlines", "date=2024", "genre=test"]

Draw = Callable[[st.SearchStrategy[Any]], Any]


def chance(draw: Draw, percent: int) -> bool:
    return draw(st.integers(0, 99)) >= 100 - percent


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
    # The names of further properties, of TRAITS.
    traits: tuple[str, ...] = ()
    # A file of SampleVideos, or one of SPECIAL, instead.
    sample: str = ""
    special: str = ""

    @property
    def name(self) -> str:
        parts = [self.container, self.video, "+".join(self.audio) or "silent", "+".join(self.subtitles), self.size, self.rate,
                 f"start{self.start:g}" * bool(self.start), f"skew{self.skew:g}" * bool(self.skew),
                 f"b{self.bframes}" * bool(self.bframes), *self.traits]
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

    @property
    def is_isom(self) -> bool:
        return self.container in {"mp4", "mov"}

    def has(self, trait: str) -> bool:
        return trait in self.traits

    def make(self, materials: Path, folder: Path) -> Path | None:
        """Makes the file with ffmpeg. Returns its path, or `None` if ffmpeg refuses the combination."""
        path = folder / self.file
        commands = [special_command(self.special, path)] if self.special else make_commands(self, materials, path)
        is_made = self.sample or all(ffmpeg(arguments) for arguments in commands)
        path.with_stem("whole").unlink(missing_ok=True)
        return VIDEOS / self.sample if self.sample else path if is_made else None


class Trait(NamedTuple):
    percent: int
    is_possible: Callable[[Input], bool]
    # ffmpeg's options, as words.
    options: Callable[[Input], str] = lambda s: ""


TRAITS = {
    "variable": Trait(30, lambda s: s.container in {"mkv", "mp4", "mov", "webm", "nut", "flv"}),
    "wide": Trait(20, lambda s: s.container != "gif", lambda s: "-aspect:v:0 16:9"),
    "chapters": Trait(30, lambda s: s.container in {"mkv", "mp4", "mov", "webm", "nut"}),
    "tags": Trait(50, lambda s: s.container in TAGGED),
    "languages": Trait(60, lambda s: s.container in TAGGED and bool(s.audio + s.subtitles), lambda s: " ".join(
        f"-metadata:s:{kind}:{index} language={language}" for kind, streams in [("a", s.audio), ("s", s.subtitles)]
        for index, language in zip(range(len(streams)), ["eng", "deu", "fra"]))),
    "dispositions": Trait(30, lambda s: s.container in {"mp4", "mov", "mkv", "webm"} and bool(s.audio + s.subtitles), lambda s: (
        f"-disposition:a:{len(s.audio) - 1} default+comment " * bool(s.audio) + "-disposition:s:0 forced" * bool(s.subtitles))),
    "opengop": Trait(30, lambda s: s.bframes > 0 and s.video in {"libx264", "mpeg2video"}, lambda s:
                     "-x264-params open-gop=1:keyint=8:min-keyint=8" if s.video == "libx264" else "-flags:v:0 -cgop"),
    "deep": Trait(20, lambda s: s.container not in {"avi", "flv"} and s.video in DEEP,
                  lambda s: "-pix_fmt:v:0 " + ("yuv422p10le" if s.video == "ffv1" else "yuv420p10le")),
    "interlaced": Trait(15, lambda s: s.video in {"libx264", "mpeg2video"} and not s.has("variable"), lambda s:
                        "-flags:v:0 +ildct+ilme " + ("-x264opts tff=1" if s.video == "libx264" else "-top:v:0 1")),
    "rotated": Trait(15, lambda s: s.is_isom),
    "colours": Trait(30, lambda s: s.video in {"libx264", "libx265", "mpeg2video", "prores_ks", "libvpx-vp9"},
                     lambda s: "-color_primaries bt709 -color_trc bt709 -colorspace bt709"),
    "fullrange": Trait(15, lambda s: s.video in {"libx264", "libx265"}, lambda s: "-color_range pc"),
    "timecode": Trait(10, lambda s: s.container in {"mp4", "mov", "mxf"} and not s.has("variable"),
                      lambda s: "-timecode 01:02:03:04"),
    "cover": Trait(15, lambda s: s.container in {"mp4", "mkv"} and s.video != "mjpeg", lambda s:
                   "-c:v:1 copy -disposition:v:1 attached_pic" * (s.container == "mp4")),
    "attachment": Trait(20, lambda s: s.container == "mkv"),
    "second": Trait(15, lambda s: s.container in {"mp4", "mov", "mkv", "ts"} and not s.has("cover"), lambda s: (
        "-c:v:1 mpeg2video -filter:v:1 fps=25" if s.container == "ts" else "-c:v:1 mpeg4") + " -disposition:v:0 default"),
    "editlist": Trait(20, lambda s: s.is_isom and s.video in {"libx264", "mpeg4", "libx265"}),
    "fragmented": Trait(15, lambda s: s.is_isom and not (s.has("editlist") or s.has("cover")),
                        lambda s: "-movflags +frag_keyframe+empty_moov+default_base_moof"),
}


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
    most = 1 if container == "flv" else 3
    audio = tuple(pick(audios) for _ in range(min(pick([0, 1, 1, 1, 2, 3]), most))) if audios else ()
    subtitles = tuple(pick(texts) for _ in range(pick([0, 0, 1, 2]))) if texts else ()
    is_mpeg2 = video == "mpeg2video"
    bframes = pick([0, 2]) if video in REORDERING else 0
    skew = pick([0, 0, 0, 0.25, -0.3]) if audio and container not in {"avi", "mxf"} else 0
    size, rate = pick(["64x48", "128x96", "178x98", "96x80"]), pick(MPEG2_RATES if is_mpeg2 else RATES)
    source = Input(container, video, audio, subtitles, size, rate, pick(STARTS.get(container, [0])), skew, bframes)
    for name, trait in TRAITS.items():
        if trait.is_possible(source) and chance(draw, trait.percent):
            source = replace(source, traits=(*source.traits, name))
    return source


def ffmpeg(arguments: list[str]) -> bool:
    return run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]).status == 0


def write_materials(folder: Path) -> None:
    """Writes the subtitles, chapters, cover image and font that inputs are made of."""
    folder.mkdir(parents=True)
    (folder / "cues.srt").write_text(CUES)
    (folder / "chapters.txt").write_text(CHAPTERS)
    (folder / "font.ttf").write_bytes(b"\0\1\0\0 not a font" * 20)
    ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=32x32:d=1", "-frames:v", "1", str(folder / "cover.png")])


def make_commands(source: Input, materials: Path, target: Path) -> list[list[str]]:
    """ffmpeg's arguments that make the file, for one or two runs."""
    video, has = source.video, source.has
    sources = [f"-f lavfi -i testsrc2=d=1:s={source.size}:r={source.rate}"]
    sources += [f"-itsoffset {source.skew} -f lavfi -i sine=f={frequency}:d=1:r=48000"
                for frequency in [440, 550, 660][:len(source.audio)]]
    sources += [f"-i {materials}/cues.srt"] * len(source.subtitles) + ["-f lavfi -i testsrc=d=1:s=32x32:r=10"] * has("second")
    sources += [f"-i {materials}/cover.png"] * (has("cover") and source.container == "mp4")
    chapters = f"-i {materials}/chapters.txt -map_metadata {len(sources)}" * has("chapters")
    filters = {"variable": "select='not(eq(mod(n,7),3))'", "interlaced": "setfield=tff", "fullrange": "scale=out_range=pc"}
    options = [*(f"-map {index}" for index in range(len(sources))), f"-c:v:0 {video} -g 12",
               f"-filter:v:0 {','.join(filters[name] for name in filters if has(name)) or 'null'}",
               f"-fps_mode:v:0 {'passthrough' if has('variable') else 'cfr'}"]
    options += [f"-pix_fmt:v:0 {PIXELS.get(video, 'yuv420p')}"] if video != "gif" else []
    options += [f"-bf {source.bframes}"] if video in REORDERING else []
    options += {"libx264": ["-preset ultrafast" + " -tune zerolatency" * (source.bframes == 0)],
                "libx265": [f"-preset ultrafast -x265-params log-level=error:bframes={source.bframes}:keyint=12",
                            "-tag:v:0 hvc1" * source.is_isom],
                "libvpx": [REALTIME], "libvpx-vp9": [REALTIME]}.get(video, [])
    options += [f"-c:{kind}:{index} {codec}" + " -strict -2" * (codec in {"flac", "libopus"})
                for kind, codecs in {"a": source.audio, "s": source.subtitles}.items() for index, codec in enumerate(codecs)]
    options += [TRAITS[trait].options(source) for trait in source.traits]
    attached = ["cover.png mimetype=image/png"] * (has("cover") and source.container == "mkv")
    attached += ["font.ttf mimetype=application/x-truetype-font"] * has("attachment")
    options += [f"-attach {materials}/{file.replace(' ', f' -metadata:s:t:{index} ')}" for index, file in enumerate(attached)]
    options += [f"-output_ts_offset {source.start}"] * bool(source.start)
    words = " ".join([*sources, chapters, *options]).split()
    words += [word for tag in TAGS for word in ("-metadata", tag)] * has("tags")
    words += ["-metadata:s:a:0", "title=Sound"] * (has("tags") and bool(source.audio))
    words += [*BITEXACT, "-f", FORMATS.get(source.container, source.container)]
    whole = target.with_stem("whole") if has("editlist") else target
    if has("rotated"):
        # The option came with FFmpeg 6, which no longer reads the tag that served before.
        words = ["-display_rotation", "90", "-noautorotate", *words] if ffmpeg_version() >= 6 else [*words, "-metadata:s:v:0", "rotate=90"]
    made = [*words, str(whole)]
    # A copy from between two key frames begins with frames that are not shown.
    return [made] + [["-ss", "0.3", "-i", str(whole), "-map", "0", "-map", "-0:d", "-c", "copy", str(target)]] * has("editlist")


# --- Inputs of formats, and with properties, that none is drawn of ---

X264 = "-map 0 -map 1 -c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p -c:a aac -b:a 48k"
MPEG2 = "-map 0 -map 1 -c:v mpeg2video -g 10 -bf 2 -pix_fmt yuv420p -c:a mp2 -b:a 64k"
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
mpeg1.mpg         96x64 25 1    -map 0 -map 1 -c:v mpeg1video -c:a mp2
theora.ogv        96x64 25 1    -map 0 -map 1 -c:v libtheora -q:v 7 -c:a libvorbis
wmv2.wmv          96x64 25 1    -map 0 -map 1 -c:v wmv2 -c:a wmav2
raw.hevc          96x64 25 1    -map 0 -c:v libx265 -preset ultrafast -x265-params log-level=error
raw.m4v           96x64 25 1    -map 0 -c:v mpeg4
raw.m2v           96x64 25 1    -map 0 -c:v mpeg2video
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
photo.tiff        96x64 25 1    -map 0 -frames:v 1 -compression_algo deflate
photo.jp2         96x64 25 1    -map 0 -frames:v 1 -c:v jpeg2000
index.m3u8        96x64 25 2    {SEGMENTS}.ts
fragments.m3u8    96x64 25 2    {SEGMENTS}.m4s -hls_segment_type fmp4
image-%03d.png    96x64 25 0.4  -map 0 -c:v png
image-%03d.jpg    96x64 25 0.4  -map 0 -c:v mjpeg -pix_fmt yuvj420p
""".replace("{{folder}}", "{folder}").strip().splitlines())


def special_command(name: str, path: Path) -> list[str]:
    size, rate, length, options = SPECIAL[name].split(None, 3)
    return [*f"-f lavfi -i testsrc2=s={size}:r={rate}:d={length} -f lavfi -i sine=d={length}:r=44100".split(),
            *options.format(folder=path.parent).split(), *BITEXACT, str(path)]

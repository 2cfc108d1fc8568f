"""The whole inputs that scripts/checks/damaged-inputs damages: small videos and photos of every container, made by ffmpeg."""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from common import rotating

# No input has more frames.
MAXIMUM_FRAMES = 50

SUBTITLES = """1
00:00:00,100 --> 00:00:00,500
First

2
00:00:00,100 --> 00:00:00,900
Second, with the first

3
00:00:01,000 --> 00:00:01,400
Third
"""
CHAPTERS = ";FFMETADATA1\ntitle=Small\n" + "".join(
    f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={start + 500}\ntitle=Part {start}\n" for start in (0, 500, 1000))

VIDEO = "-f lavfi -i testsrc2=s={size}:r={rate}:d={seconds}"
SOUND = "-f lavfi -i sine=d={seconds}:r=44100"
FLAGS = "-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -threads 1"


@dataclass(frozen=True)
class Input:
    """A whole input: ffmpeg's options after those of the generated video and sound, and the file that they make."""

    name: str
    options: str
    size: str = "96x64"
    rate: str = "25"
    seconds: str = "1"
    # Whether it is a folder of files, of which `name` is the one to open.
    is_folder: bool = False
    # Whether its video is stored a quarter turn from how it is shown.
    is_rotated: bool = False
    # The forced input format, for formats that have no header.
    format: str | None = None
    # How the damage finds units, sizes and times in it; the file name's ending by default.
    structure: str = ""

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lstrip(".")

    @property
    def kind(self) -> str:
        return self.structure or self.suffix

    @property
    def is_photo(self) -> bool:
        return "-frames:v 1" in self.options


X264_CODECS = "-c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p -c:a aac -b:a 48k"
X264 = "-map 0 -map 1 " + X264_CODECS
X264_ALONE = "-map 0 -c:v libx264 -preset veryfast -g 10 -pix_fmt yuv420p"
X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none:pools=none:frame-threads=1 -pix_fmt yuv420p"
MPEG4 = "-map 0 -map 1 -c:v mpeg4 -g 10 -pix_fmt yuv420p"
MPEG2 = "-map 0 -map 1 -c:v mpeg2video -g 10 -bf 2 -pix_fmt yuv420p -c:a mp2 -b:a 64k"
PHOTO = "-map 0 -frames:v 1"

INPUTS = [
    # MP4 and its relatives
    Input("h264-aac.mp4", X264),
    Input("faststart.mp4", X264 + " -movflags +faststart"),
    Input("fragmented.mp4", X264 + " -movflags frag_keyframe+empty_moov+default_base_moof", seconds="2"),
    Input("hevc-mp3.mp4", "-map 0 -map 1 -c:a libmp3lame " + X265),
    Input("chapters-subtitles.mp4", "-i {subtitles} -i {chapters} -map 0 -map 1 -map 2 -map_metadata 3 " + X264_CODECS + " -c:s mov_text"),
    Input("cover.mp4", "-i {cover} -map 0 -map 1 -map 2 " + X264_CODECS + " -c:v:1 copy -disposition:v:1 attached_pic"),
    Input("mpeg4.mp4", MPEG4 + " -c:a aac"),
    Input("edited.mov", X264 + " -video_track_timescale 600 -output_ts_offset 0.5", is_rotated=True),
    Input("prores-pcm.mov", "-map 0 -map 1 -c:v prores -profile:v 0 -pix_fmt yuv422p10le -c:a pcm_s16le", seconds="0.6"),
    Input("rle.mov", "-map 0 -map 1 -c:v qtrle -c:a pcm_s16be", seconds="0.6"),
    Input("h263.3gp", "-map 0 -map 1 -c:v h263 -s 128x96 -c:a aac -b:a 48k"),
    Input("tmcd.mov", MPEG4 + " -c:a alac -timecode 01:00:00:00"),
    # Matroska and WebM
    Input("h264-flac-srt.mkv", "-i {subtitles} -i {chapters} -map 0 -map 1 -map 2 -map_metadata 3 "
          + X264_CODECS + " -c:a flac -c:s srt"),
    Input("ass-attachment.mkv", "-i {subtitles} -map 0 -map 2 -map 1 " + X264_CODECS + " -c:a libopus -c:s ass -attach {cover}"
          " -metadata:s:t mimetype=image/jpeg"),
    Input("ffv1-pcm.mkv", "-map 0 -map 1 -c:v ffv1 -g 1 -slices 4 -c:a pcm_s16le", seconds="0.6"),
    Input("two-videos.mkv", "-map 0 -map 0 -map 1 -map 1 -c:v:0 mpeg2video -c:v:1 mjpeg -pix_fmt yuvj420p -strict -1 -c:a:0 ac3"
          " -c:a:1 libvorbis", seconds="0.8"),
    Input("variable.mkv", X264 + " -vf select='not(mod(n\\,3))+lt(n\\,8)' -fps_mode vfr", seconds="2"),
    Input("vp9-opus.webm", "-map 0 -map 1 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus"),
    Input("vp8-vorbis.webm", "-map 0 -map 1 -c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis"),
    Input("alpha.webm", "-map 0 -vf format=yuva420p -c:v libvpx-vp9 -pix_fmt yuva420p -deadline realtime -cpu-used 8 -auto-alt-ref 0"),
    Input("av1.mkv", "-map 0 -c:v libaom-av1 -cpu-used 8 -usage realtime", seconds="0.6"),
    # Transport and programme streams
    Input("h264-aac.ts", X264),
    Input("mpeg2-mp2.ts", MPEG2, seconds="2"),
    Input("hevc-ac3.ts", "-map 0 -map 1 -c:a ac3 " + X265),
    Input("late.ts", X264 + " -output_ts_offset 95443 -mpegts_copyts 1", seconds="2"),
    Input("mpeg2-mp2.mpg", MPEG2),
    Input("mpeg1.mpg", "-map 0 -map 1 -c:v mpeg1video -c:a mp2"),
    Input("dvd.vob", MPEG2 + " -f vob"),
    # AVI, FLV, ASF, Ogg, NUT, MXF, and others
    Input("mpeg4-mp3.avi", MPEG4 + " -c:a libmp3lame"),
    Input("mjpeg-pcm.avi", "-map 0 -map 1 -c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le"),
    Input("raw.avi", "-map 0 -c:v rawvideo -pix_fmt bgr24", size="64x48", seconds="0.4"),
    Input("huffyuv.avi", "-map 0 -map 1 -c:v ffvhuff -c:a adpcm_ms", seconds="0.4"),
    Input("h264-aac.flv", X264),
    Input("sorenson-mp3.flv", "-map 0 -map 1 -c:v flv -c:a libmp3lame -ar 44100"),
    Input("screen.flv", "-map 0 -c:v flashsv"),
    Input("wmv2-wma.wmv", "-map 0 -map 1 -c:v wmv2 -c:a wmav2", structure="asf"),
    Input("msmpeg4.asf", "-map 0 -map 1 -c:v msmpeg4 -c:a wmav1"),
    Input("theora-vorbis.ogv", "-map 0 -map 1 -c:v libtheora -c:a libvorbis", structure="ogg"),
    Input("theora-flac.ogv", "-map 0 -map 1 -c:v libtheora -g 5 -c:a flac", structure="ogg"),
    Input("mpeg4-mp2.nut", MPEG4 + " -c:a mp2"),
    Input("ffv1-pcm.nut", "-map 0 -map 1 -c:v ffv1 -c:a pcm_s16le", seconds="0.4"),
    Input("mpeg2-pcm.mxf", "-map 0 -map 1 -c:v mpeg2video -g 1 -pix_fmt yuv422p -ar 48000 -c:a pcm_s16le", seconds="0.4"),
    Input("mpeg2-mp2.wtv", MPEG2, seconds="0.8"),
    Input("dv.dv", "-map 0 -map 1 -s 720x576 -pix_fmt yuv420p -ar 48000 -ac 2", seconds="0.12"),
    Input("rv10.rm", "-map 0 -map 1 -c:v rv10 -c:a ac3"),
    Input("sorenson.swf", "-map 0 -c:v flv"),
    Input("palette.gif", "-map 0 -c:v gif", rate="10"),
    Input("animated.apng", "-map 0 -c:v apng -plays 0", rate="10", seconds="0.6", structure="png"),
    Input("frames.y4m", "-map 0 -pix_fmt yuv420p", size="64x48", seconds="0.5"),
    Input("gray16.y4m", "-map 0 -pix_fmt gray16le -strict -1", size="64x48", seconds="0.3"),
    # Raw streams
    Input("vp8.ivf", "-map 0 -c:v libvpx -deadline realtime -cpu-used 8"),
    Input("av1.ivf", "-map 0 -c:v libaom-av1 -cpu-used 8 -usage realtime", seconds="0.5"),
    Input("raw.h264", X264_ALONE),
    Input("interlaced.h264", X264_ALONE + " -x264-params tff=1"),
    Input("deep.h264", X264_ALONE.replace("yuv420p", "yuv422p10le")),
    Input("raw.hevc", "-map 0 " + X265),
    Input("raw.m2v", "-map 0 -c:v mpeg2video -f mpeg2video"),
    Input("raw.m4v", "-map 0 -c:v mpeg4 -f m4v"),
    Input("raw.mjpeg", "-map 0 -c:v mjpeg -pix_fmt yuvj420p", seconds="0.6"),
    Input("frames.yuv", "-map 0 -pix_fmt yuv420p -f rawvideo", size="64x48", seconds="0.4", format="rawvideo"),
    # Photos and images
    Input("photo.png", PHOTO),
    Input("alpha.png", PHOTO + " -vf format=rgba,colorchannelmixer=aa=0.5 -pix_fmt rgba"),
    Input("deep.png", PHOTO + " -pix_fmt rgb48be"),
    Input("photo.jpg", PHOTO + " -c:v mjpeg -pix_fmt yuvj444p"),
    Input("photo.webp", PHOTO + " -c:v libwebp", structure="avi"),
    Input("photo.bmp", PHOTO, size="48x32"),
    Input("photo.tiff", PHOTO + " -compression_algo deflate"),
    Input("photo.ppm", PHOTO, size="48x32"),
    Input("photo.tga", PHOTO, size="48x32"),
    Input("photo.jp2", PHOTO + " -c:v jpeg2000"),
    # Folders
    Input("index.m3u8", X264 + " -f hls -hls_time 0.4 -hls_list_size 0 -hls_segment_filename {folder}/part%d.ts", seconds="2",
          is_folder=True),
    Input("fragments.m3u8", X264 + " -f hls -hls_time 0.4 -hls_list_size 0 -hls_segment_type fmp4"
          " -hls_segment_filename {folder}/part%d.m4s", seconds="2", is_folder=True),
    Input("image-%03d.png", "-map 0 -c:v png", seconds="0.4", is_folder=True, structure="folder"),
    Input("image-%03d.jpg", "-map 0 -c:v mjpeg -pix_fmt yuvj420p", seconds="0.4", is_folder=True, structure="folder"),
]


class WholeInputs:
    """Makes each input when it is first needed, in a folder of its own. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks = {item.name: threading.Lock() for item in INPUTS}
        self._files: dict[str, dict[str, bytes]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "subtitles.srt").write_text(SUBTITLES)
        (folder / "chapters.txt").write_text(CHAPTERS)
        self._run("-f lavfi -i testsrc2=s=32x32:d=1 -frames:v 1 -pix_fmt yuvj420p".split() + [str(folder / "cover.jpg")])

    def files(self, item: Input) -> dict[str, bytes]:
        """The names and contents of an input's files."""
        with self._locks[item.name]:
            if item.name not in self._files:
                self._files[item.name] = self._make(item)
        return self._files[item.name]

    def contents(self, item: Input) -> bytes:
        """The contents of an input; for a folder, of its first file."""
        return next(iter(self.files(item).values()))

    def _make(self, item: Input) -> dict[str, bytes]:
        folder = self._folder / item.name.replace("%", "")
        folder.mkdir()
        names = {"size": item.size, "rate": item.rate, "seconds": item.seconds, "subtitles": self._folder / "subtitles.srt",
                 "chapters": self._folder / "chapters.txt", "cover": self._folder / "cover.jpg", "folder": folder}
        words = f"{VIDEO} {SOUND} {item.options} {FLAGS}".format(**names).replace("'", "").split()
        self._run([*(rotating(words, 90) if item.is_rotated else words), str(folder / item.name)])
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    @staticmethod
    def _run(words: list[str]) -> None:
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *words], check=True)

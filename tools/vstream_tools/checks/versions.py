"""The command lines that scripts/checks/compare-versions runs, and the inputs that they read."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from ..common import ASTRONAUT, VIDEOS, rotating
from ..measuring import ffmpeg

USAGE, READ_ERROR, NO_INPUT, EXISTS = 64, 65, 66, 73


@dataclass(frozen=True)
class Case:
    """Command lines that run in order in a folder of their own; words in braces are inputs."""

    name: str
    commands: tuple[str, ...]
    status: int = 0
    # The stop signal's moment: as soon as this file exists.
    interrupt_when: str | None = None
    standard_input: str | None = None
    # How standard output is compared: `text`, `video`, `keys` of JSON, `options` of a help screen, or `ignored`.
    output: str = "ignored"
    # Files of the results whose contents depend on timing; only their existence is compared.
    unstable: frozenset[str] = field(default_factory=frozenset)


def case(name: str, *commands: str, **attributes) -> Case:
    return Case(name, commands, **attributes)


ALL_FORMATS = " ".join(f"--records r.{suffix}" for suffix in ("jsonl", "txt", "csv", "vtt", "json", "kitti.txt"))
RECORDS = f"-o null {ALL_FORMATS} --stats stats.json --quiet"
LOSSLESS = "-o out.mkv --codec ffv1 --quiet"
FACES = "--face-landmarks --face-contours --face-classification"
REGIONS = "--zone gate:100,100;500,100;500,400;100,400 --line door:50%,0;50%,100%"

RECORD_CASES = [
    case("objects and faces", f"{{street}} {RECORDS} --duration 2"),
    case("objects, one thread", f"{{street}} {RECORDS} --duration 2 --detect objects --threads 1"),
    case("objects, two threads", f"{{street}} {RECORDS} --duration 2 --detect objects --threads 2"),
    case("faces", f"{{face}} {RECORDS} --duration 1 --detect faces"),
    case("faces with contours and classification", f"{{face}} {RECORDS} --duration 1 --detect faces {FACES}"),
    case("faces, accurate", f"{{panning}} {RECORDS} --duration 0.5 --detect faces --face-mode accurate"),
    case("faces searched over time", f"{{panning}} {RECORDS} --duration 1 --detect faces --face-search 0.5"),
    case("poses", f"{{bikes}} {RECORDS} --duration 0.5 --detect poses"),
    case("several poses, accurate", f"{{bikes}} {RECORDS} --duration 0.4 --detect poses --max-poses 3 --pose-mode accurate"),
    case("all detectors", f"{{bikes}} {RECORDS} --duration 0.4 --detect objects,faces,poses"),
    case("categories", f"{{street}} {RECORDS} --duration 1 --detect objects --categories"),
    case("classes and scores", f"{{street}} {RECORDS} --duration 2 --classes person --min-score 0.6"),
    case("max-objects", f"{{street}} {RECORDS} --duration 2 --detect objects --max-objects 2"),
    case("32-bit model", f"{{street}} {RECORDS} --duration 1 --detect objects --object-model ssd-mobilenet-v2"),
    case("accurate", f"{{street}} {RECORDS} --duration 0.5 --detect objects --accurate"),
    case("detect-every", f"{{street}} {RECORDS} --duration 3 --detect objects --detect-every 4"),
    case("tracking options", f"{{street}} {RECORDS} --duration 3 --detect objects --lost-after 0.3 --confirm-after 3 --min-iou 0.4"),
    case("zones, lines and events", f"{{street}} {RECORDS} --duration 3 --detect objects --events {REGIONS}"),
    case("start and duration", f"{{street}} {RECORDS} --start 20 --duration 1.5"),
    case("single-image", f"{{street}} {RECORDS} --duration 1 --mode single-image"),
    case("photo", f"{{photo}} {RECORDS}"),
    case("photo with landmarks and pose", f"{{astronaut}} {RECORDS} --detect objects,faces,poses {FACES}"),
    case("record-detections, from-records",
         f"{{street}} {RECORDS} --duration 2 --detect objects --record-detections",
         "{street} -o null --duration 2 --from-records r.jsonl --records replay.jsonl --records replay.txt --lost-after 0.3 --quiet",
         f"{{street}} {LOSSLESS} --duration 2 --from-records r.jsonl"),
    case("standard input", f"- {RECORDS} --duration 0.5 --input-format matroska", standard_input="piped"),
    case("saved faces", "{face} -o null --duration 1 --detect faces --save-faces faces --quiet"),
    case("saved faces as PNG", "{panning} -o null --duration 0.5 --save-faces faces --crop-format png --quiet"),
]

VIDEO_CASES = [
    case("boxes and labels", f"{{street}} {LOSSLESS} --duration 1"),
    case("contours and skeletons", f"{{face}} {LOSSLESS} --duration 1 --detect faces,poses {FACES}"),
    case("zones drawn", f"{{street}} {LOSSLESS} --duration 1 --detect objects {REGIONS}"),
    case("draw none", f"{{street}} {LOSSLESS} --duration 1 --detect objects --draw none"),
    case("H.264, two threads", "{street} -o out.mp4 --quiet --duration 1 --threads 2"),
    case("mosaic", f"{{panning}} {LOSSLESS} --duration 0.5 --redact mosaic"),
    case("blur of people", f"{{street}} {LOSSLESS} --duration 0.6 --redact blur --redact-what person"),
    case("fill with look-back", f"{{panning}} {LOSSLESS} --duration 0.5 --redact fill --look-back 0.2"),
    case("redaction with records", f"{{face}} {LOSSLESS} --duration 0.5 --redact mosaic {ALL_FORMATS} --stats stats.json"),
    case("redaction with receipt", f"{{face}} {LOSSLESS} --duration 0.5 --redact mosaic --receipt receipt.json"),
    case("overlay-track", "{tracks} -o out.mkv --quiet --overlay-track ass"),
    case("overlay-track beside an MP4", "{tracks} -o out.mp4 --quiet --overlay-track ass"),
    case("rotated", f"{{rotated}} {LOSSLESS} {ALL_FORMATS}"),
    case("odd size", f"{{odd}} {LOSSLESS} {ALL_FORMATS}"),
    case("10 bits", f"{{deep}} {LOSSLESS} {ALL_FORMATS} --redact blur"),
    case("interlaced", f"{{interlaced}} {LOSSLESS} {ALL_FORMATS}"),
    case("gray", f"{{gray}} {LOSSLESS} {ALL_FORMATS} --redact mosaic"),
    case("photo to photo", "{astronaut} -o out.png --quiet"),
    case("sound and subtitles", f"{{tracks}} {LOSSLESS} --duration 1 --detect faces"),
    case("no sound", f"{{tracks}} {LOSSLESS} --duration 1 --detect faces --audio none"),
    *(case(f"no detection, {name}", f"{{tracks}} -o {name} --detect none --quiet --duration 0.5 {options}")
      for name, options in (("out.mp4", ""), ("out.mov", ""), ("out.mkv", ""), ("out.ts", ""),
                            ("frame-%03d.png", ""), ("out.gif", ""))),
    case("no detection, out.avi", "{bikes} -o out.avi --detect none --quiet --duration 0.5"),
    case("variable rate into AVI", "{tracks} -o out.avi --detect none --quiet", status=USAGE),
    case("standard output", "{face} -o - --output-format matroska --codec ffv1 --duration 0.5 --quiet", output="video"),
    case("several inputs", "{gray} {odd} --output-dir out --codec ffv1 --duration 0.3 --quiet",
         "{gray} {odd} --output-dir out --codec ffv1 --duration 0.3 --quiet --resume"),
]

STATUS_CASES = [
    case("no arguments", "", status=USAGE),
    case("unknown option", "{face} -o out.mkv --nothing", status=USAGE),
    case("unknown detector", "{face} -o out.mkv --detect cats", status=USAGE),
    case("score out of range", "{face} -o out.mkv --min-score 7", status=USAGE),
    case("conflicting options", "{face} -o out.mkv --overlay-track ass --redact mosaic", status=USAGE),
    case("no output", "{face}", status=USAGE),
    case("malformed zone", "{face} -o null --zone gate:1,1", status=USAGE),
    case("unknown records format", "{face} -o null --records r.nothing", status=USAGE),
    case("missing input", "nothing.mp4 -o out.mkv", status=NO_INPUT),
    case("missing records", "{face} -o null --from-records nothing.jsonl", status=NO_INPUT),
    case("unreadable input", "{text} -o out.mkv", status=READ_ERROR),
    case("truncated input", f"{{truncated}} {LOSSLESS} --strict", status=READ_ERROR),
    case("existing output", "{face} -o out.mkv --detect none --duration 0.1 --quiet",
         "{face} -o out.mkv --detect none --duration 0.1 --quiet", status=EXISTS),
    case("existing output, overwritten", "{face} -o out.mkv --detect none --duration 0.1 --quiet",
         "{face} -o out.mkv --detect none --duration 0.2 --quiet -y"),
    case("interrupted", "{street} -o out.mkv --detect none --realtime --quiet", status=130, interrupt_when="out.mkv.part",
         unstable=frozenset({"out.mkv"})),
]

TOOL_CASES = [
    case("help", "--help", output="options"),
    case("help of bench", "bench --help", output="options"),
    case("track", "track {detections} -o tracks.txt --fps 25"),
    case("track with options", "track {detections} -o - --fps 30000/1001 --lost-after 2 --min-score 0.6 --confirm-after 1",
         output="text"),
    case("track, unreadable", "track {face} -o tracks.txt --fps 25", status=READ_ERROR),
    case("models", "models", output="names"),
    case("models check", "models check ssd-int8 face-mesh"),
    case("models get, unknown", "models get nothing", status=USAGE),
    case("bench", "bench {face} --runs 1 --warm-up 2 --duration 0.5 --detect none --json", output="keys"),
    case("bench, too short", "bench {face} --runs 1 --warm-up 500 --duration 0.2", status=USAGE),
]

CASES = [*RECORD_CASES, *VIDEO_CASES, *STATUS_CASES, *TOOL_CASES]


# --- Inputs ---


def make_inputs(folder: Path) -> dict[str, Path]:
    """Makes the inputs that are not in SampleVideos, and returns all by name."""
    made = {name: folder / file for name, file in (
        ("photo", "photo.png"), ("piped", "piped.mkv"), ("tracks", "tracks.mkv"), ("rotated", "rotated.mp4"),
        ("odd", "odd.mkv"), ("deep", "deep.mkv"), ("interlaced", "interlaced.ts"), ("gray", "gray.mkv"),
        ("text", "text.mp4"), ("truncated", "truncated.mp4"), ("detections", "detections.txt"))}
    face, street = VIDEOS / "face.mp4", VIDEOS / "street.avi"
    ffv1 = ("-an", "-c:v", "ffv1")
    ffmpeg("-i", street, "-frames:v", 1, made["photo"])
    ffmpeg("-i", street, "-t", 0.5, *ffv1, made["piped"])
    subtitles = folder / "subtitles.srt"
    subtitles.write_text("1\n00:00:00,200 --> 00:00:00,900\nA subtitle.\n")
    ffmpeg("-i", VIDEOS / "face-panning.mp4", "-f", "lavfi", "-i", "sine=440:duration=1", "-i", subtitles, "-map", "0:v", "-map", "1:a",
           "-t", 1, "-c:v", "copy", "-c:a", "aac", "-bitexact", folder / "sound.mkv")
    ffmpeg("-i", folder / "sound.mkv", "-i", subtitles, "-map", 0, "-map", 1, "-c", "copy", "-c:s", "mov_text", folder / "sound.mp4")
    made["tracks"] = folder / "sound.mp4"
    ffmpeg(*rotating(["-i", face, "-t", 0.5, "-c", "copy"], 90), made["rotated"])
    ffmpeg("-i", face, "-t", 0.5, "-vf", "scale=175:143", *ffv1, made["odd"])
    ffmpeg("-i", face, "-t", 0.5, "-pix_fmt", "yuv420p10le", *ffv1, made["deep"])
    ffmpeg("-i", VIDEOS / "face-panning.mp4", "-t", 1, "-vf", "tinterlace=interleave_top,fieldorder=tff", "-an", "-c:v", "mpeg2video",
           "-q:v", 3, "-flags", "+ildct+ilme", made["interlaced"])
    ffmpeg("-i", face, "-t", 0.5, "-pix_fmt", "gray", *ffv1, made["gray"])
    made["text"].write_text("This is not a video.\n" * 100)
    made["truncated"].write_bytes((VIDEOS / "bikes.mp4").read_bytes()[:100_000])
    write_detections(made["detections"])
    return made | {"face": face, "street": street, "bikes": VIDEOS / "bikes.mp4", "panning": VIDEOS / "face-panning.mp4",
                   "astronaut": ASTRONAUT}


def write_detections(path: Path) -> None:
    """Writes detections of eight moving objects in MOTChallenge's format, some of them missing or with a low score."""
    values = random.Random(7)
    starts = [(values.uniform(0, 800), values.uniform(0, 500), values.uniform(-5, 5), values.uniform(-3, 3)) for _ in range(8)]
    lines = []
    for frame in range(1, 201):
        for x, y, dx, dy in starts:
            if values.random() > 0.15:
                left, top = x + dx * frame + values.gauss(0, 1), y + dy * frame + values.gauss(0, 1)
                lines.append(f"{frame},-1,{left:.2f},{top:.2f},40,90,{values.uniform(0.2, 1):.3f},-1,-1,-1\n")
    path.write_text("".join(lines))

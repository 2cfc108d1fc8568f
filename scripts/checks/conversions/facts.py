"""What scripts/checks/compare-with-ffmpeg knows of a file: its streams, packets, decoded frames, tags and chapters."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

PROBE = ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-show_chapters", "-show_packets", "-show_data_hash", "CRC32",
         "-of", "json"]
# Members of a stream that are compared as they are.
VIDEO_MEMBERS = ["width", "height", "pix_fmt", "sample_aspect_ratio", "field_order", "color_range", "color_space", "color_transfer",
                 "color_primaries", "chroma_location", "profile", "codec_tag_string", "has_b_frames", "r_frame_rate"]
AUDIO_MEMBERS = ["sample_rate", "channels", "channel_layout", "profile", "codec_tag_string", "extradata_hash"]
# Tags that every muxer writes by itself.
OWN_TAGS = {"encoder", "major_brand", "minor_version", "compatible_brands", "duration", "handler_name", "vendor_id", "language",
            "metadatacreator", "hasvideo", "hasaudio", "hasmetadata", "haskeyframes", "canseektoend", "datasize", "videosize",
            "audiosize", "lasttimestamp", "lastkeyframetimestamp", "lastkeyframelocation", "wm/encodingtime", "uid",
            "generation_uid", "modification_date", "material_package_umid", "file_package_umid", "product_uid", "product_version_num",
            "toolkit_version_num", "application_platform", "operational_pattern_ul", "service_name", "service_provider"}


def run(command: list[str | Path], timeout: float = 60, **options) -> tuple[int, bytes, str]:
    """Runs a program. Returns its exit status, standard output and standard error."""
    try:
        done = subprocess.run(command, **({"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": timeout} | options))
        return done.returncode, done.stdout or b"", (done.stderr or b"").decode(errors="replace")
    except subprocess.TimeoutExpired:
        return -1, b"", f"no end within {timeout:g} s"


def probe(path: Path) -> dict:
    """ffprobe's description of a file; empty if it cannot be read."""
    status, text, _ = run([*PROBE, path])
    return json.loads(text) if status == 0 else {}


def seconds(text: str | None) -> float | None:
    return None if text in (None, "N/A") else float(text)


def tags(entry: dict) -> dict[str, str]:
    found = {key.lower(): value for key, value in entry.get("tags", {}).items()}
    return {key: value for key, value in sorted(found.items()) if key not in OWN_TAGS and not key.startswith(("_statistics", "bps"))
            and not key.startswith("number_of_")}


def facts(data: dict) -> dict[str, object]:
    """The facts of a file, of which ffprobe's description is given, that can be compared with another's."""
    if not data.get("streams"):
        return {}
    streams = sorted(data["streams"], key=lambda s: s["index"])
    found: dict[str, object] = {"streams": [(s["codec_type"], s.get("codec_name")) for s in streams]}
    is_program_stream = data["format"]["format_name"] == "mpeg"
    if is_program_stream or data["format"]["format_name"] == "flv":
        # These have no list of streams: their order is that of the first packets.
        found["streams"] = sorted(found["streams"], key=str)
        streams.sort(key=lambda s: (s["codec_type"] != "video", int(s.get("id", "0"), 16)))
    packets: dict[int, list[dict]] = {s["index"]: [] for s in streams}
    for packet in data.get("packets", []):
        packets[packet["stream_index"]].append(packet)
    origin = first_time(packets[streams[0]["index"]])
    found["starts at"] = origin
    counts: dict[str, int] = {}
    for stream in streams:
        kind = stream["codec_type"]
        label = f"{kind}{counts.setdefault(kind, 0)}"
        counts[kind] += 1
        found |= stream_facts(label, stream, packets[stream["index"]], origin)
        if is_program_stream and label == "video0":
            # Only the first frame that begins in a packet of the stream has a time.
            for member in ("untimed packets", "first", "times", "decoding times", "durations"):
                found.pop(f"{label} {member}", None)
    found["chapters"] = [(round(float(c["start_time"]), 2), round(float(c["end_time"]), 2), c.get("tags", {}).get("title"))
                         for c in data.get("chapters", [])]
    found["tags"] = tags(data.get("format", {}))
    if not is_program_stream and data["format"]["format_name"] != "mpegts":
        # The others have no duration, which is estimated.
        found["duration"] = seconds(data["format"].get("duration"))
    return found


def hidden_seconds(data: dict) -> float:
    """Seconds of a file's sound that precede its start, or 0: the encoder's delay, and what an edit list cuts off."""
    start = seconds(data["format"].get("start_time"))
    first = first_time(data.get("packets", []))
    return 0.0 if start is None or first is None else max(start, 0.0) - min(first, max(start, 0.0))


def first_time(packets: list[dict]) -> float | None:
    return min((float(p["pts_time"]) for p in packets if "pts_time" in p), default=None)


def stream_facts(label: str, stream: dict, packets: list[dict], origin: float | None) -> dict[str, object]:
    kind = stream["codec_type"]
    if stream.get("codec_name") == "mov_text":
        packets = texts(packets)
    found: dict[str, object] = {
        f"{label} language": stream.get("tags", {}).get("language", "und"), f"{label} tags": tags(stream),
        f"{label} disposition": sorted(name for name, value in stream.get("disposition", {}).items() if value),
        f"{label} packets": len(packets),
    }
    for member in VIDEO_MEMBERS if kind == "video" else AUDIO_MEMBERS if kind == "audio" else []:
        # Pixels of unknown shape are shown as squares.
        found[f"{label} {member}"] = stream.get(member, "1:1" if member == "sample_aspect_ratio" else None)
    if kind == "attachment":
        found[f"{label} extradata"] = stream.get("extradata_hash")
    found[f"{label} side data"] = sorted(f"{s['side_data_type']} {s.get('rotation', '')}" for s in stream.get("side_data_list", [])
                                         if s["side_data_type"] != "CPB properties")
    times = sorted(float(p["pts_time"]) for p in packets if "pts_time" in p)
    found[f"{label} untimed packets"] = len(packets) - len(times)
    if times and origin is not None and len(times) == len(packets):
        found[f"{label} first"] = round(times[0] - origin, 6)
        found[f"{label} times"] = [round(t - times[0], 6) for t in times]
        found[f"{label} decoding times"] = [round(float(p["dts_time"]) - times[0], 6) for p in packets if "dts_time" in p]
    found[f"{label} durations"] = [round(float(p.get("duration_time", 0)), 6) for p in packets]
    found[f"{label} key frames"] = [i for i, p in enumerate(packets) if "K" in p.get("flags", "")]
    if label != "video0":
        found[f"{label} data"] = [p.get("data_hash") for p in packets]
        found[f"{label} skipped samples"] = [
            (i, s.get("skip_samples"), s.get("discard_padding")) for i, p in enumerate(packets) for s in p.get("side_data_list", [])
            if s.get("side_data_type") == "Skip Samples"]
    return found


def texts(packets: list[dict]) -> list[dict]:
    """The packets of timed text that have a text, each with its duration: until the next packet, which may be an empty one."""
    timed = [p for p in packets if "pts_time" in p]
    for packet, later in zip(timed, timed[1:]):
        packet["duration_time"] = str(float(later["pts_time"]) - float(packet["pts_time"]))
    return [p for p in packets if int(p["size"]) > 2]


def decode(paths: list[Path], folder: Path) -> list[dict[str, object]]:
    """The checksums of all frames and samples of some files, and whether decoding them gives messages: facts of each file.

    One run of ffmpeg decodes all files; where that gives messages, each is decoded alone.
    """
    outputs = [folder / f"{path.name}.hash" for path in paths]
    command: list[str | Path] = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    for path in paths:
        command += ["-i", path]
    for number, output in enumerate(outputs):
        command += ["-map", f"{number}:V?", "-map", f"{number}:a?", "-fps_mode", "passthrough", "-f", "framehash", "-hash", "crc32", output]
    status, _, messages = run(command)
    if status == 0 and not messages.strip():
        return [decoded_facts(output, "") for output in outputs]
    if len(paths) > 1:
        return [decode([path], folder)[0] for path in paths]
    return [decoded_facts(outputs[0], messages)]


def similarity(one: Path, other: Path) -> float:
    """The PSNR of two videos in decibels, 100 for equal ones; 0 if they cannot be compared."""
    status, _, messages = run(["ffmpeg", "-nostdin", "-i", one, "-i", other, "-filter_complex",
                               "[0:V:0]setpts=N,format=yuv420p[a];[1:V:0]setpts=N,format=yuv420p[b];[a][b]psnr", "-f", "null", "-"])
    found = re.search(r"PSNR y:\S+ u:\S+ v:\S+ average:(\S+)", messages)
    return 0 if status != 0 or not found else min(100, float(found[1]))


def decoded_facts(hashes: Path, messages: str) -> dict[str, object]:
    found: dict[int, list[str]] = {}
    for line in hashes.read_text().splitlines() if hashes.exists() else []:
        if not line.startswith("#"):
            fields = [field.strip() for field in line.split(",")]
            found.setdefault(int(fields[0]), []).append(fields[5])
    # The names of what reports, with their addresses in memory, are left out, and what newer FFmpegs add about the output.
    lines = sorted({re.sub(r"\[[^]]* @ 0x[0-9a-f]+\] ", "", line) for line in messages.splitlines()
                    if "opening output" not in line and "Last message repeated" not in line})
    return {"decoded counts": {index: len(frames) for index, frames in sorted(found.items())},
            "decoded frames": found.get(0, []), "decoded sound": [frames for index, frames in sorted(found.items()) if index],
            "messages when decoded": lines[:3]}

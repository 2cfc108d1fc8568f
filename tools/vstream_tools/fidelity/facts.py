"""The facts of a file that can be compared with another's: its streams, packets, decoded frames, tags and chapters."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from .conversions import Case, copied_streams, main_video
from .running import run

# Members of a stream that are compared as they are.
MEMBERS = {
    "video": ["width", "height", "pix_fmt", "sample_aspect_ratio", "field_order", "color_range", "color_space", "color_transfer",
              "color_primaries", "chroma_location", "profile", "codec_tag_string", "has_b_frames"],
    "audio": ["sample_rate", "channels", "channel_layout", "profile", "codec_tag_string", "extradata_hash"],
}
# Tags that every muxer writes by itself.
OWN_TAGS = re.compile(
    "encoder|software|major_brand|minor_version|compatible_brands|duration|handler_name|vendor_id|language|metadatacreator|"
    "has(video|audio|metadata|keyframes)|canseektoend|(data|video|audio)size|last(timestamp|keyframetimestamp|keyframelocation)|"
    "(generation_)?uid|modification_date|(material|file)_package_umid|product_uid|(product|toolkit)_version_num|application_platform|"
    "operational_pattern_ul|service_(name|provider)|(_statistics|bps|number_of_).*")


def tags(entry: dict) -> dict[str, str]:
    return {key.lower(): value for key, value in sorted(entry.get("tags", {}).items(), key=lambda pair: pair[0].lower())
            if not OWN_TAGS.fullmatch(key.lower())}


def first_time(packets: list[dict]) -> float | None:
    return min((float(p["pts_time"]) for p in packets if "pts_time" in p), default=None)


def seconds(text: str | None) -> float | None:
    return None if text in (None, "N/A") else float(text or 0)


def facts(data: dict) -> dict[str, object]:
    """The facts of a file, of which ffprobe's description is given."""
    if not data.get("streams"):
        return {}
    streams = sorted(data["streams"], key=lambda s: s["index"])
    kinds = [(s["codec_type"], s.get("codec_name")) for s in streams]
    form = data["format"]["format_name"]
    if form == "flv":
        # It has no list of streams: their order follows from the first packets.
        kinds.sort(key=str)
        streams.sort(key=lambda s: (s["codec_type"] != "video", int(s.get("id", "0"), 16)))
    packets: dict[int, list[dict]] = {s["index"]: [] for s in streams}
    for packet in data.get("packets", []):
        packets[packet["stream_index"]].append(packet)
    origin = first_time(packets[streams[0]["index"]])
    found: dict[str, object] = {"streams": kinds, "starts at": origin}
    counts: dict[str, int] = {}
    for stream in streams:
        kind = stream["codec_type"]
        counts[kind] = counts.get(kind, -1) + 1
        found |= {f"{kind}{counts[kind]} {member}": value for member, value in stream_facts(
            stream, packets[stream["index"]], origin, is_main=kind == "video" and counts[kind] == 0).items()}
    found["chapters"] = [(round(float(c["start_time"]), 2), round(float(c["end_time"]), 2), c.get("tags", {}).get("title"))
                         for c in data.get("chapters", [])]
    found["tags"] = tags(data["format"])
    if form != "mpegts":  # whose duration is estimated
        found["duration"] = seconds(data["format"].get("duration"))
    return found


def stream_facts(stream: dict, packets: list[dict], origin: float | None, *, is_main: bool) -> dict[str, object]:
    kind = stream["codec_type"]
    if stream.get("codec_name") == "mov_text":
        packets = texts(packets)
    found: dict[str, object] = {
        "language": stream.get("tags", {}).get("language", "und"), "tags": tags(stream),
        "disposition": sorted(name for name, value in stream.get("disposition", {}).items() if value), "packets": len(packets),
        "side data": sorted(f"{s['side_data_type']} {s.get('rotation', '')}" for s in stream.get("side_data_list", [])
                            if s["side_data_type"] != "CPB properties"),
        "key frames": [i for i, p in enumerate(packets) if "K" in p.get("flags", "")]}
    for member in MEMBERS.get(kind, []):
        # Pixels of unknown shape are shown as squares.
        found[member] = stream.get(member, "1:1" if member == "sample_aspect_ratio" else None)
    found |= {"extradata": stream.get("extradata_hash")} if kind == "attachment" else {}
    times = sorted(float(p["pts_time"]) for p in packets if "pts_time" in p)
    found["untimed packets"] = len(packets) - len(times)
    found["durations"] = [round(float(p.get("duration_time", 0)), 6) for p in packets]
    if times and origin is not None and len(times) == len(packets):
        found["first"] = round(times[0] - origin, 6)
        found["times"] = [round(time - times[0], 6) for time in times]
        found["decoding times"] = [round(float(p["dts_time"]) - times[0], 6) for p in packets if "dts_time" in p]
    if not is_main:
        found["data"] = [p.get("data_hash") for p in packets]
        found["skipped samples"] = [(i, s.get("skip_samples"), s.get("discard_padding")) for i, p in enumerate(packets)
                                    for s in p.get("side_data_list", []) if s.get("side_data_type") == "Skip Samples"]
    return found


def texts(packets: list[dict]) -> list[dict]:
    """The packets of timed text that have a text, each with its duration: until the next packet, which may be an empty one."""
    timed = [p for p in packets if "pts_time" in p]
    for packet, later in pairwise(timed):
        packet["duration_time"] = str(float(later["pts_time"]) - float(packet["pts_time"]))
    return [p for p in packets if int(p["size"]) > 2]


def hidden_seconds(source: dict) -> float:
    """Seconds of a file's sound that precede its start, or 0: the encoder's delay, and those that an edit list cuts off."""
    start, first = seconds(source["format"].get("start_time")), first_time(source["packets"])
    return 0.0 if start is None or first is None else max(start, 0.0) - min(first, max(start, 0.0))


def expected_facts(source: dict, case: Case, encoded: dict[int, str]) -> dict[str, object]:
    """The facts of the part of the input that is converted, of which the output can have others only for a reason."""
    streams, stated, skip, length = source["streams"], source["format"], case.skip, case.length
    written = [main_video(streams), *sorted({*copied_streams(streams, case.container), *encoded})]
    start = seconds(stated.get("start_time"))
    begin = max(0.0, start or 0.0) + skip
    packets = []
    for packet in source["packets"]:
        index = packet["stream_index"]
        if stated["format_name"] == "avi" and "dts_time" in packet:
            packet = {"pts_time": packet["dts_time"]} | packet  # AVI counts frames as they are decoded
        if index not in written or "D" in packet.get("flags", "") or int(packet["size"]) == 0:
            continue  # not shown
        time = float(packet.get("pts_time", begin))
        if (not skip or time >= begin - 1e-4) and (not length or time < begin + length - 1e-4):
            moved = {name: str(float(packet[name]) - begin) for name in ("pts_time", "dts_time") if name in packet}
            packets.append(packet | moved | {"stream_index": written.index(index)})
    whole = seconds(stated.get("duration"))
    if whole is not None and stated["format_name"].startswith("matroska"):
        whole -= max(0.0, start or 0.0)  # libav takes the time of its end for the duration
    ends = [time for time in (length, whole and whole - skip) if time]
    chapters = [{"start_time": max(0.0, float(c["start_time"]) - begin), "end_time": min([float(c["end_time"]) - begin, *ends[:1]]),
                 "tags": c.get("tags", {})} for c in source.get("chapters", [])
                if float(c["end_time"]) > begin and (not length or float(c["start_time"]) < begin + length)]
    found = facts({"streams": [streams[index] | {"index": number} for number, index in enumerate(written)], "packets": packets,
                   "chapters": chapters, "format": stated})
    return found | ({"duration": min(ends)} if ends else {})


def decode(paths: list[Path], folder: Path) -> list[dict[str, object]]:
    """The checksums of all frames and samples of some files, and the messages of decoding them: facts of each file.

    One run of ffmpeg decodes all files; where that gives messages, each is decoded alone.
    """
    outputs = [folder / f"{path.name}.hash" for path in paths]
    command: list = ["ffmpeg", "-nostdin", "-v", "error", "-y", *(word for path in paths for word in ("-i", path))]
    for number, output in enumerate(outputs):
        command += ["-map", f"{number}:V?", "-map", f"{number}:a?", "-fps_mode", "passthrough", "-f", "framehash", "-hash", "crc32"]
        command.append(output)
    done = run(command) if paths else None
    if len(paths) > 1 and done and (done.status != 0 or done.errors.strip()):
        return [decode([path], folder)[0] for path in paths]
    return [decoded_facts(output, done.errors if done else "") for output in outputs]


def decoded_facts(hashes: Path, messages: str) -> dict[str, object]:
    found: dict[int, list[str]] = {}
    for line in hashes.read_text().splitlines() if hashes.exists() else []:
        if not line.startswith("#"):
            fields = [field.strip() for field in line.split(",")]
            found.setdefault(int(fields[0]), []).append(fields[5])
    # Without the names of the reporting parts, with their addresses in memory, and the messages of newer FFmpegs on the output.
    lines = sorted({re.sub(r"\[[^]]* @ 0x[0-9a-f]+\] ", "", line) for line in messages.splitlines()
                    if "opening output" not in line and "Last message repeated" not in line})
    return {"decoded counts": {index: len(frames) for index, frames in sorted(found.items())}, "decoded frames": found.get(0, []),
            "decoded sound": [frames for index, frames in sorted(found.items()) if index], "messages when decoded": lines[:3]}

"""Compares two versions of the program on many command lines: records, video, statistics and exit codes.

    scripts/checks/compare-versions [--base COMMIT | --base-binary FILE] [--only TEXT] [--list] [--keep FOLDER]

The base is the given commit, checked out and built in .build-versions, or a built program. The other version is
VSTREAM_BINARY, else the release build of this checkout. Each case of tools/vstream_tools/checks/versions.py runs once with either
program, in a folder of its own. Compared are exit codes, the names of the files written, and their contents: text and records
by bytes, videos by streams, packets' times and decoded frames, statistics without times. Texts for people are not compared.
Exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ..common import ROOT, fail, log, prepare_vstream, vstream_path
from .versions import CASES, Case, make_inputs

DEFAULT_BASE = "d8fd147"
TIME_LIMIT = 300  # seconds for one command
PARALLEL_CASES = 2
VIDEO_SUFFIXES = {".mkv", ".mp4", ".mov", ".ts", ".avi", ".gif", ".png", ".jpg"}
# Members of the statistics that depend on time, memory or the load of the machine.
MEASURED = {"wallSeconds", "fps", "firstFrameSeconds", "peakRSSBytes", "cpuSeconds", "framesWaiting", "stages", "latency"}
# Members of `bench` that exist only with the counter of allocations.
OPTIONAL_KEYS = {"bench.allocationsPerFrame"}


# --- Programs ---


def build_base(commit: str) -> Path:
    """Builds a commit in a work tree of its own, with this checkout's dependencies."""
    tree = ROOT / ".build-versions" / commit
    program = tree / ".build/release/vstream"
    if program.exists():
        return program
    log(f"building {commit} in {tree.relative_to(ROOT)}…")
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", tree, commit], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    if not (tree / ".deps").exists():
        (tree / ".deps").symlink_to(ROOT / ".deps")
    build = subprocess.run(["swift", "build", "-c", "release", "--product", "vstream"], cwd=tree, stdout=sys.stderr)
    return program if build.returncode == 0 else fail(f"{commit} could not be built")


@dataclass
class Result:
    """The results of a case's commands: exit codes, standard outputs, and files, all in a comparable form."""

    statuses: list[int] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)


def run_case(case: Case, program: Path, inputs: dict[str, Path], folder: Path, cache: Path) -> Result:
    result = Result()
    folder.mkdir(parents=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "VSTREAM_MODELS": str(ROOT / ".deps/models"),
                   "VSTREAM_OPENVINO": str(ROOT / ".deps/openvino/libs")}
    for number, command in enumerate(case.commands):
        words = [word.format(**inputs) for word in shlex.split(command)]
        output = folder.parent / f"{folder.name}-output-{number}{'.mkv' if case.output == 'video' else ''}"
        with open(output, "wb") as standard_output, open(folder.parent / f"{folder.name}-errors-{number}", "wb") as errors, \
                open(inputs[case.standard_input] if case.standard_input else os.devnull, "rb") as standard_input:
            process = subprocess.Popen([program, *words], cwd=folder, env=environment, stdin=standard_input, stdout=standard_output,
                                       stderr=errors)
            if case.interrupt_when:
                interrupt(process, folder / case.interrupt_when)
            result.statuses.append(wait(process))
        if case.output != "ignored":
            result.parts[f"standard output {number + 1}"] = comparable_output(case.output, output)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        result.parts[name] = "" if name in case.unstable else comparable_file(path)
    return result


def wait(process: subprocess.Popen) -> int:
    try:
        return process.wait(TIME_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def interrupt(process: subprocess.Popen, file: Path) -> None:
    """Sends SIGINT once the output file has contents."""
    end = time.monotonic() + TIME_LIMIT
    while process.poll() is None and time.monotonic() < end and not (file.exists() and file.stat().st_size):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)


# --- Comparable forms ---


def comparable_output(kind: str, path: Path) -> str:
    match kind:
        case "video":
            return video(path)
        case "keys":
            return "\n".join(sorted(keys(json.loads(path.read_text())) - OPTIONAL_KEYS))
        case "options":
            return "\n".join(re.findall(r"^  (?:-\w, )?(--[\w-]+)", path.read_text(), re.MULTILINE))
        case "names":
            return "\n".join(re.findall(r"^([\w-]+) \(", path.read_text(), re.MULTILINE))
        case _:
            return path.read_text()


def comparable_file(path: Path) -> str:
    if path.suffix in VIDEO_SUFFIXES:
        return video(path)
    if path.suffix == ".json":
        contents = json.loads(path.read_text())
        if "wallSeconds" in contents:
            return as_text({name: value for name, value in contents.items() if name not in MEASURED})
        if contents.get("type") == "receipt":
            # Containers have random identifiers, so that only the agreement with the file can be compared.
            written = path.parent / contents["output"]
            contents["outputSHA256"] = contents["outputSHA256"] == hashlib.sha256(written.read_bytes()).hexdigest()
            return as_text(contents)
    return path.read_text(errors="surrogateescape")


def as_text(contents: dict) -> str:
    return "\n".join(f"{name}: {json.dumps(value)}" for name, value in contents.items())


def keys(value: object, prefix: str = "") -> set[str]:
    """The paths of all members of a JSON document."""
    if isinstance(value, dict):
        return {prefix + name for name in value} | {key for name, part in value.items() for key in keys(part, f"{prefix}{name}.")}
    if isinstance(value, list):
        return {key for part in value for key in keys(part, f"{prefix}[].")}
    return set()


def video(path: Path) -> str:
    """Streams, packets' times and sizes of copied streams, and a checksum of each decoded frame."""
    streams = tool("ffprobe", "-v", "error", "-show_entries", "stream=index,codec_name,codec_type,pix_fmt,width,height,field_order,"
                   "color_range,color_space,sample_aspect_ratio,time_base:stream_side_data=rotation:stream_disposition=default",
                   "-of", "compact", path)
    frames = tool("ffmpeg", "-v", "error", "-noautorotate", "-i", path, "-map", "0:v?", "-fps_mode", "passthrough", "-f", "framemd5", "-")
    copied = tool("ffmpeg", "-v", "error", "-i", path, "-map", "0", "-map", "-0:v", "-c", "copy", "-f", "framemd5", "-") \
        if re.search("codec_type=(audio|subtitle)", streams) else ""
    return "\n".join([streams, re.sub(r"^#software.*\n", "", frames, flags=re.MULTILINE),
                      re.sub(r"^#software.*\n", "", copied, flags=re.MULTILINE)])


def tool(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout + (f"unreadable: {done.stderr.splitlines()[-1:]}" if done.returncode else "")


# --- Comparison ---


def differences(case: Case, base: Result, current: Result) -> list[str]:
    found = []
    if base.statuses != current.statuses:
        found.append(f"exit codes {base.statuses} and {current.statuses}")
    if current.statuses[-1] != case.status:
        found.append(f"exit code {current.statuses[-1]}, expected {case.status}")
    for name in sorted(base.parts.keys() | current.parts.keys()):
        if name not in current.parts or name not in base.parts:
            found.append(f"{name}: written by {'the base' if name in base.parts else 'this version'} only")
        elif base.parts[name] != current.parts[name]:
            found.append(f"{name}: {first_difference(base.parts[name], current.parts[name])}")
    return found


def first_difference(base: str, current: str) -> str:
    before, after = base.splitlines(), current.splitlines()
    for number, (one, other) in enumerate(zip(before, after), 1):
        if one != other:
            start = max(0, next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other))) - 30)
            return f"line {number}: …{one[start:start + 70]}… and …{other[start:start + 70]}…"
    return f"{len(before)} and {len(after)} lines" if len(before) != len(after) else "line ends"


def compare(case: Case, programs: tuple[Path, Path], inputs: dict[str, Path], folder: Path) -> list[str]:
    base, current = (run_case(case, program, inputs, folder / name, folder.parent / "cache")
                     for name, program in zip(("base", "current"), programs, strict=True))
    return differences(case, base, current)


def compare_all(cases: list[Case], programs: tuple[Path, Path], folder: Path) -> int:
    """Prints the table, and returns the number of cases that differ."""
    inputs = make_inputs(folder)
    failed = 0
    with ThreadPoolExecutor(PARALLEL_CASES) as pool:
        folders = [folder / f"case-{number}" for number in range(len(cases))]
        for case, found in zip(cases, pool.map(lambda pair: compare(pair[0], programs, inputs, pair[1]), zip(cases, folders))):
            failed += bool(found)
            print(f"{'DIFFERS' if found else 'same':8} {case.name:42} {(case.commands[-1] or '(none)')[:100]}", flush=True)
            for difference in found:
                print(f"{'':9}{difference}")
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default=DEFAULT_BASE, metavar="COMMIT", help=f"the commit to compare with [{DEFAULT_BASE}]")
    parser.add_argument("--base-binary", type=Path, metavar="FILE", help="a built program instead of a commit")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases whose names contain this")
    parser.add_argument("--list", action="store_true", help="list the cases")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all outputs in this folder, which must not exist")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in case.name] or fail(f"no case's name contains '{options.only}'", 64)
    if options.list:
        for case in cases:
            print(f"{case.name:42} {' ; '.join(case.commands)}")
        return
    prepare_vstream()
    programs = ((options.base_binary or build_base(options.base)).resolve(), vstream_path().resolve())
    folder = options.keep.resolve() if options.keep else Path(tempfile.mkdtemp(prefix="vstream-versions-"))
    folder.mkdir(exist_ok=not options.keep, parents=True)
    start = time.monotonic()
    try:
        failed = compare_all(cases, programs, folder)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{len(cases)} cases, {failed} differ ({time.monotonic() - start:.0f} s)")
    sys.exit(failed > 0)

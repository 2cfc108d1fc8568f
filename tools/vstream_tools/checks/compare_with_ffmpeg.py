"""Compares vstream's handling of files with ffmpeg's over seeded combinations of inputs and outputs.

Each case is a short input, made by ffmpeg or one of SampleVideos, and an output. Its video is re-encoded by `vstream --detect none`
and by `ffmpeg` with the same encoder and settings, everything else is copied. Compared are the streams, their codecs, languages,
dispositions and tags; the times, durations, key frames and checksums of packets; the checksums of decoded frames and samples;
shape, colours and rotation; chapters, tags, duration; warnings, and messages when the file is decoded. A difference is printed as
`case: fact: ffmpeg's value | vstream's value`. Of the first differences, simpler cases are searched for.

Differences that are intended are rows of tools/vstream_tools/fidelity/intended.py, each with its reason; printed is how many each
explains. Exit status: 0 if every difference is intended, otherwise 1. The program is VSTREAM_BINARY, else the release build of this
checkout. A whole run takes some ten minutes on two idle cores; with --seconds, the cases that the time suffices for are compared.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ..common import ffmpeg_version
from ..fidelity.conversions import (
    CONSTANT_RATE,
    Case,
    copied_streams,
    groups,
    is_interlaced,
    main_video,
    reference_options,
    vstream_options,
)
from ..fidelity.facts import decode, expected_facts, facts
from ..fidelity.inputs import Input
from ..fidelity.intended import INTENDED, Difference, Result, near
from ..fidelity.running import probe, run, similarity
from ..fidelity.suite import Outcome, Suite, option_parser

# The rows of this version of FFmpeg.
ROWS = [row for row in INTENDED if row.since <= ffmpeg_version()]
# Seconds by which two times may differ: rounding to the millisecond in different places.
TOLERANCE = 0.0011
# The last line of a run: "out.mp4: 25 frames in 0.1 s (…)".
SUMMARY = re.compile(r": \d+ frames? in [\d.]+ s")
# The facts of properties that warnings name.
PROPERTIES = {"language": ".* language", "colour description": ".* color_(space|transfer|primaries)", "(exact )?pixel aspect ratio":
              ".* sample_aspect_ratio", "disposition": ".* disposition"}
CONVERSION = re.compile(r"stream #(\d+) \(.*\) is encoded as (\w+): \w+ cannot hold it as it is")


def compared(group: tuple[Case, ...], program: Path, materials: Path, folder: Path) -> list[Result]:
    """Makes the input of a group, converts it to all outputs, and compares them."""
    source = group[0].source.make(materials, folder)
    data = probe(source) if source else {}
    if not source or not any(stream["codec_type"] == "video" for stream in data.get("streams", [])):
        return [Result(case, data, is_refused_by_ffmpeg=True) for case in group]
    results = [converted(program, case, data, source, folder / f"{number}-vstream.{case.container}")
               for number, case in enumerate(group)]
    references = [folder / f"{number}-ffmpeg.{case.container}" for number, case in enumerate(group)]
    if not convert_with_ffmpeg(results, references, source) and len(results) > 1:
        for result, reference in zip(results, references):
            convert_with_ffmpeg([result], [reference], source)
    both = [(result, folder / reference.name.replace("ffmpeg", "vstream"), reference)
            for result, reference in zip(results, references) if not result.is_refused_by_ffmpeg and result.status == 0]
    decoded = iter(decode([path for _, target, reference in both for path in (target, reference)], folder))
    for result, target, reference in both:
        add_facts(result, source, target, reference, next(decoded), next(decoded))
    return results


def converted(program: Path, case: Case, data: dict, source: Path, target: Path) -> Result:
    """vstream's conversion."""
    command = [program, "-" if case.from_pipe else source, "-o", "-" if case.piped else target, *vstream_options(case)]
    done = run(command, pipe=source if case.from_pipe else None, output=target if case.piped else None)
    messages = done.errors.replace(str(target), "OUTPUT").replace(str(source), "INPUT")
    lines = [line for line in messages.splitlines() if not SUMMARY.search(line)]
    encoded = {int(found[1]): found[2] for line in lines if (found := CONVERSION.search(line))}
    line = shlex.join(map(str, command)) + f" < {source}" * case.from_pipe + f" > {target}" * case.piped
    return Result(case, data, done.status or int(not target.exists()), lines, encoded, commands=[line], is_timeout=done.is_timeout)


def convert_with_ffmpeg(results: list[Result], targets: list[Path], source: Path) -> bool:
    """Converts an input to the outputs of several cases in one run."""
    case = results[0].case
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *(["-ss", f"{case.skip:g}"] if case.skip else []),
               *(["-t", f"{case.length:g}"] if case.length else []), "-i", "pipe:0" if case.from_pipe else str(source)]
    options = [reference_options(result.case, result.source["streams"], result.encoded, str(target))
               for result, target in zip(results, targets)]
    is_done = run([*command, *(word for chosen in options for word in chosen)], pipe=source if case.from_pipe else None).status == 0
    for result, chosen in zip(results, options):
        result.is_refused_by_ffmpeg = not is_done
        result.commands[1:] = [shlex.join([*command, *chosen]) + f" < {source}" * case.from_pipe]
    return is_done


def add_facts(result: Result, source: Path, target: Path, reference: Path, decoded: dict, decoded_reference: dict) -> None:
    one = result.reference = facts(probe(reference)) | decoded_reference | {"warnings": []}
    other = result.ours = facts(probe(target)) | decoded
    result.expected = expected_facts(result.source, result.case, result.encoded)
    other["warnings"] = unexpected_warnings(result)
    if one["decoded frames"] != other["decoded frames"] and one["decoded counts"] == other["decoded counts"]:
        similar = similarity(reference, target)
        one["decoded frames"], other["decoded frames"] = 100.0, similar
        if (similar < 35 or result.case.container in CONSTANT_RATE) and not result.case.skip:
            one["likeness"], other["likeness"] = similarity(source, reference), similarity(source, target)
    if result.case.piped:
        # Written without going back to the header, and in AVI without an index.
        for found in (one, other):
            found["duration"] = found["video0 key frames"] = None


def unexpected_warnings(result: Result) -> list[str]:
    """The warnings that are not due: neither of losses of both outputs, nor of properties that the output has not kept, nor of
    the video's form."""
    streams, video, ours, expected = result.source["streams"], main_video(result.source["streams"]), result.ours, result.expected
    copied = {video, *copied_streams(streams, result.case.container)}
    due = [rf"stream #{stream['index']} \(.* is (omitted|encoded as \w+): " for stream in streams if stream["index"] not in copied]
    due += [rf"does not support {re.escape(streams[video].get('pix_fmt', ''))}: encoded as "]
    are_chapters_lost = bool(expected["chapters"]) and not result.reference.get("chapters")
    due += [r"the (chapter is|\d+ chapters are) omitted, as "] * are_chapters_lost
    due += [r"tags? omitted, as "] if expected["tags"].keys() - result.reference.get("tags", {}).keys() else []
    due += ["the timecode is not kept: "] if not any(fact.endswith("tags") and "timecode" in ours[fact] for fact in ours) else []
    due += [rf"the {name}.*is not kept: " for name, facts_of in PROPERTIES.items()
            if any(re.fullmatch(facts_of, fact) and value != ours.get(fact) for fact, value in expected.items())]
    due += [r"of \d+ videos, stream #\d+ .* is processed"] if sum(one["codec_type"] == "video" for one in streams) > 1 else []
    due += [r"the delay of stream #\d+, \d+ ms, is not kept: "] + ["interlaced input is deinterlaced"] * is_interlaced(streams)
    return [line for line in result.lines if not any(re.search(pattern, line) for pattern in due)]


def differences(result: Result) -> list[Difference]:
    """The facts that differ, without those that must as others do."""
    if not result.reference:
        result.reference, result.ours = {"exit status": 0}, {"exit status": (result.status, result.lines[-1:])}
    one, other = result.reference, result.ours
    found = [fact for fact in {**one, **other} if fact != "likeness" and not near(one.get(fact), other.get(fact), TOLERANCE)]
    return [Difference(result, fact) for fact in found if not follows(fact, found)]


def follows(fact: str, differing: list[str]) -> bool:
    """Whether a fact must differ because another one does, which is reported instead."""
    stream, _, member = fact.partition(" ")
    of_whole = fact in {"duration", "decoded counts", "decoded frames", "decoded sound"}
    if "streams" in differing:
        return of_whole or stream[-1:].isdigit()
    if f"{stream} packets" in differing:
        return member in {"times", "decoding times", "durations", "key frames", "data", "untimed packets", "skipped samples"}
    if any(other.endswith(" packets") for other in differing):
        return of_whole
    return member in {"decoding times", "durations"} and f"{stream} times" in differing


def brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 160 else f"{text[:80]} … {text[-60:]}"


def judged(number: int, result: Result) -> Outcome:
    """The differences that are not intended, and as details the rows that apply to the others."""
    findings: dict[str, str] = {}
    used: Counter[str] = Counter()
    for each in [] if result.is_refused_by_ffmpeg else differences(result):
        rows = [row.name for row in ROWS if row.applies(each)]
        used.update(rows)
        if not rows:
            findings[each.fact] = f"{result.case.name}: {each.fact}: {brief(each.ffmpeg)} | {brief(each.vstream)}"
    return Outcome(number, result.case, findings, result.commands, result.is_timeout, (result, used))


def check(suite: Suite, number: int, group: tuple[Case, ...] | Case, folder: Path) -> list[Outcome]:
    """Compares the cases of a group, or one that was given."""
    given = (group,) if isinstance(group, Case) else group
    return [judged(number, result) for result in compared(given, suite.options.program, suite.materials, folder)]


def report(outcomes: Iterable[Outcome]) -> int:
    """Counts and prints the results. Returns the exit status."""
    counts: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for outcome in outcomes:
        result, rows = outcome.details
        counts["refused by ffmpeg" if result.is_refused_by_ffmpeg else "compared"] += 1
        differing.update(f"{result.case.container}: {fact}" for fact in outcome.findings)
        used.update(rows)
    for row in ROWS:
        print(f"  intended {used[row.name]:6} {row.name}: {row.reason}")
    for kind, count in differing.most_common():
        print(f"  DIFFERS  {count:6} {kind}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if differing else 0


def main() -> None:
    suite = Suite("compare-with-ffmpeg", option_parser(__doc__, 2400).parse_args(), groups(), check)
    left, cases = suite.options.cases, []
    while left > 0:
        group = suite.drawn(len(cases))[:left]
        cases.append((len(cases), group))
        left -= len(group)
    cases = [(number, chosen) for number, group in cases if (chosen := tuple(case for case in group if suite.options.only in case.name))]
    suite.finish(report(suite.outcomes(cases, Case, Input)))

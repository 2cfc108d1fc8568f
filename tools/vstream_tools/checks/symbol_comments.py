"""Checks a symbol graph of the library: the types that its users need are in it, and what they read has a comment.

    symbol_comments.py VStream.symbols.json

Types, properties and methods need one. Initialisers, cases and operators whose names say all do not, nor do the members of
`Setting`, which are the names of properties.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

NEEDED = (
    "VideoFrame Box Point Time DetectedObject DetectedFace DetectedPose FrameAnnotations Observations VStreamError "
    "ObjectDetectorOptions FaceDetectorOptions PoseDetectorOptions TrackerOptions VideoPipeline.Options FrameDetector "
    "OverlayMark RecordReader RegionCounts TrackEvent RedactionOptions EncoderSettings"
).split()
KINDS = {"class", "struct", "enum", "protocol", "property", "type.property", "method", "type.method"}


def main() -> int:
    symbols = json.loads(Path(sys.argv[1]).read_text())["symbols"]
    names = {".".join(symbol["pathComponents"]) for symbol in symbols}
    problems = [f"{name} has no page" for name in NEEDED if name not in names]
    for symbol in symbols:
        name = ".".join(symbol["pathComponents"])
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        is_synthesised = "::SYNTHESIZED::" in symbol["identifier"]["precise"]
        if kind in KINDS and "docComment" not in symbol and not is_synthesised and not name.startswith("Setting."):
            problems.append(f"{name} has no comment")
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    return 70 if problems else 0

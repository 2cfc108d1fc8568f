"""Checks a symbol graph of the library: it has the types that users need, and each has a comment: checks/symbol-comments FILE.json

Types, properties and methods need one. Initialisers, cases and operators, whose names say all, do not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ..common import fail

NEEDED = (
    "VideoFrame Box Point Time DetectedObject DetectedFace DetectedPose FrameAnnotations Detections VStreamError "
    "ObjectDetectorOptions FaceDetectorOptions PoseDetectorOptions TrackerOptions VideoPipeline.Options FrameDetector "
    "OverlayMark RecordReader RegionCounts TrackEvent RedactionOptions EncoderSettings"
).split()
KINDS = {"class", "struct", "enum", "protocol", "property", "type.property", "method", "type.method"}


def main() -> None:
    symbols = [(".".join(symbol["pathComponents"]), symbol) for symbol in json.loads(Path(sys.argv[1]).read_text())["symbols"]]
    problems = [f"{name} has no page" for name in NEEDED if name not in dict(symbols)]
    problems += [f"{name} has no comment" for name, symbol in symbols
                 if symbol["kind"]["identifier"].removeprefix("swift.") in KINDS and "docComment" not in symbol
                 and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]
    if problems:
        fail("\n".join(problems), 70)

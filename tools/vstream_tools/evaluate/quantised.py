"""Compares the detections of the object model and of its 8-bit version.

    scripts/evaluate/quantised [CLIP…]       default: street.avi of SampleVideos, which the model was not calibrated on

vstream runs both models on every whole frame. A box with a score of at least 0.6 is matched if the other model has a box of its
class with a score of at least 0.4 and an IoU of at least 0.5. The output also has the fraction matched at a score of 0.6,
the mean IoU, and the mean difference of the scores.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from ..common import VIDEOS, frame_records, iou, parser, prepare_vstream

MODELS = ("ssd-mobilenet-v2", "ssd-int8")
MINIMUM_SCORE, MINIMUM_MATCHED_SCORE, MINIMUM_IOU = 0.6, 0.4, 0.5


def detections(clip: Path, model: str) -> list[list[dict]]:
    """All detections of a model, frame by frame."""
    records = frame_records(clip, "--detect", "objects", "--object-model", model, "--mode", "single-image", "--record-detections")
    return [record["detections"]["objects"] for record in records]


def compare(ones: list[list[dict]], others: list[list[dict]]) -> str:
    """The fraction of one model's boxes that the other model detects too."""
    count, matches = 0, []
    for one, other in zip(ones, others, strict=True):
        for box in (each for each in one if each["score"] >= MINIMUM_SCORE):
            count += 1
            same = [(overlap, each["score"]) for each in other if each["label"] == box["label"] and each["score"] >= MINIMUM_MATCHED_SCORE
                    and (overlap := iou(box["box"], each["box"])) >= MINIMUM_IOU]
            if same:
                overlap, score = max(same)
                matches.append((overlap, score - box["score"], max(score for _, score in same) >= MINIMUM_SCORE))
    if not matches:
        return f"{count} boxes, none matched"
    overlaps, changes, high = zip(*matches)
    return (f"{count} boxes, {len(matches) / count:.3f} matched, {sum(high) / count:.3f} with a score of {MINIMUM_SCORE} too; "
            f"mean IoU {mean(overlaps):.3f}, mean change of scores {mean(changes):+.3f}")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("clips", nargs="*", type=Path, default=[VIDEOS / "street.avi"], metavar="CLIP")
    clips = options.parse_args().clips
    prepare_vstream()
    for clip in clips:
        full, quantised = (detections(clip, model) for model in MODELS)
        print(f"{clip.name}: of {MODELS[0]}'s by {MODELS[1]}: {compare(full, quantised)}")
        print(f"{clip.name}: of {MODELS[1]}'s by {MODELS[0]}: {compare(quantised, full)}", flush=True)

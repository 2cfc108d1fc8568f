"""Compares the detections of the object model and of its 8-bit version.

    scripts/evaluate/quantised [CLIP…]       default: street.avi of SampleVideos, which the model was not calibrated on

vstream runs both models on every whole frame. A box with a score of at least 0.6 is matched if the other model has a box of its
class with a score of at least 0.4 and an IoU of at least 0.5. The output also has the fraction matched at a score of 0.6,
the mean IoU, and the mean difference of the scores.
"""

import sys
from pathlib import Path


from ..common import VIDEOS, frame_records, iou, prepare_vstream

MODELS = ("ssd-mobilenet-v2", "ssd-int8")
MINIMUM_SCORE, MINIMUM_MATCHED_SCORE, MINIMUM_IOU = 0.6, 0.4, 0.5

Box = tuple[str, float, list[float]]


def detections(clip: Path, model: str) -> list[list[Box]]:
    """Label, score and box of all detections of a model, frame by frame."""
    records = frame_records(clip, "--detect", "objects", "--object-model", model, "--mode", "single-image", "--record-detections")
    return [[(one["label"], one["score"], one["box"]) for one in record["detections"]["objects"]] for record in records]


def compare(ones: list[list[Box]], others: list[list[Box]]) -> str:
    """The fraction of one model's boxes that the other model detects too."""
    count = matched = matched_high = 0
    overlaps, changes = [], []
    for one, other in zip(ones, others, strict=True):
        for label, score, box in one:
            if score < MINIMUM_SCORE:
                continue
            count += 1
            same = [(iou(box, b), s) for name, s, b in other if name == label and s >= MINIMUM_MATCHED_SCORE and iou(box, b) >= MINIMUM_IOU]
            matched += bool(same)
            matched_high += any(s >= MINIMUM_SCORE for _, s in same)
            if same:
                overlap, other_score = max(same)
                overlaps.append(overlap)
                changes.append(other_score - score)
    if not count:
        return "no detections"
    return (f"{count} boxes, {matched / count:.3f} matched, {matched_high / count:.3f} with a score of {MINIMUM_SCORE} too; "
            f"mean IoU {sum(overlaps) / len(overlaps):.3f}, mean change of scores {sum(changes) / len(changes):+.3f}")


def main() -> None:
    clips = [Path(word) for word in sys.argv[1:]] or [VIDEOS / "street.avi"]
    prepare_vstream()
    for clip in clips:
        full, quantised = (detections(clip, model) for model in MODELS)
        print(f"{clip.name}: of {MODELS[0]}'s by {MODELS[1]}: {compare(full, quantised)}")
        print(f"{clip.name}: of {MODELS[1]}'s by {MODELS[0]}: {compare(quantised, full)}", flush=True)

"""Runs the object model from Python on tensors that vstream's tests wrote, and on frames that OpenCV read.

    record_reference.py TENSORS FIXTURES

TENSORS holds `CLIP-FRAME.tensor`: 300×300×3 32-bit floats each. Called by scripts/record-reference.
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np

import ssd_peer

VIDEOS = Path(__file__).parents[1] / "SampleVideos"
# Lower than the tests look, so that objects near their threshold are there on both sides.
MINIMUM_SCORE = 0.35
# As on vstream's side: the same results on every machine.
PROPERTIES = {"INFERENCE_PRECISION_HINT": "f32"}


def entry(clip: str, frame: int, tensor: np.ndarray, size: tuple[int, int], request) -> str:
    """What is found in one frame, as a line of JSON; boxes in pixels of a picture of `size`."""
    width, height = size
    objects = [
        {"label": label, "score": round(score, 5), "box": [round(float(n), 3) for n in (
            left * width, top * height, (right - left) * width, (bottom - top) * height)]}
        for label, score, (left, top, right, bottom) in ssd_peer.detect(request, tensor, MINIMUM_SCORE)
    ]
    mean = [round(float(m), 4) for m in tensor.mean(axis=(0, 1), dtype=np.float64)]
    return json.dumps({"clip": clip, "frame": frame, "mean": mean, "objects": objects}, separators=(",", ":"))


def opencv_frames(clip: str, wanted: list[int]):
    """The wanted frames of a clip, BGR, as OpenCV decodes them."""
    video = cv2.VideoCapture(str(VIDEOS / clip))
    for index in range(max(wanted) + 1):
        ok, picture = video.read()
        if not ok:
            sys.exit(f"record_reference: {clip} has no frame {index}")
        if index in wanted:
            yield index, picture


def main() -> None:
    tensors, fixtures = map(Path, sys.argv[1:])
    wanted: dict[str, list[int]] = {}
    for file in tensors.glob("*.tensor"):
        clip, frame = file.stem.rsplit("-", 1)
        wanted.setdefault(clip, []).append(int(frame))
    if not wanted:
        sys.exit("record_reference: the test wrote no tensors")

    request = ssd_peer.load(PROPERTIES)
    same, whole = [], []
    for clip in sorted(wanted):
        for frame, picture in opencv_frames(clip, sorted(wanted[clip])):
            given = np.fromfile(tensors / f"{clip}-{frame}.tensor", np.float32).reshape(ssd_peer.SIZE, ssd_peer.SIZE, 3)
            same.append(entry(clip, frame, given, (ssd_peer.SIZE, ssd_peer.SIZE), request))
            small = cv2.resize(picture, (ssd_peer.SIZE, ssd_peer.SIZE), interpolation=cv2.INTER_LINEAR)
            tensor = cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.float32)
            whole.append(entry(clip, frame, tensor, picture.shape[1::-1], request))

    fixtures.mkdir(exist_ok=True)
    for name, entries in {"same-tensor": same, "end-to-end": whole}.items():
        (fixtures / f"{name}.json").write_text('{"frames":[\n' + ",\n".join(entries) + "\n]}\n")
    print(f"recorded {len(same)} frames to {fixtures}")


if __name__ == "__main__":
    main()

"""Writes outputs of detectors as they might be, of each layout, and what NumPy reads in them, as JSON.

Called by scripts/record-layouts. Boxes are left, top, width and height in the pixels of the network's input.
"""

import json

import numpy as np

WIDTH, HEIGHT, CLASSES = 64, 40, 3
MINIMUM_SCORE = 0.3
random = np.random.default_rng(20)


def grid(strides: tuple[int, ...]) -> np.ndarray:
    """Column, row and stride of each cell."""
    cells = [(column, row, stride) for stride in strides
             for row in range(-(-HEIGHT // stride)) for column in range(-(-WIDTH // stride))]
    return np.array(cells, float)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logits))


def from_centers(boxes: np.ndarray) -> np.ndarray:
    return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]], axis=1)


def from_corners(boxes: np.ndarray) -> np.ndarray:
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def centers(count: int) -> np.ndarray:
    return random.uniform((0, 0, 4, 4), (WIDTH, HEIGHT, 30, 20), (count, 4)).round(2)


def corners(count: int) -> np.ndarray:
    first = random.uniform((0, 0), (WIDTH - 20, HEIGHT - 15), (count, 2))
    return np.concatenate([first, first + random.uniform(3, 15, (count, 2))], axis=1).round(2)


def scores(count: int) -> np.ndarray:
    """Most of them low, as they are."""
    return (random.uniform(0, 1, (count, CLASSES)) ** 6).round(4)


def yolox():
    cells = grid((8, 16, 32))
    offsets = np.concatenate([random.uniform(0, 1, (len(cells), 2)), random.uniform(-1, 1, (len(cells), 2))], 1).round(3)
    objectness, classes = random.uniform(0, 1, (len(cells), 1)).round(4), scores(len(cells))
    stride = cells[:, 2:]
    boxes = np.concatenate([(offsets[:, :2] + cells[:, :2]) * stride, np.exp(offsets[:, 2:]) * stride], axis=1)
    return [np.concatenate([offsets, objectness, classes], axis=1)[None]], objectness * classes, from_centers(boxes)


def yolov5():
    count = 3 * len(grid((8, 16, 32)))
    boxes, objectness, classes = centers(count), random.uniform(0, 1, (count, 1)).round(4), scores(count)
    return [np.concatenate([boxes, objectness, classes], axis=1)[None]], objectness * classes, from_centers(boxes)


def yolov8():
    count = len(grid((8, 16, 32)))
    boxes, classes = centers(count), scores(count)
    return [np.concatenate([boxes, classes], axis=1).T[None]], classes, from_centers(boxes)


def yolo_end_to_end():
    boxes, number, score = corners(30), random.integers(0, CLASSES, 30), random.uniform(0, 1, 30).round(4)
    table = np.zeros((30, CLASSES))
    table[np.arange(30), number] = score
    return [np.concatenate([boxes, score[:, None], number[:, None]], axis=1)[None]], table, from_corners(boxes)


def rt_detr_joined():
    boxes, classes = (centers(20) / (WIDTH, HEIGHT, WIDTH, HEIGHT)).round(5), scores(20)
    return ([np.concatenate([boxes, classes], axis=1)[None]], classes,
            from_centers(boxes * (WIDTH, HEIGHT, WIDTH, HEIGHT)))


def detr():
    boxes = (centers(20) / (WIDTH, HEIGHT, WIDTH, HEIGHT)).round(5)
    logits = random.normal(-2, 2, (20, CLASSES)).round(3)
    return [boxes[None], logits[None]], sigmoid(logits), from_centers(boxes * (WIDTH, HEIGHT, WIDTH, HEIGHT))


def rt_detr():
    boxes, number, score = corners(20), random.integers(0, CLASSES, 20), random.uniform(0, 1, 20).round(4)
    table = np.zeros((20, CLASSES))
    table[np.arange(20), number] = score
    return [number[None].astype(float), boxes[None], score[None]], table, from_corners(boxes)


def ssd():
    boxes, number, score = corners(20), random.integers(0, CLASSES, 20), random.uniform(0, 1, 20).round(4)
    shares = (boxes / (WIDTH, HEIGHT, WIDTH, HEIGHT)).round(5)
    table = np.zeros((20, CLASSES))
    table[np.arange(20), number] = score
    image = np.zeros((20, 1))
    image[15:] = -1  # the list ends before
    table[15:] = 0
    return ([np.concatenate([image, number[:, None], score[:, None], shares], axis=1)[None, None]], table,
            from_corners(shares * (WIDTH, HEIGHT, WIDTH, HEIGHT)))


def ssd_tensorflow():
    boxes, number, score = corners(20), random.integers(0, CLASSES, 20), random.uniform(0, 1, 20).round(4)
    shares = (boxes / (WIDTH, HEIGHT, WIDTH, HEIGHT)).round(5)
    table = np.zeros((20, CLASSES))
    table[np.arange(20), number] = score
    table[12:] = 0
    return ([shares[:, [1, 0, 3, 2]][None], number[None].astype(float), score[None], np.array([12.0])], table,
            from_corners(shares * (WIDTH, HEIGHT, WIDTH, HEIGHT)))


def nanodet_plus():
    cells = grid((8, 16, 32, 64))
    classes, bins = scores(len(cells)), random.normal(0, 2, (len(cells), 4, 8)).round(2)
    weights = np.exp(bins) / np.exp(bins).sum(axis=2, keepdims=True)
    left, top, right, bottom = (weights * np.arange(8)).sum(axis=2).T * cells[:, 2]
    x, y = cells[:, 0] * cells[:, 2], cells[:, 1] * cells[:, 2]
    boxes = np.stack([x - left, y - top, left + right, top + bottom], axis=1)
    return [np.concatenate([classes, bins.reshape(len(cells), 32)], axis=1)[None]], classes, boxes


def entry(layout: str, outputs: list[np.ndarray], table: np.ndarray, boxes: np.ndarray) -> dict:
    """A layout's outputs, and the boxes whose best class is scored high enough, in their order."""
    best, score = table.argmax(axis=1), table.max(axis=1)
    found = [{"class": int(best[i]), "score": round(float(score[i]), 5), "box": [round(float(n), 3) for n in boxes[i]]}
             for i in np.flatnonzero(score >= MINIMUM_SCORE)]
    return {"layout": layout, "width": WIDTH, "height": HEIGHT, "minimumScore": MINIMUM_SCORE, "found": found,
            "outputs": [{"shape": list(o.shape), "values": o.ravel().tolist()} for o in outputs]}


LAYOUTS = {"yolox": yolox, "yolov5": yolov5, "yolov8": yolov8, "yolo-end-to-end": yolo_end_to_end,
           "rt-detr-joined": rt_detr_joined, "detr": detr, "rt-detr": rt_detr, "ssd": ssd,
           "ssd-tensorflow": ssd_tensorflow, "nanodet-plus": nanodet_plus}
entries = ",\n".join(json.dumps(entry(name, *make()), separators=(",", ":")) for name, make in LAYOUTS.items())
print(f"[\n{entries}\n]")

"""Scenes of moving boxes with exact truth, and detections of them with exactly known faults: what trackers are measured on.

Each scene is a situation in which trackers lose or confuse objects. Objects are boxes that move along paths in
continuous time, some nearer than others; walls hide what is behind them. A frame is a moment of that. Each seed is
another scene of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

SIZE = (960, 540)  # width, height
SECONDS = 14
LEAST_VISIBLE = 0.25  # what is hidden more than that is neither detected nor counted

Path2D = Callable[[float], tuple[float, float]]  # a centre at a time in seconds


@dataclass(frozen=True)
class Thing:
    """Something that moves, or a wall that stands."""

    size: tuple[float, float]
    path: Path2D
    nearness: float  # what is nearer hides what is farther
    since: float = 0
    until: float = np.inf
    is_wall: bool = False

    def box(self, time: float, camera: tuple[float, float]) -> np.ndarray:
        """Left, top, right, bottom in the frame."""
        x, y = self.path(time)
        x, y = x + camera[0], y + camera[1]
        width, height = self.size
        return np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])


@dataclass(frozen=True)
class Detector:
    """What a detector gets wrong."""

    missed: float = 0.0  # probability that an object is not found
    weak: float = 0.04  # probability that its score is low for no reason
    jitter: float = 0.02  # standard deviation of the box's edges, as a share of its size
    false_boxes: float = 0.0  # mean number of boxes a frame where nothing is
    clutter: int = 0  # places where nothing is but a weak box appears again and again


@dataclass(frozen=True)
class Scene:
    things: list[Thing]
    times: np.ndarray  # of the frames, in seconds
    rate: float | None  # frames per second; None if it varies
    detector: Detector = field(default_factory=Detector)
    camera: Path2D = lambda time: (0.0, 0.0)


# --- Paths ---


def wobble(rng: np.random.Generator, strength: float) -> Callable[[float], float]:
    """A smooth function of time around 0."""
    waves = [(strength * rng.uniform(0.3, 1), rng.uniform(0.6, 3), rng.uniform(0, 2 * np.pi)) for _ in range(3)]
    return lambda time: sum(size * np.sin(speed * time + phase) for size, speed, phase in waves)


def walk(rng: np.random.Generator, start: tuple[float, float], velocity: tuple[float, float], since: float = 0) -> Path2D:
    """A walk in one direction, never quite even."""
    along, across = wobble(rng, 5), wobble(rng, 2)
    return lambda time: (
        start[0] + velocity[0] * (time - since) + along(time), start[1] + velocity[1] * (time - since) + across(time))


def zigzag(rng: np.random.Generator) -> Path2D:
    """A run that turns on the spot every 0.6 to 1.6 s, back or to the side, and stays in the frame."""
    place = np.array([rng.uniform(120, SIZE[0] - 120), rng.uniform(90, SIZE[1] - 90)])
    corners, time = [(0.0, place)], 0.0
    while time < SECONDS:
        duration = rng.uniform(0.6, 1.6)
        for _ in range(50):
            angle, speed = rng.uniform(0, 2 * np.pi), rng.uniform(80, 200)
            target = place + duration * speed * np.array([np.cos(angle), np.sin(angle)])
            if 40 < target[0] < SIZE[0] - 40 and 50 < target[1] < SIZE[1] - 50:
                place, time = target, time + duration
                corners.append((time, place))
                break
    moments = np.array([moment for moment, _ in corners])
    places = np.array([place for _, place in corners])
    return lambda t: (float(np.interp(t, moments, places[:, 0])), float(np.interp(t, moments, places[:, 1])))


def person(rng: np.random.Generator) -> tuple[float, float]:
    width = rng.uniform(28, 44)
    return width, width * rng.uniform(2.1, 2.6)


def wall(x: float, y: float, width: float, height: float) -> Thing:
    return Thing((width, height), lambda time: (x, y), 1e6, is_wall=True)


# --- Situations ---


def crossing(rng: np.random.Generator) -> list[Thing]:
    """Twelve who walk to and fro across each other's way."""
    things = []
    for number in range(12):
        size = person(rng)
        direction = 1 if number % 2 else -1
        speed = direction * rng.uniform(45, 110)
        y = rng.uniform(120, SIZE[1] - 120)
        x = SIZE[0] / 2 - speed * SECONDS / 2 * rng.uniform(0.6, 1)
        things.append(Thing(size, walk(rng, (x, y), (speed, rng.uniform(-14, 14))), y))
    return things


def occlusion(rng: np.random.Generator, seconds: float) -> list[Thing]:
    """Seven lanes with a wall each, which hides who walks there for a time; in every other lane two meet about there."""
    things = []
    for lane in range(7):
        size = person(rng)
        size = (size[0], min(size[1], 66))
        y = 45 + lane * 74
        speed = rng.uniform(55, 100) * rng.choice([-1, 1])
        middle = rng.uniform(380, 580)
        hidden_at = rng.uniform(4, 9)
        things.append(Thing(size, walk(rng, (middle - speed * hidden_at, y), (speed, 0)), y))
        width = size[0] + abs(speed) * seconds
        if lane % 2:
            other = -speed * rng.uniform(0.8, 1.25)
            met_at = hidden_at + rng.uniform(-1.5, 1.5)
            size = (size[0] * rng.uniform(0.8, 1), size[1] * rng.uniform(0.8, 1))
            things.append(Thing(size, walk(rng, (middle - other * met_at, y + 3), (other, 0)), y + 3))
        things.append(wall(middle, y, width, 72))
    return things


def edges(rng: np.random.Generator) -> list[Thing]:
    """Who walks out of the frame is followed by somebody else who comes in, soon and near by."""
    things = []
    for lane in range(8):
        size = person(rng)
        y = 70 + lane * 55
        left = bool(rng.integers(2))
        since = 0.0
        x = rng.uniform(200, 700)
        while since < SECONDS:
            speed = rng.uniform(70, 140) * (-1 if left else 1)
            edge = -size[0] / 2 if left else SIZE[0] + size[0] / 2
            leaves = since + (edge - x) / speed
            things.append(Thing(size, walk(rng, (x, y), (speed, 0), since), y, since, leaves + 0.5))
            # The next one turns about at half way, so that it leaves again where it came in.
            size = person(rng)
            since = leaves + rng.uniform(0.3, 1.2)
            if rng.integers(2):
                left = not left
                x = -size[0] / 2 if not left else SIZE[0] + size[0] / 2
            else:
                x = SIZE[0] + size[0] / 2 if left else -size[0] / 2
    return things


def turns(rng: np.random.Generator) -> list[Thing]:
    """Nine who run and turn abruptly."""
    return [Thing(person(rng), zigzag(rng), rng.uniform(0, 500)) for _ in range(9)]


def street(rng: np.random.Generator) -> list[Thing]:
    """A bit of everything: walkers to and fro, some standing, some turning, two posts and a van."""
    things = crossing(rng)[:8]
    for _ in range(3):
        x, y = rng.uniform(100, 860), rng.uniform(120, 420)
        drift = (wobble(rng, 3), wobble(rng, 1))
        things.append(Thing(person(rng), lambda time, x=x, y=y, d=drift: (x + d[0](time), y + d[1](time)), y))
    things += [Thing(person(rng), zigzag(rng), rng.uniform(100, 400)) for _ in range(2)]
    things += [wall(rng.uniform(200, 400), 270, 22, 300), wall(rng.uniform(560, 760), 200, 22, 400)]
    things.append(wall(rng.uniform(300, 660), rng.uniform(150, 390), 90, 80))
    return things


def shaking(rng: np.random.Generator) -> Path2D:
    """A camera held by hand: it trembles by a dozen pixels, and now and then it is knocked."""
    slow, slow_y = wobble(rng, 12), wobble(rng, 8)
    fast = [(rng.uniform(3, 7), rng.uniform(15, 45), rng.uniform(0, 6.3)) for _ in range(4)]
    knocks = rng.uniform(0, SECONDS, 5)
    kicks = rng.uniform(-50, 50, (5, 2))

    def camera(time: float) -> tuple[float, float]:
        decay = np.where(time >= knocks, np.exp(-4 * np.maximum(0, time - knocks)), 0)
        x, y = decay @ kicks
        trembling = sum(size * np.sin(speed * time + phase) for size, speed, phase in fast)
        rolling = sum(size * np.cos(1.3 * speed * time + phase) for size, speed, phase in fast)
        return float(slow(time) + trembling + x), float(slow_y(time) + rolling + y)

    return camera


def steady(rate: float) -> np.ndarray:
    return np.arange(round(SECONDS * rate)) / rate


def varying(rng: np.random.Generator) -> np.ndarray:
    """Bursts of frames at 30, 15, 10 and 5 a second."""
    times, time = [], 0.0
    while time < SECONDS:
        step = 1 / rng.choice([30, 15, 10, 5])
        for _ in range(int(rng.integers(3, 15))):
            times.append(time)
            time += step
    return np.round(np.array(times)[np.array(times) < SECONDS], 6)


def make(name: str, seed: int) -> Scene:
    """The scene of a row. Rows that differ in the detector or the rate alone show the same people."""
    kind = {"30 fps": "street", "10 fps": "street", "5 fps": "street", "varying rate": "street", "missed 10 %": "street",
            "missed 30 %": "street", "jitter": "street", "false positives": "street",
            "weak clutter": "street", "all at once": "street"}.get(name, name)
    rng = np.random.default_rng([seed, sum(kind.encode())])
    if kind.startswith("occlusion"):
        return Scene(occlusion(rng, float(kind.split()[1])), steady(25), 25)
    if kind == "camera shake":
        return Scene(crossing(rng), steady(25), 25, camera=shaking(rng))
    things = {"crossings": crossing, "edges": edges, "abrupt turns": turns, "street": street}[kind](rng)
    scene = Scene(things, steady(25), 25)
    match name:
        case "30 fps" | "10 fps" | "5 fps":
            rate = float(name.split()[0])
            return replace(scene, times=steady(rate), rate=rate)
        case "varying rate":
            return replace(scene, times=varying(rng), rate=None)
        case "missed 10 %":
            return replace(scene, detector=Detector(missed=0.1))
        case "missed 30 %":
            return replace(scene, detector=Detector(missed=0.3))
        case "jitter":
            return replace(scene, detector=Detector(jitter=0.08))
        case "false positives":
            return replace(scene, detector=Detector(false_boxes=2))
        case "weak clutter":
            return replace(scene, detector=Detector(clutter=5))
        case "all at once":
            return replace(
                scene, times=steady(12.5), rate=12.5, camera=shaking(rng),
                detector=Detector(missed=0.15, weak=0.1, jitter=0.05, false_boxes=1))
        case _:
            return scene


ROWS = [
    "crossings", "occlusion 0.3 s", "occlusion 0.8 s", "occlusion 1.5 s", "edges", "abrupt turns", "camera shake", "30 fps",
    "10 fps", "5 fps", "varying rate", "missed 10 %", "missed 30 %", "jitter", "false positives",
    "weak clutter", "all at once",
]


# --- Frames ---

GRID = (np.arange(20) + 0.5) / 20


def seen(box: np.ndarray, nearer: list[np.ndarray]) -> tuple[float, np.ndarray]:
    """How much of a box is seen, by 20×20 points, and the box around what is."""
    x = box[0] + GRID * (box[2] - box[0])
    y = box[1] + GRID * (box[3] - box[1])
    visible = ((y >= 0) & (y < SIZE[1]))[:, None] & ((x >= 0) & (x < SIZE[0]))[None, :]
    for other in nearer:
        visible &= ~(((y >= other[1]) & (y < other[3]))[:, None] & ((x >= other[0]) & (x < other[2]))[None, :])
    if not visible.any():
        return 0.0, box
    half = (box[2:] - box[:2]) / 40
    columns, rows = x[visible.any(axis=0)], y[visible.any(axis=1)]
    around = np.array([columns[0] - half[0], rows[0] - half[1], columns[-1] + half[0], rows[-1] + half[1]])
    return float(visible.mean()), around


def clip(box: np.ndarray) -> np.ndarray:
    return np.clip(box, 0, [*SIZE, *SIZE])


def detect(rng: np.random.Generator, detector: Detector, box: np.ndarray, visible: float, around: np.ndarray):
    """The box and score that a detector gives for an object, or None. Always draws as many random numbers."""
    chances, noise, score_noise = rng.uniform(size=3), rng.normal(size=4), rng.normal()
    is_missed = chances[0] < detector.missed or visible < LEAST_VISIBLE + 0.25 * chances[1]
    found = box if visible > 0.65 else around
    width, height = found[2:] - found[:2]
    found = clip(found + detector.jitter * noise * np.array([width, height, width, height]))
    score = 0.45 + 0.45 * visible + 0.07 * score_noise
    if chances[2] < detector.weak:
        score -= 0.35
    return None if is_missed else (found, float(np.clip(score, 0.1, 0.99)))


def false_boxes(rng: np.random.Generator, detector: Detector, spots: np.ndarray):
    """Boxes where nothing is: half of them anywhere, half of them at a few spots again and again."""
    boxes = []
    for _ in range(rng.poisson(detector.false_boxes)):
        width = rng.uniform(24, 48)
        centre = spots[rng.integers(len(spots))] if rng.uniform() < 0.5 else rng.uniform([30, 60], [930, 480])
        centre = centre + rng.normal(size=2) * 2
        half = np.array([width / 2, width * rng.uniform(0.8, 1.3)])
        boxes.append((clip(np.concatenate([centre - half, centre + half])), 0.1 + 0.6 * rng.beta(2, 3)))
    for place in spots[: detector.clutter]:
        if rng.uniform() < 0.7:
            half = np.array([18, 40]) * (1 + 0.03 * rng.normal(size=2))
            middle = place + rng.normal(size=2)
            boxes.append((clip(np.concatenate([middle - half, middle + half])), 0.1 + 0.55 * rng.beta(2, 3)))
    return boxes


def line(frame: int, identity: int, box: np.ndarray, *rest: str) -> str:
    values = ",".join(f"{value:.2f}" for value in (box[0], box[1], box[2] - box[0], box[3] - box[1]))
    return f"{frame},{identity},{values},{','.join(rest)}\n"


def write(scene: Scene, seed: int, folder: Path) -> None:
    """Writes a scene as a MOTChallenge folder: gt/gt.txt, det/det.txt, seqinfo.ini, and times.txt if the rate varies."""
    rng = np.random.default_rng(seed)
    spots = rng.uniform([60, 80], [900, 460], (5, 2))
    truth, found = [], []
    for number, time in enumerate(scene.times, 1):
        camera = scene.camera(time)
        there = [(identity, thing, thing.box(time, camera)) for identity, thing in enumerate(scene.things, 1)
                 if thing.since <= time < thing.until]
        for identity, thing, box in there:
            if thing.is_wall:
                continue
            visible, around = seen(box, [other for _, one, other in there if one.nearness > thing.nearness])
            detected = detect(rng, scene.detector, box, visible, around)
            if visible > 0:
                counts = "1" if visible >= LEAST_VISIBLE else "0"
                truth.append(line(number, identity, clip(box), counts, "1", f"{visible:.3f}"))
            if detected:
                found.append(line(number, -1, detected[0], f"{detected[1]:.4f}", "1", "-1", "-1"))
        for box, score in false_boxes(rng, scene.detector, spots):
            found.append(line(number, -1, box, f"{score:.4f}", "1", "-1", "-1"))
    for name, lines in (("gt", truth), ("det", found)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / f"{name}.txt").write_text("".join(lines))
    rate = scene.rate or len(scene.times) / SECONDS
    (folder / "seqinfo.ini").write_text(
        f"[Sequence]\nname={folder.name}\nframeRate={rate:g}\nseqLength={len(scene.times)}\n"
        f"imWidth={SIZE[0]}\nimHeight={SIZE[1]}\n")
    if scene.rate is None:
        (folder / "times.txt").write_text("".join(f"{time:.6f}\n" for time in scene.times))


def write_row(name: str, seed: int, folder: Path) -> None:
    """Writes the scene of a row and a seed into the folder `NAME-SEED`."""
    write(make(name, seed), seed, folder / f"{name}-{seed}")


def write_all(folder: Path, seeds: list[int]) -> None:
    for name in ROWS:
        for seed in seeds:
            write_row(name, seed, folder)

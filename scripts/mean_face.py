"""Makes the mean face that vstream tells a head's angles by: Sources/VStreamDetection/MeanFace.swift.

The network's own output, by MediaPipe's Python package, on the portrait of the astronaut and on every third frame of
face.mp4 and animation.avi: all meshes laid over each other (similarity transforms), averaged, made symmetrical with the
mirrored mean, and turned so that the mirror plane is upright. Looking straight ahead (X = 0) is the mean of the three
sources. Called by `scripts/evaluate-faces --mean-face`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import mediapipe
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / ".deps/footage/astronaut.png"
CLIPS = [ROOT / "SampleVideos" / name for name in ("face.mp4", "animation.avi")]
TARGET = ROOT / "Sources/VStreamDetection/MeanFace.swift"

# What moves with the skull: forehead, temples, eye corners, bridge and tip of the nose, cheekbones.
RIGID = [1, 2, 4, 5, 6, 8, 9, 10, 21, 33, 48, 54, 67, 93, 98, 103, 109, 116, 117, 127, 133, 139, 143, 151, 162, 168, 195,
         197, 234, 251, 263, 278, 284, 297, 323, 327, 332, 338, 345, 346, 356, 362, 368, 372, 389, 454]
# Pairs of points that mirror each other, to begin with; the others are found by them.
MIRRORED = [(33, 263), (133, 362), (61, 291), (234, 454), (10, 10), (152, 152), (1, 1), (168, 168), (159, 386),
            (145, 374), (70, 300), (105, 334), (54, 284), (58, 288), (205, 425), (98, 327)]


def similarity(source: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Scale, rotation and shift that lay one set of points over another with the least squares of the distances."""
    a, b = source - source.mean(0), target - target.mean(0)
    u, s, vt = np.linalg.svd(a.T @ b)
    flip = np.diag([1, 1, np.sign(np.linalg.det(vt.T @ u.T))])
    rotation = vt.T @ flip @ u.T
    scale = np.trace(np.diag(s) @ flip) / (a**2).sum()
    return scale, rotation, target.mean(0) - scale * rotation @ source.mean(0)


def laid_over(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    scale, rotation, shift = similarity(source, target)
    return scale * source @ rotation.T + shift


def pictures() -> Iterator[tuple[str, np.ndarray]]:
    yield PICTURE.name, cv2.imread(str(PICTURE))
    for clip in CLIPS:
        video, index = cv2.VideoCapture(str(clip)), 0
        while (frame := video.read())[0]:
            if index % 3 == 0:
                yield clip.name, frame[1]
            index += 1


def meshes() -> Iterator[tuple[str, np.ndarray]]:
    """The source and the points (468, 3) in pixels of every face."""
    finder = mediapipe.solutions.face_mesh.FaceMesh(static_image_mode=True, max_num_faces=4, min_detection_confidence=0.5)
    for name, picture in pictures():
        height, width = picture.shape[:2]
        found = finder.process(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)).multi_face_landmarks or []
        for face in found:
            yield name, np.array([[p.x * width, p.y * height, p.z * width] for p in face.landmark])


def unit(mesh: np.ndarray) -> np.ndarray:
    centred = mesh - mesh.mean(0)
    return centred / np.sqrt((centred**2).sum() / len(centred))


def mirror(mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean's mirror image laid over it, and which point of it each point mirrors."""
    flipped = mean * [-1, 1, 1]
    first, second = (np.array([pair[side] for pair in MIRRORED] + [pair[1 - side] for pair in MIRRORED]) for side in (0, 1))
    scale, rotation, shift = similarity(flipped[first], mean[second])
    for _ in range(10):
        laid = scale * flipped @ rotation.T + shift
        nearest = ((laid[:, None] - mean[None]) ** 2).sum(-1).argmin(1)
        scale, rotation, shift = similarity(flipped, mean[nearest])
    return scale * flipped @ rotation.T + shift, nearest


def upright(mean: np.ndarray) -> np.ndarray:
    """The mean made symmetrical: x to the person's left, y down, z away from who looks; outer eye corners 1 apart."""
    laid, partner = mirror(mean)
    face = (mean + laid[partner]) / 2
    _, _, directions = np.linalg.svd(face - face[partner])
    across = directions[0] * np.sign(directions[0] @ (face[454] - face[234]))
    down = face[152] - face[10]
    down -= across * (across @ down)
    down /= np.linalg.norm(down)
    face = face @ np.stack([across, down, np.cross(across, down)]).T
    face /= np.linalg.norm(face[263] - face[33])
    return face - (face[33] + face[263]) / 2


def pitch(face: np.ndarray, mesh: np.ndarray) -> float:
    rotation = similarity(face[RIGID], mesh[RIGID])[1]
    return float(np.arctan2(rotation[2, 1], rotation[2, 2]))


def mean_face() -> np.ndarray:
    found = list(meshes())
    mean = unit(found[0][1])
    for _ in range(5):
        mean = unit(np.mean([laid_over(mesh, mean) for _, mesh in found], axis=0))
    face = upright(mean)
    sources = {name for name, _ in found}
    ahead = np.mean([np.mean([pitch(face, mesh) for name, mesh in found if name == source]) for source in sorted(sources)])
    turn = np.array([[1, 0, 0], [0, np.cos(ahead), -np.sin(ahead)], [0, np.sin(ahead), np.cos(ahead)]])
    return face @ turn.T


def main() -> None:
    face = mean_face()
    rows = "\n".join(
        f"    Vertex(index: {index}, at: Vector({', '.join(f'{value + 0:.4f}' for value in face[index])}))," for index in RIGID)
    text = TARGET.read_text()
    begin, end = text.index("  static let vertices"), text.index("\n  ]\n")
    TARGET.write_text(f"{text[:begin]}  static let vertices = [\n{rows}{text[end:]}")
    print(f"wrote {len(RIGID)} points to {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

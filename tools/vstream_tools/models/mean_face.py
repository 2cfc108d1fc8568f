"""Computes the mean face that vstream estimates head angles with: Sources/VStreamDetection/Faces/Mesh/MeanFace.swift.

The source are the meshes that MediaPipe's Python package detects in the portrait of the astronaut and in every third frame
of face.mp4 and animation.avi: aligned by similarity transforms, averaged, made symmetrical with the mirrored mean, and
rotated so that the mirror plane is vertical. A pitch of 0 (X = 0) is the mean of the three sources.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from mediapipe import solutions

from ..common import ASTRONAUT, ROOT, VIDEOS, opencv_frames, parser

CLIPS = [VIDEOS / name for name in ("face.mp4", "animation.avi")]
TARGET = ROOT / "Sources/VStreamDetection/Faces/Mesh/MeanFace.swift"

# Points that move with the skull: forehead, temples, eye corners, bridge and tip of the nose, cheekbones.
RIGID = [1, 2, 4, 5, 6, 8, 9, 10, 21, 33, 48, 54, 67, 93, 98, 103, 109, 116, 117, 127, 133, 139, 143, 151, 162, 168, 195,
         197, 234, 251, 263, 278, 284, 297, 323, 327, 332, 338, 345, 346, 356, 362, 368, 372, 389, 454]
# Pairs of mirrored points that the alignment starts with; the other pairs are derived.
MIRRORED = [(33, 263), (133, 362), (61, 291), (234, 454), (10, 10), (152, 152), (1, 1), (168, 168), (159, 386),
            (145, 374), (70, 300), (105, 334), (54, 284), (58, 288), (205, 425), (98, 327)]


def similarity(source: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The scale, rotation and translation that align one set of points with another (least squares)."""
    a, b = source - source.mean(0), target - target.mean(0)
    u, s, vt = np.linalg.svd(a.T @ b)
    flip = np.diag([1, 1, np.sign(np.linalg.det(vt.T @ u.T))])
    rotation = vt.T @ flip @ u.T
    scale = np.trace(np.diag(s) @ flip) / (a**2).sum()
    return scale, rotation, target.mean(0) - scale * rotation @ source.mean(0)


def aligned(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    scale, rotation, shift = similarity(source, target)
    return scale * source @ rotation.T + shift


def meshes() -> Iterator[tuple[str, np.ndarray]]:
    """The source's name and the points (468, 3) in pixels of every face."""
    face_mesh = solutions.face_mesh.FaceMesh(static_image_mode=True, max_num_faces=4, min_detection_confidence=0.5)
    for path in (ASTRONAUT, *CLIPS):
        for frame in list(opencv_frames(path))[::3]:
            height, width = frame.shape[:2]
            for face in face_mesh.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).multi_face_landmarks or []:
                yield path.name, np.array([[p.x * width, p.y * height, p.z * width] for p in face.landmark])


def unit(mesh: np.ndarray) -> np.ndarray:
    centred = mesh - mesh.mean(0)
    return centred / np.sqrt((centred**2).sum() / len(centred))


def mirror(mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mirrored mean, aligned with the mean, and for each of its points the index of its counterpart."""
    flipped = mean * [-1, 1, 1]
    first, second = (np.array([pair[side] for pair in MIRRORED] + [pair[1 - side] for pair in MIRRORED]) for side in (0, 1))
    scale, rotation, shift = similarity(flipped[first], mean[second])
    for _ in range(10):
        mirrored = scale * flipped @ rotation.T + shift
        nearest = ((mirrored[:, None] - mean[None]) ** 2).sum(-1).argmin(1)
        scale, rotation, shift = similarity(flipped, mean[nearest])
    return scale * flipped @ rotation.T + shift, nearest


def upright(mean: np.ndarray) -> np.ndarray:
    """The symmetrical mean: x to the person's left, y down, z away from the camera; outer eye corners at distance 1."""
    mirrored, counterpart = mirror(mean)
    face = (mean + mirrored[counterpart]) / 2
    _, _, directions = np.linalg.svd(face - face[counterpart])
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
    faces = list(meshes())
    mean = unit(faces[0][1])
    for _ in range(5):
        mean = unit(np.mean([aligned(mesh, mean) for _, mesh in faces], axis=0))
    face = upright(mean)
    names = {name for name, _ in faces}
    zero_pitch = np.mean([np.mean([pitch(face, mesh) for name, mesh in faces if name == source]) for source in sorted(names)])
    rotation = np.array([[1, 0, 0], [0, np.cos(zero_pitch), -np.sin(zero_pitch)], [0, np.sin(zero_pitch), np.cos(zero_pitch)]])
    return face @ rotation.T


def main() -> None:
    parser(__doc__).parse_args()
    face = mean_face()
    rows = "\n".join(
        f"    Vertex(index: {index}, at: Vector({', '.join(f'{value + 0:.4f}' for value in face[index])}))," for index in RIGID)
    text = TARGET.read_text()
    begin, end = text.index("  static let vertices"), text.index("\n  ]\n")
    TARGET.write_text(f"{text[:begin]}  static let vertices = [\n{rows}{text[end:]}")
    print(f"wrote {len(RIGID)} points to {TARGET.relative_to(ROOT)}")

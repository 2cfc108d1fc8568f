internal import VStreamCore

/// A body as the landmark network reports it.
struct BodyLandmarks: Hashable, Sendable {
  /// One for each `PoseLandmark.Kind`: x and y in pixels of the frame, z in pixels of the same size.
  var points: [Vector]
  /// The probability that each landmark lies in the frame, 0…1.
  var likelihoods: [Double]
  /// The keypoints that the detector would report; they determine the next frame's crop.
  var hips: Vector
  var crown: Vector
  /// Confidence that the crop shows a body, 0…1.
  var score: Double

  static let count = PoseLandmark.Kind.allCases.count
  /// For each landmark, the index of the one on the person's other side.
  static let mirrored = PoseLandmark.Kind.allCases.map { kind in
    let name = kind.rawValue
    let other =
      name.hasPrefix("left") ? "right" + name.dropFirst(4) : name.hasPrefix("right") ? "left" + name.dropFirst(5) : name
    return PoseLandmark.Kind.allCases.firstIndex { $0.rawValue == other } ?? 0
  }

  subscript(_ kind: PoseLandmark.Kind) -> Vector { points[Self.indices[kind] ?? 0] }

  /// The crop for the body on the next frame.
  var nextCrop: RotatedBox { LandmarkCrop.around(Self.point(hips), crown: Self.point(crown)) }

  /// Diameter of the circle around the body, in pixels.
  var size: Double { 2 * (crown - hips).inPlane }

  /// The mean with another pass's landmarks of the same body.
  func mean(with other: BodyLandmarks) -> BodyLandmarks {
    BodyLandmarks(
      points: zip(points, other.points).map { ($0 + $1) * 0.5 },
      likelihoods: zip(likelihoods, other.likelihoods).map { ($0 + $1) / 2 }, hips: (hips + other.hips) * 0.5,
      crown: (crown + other.crown) * 0.5, score: (score + other.score) / 2)
  }

  /// Mean distance between the landmarks and those of another body, in diameters of the smaller.
  func distance(from other: BodyLandmarks) -> Double {
    let total = zip(points, other.points).reduce(0) { $0 + ($1.0 - $1.1).inPlane }
    return total / Double(Self.count) / min(size, other.size)
  }

  /// The body as it is reported.
  var pose: DetectedPose {
    let depth = (self[.leftHip].z + self[.rightHip].z) / 2
    let landmarks = PoseLandmark.Kind.allCases.indices.map { index in
      PoseLandmark(
        PoseLandmark.Kind.allCases[index], at: Self.point(points[index]), z: points[index].z - depth,
        inFrameLikelihood: likelihoods[index])
    }
    return DetectedPose(score: score, box: box, landmarks: landmarks)
  }

  /// Around the landmarks that are more likely in the frame than not; around all if those are too few.
  var box: Box {
    let likely = points.indices.filter { likelihoods[$0] >= 0.5 }.map { points[$0] }
    let enclosed = likely.count >= Self.minimumLikelyCount ? likely : points
    let (x, y) = (enclosed.map(\.x), enclosed.map(\.y))
    return Box(left: x.min() ?? 0, top: y.min() ?? 0, right: x.max() ?? 0, bottom: y.max() ?? 0)
  }

  private static let minimumLikelyCount = 5
  private static let indices = Dictionary(
    uniqueKeysWithValues: PoseLandmark.Kind.allCases.enumerated().map { ($1, $0) })

  static func point(_ vector: Vector) -> Point { Point(x: vector.x, y: vector.y) }
}

extension Vector {
  /// Its length in the frame's plane.
  var inPlane: Double { (x * x + y * y).squareRoot() }
}

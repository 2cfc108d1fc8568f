internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A person who is tracked from frame to frame by the landmarks of their body.
struct TrackedPose {
  /// Identifies the person among all that were tracked.
  let number: Int
  /// The network's output on the last frame.
  private(set) var body: BodyLandmarks
  /// The same, smoothed over time.
  private(set) var smoothed: BodyLandmarks
  private var points = OneEuroFilter(.points)
  private var regions = OneEuroFilter(.regions)
  private var time: Double
  private let isSmoothed: Bool

  /// Time constant with which likelihoods are smoothed, in seconds.
  private static let likelihoodTimeConstant = 0.3

  init(_ body: BodyLandmarks, number: Int, isSmoothed: Bool, at seconds: Double) {
    self.number = number
    self.body = body
    self.isSmoothed = isSmoothed
    smoothed = body
    time = seconds
    smoothPoints(at: seconds)
  }

  /// The crop for the body on the next frame.
  var nextCrop: RotatedBox { smoothed.nextCrop }

  /// Updates the person with their landmarks on the next frame.
  mutating func update(_ body: BodyLandmarks, at seconds: Double) {
    self.body = body
    let before = smoothed.likelihoods
    smoothed = body
    guard isSmoothed else { return }
    smoothPoints(at: seconds)
    let weight = 1 - exp(-max(0, seconds - time) / Self.likelihoodTimeConstant)
    smoothed.likelihoods = zip(before, body.likelihoods).map { $0 + ($1 - $0) * weight }
    time = seconds
  }

  private mutating func smoothPoints(at seconds: Double) {
    guard isSmoothed else { return }
    smoothed.points = points.smoothed(body.points, size: body.size, at: seconds)
    let ends = regions.smoothed([body.hips, body.crown], size: body.size, at: seconds)
    (smoothed.hips, smoothed.crown) = (ends[0], ends[1])
  }

  /// Whether a candidate detected on the same frame is this person.
  func isSame(as candidate: PoseCandidate) -> Bool {
    func middle(_ one: PoseLandmark.Kind, _ other: PoseLandmark.Kind) -> Vector {
      (body[one] + body[other]) * 0.5
    }
    let (hips, shoulders) = (middle(.leftHip, .rightHip), middle(.leftShoulder, .rightShoulder))
    let trunk = (shoulders - hips).inPlane
    func offset(_ vector: Vector, _ point: Point) -> Double { hypot(vector.x - point.x, vector.y - point.y) }
    let distance = (offset(hips, candidate[.hips]) + offset(shoulders, candidate[.shoulders])) / 2
    return distance < Self.maximumOffset * max(trunk, candidate.trunkLength)
  }

  /// Whether landmarks on the same frame are of this person.
  func isSame(as other: BodyLandmarks) -> Bool { body.distance(from: other) < Self.duplicateDistance }

  /// A candidate whose hips and shoulders are nearer than this is the same person, in lengths of the trunk.
  private static let maximumOffset = 0.6
  /// Bodies whose landmarks are nearer than this are the same, in diameters of the circle around the body.
  private static let duplicateDistance = 0.08
}

extension PoseCandidate {
  /// From the hips to the shoulders, in pixels.
  var trunkLength: Double {
    let (hips, shoulders) = (self[.hips], self[.shoulders])
    return hypot(shoulders.x - hips.x, shoulders.y - hips.y)
  }
}

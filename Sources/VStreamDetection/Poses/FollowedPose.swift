internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A person who is followed from frame to frame by the landmarks of their body.
struct TrackedPose {
  /// Tells those who are followed from each other.
  let number: Int
  /// As the network sees it now.
  private(set) var body: BodyLandmarks
  /// The same, smoothed.
  private(set) var steady: BodyLandmarks
  private var points = OneEuroFilter(.points)
  private var regions = OneEuroFilter(.regions)
  private var time: Double
  private let isSmoothed: Bool

  /// Seconds in which a likelihood goes most of its way to where it is seen.
  private static let likelihoodSeconds = 0.3

  init(_ body: BodyLandmarks, number: Int, isSmoothed: Bool, at seconds: Double) {
    self.number = number
    self.body = body
    self.isSmoothed = isSmoothed
    steady = body
    time = seconds
    steadyPoints(at: seconds)
  }

  /// The square in which the body is sought on the next frame.
  var nextRegion: RotatedBox { steady.nextRegion }

  /// Takes the body as seen on the next frame.
  mutating func follow(_ body: BodyLandmarks, at seconds: Double) {
    self.body = body
    let before = steady.likelihoods
    steady = body
    guard isSmoothed else { return }
    steadyPoints(at: seconds)
    let share = 1 - exp(-max(0, seconds - time) / Self.likelihoodSeconds)
    steady.likelihoods = zip(before, body.likelihoods).map { $0 + ($1 - $0) * share }
    time = seconds
  }

  private mutating func steadyPoints(at seconds: Double) {
    guard isSmoothed else { return }
    steady.points = points.steady(body.points, size: body.size, at: seconds)
    let ends = regions.steady([body.hips, body.crown], size: body.size, at: seconds)
    (steady.hips, steady.crown) = (ends[0], ends[1])
  }

  /// Whether a candidate found on the same frame is this person.
  func isSame(as candidate: PoseCandidate) -> Bool {
    func middle(_ one: PoseLandmark.Kind, _ other: PoseLandmark.Kind) -> Vector {
      (body[one] + body[other]) * 0.5
    }
    let (hips, shoulders) = (middle(.leftHip, .rightHip), middle(.leftShoulder, .rightShoulder))
    let trunk = (shoulders - hips).inPlane
    func offset(_ vector: Vector, _ point: Point) -> Double { hypot(vector.x - point.x, vector.y - point.y) }
    let apart = (offset(hips, candidate[.hips]) + offset(shoulders, candidate[.shoulders])) / 2
    return apart < Self.greatestOffset * max(trunk, candidate.trunkLength)
  }

  /// Whether another body is this one, found twice.
  func isSame(as other: BodyLandmarks) -> Bool { body.distance(from: other) < Self.duplicateDistance }

  /// A candidate whose hips and shoulders lie nearer than this is the same person, in lengths of the trunk.
  private static let greatestOffset = 0.6
  /// Bodies whose landmarks lie nearer than this are one, in diameters of the circle around it.
  private static let duplicateDistance = 0.08
}

extension PoseCandidate {
  /// From the hips to the shoulders, in pixels.
  var trunkLength: Double {
    let (hips, shoulders) = (self[.hips], self[.shoulders])
    return hypot(shoulders.x - hips.x, shoulders.y - hips.y)
  }
}

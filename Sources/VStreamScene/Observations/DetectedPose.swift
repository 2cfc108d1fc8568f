/// A person's pose in a frame: 33 places of the body, in three dimensions. Left and right are the person's own.
///
/// As a detector gives it, `id` is `nil`; as a tracker reports it, `id` is set under the ID contract (see
/// `DetectedObject`).
public struct DetectedPose: Hashable, Sendable, Codable {
  public var id: Int?
  /// How sure this frame's landmarks are those of a person, 0…1; on a predicted frame as on the last one.
  public var score: Double
  /// Around the landmarks that are likely in the frame.
  public var box: Box
  /// One of each kind, in the kinds' order.
  public var landmarks: [PoseLandmark]

  public init(id: Int? = nil, score: Double, box: Box, landmarks: [PoseLandmark]) {
    self.id = id
    self.score = score
    self.box = box
    self.landmarks = landmarks
  }

  /// The landmark of a kind; `nil` if it is not known.
  public subscript(_ kind: PoseLandmark.Kind) -> PoseLandmark? { landmarks.first { $0.kind == kind } }

  /// A square around shoulders and hips, which keeps its size whatever arms and legs do; the box if these are not known.
  public var trunk: Box {
    let corners = PoseLandmark.Kind.trunk.compactMap { self[$0]?.position }
    guard corners.count == PoseLandmark.Kind.trunk.count else { return box }
    let share = 1 / Double(corners.count)
    let center = Point(x: corners.reduce(0) { $0 + $1.x * share }, y: corners.reduce(0) { $0 + $1.y * share })
    let reach = corners.map { max(abs($0.x - center.x), abs($0.y - center.y)) }.max() ?? 0
    return reach > 0 && reach.isFinite ? Box(center: center, width: 2 * reach, height: 2 * reach) : box
  }

  /// The pose with all its points, carried along with a box.
  public func moved(_ move: BoxMove) -> DetectedPose {
    var pose = self
    pose.box = move.carried(box)
    for index in landmarks.indices {
      pose.landmarks[index].position = move.carried(landmarks[index].position)
      pose.landmarks[index].z *= move.growth.x
    }
    return pose
  }
}

/// A place of a body.
public struct PoseLandmark: Hashable, Sendable, Codable {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case nose
    case leftEyeInner
    case leftEye
    case leftEyeOuter
    case rightEyeInner
    case rightEye
    case rightEyeOuter
    case leftEar
    case rightEar
    case leftMouth
    case rightMouth
    case leftShoulder
    case rightShoulder
    case leftElbow
    case rightElbow
    case leftWrist
    case rightWrist
    case leftPinky
    case rightPinky
    case leftIndex
    case rightIndex
    case leftThumb
    case rightThumb
    case leftHip
    case rightHip
    case leftKnee
    case rightKnee
    case leftAnkle
    case rightAnkle
    case leftHeel
    case rightHeel
    case leftFootIndex
    case rightFootIndex

    /// The corners of the trunk.
    static let trunk = [Kind.leftShoulder, .rightShoulder, .leftHip, .rightHip]
  }

  public var kind: Kind
  /// Pixels of the upright frame; past its edge where the body is.
  public var position: Point
  /// Depth in pixels: 0 at the hips' midpoint, below 0 nearer to the camera.
  public var z: Double
  /// How likely the place lies in the frame, 0…1; where it does not, the position is a guess.
  public var inFrameLikelihood: Double

  public init(_ kind: Kind, at position: Point, z: Double, inFrameLikelihood: Double) {
    self.kind = kind
    self.position = position
    self.z = z
    self.inFrameLikelihood = inFrameLikelihood
  }
}

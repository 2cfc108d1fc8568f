/// A person's pose in a frame: 33 landmarks of the body in three dimensions. Left and right are the person's own.
public struct DetectedPose: Detection, KnownDetection {
  /// The track's ID in a stream; `nil` in single images.
  public var id: Int?
  public var score: Double
  /// The bounding box of the landmarks that are likely to be in the frame.
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

  public var label: String { Self.name }

  package static let name = "pose"
  public static var kind: DetectionKind { .poses }
  package static var list: WritableKeyPath<Detections, [DetectedPose]?> { \.poses }
  package static var redactionSelector: RedactionSelector { .none }
  package static var hasMinimumScore: Bool { false }
  package var colorNumber: Int { (id ?? 0) + 2048 }

  /// The trunk: arms and legs swing, and people stand close together, so a pose's whole box is hard to follow.
  package var trackedBox: Box { trunk }

  /// A square around shoulders and hips, whose size does not depend on arms and legs; `box` if these are not known.
  package var trunk: Box {
    let corners = PoseLandmark.Kind.trunk.compactMap { self[$0]?.position }
    guard corners.count == PoseLandmark.Kind.trunk.count else { return box }
    let weight = 1 / Double(corners.count)
    let center = Point(x: corners.reduce(0) { $0 + $1.x * weight }, y: corners.reduce(0) { $0 + $1.y * weight })
    let reach = corners.map { max(abs($0.x - center.x), abs($0.y - center.y)) }.max() ?? 0
    return reach > 0 && reach.isFinite ? Box(center: center, width: 2 * reach, height: 2 * reach) : box
  }

  package func moved(to trackedBox: Box) -> DetectedPose {
    transformed(by: BoxTransform(from: self.trackedBox, to: trackedBox))
  }

  package func scaled(x horizontal: Double, y vertical: Double) -> DetectedPose {
    transformed(by: BoxTransform(from: box, to: box.scaled(x: horizontal, y: vertical)))
  }

  /// The pose with box and landmarks transformed as the boxes of `transform` are.
  package func transformed(by transform: BoxTransform) -> DetectedPose {
    var pose = self
    pose.box = transform.applied(to: box)
    for index in landmarks.indices {
      pose.landmarks[index].position = transform.applied(to: landmarks[index].position)
      pose.landmarks[index].z *= transform.scale.x
    }
    return pose
  }
}

/// A named point of a body.
public struct PoseLandmark: Hashable, Sendable {
  /// Which point it is; left and right are the person's own.
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

  /// Which point it is.
  public var kind: Kind
  /// Pixels of the upright frame; outside the frame for parts of the body that are.
  public var position: Point
  /// Depth in pixels: 0 at the hips' midpoint, below 0 nearer to the camera.
  public var z: Double
  /// Probability that the landmark lies in the frame, 0…1; the position of one that does not is an estimate.
  public var inFrameLikelihood: Double

  public init(_ kind: Kind, at position: Point, z: Double, inFrameLikelihood: Double) {
    self.kind = kind
    self.position = position
    self.z = z
    self.inFrameLikelihood = inFrameLikelihood
  }
}

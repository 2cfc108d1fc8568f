internal import VStreamScene

/// What is drawn of a pose: its limbs and its landmarks, the person's left in one colour and the right in another, the fainter
/// the less likely they are in the frame.
struct PoseStrokes {
  private(set) var all: [Stroke] = []

  /// Shares of the width of a frame's lines, and of the trunk's side.
  private static let thinnest = 1.0
  private static let limbWidth = 1.2
  private static let dotWidth = 2.4
  private static let trunkFraction = 1.0 / 24
  /// What is less likely in the frame is not drawn.
  private static let leastLikelihood = 0.1

  init(_ pose: DetectedPose, _ elements: Set<OverlayOptions.Element>, lineWidth: Double) {
    // In a small figure lines as wide as a box's would cover it.
    let width = max(Self.thinnest, min(Self.limbWidth * lineWidth, pose.trunk.width * Self.trunkFraction))
    let landmarks = Dictionary(pose.landmarks.map { ($0.kind, $0) }) { first, _ in first }
    if elements.contains(.skeleton) {
      for limb in Limb.all {
        guard let start = landmarks[limb.start], let end = landmarks[limb.end] else { continue }
        let likelihood = min(start.inFrameLikelihood, end.inFrameLikelihood)
        add([start.position, end.position], width, limb.side.color, likelihood)
      }
    }
    if elements.contains(.landmarks) {
      for landmark in pose.landmarks {
        let likelihood = landmark.inFrameLikelihood
        add([landmark.position], Self.dotWidth * width + 1.5, .black, likelihood)
        add([landmark.position], Self.dotWidth * width, Side(landmark.kind).color, likelihood)
      }
    }
  }

  private mutating func add(_ points: [Point], _ width: Double, _ color: Color, _ likelihood: Double) {
    guard likelihood >= Self.leastLikelihood else { return }
    all.append(Stroke(points: points, width: width, color: color, opacity: min(1, likelihood)))
  }

  /// Which side of a person something is on.
  enum Side {
    case left
    case right
    case middle

    init(_ kind: PoseLandmark.Kind) {
      let name = kind.rawValue
      self = name.hasPrefix("left") ? .left : name.hasPrefix("right") ? .right : .middle
    }

    /// Orange and blue, which nearly all eyes tell apart.
    var color: Color {
      switch self {
      case .left: Color(red: 1, green: 0.55, blue: 0.1)
      case .right: Color(red: 0.15, green: 0.65, blue: 1)
      case .middle: .white
      }
    }
  }

  /// A line between two landmarks.
  struct Limb {
    let start: PoseLandmark.Kind
    let end: PoseLandmark.Kind

    /// That of both its ends; what joins the sides is in the middle.
    var side: Side {
      let sides = (Side(start), Side(end))
      return sides.0 == sides.1 || sides.0 == .middle ? sides.1 : sides.1 == .middle ? sides.0 : .middle
    }

    static let all =
      chains.flatMap { chain in zip(chain, chain.dropFirst()).map { Limb(start: $0, end: $1) } }

    private static let chains: [[PoseLandmark.Kind]] = [
      [.nose, .leftEyeInner, .leftEye, .leftEyeOuter, .leftEar],
      [.nose, .rightEyeInner, .rightEye, .rightEyeOuter, .rightEar],
      [.leftMouth, .rightMouth], [.leftShoulder, .rightShoulder], [.leftHip, .rightHip],
      [.leftShoulder, .leftElbow, .leftWrist, .leftPinky, .leftIndex, .leftWrist, .leftThumb],
      [.rightShoulder, .rightElbow, .rightWrist, .rightPinky, .rightIndex, .rightWrist, .rightThumb],
      [.leftShoulder, .leftHip, .leftKnee, .leftAnkle, .leftHeel, .leftFootIndex, .leftAnkle],
      [.rightShoulder, .rightHip, .rightKnee, .rightAnkle, .rightHeel, .rightFootIndex, .rightAnkle],
    ]
  }
}

internal import VStreamCore

extension DetectedPose: DetailedObservation {
  func strokes(_ elements: Set<OverlayOptions.Element>, lineWidth: Double) -> [Stroke] {
    PoseStrokes(self, elements, lineWidth: lineWidth).all
  }
}

/// The strokes of a pose: its limbs and landmarks, with different colours for the person's left and right. The opacity is
/// the likelihood that a landmark is in the frame.
struct PoseStrokes {
  private(set) var all: [Stroke] = []

  /// The minimum width in pixels, and widths relative to the line width and to the trunk's side.
  private static let minimumWidth = 1.0
  private static let limbWidth = 1.2
  private static let dotWidth = 2.4
  private static let trunkFraction = 1.0 / 24
  /// Landmarks with a lower likelihood are not drawn.
  private static let minimumLikelihood = 0.1

  init(_ pose: DetectedPose, _ elements: Set<OverlayOptions.Element>, lineWidth: Double) {
    // Lines as wide as a box's would cover a small person.
    let width = max(Self.minimumWidth, min(Self.limbWidth * lineWidth, pose.trunk.width * Self.trunkFraction))
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
    guard likelihood >= Self.minimumLikelihood else { return }
    all.append(Stroke(points: points, width: width, color: color, opacity: min(1, likelihood)))
  }

  /// The person's side that a landmark belongs to.
  enum Side {
    case left
    case right
    case middle

    init(_ kind: PoseLandmark.Kind) {
      let name = kind.rawValue
      self = name.hasPrefix("left") ? .left : name.hasPrefix("right") ? .right : .middle
    }

    /// Orange and blue, which people with colour blindness can also distinguish.
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

    /// The side of both ends; a limb that connects the sides is in the middle.
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

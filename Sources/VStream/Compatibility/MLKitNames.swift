public import VStreamCore

// ML Kit's names of what results have, beside those of the records.

extension Detection {
  /// `id`
  public var trackingID: Int? { id }
  /// `score`, 0…1
  public var confidence: Double { score }
}

extension DetectedFace {
  /// `angles?.x`: pitch in degrees, positive if the face points up.
  public var headEulerAngleX: Double? { angles?.x }
  /// `angles?.y`: yaw in degrees, positive if the face points towards the image's right.
  public var headEulerAngleY: Double? { angles?.y }
  /// `angles?.z`: roll in degrees, positive if the head is rotated counter-clockwise in the image.
  public var headEulerAngleZ: Double? { angles?.z }
  /// `smiling`, 0…1
  public var smilingProbability: Double? { smiling }
  /// `leftEyeOpen`, 0…1
  public var leftEyeOpenProbability: Double? { leftEyeOpen }
  /// `rightEyeOpen`, 0…1
  public var rightEyeOpenProbability: Double? { rightEyeOpen }

  /// A landmark; `nil` if it was not asked for.
  public func landmark(ofType kind: FaceLandmark.Kind) -> FaceLandmark? { landmarks?.first { $0.kind == kind } }

  /// A contour; `nil` if it was not asked for.
  public func contour(ofType kind: FaceContour.Kind) -> FaceContour? { contours?.first { $0.kind == kind } }
}

extension DetectedPose {
  /// A landmark; a pose has all of them. Of a pose made by hand without it: the box's centre, with a likelihood of 0.
  public func landmark(ofType kind: PoseLandmark.Kind) -> PoseLandmark {
    self[kind] ?? PoseLandmark(kind, at: box.center, z: 0, inFrameLikelihood: 0)
  }
}

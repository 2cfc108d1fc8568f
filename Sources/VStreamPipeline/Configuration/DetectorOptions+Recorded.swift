public import VStreamDetection
public import VStreamReporting

/// The options of detectors as records' headers state them.
extension FaceDetectorOptions {
  public var recorded: [(name: String, value: RecordHeader.OptionValue)] {
    let parts = [("landmarks", landmarkMode), ("contours", contourMode), ("classification", classificationMode)]
    return [
      ("faceMode", .text(performanceMode.rawValue)),
      ("faceParts", .list(parts.filter { $0.1 == .all }.map(\.0))), ("minFaceSize", .number(effectiveMinFaceSize)),
    ]
  }
}

extension PoseDetectorOptions {
  public var recorded: [(name: String, value: RecordHeader.OptionValue)] {
    [("poseMode", .text(performanceMode.rawValue)), ("maxPoses", .integer(maxPoses))]
  }
}

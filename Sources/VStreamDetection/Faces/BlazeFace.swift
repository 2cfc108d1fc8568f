public import VStreamInference
public import VStreamScene

/// BlazeFace on crops of frames.
public typealias BlazeFace = AnchorNetwork<FaceCandidate>

/// Reads the outputs of BlazeFace.
///
/// Sources: V. Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs", 2019; MediaPipe,
/// `face_detection_short_range.pbtxt` and `face_detection_full_range.pbtxt` (anchors, thresholds).
public typealias BlazeFaceDecoder = AnchorDecoder<FaceCandidate>

extension AnchorDecoder where Candidate == FaceCandidate {
  /// The two networks, which have inputs of different sizes.
  public enum Range: Hashable, Sendable {
    /// Faces within about two metres of a phone's camera: 128×128.
    case short
    /// Faces within about five metres: 192×192.
    case full
  }

  public init(_ range: Range, minimumScore: Double) {
    switch range {
    case .short: self.init(side: 128, grids: [(16, each: 2), (8, each: 6)], minimumScore: minimumScore)
    case .full: self.init(side: 192, grids: [(48, each: 1)], minimumScore: minimumScore)
    }
  }
}

extension AnchorNetwork where Candidate == FaceCandidate {
  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than BlazeFace of this range.
  public init(
    _ model: Model, _ range: BlazeFaceDecoder.Range, minimumScore: Double, isMirrored: Bool = false
  ) throws(VStreamError) {
    try self.init(
      model, BlazeFaceDecoder(range, minimumScore: minimumScore),
      "the \(range)-range face detector", isMirrored: isMirrored)
  }
}

public import VStreamCore
public import VStreamTracking

/// The settings of face detection. The options and their names are ML Kit's.
public struct FaceDetectorOptions: Hashable, Sendable {
  /// How thoroughly faces are searched for.
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// Faces from 0.03 of the frame's width, if `minFaceSize` is not set.
    case fast
    /// Faces from 0.01 of the frame's width, if it is not set; from 0.0104 where faces are redacted.
    case accurate
  }

  /// How many of a mode's values are reported.
  public enum Extent: Hashable, Sendable {
    case none
    case all
  }

  /// How thoroughly faces are searched for.
  public var performanceMode = PerformanceMode.fast
  /// The head's angles, computed from the face's mesh.
  public var angleMode = Extent.all
  /// The eyes, ears, cheeks, nose and mouth, as single points.
  public var landmarkMode = Extent.none
  /// The outlines of the face and its parts.
  public var contourMode = Extent.none
  /// Whether faces smile and eyes are open.
  public var classificationMode = Extent.none
  /// Width of the smallest face that is searched for, as a fraction of the frame's width; at least 8 pixels. `nil` for the
  /// mode's. Smaller ones may be reported as well.
  public var minFaceSize: Double?
  /// Whether images are frames of one stream, whose faces are tracked and have IDs, or are independent.
  public var detectorMode = DetectionMode.stream
  /// Seconds of stream time between searches of whole frames for new faces: of every fifth frame at most, and of at least one
  /// a second; 0 to search every frame. Known faces are searched for in every frame, in their surroundings or by their meshes.
  public var searchInterval: Duration {
    get { .seconds(searchSeconds) }
    set { searchSeconds = newValue.inSeconds }
  }
  package var searchSeconds = 0.2
  /// The purpose of the detection; set by `search(for:)`.
  package private(set) var purpose = DetectionPurpose.annotation
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a reported face, 0…1; `nil` for that of `tracking`.
  public var minimumScore: Double?
  /// When faces get IDs, and for how long they keep them; stream mode only. `minimumScore` replaces its own, if set.
  public var tracking = TrackerOptions()
  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device = "CPU"

  /// - Parameter detectorMode: whether images are frames of one stream, or are independent.
  public init(
    detectorMode: DetectionMode = .stream, landmarkMode: Extent = .none, contourMode: Extent = .none,
    classificationMode: Extent = .none
  ) {
    self.detectorMode = detectorMode
    (self.landmarkMode, self.contourMode, self.classificationMode) = (landmarkMode, contourMode, classificationMode)
  }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  package func check() throws(VStreamError) {
    if let minFaceSize { try NumberLimit.fraction.check(minFaceSize, of: .minFaceSize) }
    try NumberLimit.seconds.check(searchSeconds, of: .searchInterval)
    try trackerOptions.check()
  }

  /// The options of the tracker, with the lowest score of a face.
  package var trackerOptions: TrackerOptions {
    var options = tracking
    options.minimumScore = minimumScore ?? tracking.minimumScore
    return options
  }

  /// Sets the purpose; redaction and verification search thoroughly, whatever the mode and the size say.
  package mutating func search(for purpose: DetectionPurpose) {
    self.purpose = purpose
    guard purpose != .annotation else { return }
    performanceMode = .accurate
    if effectiveMinFaceSize > Self.smallestRedactedFace { minFaceSize = nil }
  }

  /// 20 pixels in a frame of 1920, as a fraction.
  private static let smallestRedactedFace = 0.0104

  /// The lowest score of a detection. Redacted faces are continued, and started by repetition, at lower scores, whatever score
  /// is to be reported.
  var lowestScore: Double {
    let reported = trackerOptions.minimumScore
    if purpose == .annotation { return reported }
    return min(reported, TrackerOptions().minimumScore) * CoverageTracker.repeatedScore
  }

  /// The mode's, or as set.
  package var effectiveMinFaceSize: Double {
    if let minFaceSize { return minFaceSize }
    return performanceMode == .fast ? 0.03 : hasRedactionSize ? Self.smallestRedactedFace : 0.01
  }

  /// Width of the smallest face that is searched for in a frame, in pixels of it. Enlarged further, faces show no more.
  ///
  /// Redaction without a size of its own: in photos 20 pixels at most, and of frames wider than 16:9 the fraction of the width
  /// that 16:9 has.
  func smallestFace(in frame: PixelSize) -> Double {
    let width = Double(frame.width)
    guard hasRedactionSize else { return max(8, effectiveMinFaceSize * width) }
    let fraction = effectiveMinFaceSize * min(width, Double(frame.height) * 16 / 9)
    return max(14, detectorMode == .singleImage ? min(20, fraction) : fraction)
  }

  /// Whether the size is that of a redaction, not one of the user's.
  private var hasRedactionSize: Bool { purpose != .annotation && performanceMode == .accurate && minFaceSize == nil }

  /// The network, sizes and rotations that are searched, for a receipt.
  package var searches: String {
    let pixels = hasRedactionSize ? 14 : 8
    let alternative = hasRedactionSize && detectorMode == .singleImage ? " or 20 pixels" : ""
    let least =
      "faces at least \(effectiveMinFaceSize) of the frame's width\(alternative) and \(pixels) pixels wide, in an "
      + "input of at most \(Int(FaceFinder.longestSide)) pixels"
    if purpose == .verification {
      return
        "\(least): CenterFace, mirrored, at 1.25 times the size, upright and at one other quarter turn a frame (photos: all)"
    }
    let turns =
      purpose == .redaction
      ? ", and every 0.5 s at another quarter turn (all where none is upright, and in photos)" : ""
    return "\(least): CenterFace, upright" + turns
  }

  /// Whether anything is requested that needs the face's mesh; otherwise only boxes are reported, and no mesh is computed.
  package var needsMesh: Bool { [angleMode, landmarkMode, contourMode, classificationMode].contains(.all) }
}

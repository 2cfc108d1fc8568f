public import VStreamScene
public import VStreamTracking

/// What face detection reports, and how it searches. The options and their names are ML Kit's.
public struct FaceDetectorOptions: Hashable, Sendable {
  /// How thoroughly faces are searched for.
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// Faces near the camera, in one detection pass.
    case fast
    /// Faces of all sizes down to `minFaceSize`, in as many passes as that takes.
    case accurate
  }

  /// How much of what a mode is about is reported.
  public enum Extent: Hashable, Sendable {
    case none
    case all
  }

  /// How thoroughly faces are searched for; `fast` is for faces near the camera.
  public var performanceMode = PerformanceMode.fast
  /// The head's angles, computed from the face's mesh.
  public var angleMode = Extent.all
  /// The eyes, ears, cheeks, nose and mouth, as single points.
  public var landmarkMode = Extent.none
  /// The outlines of the face and its parts.
  public var contourMode = Extent.none
  /// Whether faces smile and eyes are open.
  public var classificationMode = Extent.none
  /// Width of the smallest face that is searched for, as a fraction of the frame's width; at least 20 pixels. Slightly
  /// smaller ones may be reported as well.
  public var minFaceSize = 0.1
  /// Whether images are frames of one stream, whose faces are tracked and have IDs, or are independent.
  public var detectorMode = DetectionMode.stream
  /// Seconds of stream time between searches for new faces, or in which all small crops are searched; 0 to search every
  /// frame. Redaction that shows a frame before later ones are searched needs 0.
  public var searchInterval = 0.2
  /// Whether faces that the frame's edge cuts, and heads that are turned in the image plane by any angle, are searched for
  /// as well, in the accurate mode.
  public var isExhaustive = false
  /// Whether another search is checked: frames are searched in another way than those of the accurate mode, in their mirror
  /// image, with crops of other sizes, and by the fast mode's network as well.
  public var isSecondSearch = false
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a face, 0…1; `nil` for MediaPipe's, which is 0.5 for the fast network and 0.6 for the accurate one.
  public var minimumScore: Double?
  /// When faces get IDs, and for how long they keep them; stream mode only. `minimumScore` replaces its own.
  public var tracking = TrackerOptions()
  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device = "CPU"

  /// - Parameter detectorMode: whether images are frames of one stream, or are independent.
  public init(detectorMode: DetectionMode = .stream) { self.detectorMode = detectorMode }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  public func check() throws(VStreamError) {
    try NumberLimit.fraction.check(minFaceSize, of: .minFaceSize)
    try NumberLimit.seconds.check(searchInterval, of: .searchInterval)
    try trackerOptions.check()
  }

  /// The options of the tracker, with the lowest score of a face.
  public var trackerOptions: TrackerOptions {
    var options = tracking
    options.minimumScore = minimumScore ?? tracking.minimumScore
    return options
  }

  /// Searches for all faces that are to be redacted.
  ///
  /// Less confident detections may continue a redacted face, but start none.
  /// - Parameter everyFrame: whether each frame is searched wholly.
  public mutating func searchExhaustively(everyFrame: Bool) {
    performanceMode = .accurate
    minFaceSize = min(minFaceSize, Self.smallestRedactedFace)
    isExhaustive = true
    if everyFrame { searchInterval = 0 }
    minimumScore = min(minimumScore ?? Self.minimumRedactedScore, Self.minimumRedactedScore)
  }

  private static let minimumRedactedScore = 0.3
  /// 20 pixels in a frame of 1920, as a fraction.
  private static let smallestRedactedFace = 0.0104

  /// The lowest score, of MediaPipe or as set.
  var effectiveMinimumScore: Double { minimumScore ?? (performanceMode == .fast ? 0.5 : 0.6) }

  /// Quarter turns at which crops are searched for heads that are turned in the image plane. An upright crop shows those that
  /// lie on their side as well, with lower scores; so all turns are for images and where every frame is searched wholly.
  var quarterTurns: [Int] {
    if !isExhaustive { return [] }
    return searchInterval == 0 || detectorMode == .singleImage ? [1, 2, 3] : [2]
  }

  /// What is searched, for the receipt of a verification.
  public var searches: [String] {
    let network = performanceMode == .fast ? "short-range network" : "full-range network"
    guard isSecondSearch else { return ["faces: \(network)"] }
    return [
      "faces: \(network), mirror image, crops of other sizes, edges continued, grainy frames smoothed as well, "
        + "one quarter turn a frame besides upright (all in photos)",
      "faces: short-range network, whole frame",
    ]
  }

  /// Seconds in which all crops are searched at each of those turns.
  var turnedSearchInterval: Double { searchInterval > 0 ? 2 * searchInterval : Self.shortestTurnedInterval }

  private static let shortestTurnedInterval = 0.2

  /// Whether anything is requested that needs the face's mesh; otherwise only boxes are reported, and no mesh is computed.
  public var needsMesh: Bool { [angleMode, landmarkMode, contourMode, classificationMode].contains(.all) }

  /// Whether the small crops are searched in rotation and faces at their last positions, so that frames depend on each other
  /// though only boxes are requested.
  public var schedulesCrops: Bool {
    !needsMesh && detectorMode == .stream && performanceMode == .accurate
  }
}

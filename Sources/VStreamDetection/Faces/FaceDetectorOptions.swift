public import VStreamScene

/// What a face detector finds, and how. The options are ML Kit's, under its names.
public struct FaceDetectorOptions: Hashable, Sendable {
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// Faces near the camera, at one look.
    case fast
    /// Faces of all sizes down to `minFaceSize`, at as many looks as that takes.
    case accurate
  }

  /// Which of the things that a mode is about are wanted.
  public enum Extent: Hashable, Sendable {
    case none
    case all
  }

  public var performanceMode = PerformanceMode.fast
  /// The head's angles, which are told by the face's mesh.
  public var angleMode = Extent.all
  public var landmarkMode = Extent.none
  public var contourMode = Extent.none
  /// Whether faces smile and eyes are open.
  public var classificationMode = Extent.none
  /// Width of the smallest face that is sought, as a fraction of the frame's, and at least 20 pixels. Of smaller ones those
  /// near it may be found as well.
  public var minFaceSize = 0.1
  public var detectorMode = DetectionMode.stream
  /// Seconds of stream time from one look for new faces to the next, or in which all closer looks are taken; 0 to look on
  /// every frame. Who covers faces, and shows a frame before it is known what is found after it, wants 0.
  public var searchInterval = 0.2
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a face, 0…1; `nil` for MediaPipe's, which is 0.5 for the fast network and 0.6 for the accurate one.
  public var minimumScore: Double?

  public init() {}

  var leastScore: Double { minimumScore ?? (performanceMode == .fast ? 0.5 : 0.6) }

  /// Whether anything is wanted that the face's mesh tells; else boxes are all, and no mesh is made.
  public var needsMesh: Bool { [angleMode, landmarkMode, contourMode, classificationMode].contains(.all) }

  /// Whether a frame is looked at by what was found in those before, though boxes are all that is wanted.
  public var rotatesCrops: Bool {
    !needsMesh && detectorMode == .stream && performanceMode == .accurate && searchInterval > 0
  }
}

public import VStreamScene

/// A detection in a redacted video that is not sufficiently covered.
public struct Residual: Hashable, Sendable {
  /// Index of the output's frame, from 0.
  public var frame: Int
  /// Time of the frame in the output, in seconds.
  public var seconds: Double
  public var label: String
  public var score: Double
  public var box: Box
  /// The fraction of its box that was covered in that frame, 0…1.
  public var coveredFraction: Double

  public init(frame: Int, seconds: Double, label: String, score: Double, box: Box, coveredFraction: Double) {
    self.frame = frame
    self.seconds = seconds
    self.label = label
    self.score = score
    self.box = box
    self.coveredFraction = coveredFraction
  }
}

/// The result of verifying a redacted video: the detections in it, by whether they are covered.
///
/// Detectors may recognise a mosaic as the subject under it; this is a covered hit, not a residual.
public struct ResidualReport: Hashable, Sendable {
  public private(set) var frames = 0
  /// The number of detections that are sufficiently covered.
  public private(set) var coveredHits = 0
  public private(set) var residuals: [Residual] = []

  /// The minimum covered fraction of a covered detection's box.
  public static let minimumCoveredFraction = 0.8

  public init() {}

  /// Adds the detections of one frame, in frame order.
  ///
  /// - Parameters:
  ///   - covers: the covered ellipses of that frame.
  ///   - labels: the redacted labels, in lower case.
  public mutating func add(_ annotations: FrameAnnotations, covers: [Ellipse], labels: Set<String>) {
    frames += 1
    let subjects = DetectionKind.allCases.flatMap { annotations.found.redactionSubjects(of: $0) }
    for subject in subjects where labels.contains(subject.label.lowercased()) {
      let fraction = subject.box.coveredFraction(by: covers)
      guard fraction < Self.minimumCoveredFraction else {
        coveredHits += 1
        continue
      }
      residuals.append(
        Residual(
          frame: annotations.frame, seconds: annotations.time.seconds, label: subject.label, score: subject.score,
          box: subject.box, coveredFraction: fraction))
    }
  }
}

internal import VStreamCore
internal import VStreamMedia
package import VStreamReporting
internal import VStreamTracking

/// Verifies a redacted video: runs detectors on it that search in another way than those of the redaction did, and checks that
/// all detections lie in covered regions.
package struct RedactionVerifier: Sendable {
  private let pipeline: Pipeline
  private let check: Monitor<ResidualReport>
  private let frameCount: Int
  private let groups: WrittenGroups?
  private let location: String
  /// Whether the output is a file for each frame.
  private let isImages: Bool

  /// - Parameters:
  ///   - configuration: of the run that redacted.
  ///   - detectors: that are run on the output; the run itself may have replayed records instead.
  ///   - location: of its output.
  ///   - result: its result, with the regions that it covered in each frame.
  /// - Returns: `nil` if the run redacted nothing.
  package init?(
    of configuration: PipelineConfiguration, detectors: [DetectorSpec], location: String,
    result: PipelineResult
  ) {
    let coveredEllipses = result.coveredEllipses
    groups = result.groups
    guard let labels = configuration.redaction?.labels else { return nil }
    // Objects with scores too low for the run's redaction are still visible.
    let object = min(configuration.objectScore ?? configuration.tracker.minimumScore, Self.objectScore)
    let check = Monitor(
      ResidualReport(scores: [
        .objects: .init(minimum: object, isolatedMinimum: object), .faces: Self.faceScores,
      ]))
    var verification = PipelineConfiguration(
      input: MediaInput(location), fontPath: configuration.fontPath, threads: configuration.threads)
    verification.detectors = detectors
    verification.models = configuration.models
    verification.run = .verify
    verification.tracker = configuration.tracker
    verification.tracker.minimumScore = min(verification.tracker.minimumScore, Self.objectScore) * Self.weakFraction
    verification.objectScore = object * Self.weakFraction
    // As single images: every detection counts, not only tracks.
    verification.mode = .singleImage
    verification.onFrame = { record, _ in
      let annotations = record.annotations
      check.update {
        $0.add(
          annotations,
          covers: coveredEllipses.indices.contains(annotations.frame) ? coveredEllipses[annotations.frame] : [],
          labels: labels)
      }
    }
    self.check = check
    self.location = location
    isImages = configuration.output?.destination.style == .images
    frameCount = coveredEllipses.count
    pipeline = Pipeline(verification)
  }

  /// A search of all sizes, turns and edges finds something like a face in much that is none, if only for a moment.
  private static let faceScores = ResidualReport.Scores(minimum: 0.6, isolatedMinimum: 0.75)
  /// The lowest score of a residual of an object, at most.
  private static let objectScore = TrackerOptions().minimumScore
  /// The lowest score of a weak hit of an object, as a fraction of the lowest that was redacted.
  private static let weakFraction = 0.5

  /// Ends the verification early.
  package func stop() { pipeline.stop() }

  /// Verifies all frames. Blocks the calling thread.
  ///
  /// - Returns: `nil` if stopped before the end.
  /// - Throws: the `VStreamError` of reading the output; `inputOutput` if it has another number of frames than were written, or copied packets that are not the input's.
  package func run(onProgress: (PipelineProgress) -> Void = { _ in }) throws -> RedactionCheck? {
    if try pipeline.run(onProgress: onProgress).wasStopped { return nil }
    let found = check.read { $0.check }
    guard found.frames == frameCount else {
      throw VStreamError(
        .inputOutput,
        "'\(ShownLocation.text(location))' cannot be verified: it has \(found.frames) frames where \(frameCount) were written",
        remedy: isImages && found.frames > frameCount
          ? "images of an earlier run follow them: remove those, or write to another folder"
          : "write another format, for example .mkv")
    }
    try groups?.requireCopies(in: location)
    return found
  }
}

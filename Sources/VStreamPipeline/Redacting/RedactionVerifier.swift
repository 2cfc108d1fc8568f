internal import VStreamMedia
public import VStreamReporting
public import VStreamScene

/// Looks at a redacted video as anyone may who gets it: what do the detectors still find?
public struct RedactionVerifier: Sendable {
  private let pipeline: Pipeline
  private let check: Monitor<ResidualReport>
  private let frameCount: Int
  private let location: String

  /// - Parameters:
  ///   - configuration: of the run that redacted.
  ///   - detectors: what looks at the output; the run itself may have taken records instead.
  ///   - location: what it wrote.
  ///   - covers: what it covered in each frame.
  /// - Returns: `nil` if the run redacted nothing.
  public init?(
    of configuration: PipelineConfiguration, detectors: [DetectorFactory], location: String, covers: [[Ellipse]]
  ) {
    guard let labels = configuration.redaction?.labels else { return nil }
    let check = Monitor(ResidualReport())
    var looking = PipelineConfiguration(
      input: MediaInput(location), fontPath: configuration.fontPath, threads: configuration.threads)
    looking.detectors = detectors
    looking.tracker = configuration.tracker
    // Every frame by itself, with all that is found in it.
    looking.mode = .singleImage
    looking.onAnnotations = { annotations in
      check.update {
        $0.add(annotations, covers: covers.indices.contains($0.frames) ? covers[$0.frames] : [], labels: labels)
      }
    }
    self.check = check
    self.location = location
    frameCount = covers.count
    pipeline = Pipeline(looking)
  }

  /// Has the run end early.
  public func stop() { pipeline.stop() }

  /// Looks at all frames. Blocks the calling thread.
  ///
  /// - Returns: `nil` if stopped before the end.
  /// - Throws: `VStreamError`: what the reading of the output throws; `inputOutput` if it has not as many frames as were
  ///   written.
  public func run(onProgress: (PipelineProgress) -> Void = { _ in }) throws -> ResidualReport? {
    if try pipeline.run(onProgress: onProgress).wasStopped { return nil }
    let found = check.read { $0 }
    guard found.frames == frameCount else {
      throw VStreamError(
        .inputOutput,
        "'\(location)' cannot be verified: it has \(found.frames) frames where \(frameCount) were written",
        remedy: "write another format, for example .mkv")
    }
    return found
  }
}

internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// Checks that earlier records (`--from-records`) suit a run.
struct ReplayPlan {
  private let path: String
  private let run: RunContext
  private let reader: RecordReader
  /// The kinds taken from the records.
  private let kinds: Set<DetectionKind>
  private var command: AnnotateCommand { run.command }

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`; `usage` for records that do not suit the options.
  static func options(_ path: String, _ run: RunContext) throws(VStreamError) -> ReplayOptions {
    let plan = try ReplayPlan(path, run)
    try plan.checkRedaction()
    try plan.checkDetections()
    var options = ReplayOptions(path: path, classes: run.classes.map { Set($0) }, kinds: plan.kinds)
    options.tracks = try run.command.records.replayedTracks()
    options.requiresEveryFrame = run.command.redaction.redact != nil
    return options
  }

  private init(_ path: String, _ run: RunContext) throws(VStreamError) {
    self.path = path
    self.run = run
    let written = run.command.fileNames(for: [.writtenText]) + WrittenFiles.videos(of: run.command)
    for written in written where PathIdentity.isSameLocation(path, written) {
      throw VStreamError(
        .usage, "'\(written)' is read (--from-records) and would be overwritten", remedy: "give it another name")
    }
    reader = try run.replay(ReplayOptions(path: path))
    let found = Set(reader.kinds.compactMap { DetectionKind(rawValue: $0) })
    let recorded = found.isEmpty ? [.objects] : found
    // As in the run that was recorded, heads without a face are redacted where there are persons.
    let isImplied = run.command.detection.detect == nil && run.command.redaction.kinds?.contains(.faces) == true
    kinds = run.kinds.union(isImplied ? [.objects] : []).intersection(recorded)
    guard !kinds.isEmpty else {
      throw VStreamError(
        .usage, "--from-records: '\(path)' holds \(Self.list(recorded)), and --detect asks for \(Self.list(run.kinds))",
        remedy: "omit --detect")
    }
  }

  private static func list(_ kinds: Set<DetectionKind>) -> String {
    kinds.isEmpty ? "nothing" : kinds.map(\.rawValue).sorted().joined(separator: ", ")
  }

  /// Checks that redacted kinds are recorded.
  private func checkRedaction() throws(VStreamError) {
    if let missing = command.redaction.kinds?.subtracting(kinds).first {
      throw VStreamError(
        .usage, "--redact: '\(path)' holds no \(missing.rawValue)",
        remedy: "record it with --detect \(missing.rawValue)")
    }
    guard let classes = reader.classes,
      let missing = run.redactedClasses.subtracting(classes.map { $0.lowercased() }).min()
    else { return }
    throw VStreamError(
      .usage, "--redact: '\(path)' was recorded for \(classes.sorted().joined(separator: ", ")) alone",
      remedy: "record it without --classes, or with \(missing)")
  }

  /// Tracking again needs the detections, not only the tracks.
  private func checkDetections() throws(VStreamError) {
    if reader.hasDetections { return }
    let tracking = [RecordOptionGroup.events, RecordOptionGroup.recordDetections, RedactionOptionGroup.redact]
    let option = tracking.first { $0.value(in: command) != nil }?.name
    let isAgain = try command.records.replayedTracks() == .again
    guard let option = option ?? (isAgain ? "--tracks again" : nil) else { return }
    throw VStreamError(
      .usage, "\(option): '\(path)' holds tracks, and not the detections that they were made of",
      remedy: "record it with --record-detections")
  }
}

internal import ArgumentParser
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting

struct RecordOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Write records of each frame; the extension selects the format: \(RecordFormat.list); - writes JSON lines to "
        + "standard output; may be repeated.",
      valueName: "file"), completion: .file())
  var records: [String] = []

  @Flag(help: "Record track events as well: enter, confirm, lost, recovered, exit.")
  var events = false

  @Flag(help: "Record the detector's own detections as well, so that --from-records can track them again.")
  var recordDetections = false

  @Option(
    help: ArgumentHelp(
      "Take detections from earlier records (.jsonl) instead of running the detector.", valueName: "file"),
    completion: .file())
  var fromRecords: String?

  @Option(
    help: ArgumentHelp(
      "With --from-records: again tracks the recorded detections again, recorded takes the tracks as they are in the "
        + "records, with what was edited in them. (default: again, if detections were recorded)",
      valueName: "again|recorded"), completion: .list(["again", "recorded"]))
  var tracks: String?

  @Option(help: ArgumentHelp("Write the run's statistics as JSON.", valueName: "file"), completion: .file())
  var stats: String?

  static let anyRecords = GivenOption("--records") { $0.records.records.first }
  static let fromRecords = GivenOption("--from-records", \.records.fromRecords)
  static let events = GivenOption("--events", \.records.events)
  static let recordDetections = GivenOption("--record-detections", \.records.recordDetections)

  static let recordedTracks = GivenOption("--tracks recorded") { $0.records.tracks == "recorded" ? "" : nil }

  static var rules: [OptionRule] {
    [rule(events, .events), rule(recordDetections, .detections)]
      + TrackingOptionGroup.changed.map { option in
        .excludes(option, recordedTracks, "has no effect on recorded tracks", remedy: "omit one of them")
      }
      + [events, recordDetections, RedactionOptionGroup.redact].map { option in
        .excludes(
          option, recordedTracks, "requires that the detections are tracked, which --tracks recorded does not do",
          remedy: "omit one of them")
      }
      + [
        .excludes(
          GivenOption("--records -") { $0.records.records.contains("-") ? "" : nil }, OutputOptionGroup.standardOutput,
          "standard output has the video", remedy: "write one of them to a file"),
        .requires(
          GivenOption("--tracks", \.records.tracks), fromRecords, "has no effect without --from-records",
          remedy: "add --from-records FILE.jsonl"),
      ]
  }

  /// Where the tracks of a replay come from; `nil` for the default.
  func replayedTracks() throws(VStreamError) -> ReplayedTracks? {
    guard let tracks else { return nil }
    guard let source = ReplayedTracks(rawValue: tracks) else {
      throw usageError("--tracks", tracks, "is not known", remedy: "use again or recorded")
    }
    return source
  }

  /// An option requires a record format that can hold its contents.
  private static func rule(_ option: GivenOption, _ contents: RecordFormat.Contents) -> OptionRule {
    let endings = RecordFormat.all.filter { $0.contents.contains(contents) }.flatMap(\.fileNameEndings)
    let records = GivenOption("--records FILE\(endings.joined(separator: " or FILE"))") { command in
      command.records.records.first { (try? RecordFormat(path: $0))?.contents.contains(contents) == true }
    }
    return .requires(option, records, "no records that can hold them are written", remedy: "add \(records.name)")
  }

  static var files: [FileOption] {
    [
      FileOption("--records", \.records.records), FileOption("--stats", \.records.stats),
      FileOption("--from-records", \.records.fromRecords, use: .read),
    ]
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    for path in records { _ = try RecordFormat(path: path) }
    configuration.records = records
    configuration.recordsEvents = events
    configuration.recordsDetections = recordDetections
  }

  /// - Parameter kinds: the detected or replayed kinds.
  /// - Throws: `VStreamError.usage` for records that cannot hold any of it, and would be empty.
  func checkFormats(for kinds: Set<DetectionKind>) throws(VStreamError) {
    for path in records { try RecordFormat(path: path).requireHolds(kinds, path: path) }
  }

  func recorded(_ run: RunContext) -> [RecordedOption] {
    if run.kinds.isEmpty { return [] }
    return [("events", events), ("recordDetections", recordDetections)].filter(\.1).map { name, _ in
      RecordedOption(name, .flag(true))
    }
  }
}

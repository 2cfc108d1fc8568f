internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting

struct SourceOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp("Input format by FFmpeg's name, if FFmpeg does not recognise it.", valueName: "name"))
  var inputFormat: String?

  @Option(help: ArgumentHelp("An FFmpeg option for the input; may be repeated.", valueName: "key=value"))
  var inputOption: [String] = []

  @Option(
    help: ArgumentHelp(
      "The streams to process and copy, by FFmpeg's specifiers: 0:v:1, a:m:language:eng, -s for all but subtitles; may be "
        + "repeated. (default: all)", valueName: "stream"))
  var map: [String] = []

  @Option(help: ArgumentHelp("Skip this much of the input: seconds, or 1:23:45.6.", valueName: "time"))
  var start: String?

  @Option(help: ArgumentHelp("Process this much of the input: seconds, or 1:23:45.6.", valueName: "time"))
  var duration: String?

  @Flag(help: "Start the output at the input's first time, for example 10 h in a broadcast recording, instead of 0.")
  var keepStart = false

  @Flag(help: "Read a file at its own frame rate, and treat it as live.")
  var realtime = false

  @Option(
    help: ArgumentHelp(
      "Seconds to wait when the input is opened, and for each read. (default: 10 for URLs and devices)",
      valueName: "seconds"))
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds for which a lost stream or camera is retried; 0 does not retry.", valueName: "seconds"))
  var reconnect = 0.0

  @Option(
    help: ArgumentHelp(
      "Late-frame policy, where the detector is too slow: drop emits frames on time with predicted tracks, wait detects on "
        + "every frame. (default: drop when live and nothing is redacted)", valueName: "drop|wait"),
    completion: .list(["drop", "wait"]))
  var late: String?

  @Option(
    help: ArgumentHelp(
      "Seconds that a frame may wait for its own detection, with --late drop.", valueName: "seconds"))
  var hold = 0.05

  @Flag(help: "Exit with status 65 if the input is damaged, even if the damage could be worked around.")
  var strict = false

  /// The input, with the options for opening it.
  func input(_ location: String) throws(VStreamError) -> MediaInput {
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw usageError("--timeout", "\(timeout)", "is not a time", remedy: "give more than 0 seconds")
    }
    var input = MediaInput(
      location, format: inputFormat, options: try OptionText.keysAndValues("--input-option", inputOption),
      timeout: timeout)
    input.map = try StreamMap(map)
    return input
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    configuration.start = try OptionText.time("--start", start)
    configuration.duration = try OptionText.duration("--duration", duration)
    configuration.keepsStart = keepStart
    configuration.isRealtime = realtime
    configuration.late = try late.map { (text) throws(VStreamError) in
      try OptionText.value("--late", text, "is not a late-frame policy")
    }
    configuration.hold = try OptionText.seconds("--hold", hold)
    configuration.reconnectSeconds = try OptionText.seconds("--reconnect", reconnect)
  }

  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] {
    let parts = [
      ("start", try OptionText.time("--start", start)), ("duration", try OptionText.duration("--duration", duration)),
    ]
    return parts.compactMap { name, seconds in
      seconds.map { RecordedOption(name, .number($0), isForReceipt: true) }
    }
  }
}

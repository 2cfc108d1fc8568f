import ArgumentParser
import VStreamCore
import VStreamPipeline
import VStreamReporting

@testable import VStreamCommand
@testable import VStreamMedia
@testable import VStreamSystem

extension FuzzTarget {
  /// Lines of text: after a line `=`, values as every option parses them; after a line `+`, options as in `OptionTable`,
  /// applied to the configuration of a run. No file is read or written.
  static let optionValues = FuzzTarget(name: "option-values") { bytes in
    let words = words(bytes)
    switch words[0] {
    case "=": for word in words.dropFirst().prefix(maximumWords) { try requireValues(word) }
    case "+": if let command = OptionTable.command(words.dropFirst()) { try requireConfiguration(command) }
    default: break
    }
  }

  /// The arguments of the program, one on each line, parsed and applied to the configuration of a run. No file is read or
  /// written. The parser of arguments takes milliseconds for each line.
  static let commandLines = FuzzTarget(name: "command-lines") { bytes in try requireParsed(words(bytes)) }

  private static func words(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  private static let maximumWords = 16

  // MARK: - One value

  private static func requireValues(_ word: String) throws {
    if let time = try accepted({ try OptionText.time("--start", word) }) ?? nil {
      try require(time >= 0 && time.isFinite, "'\(word)' is the time \(time)")
    }
    if let pair = try accepted({ try OptionText.keysAndValues("--input-option", [word]) })?.first {
      try require(!pair.key.isEmpty && "\(pair.key)=\(pair.value)" == word, "'\(word)' becomes \(pair)")
    }
    for element in OptionText.list(word) {
      try require(!element.hasPrefix(" ") && !element.hasSuffix(" "), "'\(element)' of '\(word)' has spaces")
    }
    try requireRate(word)
    try requirePattern(word)
    try requireLocation(word)
  }

  private static func requireRate(_ word: String) throws {
    guard let rate = try accepted({ try TrackFileOptionGroup.rate(word) }) else { return }
    try require((1e-6...1e6).contains(rate), "--fps \(word) is \(rate)")
  }

  private static func requirePattern(_ word: String) throws {
    guard let pattern = NumberPattern(word) else {
      try require(NumberPattern(NumberPattern.escaped(word)) == nil, "'\(word)' is a pattern when it is escaped")
      return
    }
    for number in [0, 7, 12_345] {
      let name = pattern.name(number)
      try require(pattern.number(in: name) == number, "'\(word)' does not find \(number) in '\(name)'")
    }
  }

  private static func requireLocation(_ word: String) throws {
    let input = MediaInput(word)
    try require(!input.isURL || input.displayName.hasPrefix("'"), "'\(word)' is shown as \(input.displayName)")
    _ = (input.fileName, input.scheme, input.displayName)
    _ = try accepted { try RecordFormat(path: word) }
  }

  // MARK: - All of them

  private static func requireParsed(_ words: [String]) throws {
    guard let arguments = try accepted({ try ArgumentText.prepared(words) }) else { return }
    let command: any ParsableCommand
    do {
      command = try VStreamCommand.parseAsRoot(arguments)
    } catch {
      return try ArgumentText.problem(error).map(requireLine) ?? ()
    }
    if let command = command as? AnnotateCommand { try requireConfiguration(command) }
    if let command = command as? TrackCommand {
      _ = try accepted { try command.tracking.tracker(minimumScore: command.minScore) }
    }
  }

  private static func requireConfiguration(_ command: AnnotateCommand) throws {
    let configuration = try accepted { () throws -> PipelineConfiguration in
      let run = try RunContext(command)
      var configuration = PipelineConfiguration(input: run.input, fontPath: "", threads: run.threads ?? 1)
      for group in command.groups { try group.apply(to: &configuration, run) }
      for group in command.groups { _ = try group.recorded(run) }
      try command.output.apply(to: &configuration, run)
      return configuration
    }
    guard let configuration else { return }
    try requireRanges(configuration)
    guard let destination = configuration.output?.destination, destination.style == .images else { return }
    let paths = [1, 2, 12_345_678, 123_456_789].map(destination.path(number:))
    try require(Set(paths).count == (destination.isSingleImage ? 1 : paths.count), "images have the names \(paths)")
  }

  /// The ranges that the documentation states.
  private static func requireRanges(_ configuration: PipelineConfiguration) throws {
    let times = [configuration.start, configuration.duration, configuration.hold, configuration.reconnectSeconds]
    try require(times.allSatisfy { $0.map { $0 >= 0 && $0.isFinite } ?? true }, "times are \(times)")
    let tracker = configuration.tracker
    try require(
      tracker.minimumScore > 0 && tracker.minimumScore <= 1 && tracker.lostAfterSeconds >= 0
        && tracker.lostAfterSeconds.isFinite
        && tracker.confirmAfter >= 1 && tracker.minimumIoU > 0 && tracker.minimumIoU < 1, "the tracker has \(tracker)")
    try require(configuration.maximumObjects.map { $0 >= 1 } ?? true, "the number of objects is below 1")
    try require((1...1024).contains(configuration.threads), "threads are \(configuration.threads)")
    if let encoder = configuration.output?.encoder {
      try require(
        encoder.bitRate.map { (1...10_000_000_000).contains($0) } ?? true, "the bit rate is \(encoder.bitRate ?? 0)")
    }
  }
}

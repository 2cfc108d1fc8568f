internal import ArgumentParser
internal import CVStreamMemory
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures how fast a video is annotated, stage by stage; what is written goes nowhere.",
    usage: "vstream bench INPUT [options]",
    discussion: """
      Everything is done that a run does: decoding, detecting, tracking, drawing, encoding, muxing. Frames a second are \
      counted from frame --warm-up on, and are those of the run in the middle of several.
      """)

  @OptionGroup var annotate: AnnotateCommand

  @Flag(help: "Neither draw nor encode.")
  var noEncode = false

  @Flag(help: "Only decode.")
  var decodeOnly = false

  @Option(help: ArgumentHelp("How often it is run.", valueName: "n"))
  var runs = 3

  @Option(help: ArgumentHelp("How many frames at the beginning do not count.", valueName: "n"))
  var warmUp = 50

  @Flag(help: "Say it as JSON: as --stats has it, of the run in the middle, with more in \"bench\".")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Compare with the JSON of an earlier run, figure by figure; exit status 1 if one is worse by more than 10 %.",
      valueName: "file"))
  var compare: String?

  func run() throws {
    let command = try measured()
    let baseline = try compare.map { path throws(VStreamError) in
      try BenchBaseline(ReadableFile.bytes(of: path), path: path)
    }
    var results: [Statistics] = []
    // Only with the library vstream-allocations preloaded: the program itself does not replace malloc.
    let countsAllocations = CVStreamMemory_beginCounting()
    for number in 0..<runs {
      let console = try Console(annotate.running, place: runs == 1 ? "" : "\(number + 1)/\(runs) ")
      var plan = try RunPlan(command)
      plan.configuration.isFirstOfProcess = number == 0
      plan.configuration.warmUpFrames = warmUp
      if countsAllocations { plan.configuration.allocationCount = { Int(clamping: CVStreamMemory_allocationCount()) } }
      let pipeline = Pipeline(plan.configuration)
      let signals = StopSignals { pipeline.stop() }
      defer { signals.end() }
      let result = try pipeline.run { console.show($0) }
      console.clear()
      if result.wasStopped { throw ExitCode(ExitStatus.interrupted) }
      results.append(result.statistics)
      let frames = result.statistics.counts.framesOut
      guard frames > warmUp else {
        throw VStreamError(
          .usage,
          "'\(command.input)' has \(frames) \(frames == 1 ? "frame" : "frames"), and the first \(warmUp) do not count",
          remedy: "give a longer video, or a smaller --warm-up")
      }
    }
    let report = BenchReport(
      what: what, omitted: omitted, warmUpFrames: warmUp,
      processors: min(try annotate.running.threadCount() ?? .max, PipelineConfiguration.processorCount), runs: results)
    let verdicts = try baseline.map { baseline throws(VStreamError) in try report.verdicts(against: baseline) }
    if json { print(report.json(verdicts)) } else { for line in report.lines { print(line) } }
    for verdict in verdicts ?? [] { if json { Terminal.printLine(verdict.text) } else { print("  \(verdict.text)") } }
    if verdicts?.contains(where: { $0.judgement == .worse }) == true { throw ExitCode(ExitStatus.found) }
  }

  /// What is run: the command as given, with an output that goes nowhere.
  private func measured() throws(VStreamError) -> AnnotateCommand {
    guard annotate.inputs.count == 1 else {
      throw VStreamError(
        .usage, "bench: \(annotate.inputs.count) inputs are given, and one is measured at a time", remedy: "give one")
    }
    let ofMany = [
      ("--list", annotate.batch.list != nil), ("--output-dir", annotate.batch.outputDir != nil),
      ("--resume", annotate.batch.resume),
    ]
    if let option = ofMany.first(where: \.1)?.0 {
      throw VStreamError(.usage, "\(option): bench measures one input", remedy: "leave \(option) out")
    }
    if runs > 1, MediaInput(annotate.input).kind == .pipe {
      throw VStreamError(
        .usage, "'\(annotate.input)' can be read only once, and is to be run \(runs) times", remedy: "add --runs 1")
    }
    let written = [
      ("-o", annotate.output.name), ("--records", annotate.records.records.first), ("--stats", annotate.records.stats),
      ("--receipt", annotate.redaction.receipt), ("--save-faces", annotate.crops.saveFaces),
      ("--verify", annotate.redaction.verify ? "" : nil),
    ]
    if let option = written.first(where: { $0.1 != nil })?.0 {
      throw VStreamError(
        .usage, "\(option): bench writes nothing", remedy: "leave \(option) out; --json is for figures")
    }
    guard runs >= 1, runs <= 1000 else {
      throw usageError("--runs", "\(runs)", "is not a number of runs", remedy: "give 1 or more")
    }
    guard warmUp >= 0 else {
      throw usageError("--warm-up", "\(warmUp)", "is not a number of frames", remedy: "give 0 or more")
    }
    var command = annotate
    if decodeOnly {
      if command.redaction.redact != nil || command.find.detect != nil {
        throw VStreamError(
          .usage,
          "--decode-only: nothing is \(command.find.detect == nil ? "redacted (--redact)" : "detected (--detect)")",
          remedy: "leave one of them out")
      }
      command.find.detect = "none"
    }
    command.output.name = decodeOnly || noEncode ? "null" : "/dev/null"
    if !decodeOnly, !noEncode { command.output.outputFormat = annotate.output.outputFormat ?? "matroska" }
    return command
  }

  private var omitted: [String] {
    if decodeOnly { return ["detecting", "drawing", "encoding", "writing"] }
    return noEncode ? ["drawing", "encoding", "writing"] : ["writing to a disk"]
  }

  /// The input's name and the options as they were given, in the order of the alphabet, but for those that change nothing of
  /// what is measured.
  private var what: String {
    var options: [[String]] = []
    for word in CommandLine.arguments.dropFirst(2) where word != annotate.input {
      if word.hasPrefix("-") || options.isEmpty {
        options.append(word.split(separator: "=", maxSplits: 1).map(String.init))
      } else {
        options[options.count - 1].append(word)
      }
    }
    let others: Set = [
      "--runs", "--warm-up", "--json", "--compare", "--quiet", "--verbose", "--log-level", "--progress",
    ]
    let words = options.filter { !others.contains($0[0]) }.map { $0.joined(separator: " ") }.sorted()
    return ([MediaInput(annotate.input).fileName] + words).joined(separator: " ")
  }
}

internal import ArgumentParser
internal import CVStreamMemory
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures throughput and latency, stage by stage; the output is discarded.",
    usage: "vstream bench INPUT [options]",
    discussion: """
      Runs all stages: decoding, detection, tracking, drawing, encoding, muxing. Frames per second are counted from \
      frame --warm-up on; the figures are those of the median run.

      Besides these options it takes those of 'vstream --help full', except the ones that name files to write.
      """)

  @OptionGroup(visibility: .hidden) var annotate: AnnotateCommand

  @Flag(help: "Skip drawing and encoding.")
  var noEncode = false

  @Flag(help: "Decode only.")
  var decodeOnly = false

  @Option(help: ArgumentHelp("Number of runs.", valueName: "n"))
  var runs = 3

  @Option(help: ArgumentHelp("Number of frames at the beginning that are not counted.", valueName: "n"))
  var warmUp = 50

  @Flag(help: "Print JSON: the median run's statistics, as with --stats, and more in \"bench\".")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Compare with the JSON of an earlier benchmark; exit status 1 if a figure is worse by more than 10 %.",
      valueName: "file"), completion: .file())
  var compare: String?

  func run() throws {
    let command = try measuredCommand()
    let baseline = try compare.map { path throws(VStreamError) in
      try BenchBaseline(ReadableFile.bytes(of: path), path: path)
    }
    let countsAllocations = CVStreamMemory_beginCounting()
    var results: [Statistics] = []
    for number in 0..<runs { results.append(try measure(command, run: number, countsAllocations: countsAllocations)) }
    let report = BenchReport(
      what: workload, omitted: omittedStages, warmUpFrames: warmUp,
      processors: min(try annotate.running.threadCount() ?? .max, PipelineConfiguration.processorCount), runs: results)
    let verdicts = try baseline.map { baseline throws(VStreamError) in try report.verdicts(against: baseline) }
    if json { print(report.json(verdicts)) } else { for line in report.lines { Terminal.printResult(line) } }
    for verdict in verdicts ?? [] {
      if json { Terminal.printLine(verdict.text) } else { Terminal.printResult("  \(verdict.text)") }
    }
    if verdicts?.contains(where: { $0.judgement == .worse }) == true { throw ExitCode(ExitStatus.found) }
  }

  /// Runs the pipeline once.
  private func measure(_ command: AnnotateCommand, run number: Int, countsAllocations: Bool) throws -> Statistics {
    let console = try Console(annotate.running, prefix: runs == 1 ? "" : "\(number + 1)/\(runs) ")
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
    let frames = result.statistics.counts.framesOut
    guard frames > warmUp else {
      throw VStreamError(
        .usage,
        "'\(ShownLocation.text(command.input))' has \(frames) \(frames == 1 ? "frame" : "frames"), and the first \(warmUp) do not count",
        remedy: "give a longer video, or a smaller --warm-up")
    }
    return result.statistics
  }

  /// The command to measure: as given, with an output that is discarded.
  private func measuredCommand() throws(VStreamError) -> AnnotateCommand {
    try checkInput()
    try checkFiles()
    guard runs >= 1, runs <= 1000 else {
      throw usageError("--runs", "\(runs)", "is not a number of runs", remedy: "give 1 or more")
    }
    guard warmUp >= 0 else {
      throw usageError("--warm-up", "\(warmUp)", "is not a number of frames", remedy: "give 0 or more")
    }
    var command = annotate
    if decodeOnly {
      if command.redaction.redact != nil || command.detection.detect != nil {
        let what = command.detection.detect == nil ? "redacted (--redact)" : "detected (--detect)"
        throw usageError("--decode-only", "", "nothing is \(what)", remedy: "omit one of them")
      }
      command.detection.detect = "none"
    }
    command.output.name = decodeOnly || noEncode ? "null" : "/dev/null"
    if !decodeOnly, !noEncode { command.output.outputFormat = annotate.output.outputFormat ?? "matroska" }
    return command
  }

  /// Checks that there is one input, and that it can be read for each run.
  private func checkInput() throws(VStreamError) {
    guard annotate.inputs.count == 1 else {
      throw VStreamError(
        .usage, "bench: \(annotate.inputs.count) inputs are given, and bench measures one", remedy: "give one input")
    }
    if let option = BatchOptionGroup.all.first(where: { $0.value(in: annotate) != nil }) {
      throw usageError(option.name, "", "bench measures one input", remedy: "omit \(option.name)")
    }
    if runs > 1, MediaInput(annotate.input).kind == .pipe {
      throw VStreamError(
        .usage, "'\(ShownLocation.text(annotate.input))' can be read only once, and \(runs) runs are requested",
        remedy: "add --runs 1")
    }
  }

  /// Checks that no option asks for a file.
  private func checkFiles() throws(VStreamError) {
    let written = annotate.files.first { $0.use != .read && !$0.names(in: annotate).isEmpty }?.name
    guard let option = written ?? (annotate.redaction.verify ? "--verify" : nil) else { return }
    throw usageError(option, "", "bench writes nothing", remedy: "omit \(option); --json prints the figures")
  }

  private var omittedStages: [String] {
    if decodeOnly { return ["detecting", "drawing", "encoding", "writing"] }
    return noEncode ? ["drawing", "encoding", "writing"] : ["writing to a disk"]
  }

  /// The input's name and the options as given, sorted, without options that do not change the measurement.
  private var workload: String {
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
    return ([MediaInput(annotate.input).fileName] + words.map(ShownLocation.inText)).joined(separator: " ")
  }
}

internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

struct AnnotateCommand: ParsableCommand {
  static let name = "annotate"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: VStreamCommand.abstract,
    usage: """
      vstream INPUT -o OUTPUT [options]
      vstream INPUT… --output-dir FOLDER [options]
      vstream COMMAND …, the commands being
      \(ShortHelp.commands(indented: 8))
      """,
    discussion: """
      \(ShortHelp.examples)
      """)

  @Argument(help: ArgumentHelp("Video files, URLs, or - for standard input.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptionGroup
  @OptionGroup(title: "Source") var source: SourceOptionGroup
  @OptionGroup(title: "Source") var part: PartOptionGroup
  @OptionGroup(title: "Detection") var detection: DetectionOptionGroup
  @OptionGroup(title: "Objects") var objects: ObjectOptionGroup
  @OptionGroup(title: "Faces") var faces: FaceOptionGroup
  @OptionGroup(title: "Poses") var poses: PoseOptionGroup
  @OptionGroup(title: "Tracking") var tracking: TrackingOptionGroup
  @OptionGroup(title: "Counting") var counting: CountingOptionGroup
  @OptionGroup(title: "Drawing") var drawing: DrawingOptionGroup
  @OptionGroup(title: "Drawing") var overlayTrack: OverlayTrackOptionGroup
  @OptionGroup(title: "Redaction") var redaction: RedactionOptionGroup
  @OptionGroup(title: "Records") var records: RecordOptionGroup
  @OptionGroup(title: "Records") var crops: FaceCropOptionGroup
  @OptionGroup(title: "Several inputs") var batch: BatchOptionGroup
  @OptionGroup(title: "Running") var running: RunningOptionGroup

  /// The input of a run.
  var input: String { inputs.first ?? "" }

  func run() throws {
    if let batch = try Batch(self) { return try batch.run() }
    guard output.name != nil else {
      throw VStreamError(
        .usage, "no output is given (--output)",
        remedy: "give -o FILE, or -o null for none; 'vstream --help full' lists the options")
    }
    try annotate(RunPlan(self))
  }

  /// Runs the pipeline once.
  ///
  /// - Parameter prefix: goes before the progress line.
  func annotate(_ plan: RunPlan, prefix: String = "") throws {
    let console = try Console(running, prefix: prefix)
    let result = try run(plan, console)
    try plan.writeStatistics(result.statistics)
    if result.wasClosedByReader { return }
    console.conclude(result, output: output.output)
    let damaged = result.statistics.counts.corruptPackets
    if source.strict, damaged > 0 {
      throw VStreamError(
        .unreadableInput, "'\(input)' is damaged: \(damaged.counted("packet")) (--strict)",
        remedy: "what could be decoded is written")
    }
    if result.wasStopped { throw ExitCode(ExitStatus.interrupted) }
    if redaction.verifies { try verify(plan, result, console) }
  }

  /// Runs the pipeline, until its end or a signal.
  private func run(_ plan: RunPlan, _ console: Console) throws -> PipelineResult {
    let pipeline = Pipeline(plan.configuration)
    let signals = StopSignals { pipeline.stop() }
    defer { signals.end() }
    do {
      let result = try pipeline.run { progress in
        console.show(progress)
        guard progress.isSinkStuck, plan.writesToPipe else { return }
        console.clear()
        Terminal.printLine("vstream: stopped while the reader of '\(output.output)' was blocked")
        _exit(ExitStatus.interrupted)
      }
      console.clear()
      return result
    } catch {
      console.clear()
      // The statistics so far help; the run's error matters more than one of writing them.
      if let statistics = pipeline.statistics, statistics.counts.framesOut > 0 { try? plan.writeStatistics(statistics) }
      throw error
    }
  }

  /// Runs the detectors on the output, and reports the residuals.
  private func verify(_ plan: RunPlan, _ result: PipelineResult, _ console: Console) throws {
    guard let destination = plan.configuration.output?.destination,
      let verification = RedactionVerifier(
        of: plan.configuration, detectors: plan.verifyingDetectors, location: destination.location,
        result: result)
    else { return }
    let signals = StopSignals { verification.stop() }
    defer { signals.end() }
    let check = try verification.run { console.show($0) }
    console.clear()
    guard let check else { throw ExitCode(ExitStatus.interrupted) }
    try plan.writeReceipt(check, of: result)
    console.conclude(check, unverified: result.unredacted, output: output.output)
    if !check.residuals.isEmpty || !result.unredacted.isEmpty { throw ExitCode(ExitStatus.found) }
  }
}

extension AnnotateCommand {
  /// The groups in the order of their recorded options. The output's is applied last, after the files are checked.
  var groups: [any RunOptionGroup] {
    [
      detection, objects, faces, poses, tracking, records, redaction, source, crops, drawing, overlayTrack, counting,
      part,
    ]
  }

  /// The groups of detectors, in running order.
  var detectorGroups: [any DetectorOptionGroup] { [objects, faces, poses] }

  /// The rules of all groups, in the order of the checks.
  var rules: [OptionRule] { (groups + [output]).flatMap { type(of: $0).rules } }

  /// The options that name files.
  var files: [FileOption] { (groups + [output]).flatMap { type(of: $0).files } }

  /// The names that the command line gives to files of some use.
  func fileNames(for uses: Set<FileOption.Use>) -> [String] {
    files.filter { uses.contains($0.use) }.flatMap { $0.names(in: self) }
  }
}

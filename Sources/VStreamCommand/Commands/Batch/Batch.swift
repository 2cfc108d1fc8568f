internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// Several inputs that are run one after the other, with the same options and the same models.
struct Batch {
  private let commands: [AnnotateCommand]
  private let resumes: Bool
  private let level: RunningOptionGroup.LogLevel

  /// `nil` for one input and one output.
  ///
  /// - Throws: `VStreamError`: `usage` for outputs that several inputs would share; those of reading the list.
  init?(_ command: AnnotateCommand) throws(VStreamError) {
    guard let commands = try BatchCommands(command) else { return nil }
    self.commands = commands.list
    resumes = command.batch.resume
    level = command.running.level
  }

  /// Runs all inputs; one that fails is reported, and the others are run all the same.
  ///
  /// - Throws: `ExitCode`: that of the first failure, if there was one; of an interruption, after which no other input is run.
  func run() throws {
    var failure: ExitCode?
    var summary = BatchSummary(inputs: commands.map(\.input), canResume: commands.first?.output.isNull == false)
    var last: RunPlan?
    let stop = Interrupt()
    let signals = StopSignals { stop.trigger() }
    defer { signals.end() }
    for (index, command) in commands.enumerated() where !stop.wasTriggered {
      let (outcome, code) = run(command, prefix: "\(index + 1)/\(commands.count) ", after: &last, stop)
      summary.add(outcome, output: outputName(of: command))
      failure = failure ?? code
      if outcome == .stopped { stop.trigger() }
    }
    if level != .error, commands.count > 1 { for line in summary.lines { Terminal.printLine(line) } }
    if summary.wasStopped { throw ExitCode(ExitStatus.interrupted) }
    if let failure { throw failure }
  }

  /// Runs one input.
  ///
  /// - Parameter last: the plan of the run before, whose models are used again; this run's afterwards.
  /// - Returns: the outcome, and the exit code of a failure.
  private func run(
    _ command: AnnotateCommand, prefix: String, after last: inout RunPlan?, _ stop: Interrupt
  ) -> (BatchSummary.Outcome, ExitCode?) {
    let output = MediaInput(command.output.output).location
    let before = FileVersion(of: output)
    // A part file beside it is of a later run, which was interrupted.
    let isThere = resumes && before != nil && !FileCheck.exists(PartFile.path(for: output))
    if isThere, command.redaction.redact == nil { return (.skipped, nil) }
    do {
      let plan = try RunPlan(command, after: last)
      last = plan
      if isThere, plan.hasCleanReceipt { return (.skipped, nil) }
      if stop.wasTriggered { return (.notStarted, nil) }
      do {
        try command.annotate(plan, prefix: prefix)
      } catch {
        // Under its own name an unfinished output would be taken for a finished one; an unchanged one is another run's.
        if FileVersion(of: output) != before, !Self.isFinding(error) { PartFile.setAside(output) }
        throw error
      }
      return (.done, nil)
    } catch let code as ExitCode {
      return code.rawValue == ExitStatus.interrupted ? (.stopped, nil) : (.failed, code)
    } catch {
      let known = VStreamError(any: error)
      Terminal.printLine("vstream: \(ShownLocation.text(command.input)): \(known.commandText)")
      return (.failed, ExitCode(ExitStatus.code(for: known)))
    }
  }

  /// The name of a run's output, with `.part` if it is unfinished; `nil` if there is no file.
  private func outputName(of command: AnnotateCommand) -> String? {
    guard !command.output.isNull else { return nil }
    let output = MediaInput(command.output.output).location
    return [PartFile.path(for: output), output].first(where: FileCheck.exists)
  }

  /// Whether a run completed, and its verification found something in the output.
  private static func isFinding(_ error: any Error) -> Bool { (error as? ExitCode)?.rawValue == ExitStatus.found }
}

struct BatchOptionGroup: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder for the outputs of several inputs, each under its input's name; created if it is missing.",
      valueName: "folder"), completion: .directory)
  var outputDir: String?

  @Option(
    help: ArgumentHelp(
      "File that lists inputs, one on each line, or - for standard input; empty lines and lines that start with # are "
        + "ignored.", valueName: "file"), completion: .file())
  var list: String?

  @Flag(help: "Skip inputs whose output already exists; unfinished outputs are replaced.")
  var resume = false

  static let all = [
    GivenOption("--list", \.batch.list), GivenOption("--output-dir", \.batch.outputDir),
    GivenOption("--resume", \.batch.resume),
  ]
}

/// A file's name and its extension.
struct NameParts {
  let name: String
  private let fileExtension: String

  init(_ file: String) {
    if let dot = file.lastIndex(of: "."), dot != file.startIndex {
      (name, fileExtension) = (String(file[..<dot]), file[file.index(after: dot)...].lowercased())
    } else {
      (name, fileExtension) = (file, "")
    }
  }

  /// The output's extension: the same, if its format can hold what vstream encodes.
  var outputExtension: String {
    let same = ["mp4", "mov", "mkv", "webm", "ts", "jpg", "jpeg", "png", "bmp"]
    return same.contains(fileExtension) ? fileExtension : "mp4"
  }
}

/// The outcomes of a batch's inputs.
struct BatchSummary {
  enum Outcome: String, CaseIterable {
    case done
    case skipped
    case failed
    case stopped
    case notStarted = "not started"
  }

  private let inputs: [String]
  private let canResume: Bool
  private var outcomes: [Outcome] = []
  private var outputs: [String?] = []

  /// - Parameter canResume: whether a later run can skip the inputs with an output.
  init(inputs: [String], canResume: Bool) {
    self.inputs = inputs
    self.canResume = canResume
  }

  /// Whether inputs were not run to their end because of a signal.
  var wasStopped: Bool { inputs.indices.contains { [.stopped, .notStarted].contains(outcome(of: $0)) } }

  /// Adds the outcome of the next input.
  ///
  /// - Parameter output: the file that exists of it; `nil` for none.
  mutating func add(_ outcome: Outcome, output: String?) {
    outcomes.append(outcome)
    outputs.append(output)
  }

  /// The outcome of each input.
  private func outcome(of index: Int) -> Outcome { index < outcomes.count ? outcomes[index] : .notStarted }

  /// `3 inputs: 2 done, 1 failed`; of a stopped batch also the existing and the remaining outputs.
  var lines: [String] {
    let all = inputs.indices.map(outcome)
    let counts = Outcome.allCases.compactMap { outcome in
      let count = all.count { $0 == outcome }
      return count > 0 ? "\(count) \(outcome.rawValue)" : nil
    }
    let total = "\(inputs.count) inputs: \(counts.joined(separator: ", "))"
    return [total] + (wasStopped ? details(all) : [])
  }

  private func details(_ all: [Outcome]) -> [String] {
    let named = { (wanted: [Outcome], name: (Int) -> String?) in
      all.indices.filter { wanted.contains(all[$0]) }.compactMap(name)
    }
    let lists = [
      ("finished", named([.done, .skipped]) { outputs[$0] }),
      ("unfinished, plays up to where it was stopped", named([.stopped]) { outputs[$0] }),
      ("failed", named([.failed]) { ShownLocation.text(inputs[$0]) }),
      ("not started", named([.notStarted]) { ShownLocation.text(inputs[$0]) }),
    ]
    return lists.filter { !$0.1.isEmpty }.map { "  \($0.0): \(Self.list($0.1))" }
      + (canResume ? ["  the same command with --resume does what is missing"] : [])
  }

  private static let maximumNames = 10

  /// `a.mp4, b.mp4, … and 12 more`.
  private static func list(_ names: [String]) -> String {
    let more = names.count - maximumNames
    return names.prefix(maximumNames).joined(separator: ", ") + (more > 0 ? ", … and \(more) more" : "")
  }
}

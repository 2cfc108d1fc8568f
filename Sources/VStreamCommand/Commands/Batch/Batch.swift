internal import ArgumentParser
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
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

  private enum Outcome {
    case done
    case skipped
    case failed(ExitCode)
  }

  /// Runs all inputs; one that fails is reported, and the others are run all the same.
  ///
  /// - Throws: `ExitCode`, the first failure's, if there was one.
  func run() throws {
    var failure: ExitCode?
    var (done, skipped, failed) = (0, 0, 0)
    var last: RunPlan?
    for (index, command) in commands.enumerated() {
      switch try run(command, prefix: "\(index + 1)/\(commands.count) ", after: &last) {
      case .done: done += 1
      case .skipped: skipped += 1
      case .failed(let code):
        failed += 1
        failure = failure ?? code
      }
    }
    if level != .error, commands.count > 1 {
      let parts = [(done, "done"), (skipped, "skipped"), (failed, "failed")].filter { $0.0 > 0 }
      Terminal.printLine("\(commands.count) inputs: " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
    }
    if let failure { throw failure }
  }

  /// Runs one input.
  ///
  /// - Parameter last: the plan of the run before, whose models are used again; this run's afterwards.
  /// - Throws: `ExitCode` if the run was interrupted, which ends the batch.
  private func run(_ command: AnnotateCommand, prefix: String, after last: inout RunPlan?) throws -> Outcome {
    let output = MediaInput(command.output.output).location
    let before = FileVersion(of: output)
    // A part file beside it is of a later run, which was interrupted.
    if resumes, before != nil, !FileCheck.exists(PartFile.path(for: output)) { return .skipped }
    do {
      let plan = try RunPlan(command, after: last)
      last = plan
      do {
        try command.annotate(plan, prefix: prefix)
      } catch {
        // Under its own name an unfinished output would be taken for a finished one; an unchanged one is another run's.
        if FileVersion(of: output) != before, !Self.isFinding(error) { PartFile.setAside(output) }
        throw error
      }
      return .done
    } catch let code as ExitCode {
      if code.rawValue == ExitStatus.interrupted { throw code }
      return .failed(code)
    } catch {
      let known = VStreamError(any: error)
      Terminal.printLine("vstream: \(ShownLocation.text(command.input)): \(known.commandText)")
      return .failed(ExitCode(ExitStatus.code(for: known)))
    }
  }

  /// Whether a run completed, and its verification found something in the output.
  private static func isFinding(_ error: any Error) -> Bool { (error as? ExitCode)?.rawValue == ExitStatus.found }
}

internal import ArgumentParser
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

struct BatchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder for the outputs of several inputs, each under its input's name; made if it is missing.",
      valueName: "folder"))
  var outputDir: String?

  @Option(
    help: ArgumentHelp(
      "A file that names inputs, one a line, or - for standard input; empty lines and those that begin with # are passed "
        + "over.", valueName: "file"))
  var list: String?

  @Flag(help: "Leave out inputs whose output is there already; what unfinished runs left is replaced.")
  var resume = false
}

/// Several inputs that are run one after the other, with the same options and the same models.
///
/// In what is written, `{name}` stands for the input's name without its ending.
struct Batch {
  /// What stands for an input's name.
  static let placeholder = "{name}"

  private let commands: [AnnotateCommand]
  private let resumes: Bool
  private let level: RunningOptions.LogLevel

  /// `nil` for one input and one output.
  ///
  /// - Throws: `VStreamError`: `usage` for outputs that several inputs would share; those of reading the list.
  init?(_ command: AnnotateCommand) throws {
    let options = command.batch
    let inputs = try Self.once(command.inputs + Self.listed(options.list))
    let isBatch = inputs.count != 1 || options.list != nil || options.outputDir != nil || options.resume
    guard isBatch || Self.texts(of: command).contains(where: { $0.text.contains(Self.placeholder) }) else { return nil }
    guard !inputs.isEmpty else {
      throw VStreamError(
        .usage, "there is no <input>",
        remedy: "name one, or some in a file (--list); 'vstream --help' lists the options")
    }
    try Self.check(command, inputs)
    if let folder = options.outputDir { try Folder.create(folder) }
    commands = inputs.map { Self.command(command, for: $0) }
    resumes = options.resume
    level = command.running.level
    try checkNames(list: options.list)
  }

  /// Runs them all; what fails is told, and does not keep the others from being run.
  ///
  /// - Throws: `ExitCode`, the first failure's, if there was one.
  func run() throws {
    var failure: ExitCode?
    var (done, skipped, failed) = (0, 0, 0)
    var last: RunPlan?
    for (index, command) in commands.enumerated() {
      let output = MediaInput(command.output.output).location
      let before = FileVersion(of: output)
      if resumes, before != nil {
        skipped += 1
        continue
      }
      do {
        let plan = try RunPlan(command, after: last)
        last = plan
        do {
          try command.annotate(plan, place: "\(index + 1)/\(commands.count) ")
        } catch {
          // Under its own name it would pass for whole; what is there as it was before is another run's.
          if FileVersion(of: output) != before, !isReceipt(error) { PartFile.setAside(output) }
          throw error
        }
        done += 1
      } catch let code as ExitCode where code.rawValue == ExitStatus.interrupted {
        throw code
      } catch let code as ExitCode {
        failed += 1
        failure = failure ?? code
      } catch {
        let known = VStreamError(any: error)
        Terminal.printLine("vstream: \(command.input): \(known)")
        failed += 1
        failure = failure ?? ExitCode(ExitStatus.code(for: known))
      }
    }
    if level != .error, commands.count > 1 {
      let parts = [(done, "done"), (skipped, "there already"), (failed, "failed")].filter { $0.0 > 0 }
      Terminal.printLine("\(commands.count) inputs: " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
    }
    if let failure { throw failure }
  }

  /// Whether a run ended well, and something was found in what it wrote.
  private func isReceipt(_ error: any Error) -> Bool { (error as? ExitCode)?.rawValue == ExitStatus.found }

  // MARK: - Names

  private static func listed(_ path: String?) throws(VStreamError) -> [String] {
    guard let path else { return [] }
    var text = Substring(String(decoding: try ReadableFile.bytes(of: path), as: UTF8.self))
    if text.first == "\u{FEFF}" { text.removeFirst() }
    return text.split(whereSeparator: \.isNewline).map(trimmed).filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }

  private static func trimmed(_ line: Substring) -> String {
    let end = line.lastIndex { !$0.isWhitespace }.map(line.index(after:)) ?? line.startIndex
    return String(line[..<end].drop(while: \.isWhitespace))
  }

  /// What is named twice, as by a pattern and by a list, is meant once.
  private static func once(_ inputs: [String]) -> [String] {
    var seen: Set<String> = []
    return inputs.filter { seen.insert($0).inserted }
  }

  /// The names of what is written, by their options.
  private static func texts(of command: AnnotateCommand) -> [(option: String, text: String)] {
    var texts = command.records.records.map { (option: "--records", text: $0) }
    for (option, text) in [
      ("-o", command.output.name), ("--stats", command.records.stats), ("--receipt", command.redaction.receipt),
      ("--save-faces", command.crops.saveFaces), ("--from-records", command.records.fromRecords),
    ] {
      if let text { texts.append((option, text)) }
    }
    return texts
  }

  private static func check(_ command: AnnotateCommand, _ inputs: [String]) throws(VStreamError) {
    let remedy = "put \(placeholder) into it, which stands for each input's name"
    guard (command.output.name == nil) != (command.batch.outputDir == nil) else {
      throw VStreamError(
        .usage,
        command.output.name == nil ? "nothing says where the outputs go" : "-o and --output-dir both name outputs",
        remedy: "give --output-dir FOLDER, or -o with \(placeholder) in it")
    }
    if command.batch.resume, command.output.name == "null" || command.output.name == "-" {
      throw VStreamError(.usage, "--resume: there is no output that could be there already", remedy: "leave it out")
    }
    for (option, text) in texts(of: command) where inputs.count > 1 && text != "null" && !text.contains(placeholder) {
      throw VStreamError(.usage, "\(option) '\(text)' is one name for \(inputs.count) inputs", remedy: "\(remedy)")
    }
  }

  /// The command for one of the inputs.
  private static func command(_ command: AnnotateCommand, for input: String) -> AnnotateCommand {
    let parts = NameParts(input == "-" ? "stdin" : MediaInput(input).fileName)
    func named(_ text: String) -> String { text.replacing(placeholder, with: parts.name) }
    var one = command
    one.output.overwrite = command.output.overwrite || command.batch.resume
    one.inputs = [input]
    one.output.name =
      command.batch.outputDir.map { "\($0)/\(parts.name).\(parts.outputEnding)" } ?? command.output.name.map(named)
    one.records.records = command.records.records.map(named)
    one.records.stats = command.records.stats.map(named)
    one.records.fromRecords = command.records.fromRecords.map(named)
    one.redaction.receipt = command.redaction.receipt.map(named)
    one.crops.saveFaces = command.crops.saveFaces.map(named)
    return one
  }

  /// That no two inputs have outputs of one name, and that nothing which is read is written over.
  private func checkNames(list: String?) throws(VStreamError) {
    var read: [String: String] = [:]
    for path in commands.map(\.input) + [list].compactMap(\.self) where path != "-" {
      read[PathIdentity.canonicalPath(of: MediaInput(path).location)] = path
    }
    var inputs: [String: String] = [:]
    for command in commands {
      for (option, text) in Self.texts(of: command) where text != "null" && text != "-" && option != "--from-records" {
        let place = PathIdentity.canonicalPath(of: MediaInput(text).location)
        if let other = inputs.updateValue(command.input, forKey: place) {
          throw VStreamError(
            .usage, "'\(other)' and '\(command.input)' would both be written to '\(text)'",
            remedy: "run them apart, into other folders")
        }
        if let lost = read[place] {
          throw VStreamError(
            .usage, "what '\(command.input)' gives would be written over '\(lost)', which is read as well (\(option))",
            remedy: "write to another folder, or leave '\(lost)' out")
        }
      }
    }
  }
}

/// A file's name and its ending.
private struct NameParts {
  let name: String
  private let ending: String

  init(_ file: String) {
    if let dot = file.lastIndex(of: "."), dot != file.startIndex {
      (name, ending) = (String(file[..<dot]), file[file.index(after: dot)...].lowercased())
    } else {
      (name, ending) = (file, "")
    }
  }

  /// That of what is written: the same where it can hold what vstream codes.
  var outputEnding: String {
    let same = ["mp4", "mov", "mkv", "webm", "ts", "jpg", "jpeg", "png", "bmp"]
    return same.contains(ending) ? ending : "mp4"
  }
}

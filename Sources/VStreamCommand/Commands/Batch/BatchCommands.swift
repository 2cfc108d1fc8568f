internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// A command line for each input of a batch.
///
/// In the names of files, `{name}` stands for the input's name without its extension.
struct BatchCommands {
  static let placeholder = "{name}"

  let list: [AnnotateCommand]

  /// `nil` for one input and one output.
  ///
  /// - Throws: `VStreamError`: `usage` for outputs that several inputs would share; those of reading the list.
  init?(_ command: AnnotateCommand) throws(VStreamError) {
    let options = command.batch
    let inputs = try Self.unique(command.inputs + Self.listedInputs(options.list))
    let isBatch = inputs.count != 1 || BatchOptionGroup.all.contains { $0.value(in: command) != nil }
    guard isBatch || Self.fileNames(of: command).contains(where: { $0.name.contains(Self.placeholder) }) else {
      return nil
    }
    guard !inputs.isEmpty else {
      throw VStreamError(
        .usage, "no <input> is given",
        remedy: "name one, or list several in a file (--list); 'vstream --help full' lists the options")
    }
    try Self.checkOutputs(command, inputs)
    if let folder = options.outputDir { try Folder.create(folder) }
    list = inputs.map { Self.command(command, for: $0) }
    try checkNames(listFile: options.list)
  }

  /// The inputs in a file, one on each line.
  private static func listedInputs(_ path: String?) throws(VStreamError) -> [String] {
    guard let path else { return [] }
    var text = Substring(String(decoding: try ReadableFile.bytes(of: path), as: UTF8.self))
    if text.first == "\u{FEFF}" { text.removeFirst() }
    return text.split(whereSeparator: \.isNewline).map(\.trimmed).filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }

  /// The inputs without duplicates: one that a pattern and a list name by different paths is run once.
  private static func unique(_ inputs: [String]) -> [String] {
    var seen: Set<String> = []
    return inputs.filter { input in
      let media = MediaInput(input)
      let isFile = input != "-" && !media.isURL && FileCheck.exists(media.location)
      return seen.insert(isFile ? PathIdentity.canonicalPath(of: media.location) : input).inserted
    }
  }

  private static func fileNames(of command: AnnotateCommand) -> [(option: FileOption, name: String)] {
    command.files.flatMap { option in option.names(in: command).map { (option, $0) } }
  }

  private static func checkOutputs(_ command: AnnotateCommand, _ inputs: [String]) throws(VStreamError) {
    if inputs.count == 2, command.output.name == nil, command.batch.outputDir == nil, !FileCheck.exists(inputs[1]) {
      throw VStreamError(
        .usage, "no output is given (--output), and there is no file '\(inputs[1])'",
        remedy: "for an output of that name write 'vstream \(inputs[0]) -o \(inputs[1])'")
    }
    guard (command.output.name == nil) != (command.batch.outputDir == nil) else {
      throw VStreamError(
        .usage, command.output.name == nil ? "no outputs are given" : "-o and --output-dir both name outputs",
        remedy: "give --output-dir FOLDER, or -o with \(placeholder) in it")
    }
    if command.batch.resume, command.output.isNull || command.output.output == "-" {
      throw usageError("--resume", "", "there is no output that could already exist", remedy: "omit it")
    }
    if command.batch.resume, command.redaction.redact != nil, command.redaction.receipt == nil {
      throw usageError(
        "--resume", "", "it is not known whether an output that exists is redacted",
        remedy: "add --receipt FILE, also to the first run: outputs without a clean receipt are made again")
    }
    for (option, name) in fileNames(of: command)
    where inputs.count > 1 && name != "null" && !name.contains(placeholder) {
      throw VStreamError(
        .usage, "\(option.name) '\(name)' is one name for \(inputs.count) inputs",
        remedy: name == "-"
          ? "write files: \(placeholder) in a name stands for each input's"
          : "put \(placeholder) into it, which stands for each input's name")
    }
  }

  /// The command line for one of the inputs.
  private static func command(_ command: AnnotateCommand, for input: String) -> AnnotateCommand {
    let parts = NameParts(input == "-" ? "stdin" : MediaInput(input).fileName)
    var one = command
    one.inputs = [input]
    one.output.overwrite = command.output.overwrite || command.batch.resume
    for option in command.files {
      option.rename(in: &one) { $0.replacing(placeholder, with: parts.name) }
    }
    if let folder = command.batch.outputDir { one.output.name = "\(folder)/\(parts.name).\(parts.outputExtension)" }
    return one
  }

  /// Checks that no two inputs share an output, and that none overwrites a file that is read.
  private func checkNames(listFile: String?) throws(VStreamError) {
    var read: [String: String] = [:]
    for path in list.map(\.input) + [listFile].compactMap(\.self) where path != "-" {
      read[PathIdentity.canonicalPath(of: MediaInput(path).location)] = path
    }
    var inputs: [String: String] = [:]
    for command in list {
      for (option, name) in Self.fileNames(of: command) where name != "null" && name != "-" && option.use != .read {
        let path = PathIdentity.canonicalPath(of: MediaInput(name).location)
        if let other = inputs.updateValue(command.input, forKey: path) {
          throw VStreamError(
            .usage, "'\(other)' and '\(command.input)' would both be written to '\(name)'",
            remedy: "run them separately, into other folders")
        }
        if let lost = read[path] {
          throw VStreamError(
            .usage,
            "the output of '\(command.input)' would overwrite '\(lost)', which is read as well (\(option.name))",
            remedy: "write to another folder, or omit '\(lost)'")
        }
      }
    }
  }
}

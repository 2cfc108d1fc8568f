internal import ArgumentParser
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene
internal import VStreamSystem

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "The models: where they are, whose, how they are read; checks and fetches them.",
    subcommands: [ListModels.self, DescribeModel.self, CheckModels.self, GetModel.self],
    defaultSubcommand: ListModels.self)
}

struct ListModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the models: where they are, whose, and whether they are there.")

  func run() {
    for model in ModelCatalogue.all {
      print(
        """
        \(model.name) (\(model.purpose.rawValue)): \(model.summary)
          file      \(model.locate() ?? "missing: \(model.remedy)")
          licence   \(model.licence)
          origin    \(model.origin)
          SHA-256   \(model.sourceSHA256) (of the publisher's file)
        """)
    }
    print("searched: \(ModelCatalogue.folders.joined(separator: ", "))")
  }
}

struct DescribeModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Say how a detector of objects is read: its shapes, layout, input and classes.")

  @Argument(help: ArgumentHelp("A model's name, or a file: ONNX, OpenVINO IR or TFLite.", valueName: "name|path"))
  var model: String

  func run() throws {
    let known = ModelCatalogue.all.first { $0.name == model }
    guard known == nil || known?.purpose == .objects else {
      printLines(try known.map(ModelCheck.check) ?? [])
      return
    }
    printLines(try ModelCheck.describe(objectModel: known?.requirePath() ?? model))
  }
}

struct CheckModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check models: the file's fingerprint, whether it loads, its shapes. Exit status 1 if one is not right.")

  @Argument(help: ArgumentHelp("Names, or files; all models that are there, if none is named.", valueName: "name|path"))
  var models: [String] = []

  func run() throws {
    // What is fetched only if somebody wants it may be missing.
    let usual = ModelCatalogue.all.filter { $0.publisher == nil || $0.locate() != nil }.map(\.name)
    var isRight = true
    for name in models.isEmpty ? usual : models {
      do throws(VStreamError) {
        let lines = try look(at: name)
        print("\(name): right")
        printLines(lines)
      } catch {
        isRight = false
        print("\(name): \(error.commandText)")
      }
    }
    if !isRight { throw ExitCode(ExitStatus.found) }
  }

  private func look(at name: String) throws(VStreamError) -> [(name: String, value: String)] {
    guard let known = ModelCatalogue.all.first(where: { $0.name == name }) else {
      return try ModelCheck.describe(objectModel: name)
    }
    return try ModelCheck.check(known)
  }
}

struct GetModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Fetch a model from its publisher; a transfer that was cut off goes on where it stopped.")

  @Argument(
    help: ArgumentHelp(
      "The model's name ('vstream models' lists them), or a file's address with --sha256.", valueName: "name|url"))
  var model: String

  @Option(
    help: ArgumentHelp(
      "Fetch it from here instead: the address of a folder, without the file's name. (default: $VSTREAM_MODEL_MIRROR, "
        + "else its publisher)", valueName: "address"))
  var mirror: String?

  @Option(name: .customLong("sha256"), help: ArgumentHelp("The fingerprint of a file of one's own.", valueName: "hash"))
  var hash: String?

  @Option(
    help: ArgumentHelp(
      "Where it is kept. (default: $VSTREAM_MODELS, else ~/.local/share/vstream/models)", valueName: "folder"))
  var folder: String?

  /// A file that is to be fetched.
  private struct Source {
    var address: String
    var file: String
    var hash: String
  }

  func run() throws {
    let source = try model.contains("://") ? ownSource() : knownSource()
    let target = try place() + "/" + source.file
    if try isThere(target, source) {
      print("\(source.file) is there: \(target)")
      return
    }
    let interrupt = Interrupt()
    let signals = StopSignals { interrupt.trigger() }
    defer { signals.end() }
    Terminal.printLine("fetching \(source.address)")
    do {
      let download = FileDownload(source.address, to: target, sha256: source.hash)
      try download.run(interrupt: interrupt, onProgress: show)
    } catch {
      if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
      if interrupt.wasTriggered { throw ExitCode(ExitStatus.interrupted) }
      throw error
    }
    if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
    print(target)
  }

  private func show(_ progress: FileDownload.Progress) {
    guard Terminal.isInteractive, let total = progress.total else { return }
    Terminal.write("\r\u{1B}[K\(100 * progress.done / max(1, total)) % of \(total / 1000) kB")
  }

  /// A model of the catalogue, from its publisher or a mirror.
  private func knownSource() throws(VStreamError) -> Source {
    let names = ModelCatalogue.all.filter { $0.publisher != nil }.map(\.name).joined(separator: ", ")
    guard let known = ModelCatalogue.all.first(where: { $0.name == model }) else {
      throw VStreamError(
        .usage, "'\(model)' is not a model that is known here", remedy: "these can be fetched: \(names)")
    }
    guard let publisher = known.publisher else {
      throw VStreamError(
        .usage, "'\(model)' is made of its publisher's file, and cannot be fetched by itself",
        remedy: "scripts/bootstrap gets it; these can be fetched: \(names)")
    }
    if let hash {
      throw usageError("--sha256", hash, "that of '\(model)' is known", remedy: "it is for a file's address")
    }
    let prefix = mirror ?? Installation.environment("VSTREAM_MODEL_MIRROR") ?? publisher
    return Source(
      address: prefix + (prefix.hasSuffix("/") ? "" : "/") + known.file, file: known.file, hash: known.sourceSHA256)
  }

  /// A file of the user's own, whose fingerprint they know.
  private func ownSource() throws(VStreamError) -> Source {
    guard let hash = hash?.lowercased(), hash.count == 64, hash.allSatisfy(\.isHexDigit) else {
      throw usageError(
        "--sha256", hash ?? "", "a file's address needs its SHA-256, 64 digits", remedy: "'sha256sum FILE' tells it")
    }
    if let mirror {
      throw usageError("--mirror", mirror, "is for models by name", remedy: "give the file's whole address")
    }
    let file = model.prefix { !"?#".contains($0) }.split(separator: "/").last.map(String.init) ?? ""
    guard file.contains("."), file.first != ".", !file.hasSuffix(":") else {
      throw VStreamError(.usage, "'\(model)' ends in no file's name", remedy: "give the file's whole address")
    }
    return Source(address: model, file: file, hash: hash)
  }

  private func place() throws(VStreamError) -> String {
    guard let path = folder ?? Installation.environment("VSTREAM_MODELS") ?? ModelCatalogue.userFolder else {
      throw VStreamError(.usage, "there is no home to keep models in", remedy: "name a folder with --folder")
    }
    try Folder.createWithParents(path)
    return path
  }

  /// Whether the file is there already.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if another file is there under its name.
  private func isThere(_ path: String, _ source: Source) throws(VStreamError) -> Bool {
    guard FileCheck.isReadable(path) else { return false }
    if try FileHash.sha256(of: path) == source.hash { return true }
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' exists already, and is another file", remedy: "move it away, or remove it")
  }
}

/// What was found, its names in a column.
private func printLines(_ lines: [(name: String, value: String)]) {
  for (name, value) in lines { print("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(value)") }
}

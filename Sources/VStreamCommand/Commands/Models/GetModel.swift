internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamSystem

struct GetModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Download a model from its publisher; an interrupted download resumes where it stopped.",
    usage: "vstream models get NAME|URL [options]")

  @Argument(
    help: ArgumentHelp(
      "The model's name ('vstream models' lists them), or a file's URL with --sha256.", valueName: "name|url"),
    completion: .models)
  var model: String

  @Option(
    help: ArgumentHelp(
      "Download it from this mirror: the URL of a folder, without the file's name. (default: $VSTREAM_MODEL_MIRROR, "
        + "else its publisher)", valueName: "url"))
  var mirror: String?

  @Option(name: .customLong("sha256"), help: ArgumentHelp("SHA-256 of the file at a URL.", valueName: "hash"))
  var hash: String?

  @Option(
    help: ArgumentHelp(
      "Megabytes that the file may have. (default: twice the known size, or 200)", valueName: "n"))
  var maxSize: Double?

  @Option(
    help: ArgumentHelp(
      "Folder to save it in. (default: $VSTREAM_MODELS, else ~/.local/share/vstream/models)", valueName: "folder"),
    completion: .directory)
  var folder: String?

  /// A file to download.
  private struct Source {
    var url: String
    var file: String
    var hash: String
    /// Bytes that the file may have.
    var limit = 200_000_000
  }

  func run() throws {
    let source = try model.contains("://") ? ownSource() : knownSource()
    let target = try folderPath() + "/" + source.file
    if try isPresent(target, source) {
      Terminal.printResult("\(source.file) is present: \(target)")
      return
    }
    let interrupt = Interrupt()
    let signals = StopSignals { interrupt.trigger() }
    defer { signals.end() }
    Terminal.printLine("downloading \(ShownLocation.text(source.url))")
    do {
      let download = FileDownload(
        source.url, to: target, sha256: source.hash, maximumBytes: try sizeLimit() ?? source.limit)
      try download.run(interrupt: interrupt, onProgress: show)
    } catch {
      if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
      if interrupt.wasTriggered { throw ExitCode(ExitStatus.interrupted) }
      throw error
    }
    if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
    Terminal.printResult(target)
  }

  private func sizeLimit() throws(VStreamError) -> Int? {
    guard let maxSize else { return nil }
    guard maxSize > 0, maxSize <= 1e6 else {
      throw usageError("--max-size", "\(maxSize)", "is not a size", remedy: "give more than 0 megabytes")
    }
    return Int(maxSize * 1e6)
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
        .usage, "'\(model)' is not a known model", remedy: "these can be downloaded: \(names)")
    }
    guard let publisher = known.publisher else {
      throw VStreamError(
        .usage, "'\(model)' is converted from its publisher's file, and cannot be downloaded by itself",
        remedy: "\(Installation.completeSetUpCommand) makes it; these can be downloaded: \(names)")
    }
    if let hash {
      throw usageError(
        "--sha256", hash, "the SHA-256 of '\(model)' is known", remedy: "omit it; it is for a file's URL")
    }
    let prefix = mirror ?? Installation.environment("VSTREAM_MODEL_MIRROR") ?? publisher
    return Source(
      url: prefix + (prefix.hasSuffix("/") ? "" : "/") + known.file, file: known.file, hash: known.sourceSHA256,
      limit: 2 * (known.sourceBytes ?? 100_000_000))
  }

  /// A file at a URL, whose SHA-256 the user gives.
  private func ownSource() throws(VStreamError) -> Source {
    guard let hash = hash?.lowercased(), hash.count == 64, hash.allSatisfy(\.isHexDigit) else {
      throw usageError(
        "--sha256", hash ?? "", "a file's URL requires its SHA-256, 64 digits", remedy: "'sha256sum FILE' prints it")
    }
    if let mirror {
      throw usageError("--mirror", mirror, "is for models by name", remedy: "give the file's whole URL")
    }
    let file = model.prefix { !"?#".contains($0) }.split(separator: "/").last.map(String.init) ?? ""
    guard file.contains("."), file.first != ".", !file.hasSuffix(":") else {
      throw VStreamError(.usage, "'\(model)' does not end in a file's name", remedy: "give the file's whole URL")
    }
    return Source(url: model, file: file, hash: hash)
  }

  private func folderPath() throws(VStreamError) -> String {
    guard let path = folder ?? ModelCatalogue.fetchedFolder else {
      throw VStreamError(.usage, "there is no home folder for models", remedy: "name a folder with --folder")
    }
    try Folder.createWithParents(path)
    return path
  }

  /// Whether the file is already present.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if another file has its name.
  private func isPresent(_ path: String, _ source: Source) throws(VStreamError) -> Bool {
    guard FileCheck.isReadable(path) else { return false }
    if try FileHash.sha256(of: path) == source.hash { return true }
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' already exists, and is another file", remedy: "move or remove it")
  }
}

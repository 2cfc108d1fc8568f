internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamSystem

/// Checks that a run overwrites nothing unasked, and nothing that it reads.
struct WrittenFiles {
  private let run: RunContext
  private let texts: [String]
  private let all: [String]
  private let folder: ImageFolder?

  /// - Parameter folder: where faces are saved.
  init(_ run: RunContext, folder: ImageFolder?) throws(VStreamError) {
    self.run = run
    self.folder = folder
    texts =
      run.command.fileNames(for: [.writtenText])
      + [try run.command.overlayTrack.scriptPath(run)].compactMap(\.self)
    all = texts + Self.videos(of: run.command)
  }

  /// The file that the video is written to; none for `null` and standard output.
  static func videos(of command: AnnotateCommand) -> [String] {
    let output = command.output.output
    return command.output.isNull || output == "-" ? [] : [MediaInput(output).location]
  }

  /// - Throws: `VStreamError`: `usage` for a file that is used twice; `inputNotFound`; `cannotCreateOutput`.
  func check() throws(VStreamError) {
    try checkTerminal()
    let input = MediaInput(run.command.input)
    try WrittenPaths.check(all, reading: [input.location].filter { $0 != "-" })
    try checkImages()
    if let folder { try check(folder) }
    try input.requireExists(format: run.command.source.inputFormat)
    for path in texts.filter({ $0 != "-" }) where try !FileCheck.isSpecial(path) {
      try FileCheck.requireCreatable(path, overwrite: run.command.output.overwrite)
      if FileStatus(of: path, followsLink: false) == nil { try NewFile.probe(path) }
    }
    try folder?.requireCreatable()
  }

  /// Formats of text, such as checksums of frames.
  private static let textFormats: Set = [
    "crc", "framecrc", "hash", "framehash", "streamhash", "md5", "framemd5", "ffmetadata",
  ]

  /// Checks that no video is written to a terminal.
  private func checkTerminal() throws(VStreamError) {
    let output = run.command.output
    guard !output.isNull, Terminal.isTerminal(output.output), !Self.textFormats.contains(output.outputFormat ?? "")
    else {
      return
    }
    throw usageError(
      "-o", output.output, "is a terminal, which shows no video",
      remedy: "pipe it to a program, for example '-o - | ffplay -', or name a file")
  }

  /// Checks that no numbered image of the output is one of the input's.
  private func checkImages() throws(VStreamError) {
    guard let destination = try run.destination() else { return }
    for path in try run.input.files() where destination.writes(to: path) {
      throw VStreamError(
        .usage, "'\(path)' is an image of the input and would be overwritten",
        remedy: "write to another folder, or under another name")
    }
  }

  /// Checks that no saved face overwrites an input or another output.
  private func check(_ folder: ImageFolder) throws(VStreamError) {
    let remedy: Message = "save the faces in another folder"
    let read = try run.input.files() + [MediaInput(run.command.input).location]
    if let path = read.first(where: folder.mayWrite(to:)) {
      throw VStreamError(
        .usage, "'\(path)' is read, and --save-faces \(folder.path) might overwrite it", remedy: remedy)
    }
    let isShared = try run.destination()?.writes(to: folder.imagePath(1)) == true
    if let path = isShared ? run.command.output.output : all.first(where: folder.mayWrite(to:)) {
      throw VStreamError(
        .usage, "'\(path)' might be written by --save-faces \(folder.path) as well", remedy: remedy)
    }
  }
}

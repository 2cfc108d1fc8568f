internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline

struct FaceCropOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Save the best image of each face, and a table of them (faces.csv), in this folder.", valueName: "folder"),
    completion: .directory)
  var saveFaces: String?

  @Option(
    help: ArgumentHelp("Image format of saved faces: jpg or png. (default: jpg)", valueName: "jpg|png"),
    completion: .list(["jpg", "png"]))
  var cropFormat: String?

  static var rules: [OptionRule] {
    let saveFaces = GivenOption("--save-faces", \.crops.saveFaces)
    let redactsSaved = GivenOption("--redact") { $0.redaction.keepUnredacted ? nil : $0.redaction.redact }
    return [
      .requires(
        GivenOption("--crop-format", \.crops.cropFormat), saveFaces, "has no effect without --save-faces",
        remedy: "add --save-faces FOLDER"),
      .excludes(
        saveFaces, RecordOptionGroup.fromRecords, "cannot be combined with --from-records yet",
        remedy: "omit one of them"),
      .excludes(
        saveFaces, redactsSaved, "would show what --redact hides",
        remedy: "omit one of them; --keep-unredacted saves faces all the same"),
    ]
  }

  static var files: [FileOption] { [FileOption("--save-faces", \.crops.saveFaces, use: .writtenFolder)] }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    guard let saveFaces else { return }
    guard !saveFaces.isEmpty else { throw usageError("--save-faces", "''", "is empty", remedy: "name a folder") }
    let format: ImageFormat =
      try cropFormat.map { (text) throws(VStreamError) in
        try OptionText.value("--crop-format", text, "is not an image format for faces")
      } ?? .jpeg
    guard run.kinds.contains(.faces) else {
      throw usageError("--save-faces", saveFaces, "faces are not detected", remedy: "add faces to --detect")
    }
    configuration.savedFaces = ImageFolder(
      saveFaces, prefix: "face-", index: "faces.csv", format: format, overwrites: run.command.output.overwrite)
  }
}

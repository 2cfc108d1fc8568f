internal import ArgumentParser
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamScene

struct FaceCropOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Save the best picture of each face, and a table of them (faces.csv), in this folder.", valueName: "folder"))
  var saveFaces: String?

  @Option(help: ArgumentHelp("What faces are saved as: jpg or png. (default: jpg)", valueName: "jpg|png"))
  var cropFormat: String?

  /// - Returns: `nil` if no faces are to be saved.
  /// - Throws: `VStreamError.usage`, also where there are no faces, or where they are not to be seen.
  func folder(
    kinds: Set<DetectionKind>, isReplay: Bool, redaction: RedactionOptionGroup, overwrite: Bool
  ) throws(VStreamError) -> ImageFolder? {
    guard let saveFaces else {
      guard let cropFormat else { return nil }
      throw usageError(
        "--crop-format", cropFormat, "means nothing without --save-faces", remedy: "add --save-faces FOLDER")
    }
    guard !saveFaces.isEmpty else { throw usageError("--save-faces", "''", "names nothing", remedy: "name a folder") }
    guard let format = ImageFormat(rawValue: cropFormat ?? ImageFormat.jpeg.rawValue) else {
      let known = ImageFormat.allCases.map(\.rawValue).joined(separator: " or ")
      throw usageError("--crop-format", cropFormat ?? "", "is not a way to save faces", remedy: "use \(known)")
    }
    if isReplay {
      throw usageError(
        "--save-faces", saveFaces, "cannot be done with --from-records yet", remedy: "leave one of them out")
    }
    guard kinds.contains(.faces) else {
      throw usageError("--save-faces", saveFaces, "faces are not looked for", remedy: "add faces to --detect")
    }
    if redaction.redact != nil, !redaction.keepUnredacted {
      throw usageError(
        "--save-faces", saveFaces, "would show what --redact hides",
        remedy: "leave one of them out; --keep-unredacted saves faces all the same")
    }
    return ImageFolder(
      saveFaces, prefix: "face-", index: "faces.csv", format: format, overwrites: overwrite)
  }
}

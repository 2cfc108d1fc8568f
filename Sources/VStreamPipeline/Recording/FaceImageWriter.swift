internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// Writes images of faces as image files to a folder, and lists them in its index. One owner at a time.
struct FaceImageWriter {
  private let folder: ImageFolder
  private let index: TextFile

  /// Creates the folder and its index.
  ///
  /// - Throws: `VStreamError`: `cannotCreateOutput`, `inputOutput`.
  init(_ folder: ImageFolder) throws(VStreamError) {
    self.folder = folder
    try folder.create()
    index = try TextFile(creating: folder.indexPath, overwrite: folder.overwrites)
    try index.write(line: FaceIndex.heading)
    try index.flush()
  }

  /// - Throws: `VStreamError.inputOutput`.
  func write(_ face: FaceImage) throws(VStreamError) {
    try folder.write(face.image, number: face.number)
    let saved = SavedFace(
      file: folder.name(face.number), frame: face.frame, time: face.time, face: face.face, quality: face.quality)
    try index.write(line: FaceIndex.line(saved))
    try index.flush()
  }

  /// - Throws: `VStreamError.inputOutput`.
  func finish() throws(VStreamError) { try index.close() }
}

internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// Saves images of faces: selects and crops them on the caller's thread, encodes and writes them on its own, so that JPEG
/// encoding does not delay the frames.
///
/// At most 32 crops wait to be written; then the caller waits. They are written in their order. The folder is created when the
/// run's output is open; until then crops are held.
struct FaceRecorder {
  private let folder: ImageFolder
  private let threads: ThreadGroup
  private let state: RunState
  private let queue = Channel<FaceImage>(capacity: 32)
  private var selector: FaceSelector
  /// Whether there has been a frame.
  private var isNeeded = false
  private var hasStarted = false
  private var held: [FaceImage] = []

  init(_ folder: ImageFolder, mode: DetectionMode, threads: ThreadGroup, state: RunState) {
    self.folder = folder
    self.threads = threads
    self.state = state
    selector = FaceSelector(mode: mode)
  }

  /// - Throws: `VStreamError`: `cannotCreateOutput`, `library`. Failures of the writer thread end the run.
  mutating func add(
    _ frame: VideoFrame, _ annotations: FrameAnnotations, ended: [Int]
  ) throws(VStreamError) {
    isNeeded = true
    try start()
    send(try selector.select(from: frame, annotations, ended: ended))
  }

  /// Sends the rest to be written, when the run's writer has ended. The writer thread ends with the run's `ThreadGroup`.
  ///
  /// - Throws: `VStreamError`: `cannotCreateOutput`.
  mutating func finish() throws(VStreamError) {
    defer { queue.finish() }
    try start()
    send(selector.finish())
  }

  private mutating func send(_ images: [FaceImage]) {
    held += images
    guard hasStarted else { return }
    for image in held { _ = queue.send(image) }
    held = []
  }

  private mutating func start() throws(VStreamError) {
    guard isNeeded, !hasStarted, state.contents.read({ $0.isOutputOpen }) else { return }
    let writer = try FaceImageWriter(folder)
    hasStarted = true
    let transfer = Transfer(writer)
    threads.start { [queue, state] in
      guard let writer = transfer.take() else { return }
      do {
        while let image = queue.receive() { try writer.write(image) }
        try writer.finish()
      } catch {
        state.fail(error)
      }
      queue.cancel()
    }
  }
}

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

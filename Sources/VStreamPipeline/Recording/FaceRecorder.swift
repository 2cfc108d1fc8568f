internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// Saves images of faces: selects and crops them on the caller's thread, encodes and writes them on its own, so that JPEG
/// encoding does not delay the frames.
///
/// At most 32 crops wait to be written; then the caller waits. They are written in their order.
struct FaceRecorder {
  private let folder: ImageFolder
  private let threads: ThreadGroup
  private let state: RunState
  private let queue = Channel<FaceImage>(capacity: 32)
  private var selector: FaceSelector
  private var hasStarted = false

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
    try start()
    for image in try selector.select(from: frame, annotations, ended: ended) { _ = queue.send(image) }
  }

  /// Sends the rest to be written. The writer thread ends with the run's `ThreadGroup`.
  mutating func finish() {
    if hasStarted { for image in selector.finish() { _ = queue.send(image) } }
    queue.finish()
  }

  private mutating func start() throws(VStreamError) {
    guard !hasStarted else { return }
    let writer = try FaceImageWriter(folder)
    hasStarted = true
    let transfer = Transfer(writer)
    threads.start("faces") { [queue, state] in
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

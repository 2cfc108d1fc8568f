internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem
internal import VStreamTracking

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

/// A face's image to be saved, and its entry in the index.
struct FaceImage: Sendable {
  let image: VideoFrame
  let face: DetectedFace
  let quality: FaceQuality
  /// Index of the frame, and its time.
  let frame: Int
  let time: Time
  /// The number in the file's name: the face's ID, or a running number for single images.
  var number = 0
}

/// Selects the faces whose images are saved: of a stream, the best of each ID when its track ends; of single images, all by
/// descending score.
///
/// Crops are copied out of the frame here, before anything is drawn on it, and encoded by `FaceImageWriter`. Holds one crop
/// for each current track.
struct FaceSelector {
  private let isTracked: Bool
  private var best = BestFaces<FaceImage>()
  /// Number of images selected from single images.
  private var count = 0

  init(mode: DetectionMode) { isTracked = mode == .stream }

  /// - Parameters:
  ///   - frame: on which nothing has been drawn.
  ///   - ended: the IDs of the faces whose tracks ended since the previous frame.
  /// - Returns: the images to save.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  mutating func select(
    from frame: VideoFrame, _ annotations: FrameAnnotations, ended: [Int]
  ) throws(VStreamError) -> [FaceImage] {
    let images = Self.numbered(best.end(ended))
    // The position of a predicted face is uncertain.
    guard annotations.source == .detected else { return images }
    let faces = (annotations.found.faces ?? []).filter { FaceCrop.isPossible(of: $0, in: frame.size) }
    guard isTracked else { return try all(faces, of: frame, annotations) }
    for face in faces { try updateBest(with: face, of: frame, annotations) }
    return images
  }

  /// - Returns: the images of the faces whose tracks the end of the stream ends.
  mutating func finish() -> [FaceImage] { Self.numbered(best.endAll()) }

  private static func numbered(_ images: [(id: Int, value: FaceImage)]) -> [FaceImage] {
    images.map { id, image in
      var image = image
      image.number = id
      return image
    }
  }

  private mutating func updateBest(
    with face: DetectedFace, of frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) {
    // The sharpness, which takes longest to measure, can only lower the score.
    guard let id = face.id, best.accepts(FaceQuality(of: face, in: frame.size).score, for: id) else { return }
    let quality = try quality(of: face, in: frame)
    guard best.accepts(quality.score, for: id) else { return }
    best.offer(try image(of: face, quality, in: frame, annotations), score: quality.score, for: id)
  }

  private mutating func all(
    _ faces: [DetectedFace], of frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) -> [FaceImage] {
    var rated: [(face: DetectedFace, quality: FaceQuality)] = []
    for face in faces { rated.append((face, try quality(of: face, in: frame))) }
    rated.sort { $0.face.score > $1.face.score }
    var images: [FaceImage] = []
    for (face, quality) in rated {
      count += 1
      var image = try image(of: face, quality, in: frame, annotations)
      image.number = count
      images.append(image)
    }
    return images
  }

  private func quality(of face: DetectedFace, in frame: VideoFrame) throws(VStreamError) -> FaceQuality {
    FaceQuality(of: face, in: frame.size, sharpness: try FaceSharpness.measured(of: face, in: frame))
  }

  private func image(
    of face: DetectedFace, _ quality: FaceQuality, in frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) -> FaceImage {
    FaceImage(
      image: try FaceCrop.image(of: face, in: frame), face: face, quality: quality, frame: annotations.frame,
      time: annotations.time)
  }
}

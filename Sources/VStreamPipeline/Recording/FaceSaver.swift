internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem
internal import VStreamTracking

/// Saves pictures of faces: of a stream, the best of each ID when its track ends; of single images, all, the best first.
///
/// One owner at a time. Holds one crop for each face that is tracked.
struct FaceSaver {
  private let folder: ImageFolder
  private let isTracked: Bool
  private var best = BestFaces<Crop>()
  /// IDs that have ended since the last frame.
  private var ended: [Int] = []
  /// Made at the first frame.
  private var index: TextFile?
  /// How many were saved of single images.
  private var count = 0

  /// What will be a file.
  private struct Crop {
    let picture: VideoFrame
    let face: DetectedFace
    let quality: FaceQuality
    let frame: Int
    let time: Time
  }

  init(_ folder: ImageFolder, mode: DetectionMode) {
    self.folder = folder
    isTracked = mode == .stream
  }

  /// Takes it that these IDs are not coming back.
  mutating func end(_ ids: [Int]) { ended += ids }

  /// Looks at the faces of a frame that nothing has been drawn on yet.
  ///
  /// - Throws: `VStreamError`: `cannotCreateOutput`, `inputOutput`.
  mutating func look(at frame: VideoFrame, _ annotations: FrameAnnotations) throws(VStreamError) {
    try begin()
    for (id, crop) in best.end(ended) { try save(crop, number: id) }
    ended = []
    // Where a face merely might be, none is cut out.
    guard annotations.source == .detected else { return }
    let faces = (annotations.found.faces ?? []).filter { FaceCrop.isPossible(of: $0, in: frame.size) }
    if isTracked {
      for face in faces { try keepIfBest(face, of: frame, annotations) }
    } else {
      try saveAll(faces, of: frame, annotations)
    }
  }

  /// Saves what is left, and closes the table.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  mutating func finish() throws(VStreamError) {
    guard let index else { return }
    self.index = nil
    defer { best = BestFaces() }
    for (id, crop) in best.endAll() { try save(crop, number: id, in: index) }
    try index.close()
  }

  private mutating func begin() throws(VStreamError) {
    guard index == nil else { return }
    try folder.create()
    let index = try TextFile(creating: folder.indexPath)
    try index.write(line: FaceIndex.heading)
    try index.flush()
    self.index = index
  }

  private mutating func keepIfBest(
    _ face: DetectedFace, of frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) {
    guard let id = face.id, best.accepts(FaceQuality(of: face, in: frame.size).score, for: id) else { return }
    let quality = try quality(of: face, in: frame)
    guard best.accepts(quality.score, for: id) else { return }
    best.offer(try crop(face, quality, of: frame, annotations), score: quality.score, for: id)
  }

  private mutating func saveAll(
    _ faces: [DetectedFace], of frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) {
    var rated: [(face: DetectedFace, quality: FaceQuality)] = []
    for face in faces { rated.append((face, try quality(of: face, in: frame))) }
    for (face, quality) in rated.sorted(by: { $0.face.score > $1.face.score }) {
      count += 1
      try save(try crop(face, quality, of: frame, annotations), number: count)
    }
  }

  private func quality(of face: DetectedFace, in frame: VideoFrame) throws(VStreamError) -> FaceQuality {
    FaceQuality(of: face, in: frame.size, sharpness: try FaceSharpness.measured(of: face, in: frame))
  }

  private func crop(
    _ face: DetectedFace, _ quality: FaceQuality, of frame: VideoFrame, _ annotations: FrameAnnotations
  ) throws(VStreamError) -> Crop {
    Crop(
      picture: try FaceCrop.image(of: face, in: frame), face: face, quality: quality,
      frame: annotations.frame, time: annotations.time)
  }

  private func save(_ crop: Crop, number: Int, in index: TextFile) throws(VStreamError) {
    try folder.write(crop.picture, number: number)
    let saved = SavedFace(
      file: folder.name(number), frame: crop.frame, time: crop.time, face: crop.face, quality: crop.quality)
    try index.write(line: FaceIndex.line(saved))
    try index.flush()
  }

  private func save(_ crop: Crop, number: Int) throws(VStreamError) {
    if let index { try save(crop, number: number, in: index) }
  }
}

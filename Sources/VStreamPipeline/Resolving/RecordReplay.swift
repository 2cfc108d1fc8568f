internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// Records of an earlier run in the place of detectors.
struct RecordReplay {
  private let options: ReplayOptions
  private var source: RecordReader
  private var next: RecordReader.Frame?
  private var hasStarted = false
  /// Frames of the run that something, and that nothing is recorded of.
  private(set) var framesFound = 0
  private(set) var framesMissed = 0

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  init(_ options: ReplayOptions) throws(VStreamError) {
    self.options = options
    source = try options.open()
  }

  /// Whether the detectors' own findings are there, which a tracker is to take anew.
  var hasDetections: Bool { source.hasDetections }

  /// What is recorded of a frame, in its own pixels; `nil` if nothing is.
  ///
  /// - Parameter frame: later than those of the calls before.
  /// - Throws: `VStreamError.unreadableInput` for a damaged line, and for records of frames of another shape.
  mutating func record(of frame: VideoFrame) throws(VStreamError) -> RecordReader.Frame? {
    let scale = try scale(to: frame.size)
    if !hasStarted { next = try source.next() }
    hasStarted = true
    // Times are rounded to ticks, which may be another container's.
    let seconds = frame.time.seconds
    let tolerance = { (time: Time) in 0.5 * max(time.base.value, frame.time.base.value) + 1e-9 }
    while let recorded = next, recorded.time.seconds < seconds - tolerance(recorded.time) { next = try source.next() }
    guard var recorded = next, recorded.time.seconds <= seconds + tolerance(recorded.time) else {
      guard !options.requiresEveryFrame else {
        throw VStreamError(
          .unreadableInput, "'\(options.path)' has no record of the frame at \(Int(seconds * 1000)) ms",
          remedy: "nobody knows what is to be redacted in it: record the whole of this input")
      }
      framesMissed += 1
      return nil
    }
    framesFound += 1
    next = try source.next()
    recorded.found = taken(recorded.found, scale)
    recorded.detections = recorded.detections.map { taken($0, scale) }
    for index in recorded.late.indices { recorded.late[index].found = taken(recorded.late[index].found, scale) }
    return recorded
  }

  /// What of it is wanted, in the frame's pixels.
  private func taken(_ found: Observations, _ scale: (x: Double, y: Double)) -> Observations {
    var objects = options.kinds.contains(.objects) ? found.objects : nil
    let faces = options.kinds.contains(.faces) ? found.faces : nil
    let poses = options.kinds.contains(.poses) ? found.poses : nil
    if let classes = options.classes { objects?.removeAll { !classes.contains($0.label) } }
    let selected = Observations(objects: objects, faces: faces, poses: poses)
    return scale == (1, 1) ? selected : selected.scaled(x: scale.x, y: scale.y)
  }

  private func scale(to size: PixelSize) throws(VStreamError) -> (x: Double, y: Double) {
    let (x, y) = (
      Double(size.width) / Double(source.size.width), Double(size.height) / Double(source.size.height)
    )
    // A smaller copy may be a pixel off.
    guard abs(x / y - 1) < 0.02 else {
      throw VStreamError(
        .unreadableInput, "'\(options.path)' is of frames of \(source.size), and these are \(size)",
        remedy: "give the records of this very input")
    }
    return (x, y)
  }
}

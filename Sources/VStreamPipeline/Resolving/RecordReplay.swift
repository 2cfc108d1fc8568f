internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// Resolves frames with the records of an earlier run.
struct RecordReplay: ResolutionSource {
  private let options: ReplayOptions
  private let inputName: String
  private var reader: RecordReader
  private var next: RecordReader.Frame?
  private var hasStarted = false
  /// Frames of this run with and without a record.
  private var framesFound = 0
  private var framesMissed = 0

  /// - Parameter inputName: the file name of the run's input, for messages.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  init(_ options: ReplayOptions, inputName: String) throws(VStreamError) {
    self.options = options
    self.inputName = inputName
    reader = try options.open()
  }

  /// - Parameter decoded: later than those of the previous calls.
  /// - Throws: `VStreamError.unreadableInput` for a damaged line, for records of frames with another aspect ratio, and for a
  ///   missing record where every frame needs one.
  mutating func resolve(_ decoded: DecodedFrame) throws(VStreamError) -> ResolvedDetections {
    guard let record = try record(of: decoded.frame) else { return ResolvedDetections() }
    guard reader.hasDetections else { return ResolvedDetections(found: record.found, recordedSource: record.source) }
    return ResolvedDetections(late: record.late, found: record.detections)
  }

  func addUndelivered(_ frame: UndeliveredFrame) {}

  func finish() throws(VStreamError) -> Message? {
    guard framesMissed > 0 else { return nil }
    guard framesFound > 0 else {
      throw VStreamError(
        .unreadableInput, "'\(options.path)' has no record of any frame of '\(inputName)'", subject: options.path,
        remedy: "provide the records of this input")
    }
    return "'\(options.path)' has no record of \(framesMissed) of the frames"
  }

  /// What is recorded of a frame, in its own pixels; `nil` if there is no record.
  private mutating func record(of frame: VideoFrame) throws(VStreamError) -> RecordReader.Frame? {
    let scale = try scale(to: frame.size)
    if !hasStarted { next = try reader.next() }
    hasStarted = true
    // Times are rounded to ticks, possibly of another container.
    let seconds = frame.time.seconds
    let tolerance = { (time: Time) in 0.5 * max(time.base.value, frame.time.base.value) + 1e-9 }
    while let recorded = next, recorded.time.seconds < seconds - tolerance(recorded.time) { next = try reader.next() }
    guard var recorded = next, recorded.time.seconds <= seconds + tolerance(recorded.time) else {
      guard !options.requiresEveryFrame else {
        throw VStreamError(
          .unreadableInput, "'\(options.path)' has no record of the frame at \(Int(clamping: seconds * 1000)) ms",
          subject: options.path,
          remedy: "what has to be redacted in this frame is unknown: record the whole input")
      }
      framesMissed += 1
      return nil
    }
    framesFound += 1
    next = try reader.next()
    recorded.found = selected(recorded.found, scale)
    recorded.detections = recorded.detections.map { selected($0, scale) }
    for index in recorded.late.indices { recorded.late[index].found = selected(recorded.late[index].found, scale) }
    if options.requiresEveryFrame {
      // The tracks beside recorded detections may have left the frame.
      let replayed = reader.hasDetections ? recorded.detections : recorded.found
      for found in [replayed].compactMap(\.self) + recorded.late.map(\.found) {
        try requireVisible(found, in: frame, scale)
      }
    }
    return recorded
  }

  /// Checks that each box covers a part of the frame and has a score: others were not recorded by a detector.
  private func requireVisible(
    _ found: Observations, in frame: VideoFrame, _ scale: (x: Double, y: Double)
  ) throws(VStreamError) {
    for subject in options.kinds.flatMap(found.redactionSubjects) {
      let box = subject.box
      guard box.width >= Self.smallestBox * scale.x, box.height >= Self.smallestBox * scale.y,
        box.clipped(to: frame.size) != nil
      else {
        let numbers = [box.x, box.y, box.width, box.height].map { $0.formatted(.decimals(0...2)) }
        throw invalid("a box that covers nothing ([\(numbers.joined(separator: ","))], \(subject.label))", frame)
      }
      guard (0...1).contains(subject.score) else {
        throw invalid("a score of \(subject.score.formatted(.decimals(0...2))) (\(subject.label))", frame)
      }
    }
  }

  /// Pixels of the recorded frame; no detector finds anything smaller.
  private static let smallestBox = 1.0

  private func invalid(_ what: String, _ frame: VideoFrame) -> VStreamError {
    VStreamError(
      .unreadableInput, "'\(options.path)' has \(what) at \(Int(clamping: frame.time.seconds * 1000)) ms",
      subject: options.path, remedy: "what has to be redacted in this frame is unknown: record the input again")
  }

  /// The observations of the kinds and classes that are replayed, in the frame's pixels.
  private func selected(_ found: Observations, _ scale: (x: Double, y: Double)) -> Observations {
    var selected = Observations()
    selected.objectSearch = found.objectSearch
    func select<Element: Observation>(_ type: Element.Type) { selected[type] = found[type] }
    for kind in options.kinds { select(kind.observationType) }
    if let classes = options.classes { selected.objects?.removeAll { !classes.contains($0.label) } }
    return scale == (1, 1) ? selected : selected.scaled(x: scale.x, y: scale.y)
  }

  private func scale(to size: PixelSize) throws(VStreamError) -> (x: Double, y: Double) {
    let (x, y) = (
      Double(size.width) / Double(reader.size.width), Double(size.height) / Double(reader.size.height)
    )
    // The sides of a smaller copy are rounded to pixels.
    guard abs(x / y - 1) < 0.02 else {
      throw VStreamError(
        .unreadableInput, "'\(options.path)' has records of frames of \(reader.size), but the input's are \(size)",
        subject: options.path, remedy: "provide the records of this input")
    }
    return (x, y)
  }
}

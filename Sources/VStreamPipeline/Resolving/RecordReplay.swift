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
  /// Whether the detections give the recorded tracks, as long as nobody edits these.
  private var givesRecordedTracks: Bool
  /// Of the last record.
  private var shot = 0

  /// - Parameters:
  ///   - inputName: the file name of the run's input, for messages.
  ///   - recordOptions: the run's options, as its records list them.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  init(
    _ options: ReplayOptions, inputName: String,
    recordOptions: [(name: String, value: RecordHeader.OptionValue)] = []
  ) throws(VStreamError) {
    self.options = options
    self.inputName = inputName
    reader = try options.open()
    if options.requiresEveryFrame {
      // What contradicts itself further on, as records of two runs do, may have been wrong from the start.
      var whole = try options.open()
      while try whole.next() != nil {}
    }
    givesRecordedTracks = options.tracks == nil && reader.hasDetections && reader.tracks(as: recordOptions)
  }

  /// - Parameter decoded: later than those of the previous calls.
  /// - Throws: `VStreamError.unreadableInput` for a damaged line, for records of frames with another aspect ratio, and for a
  ///   missing record where every frame needs one.
  mutating func resolve(_ job: FrameJob) throws(VStreamError) -> ResolvedDetections {
    if options.requiresEveryFrame {
      try requirements.check(reader, rotation: job.rotation, size: job.frame.size)
    }
    let record = try record(of: job.frame)
    shot = record?.annotations.shot ?? shot
    var resolution = ResolvedDetections()
    resolution.shot = shot
    guard let record else { return resolution }
    guard reader.hasDetections, options.tracks != .recorded else {
      (resolution.found, resolution.recordedSource) = (record.found, record.source)
      return resolution
    }
    (resolution.late, resolution.found) = (record.late, record.detections)
    if givesRecordedTracks { resolution.recordedTracks = RecordedTracks(line: record.line, found: record.found) }
    return resolution
  }

  private var requirements: ReplayRequirements { ReplayRequirements(path: options.path, kinds: options.kinds) }

  /// A warning if what is redacted was recorded of a file of another name.
  var warning: Message? {
    guard options.requiresEveryFrame, let recorded = reader.inputName, recorded != inputName else { return nil }
    return "'\(options.path)' was recorded of '\(recorded)', not of '\(inputName)'"
  }

  func addUndelivered(_ frame: PendingFrame) {}

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
    if scale != (1, 1) { givesRecordedTracks = false }
    if !hasStarted { next = try reader.next() }
    hasStarted = true
    // Times are rounded to ticks, possibly of another container.
    let seconds = frame.time.seconds
    let tolerance = { (time: Time) in 0.5 * max(time.base.value, frame.time.base.value) + 1e-9 }
    while let recorded = next, recorded.time.seconds < seconds - tolerance(recorded.time) {
      givesRecordedTracks = false
      next = try reader.next()
    }
    guard var recorded = next, recorded.time.seconds <= seconds + tolerance(recorded.time) else {
      guard !options.requiresEveryFrame else {
        throw VStreamError(
          .unreadableInput, "'\(options.path)' has no record of the frame at \(Int(clamping: seconds * 1000)) ms",
          subject: options.path,
          remedy: "what has to be redacted in this frame is unknown: record the whole input")
      }
      framesMissed += 1
      givesRecordedTracks = false
      return nil
    }
    framesFound += 1
    next = try reader.next()
    recorded.found = selected(recorded.found, scale)
    recorded.detections = recorded.detections.map { selected($0, scale) }
    for index in recorded.late.indices { recorded.late[index].found = selected(recorded.late[index].found, scale) }
    if options.requiresEveryFrame {
      try requirements.check(recorded, hasDetections: reader.hasDetections, in: frame, scale)
    }
    return recorded
  }

  /// The observations of the kinds and classes that are replayed, in the frame's pixels.
  private func selected(_ found: Observations, _ scale: (x: Double, y: Double)) -> Observations {
    var selected = Observations()
    (selected.objectSearch, selected.shot) = (found.objectSearch, found.shot)
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

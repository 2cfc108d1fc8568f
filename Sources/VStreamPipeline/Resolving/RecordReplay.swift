internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
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
      // Records that contradict themselves, such as the records of two runs, may be wrong from the start.
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

  /// A warning if redaction replays records of a file of another name.
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

  /// A frame's record, in its own pixels; `nil` if there is none.
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
  private func selected(_ found: Detections, _ scale: (x: Double, y: Double)) -> Detections {
    var selected = Detections()
    (selected.objectSearch, selected.shot) = (found.objectSearch, found.shot)
    func select<Element: KnownDetection>(_ type: Element.Type) { selected[type] = found[type] }
    for kind in options.kinds { select(kind.detectionType) }
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

/// The tracks of a frame as records have them.
struct RecordedTracks: Hashable, Sendable {
  /// The number of the frame's line in the records, from 1.
  let line: Int
  let found: Detections

  /// Half of the last decimal that is recorded, of pixels and of scores, with a margin.
  private static let pixelTolerance = 0.0051
  private static let scoreTolerance = 0.000_051

  /// Whether observations have the recorded IDs, labels, scores and boxes. Kinds that only one of both has are not compared.
  func match(_ other: Detections) -> Bool {
    func match<Kind: KnownDetection>(_ kind: Kind.Type) -> Bool {
      guard let recorded = found[kind], let made = other[kind] else { return true }
      return recorded.count == made.count && zip(recorded, made).allSatisfy { Self.match($0, $1) }
    }
    return DetectionKind.allCases.allSatisfy { match($0.detectionType) }
  }

  private static func match(_ one: some KnownDetection, _ other: some KnownDetection) -> Bool {
    func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= pixelTolerance }
    return one.id == other.id && one.label == other.label && abs(one.score - other.score) <= scoreTolerance
      && isNear(one.box.x, other.box.x) && isNear(one.box.y, other.box.y) && isNear(one.box.width, other.box.width)
      && isNear(one.box.height, other.box.height)
  }
}

/// The requirements of records for redaction: no subject may stay visible because it is unknown.
struct ReplayRequirements {
  let path: String
  /// The kinds that are replayed.
  let kinds: Set<DetectionKind>

  /// Pixels of the frame and of the recorded one; no detector finds anything smaller.
  private static let smallestBox = 1.0
  /// The greatest ratio between the sizes of the recorded frames and of the input's: of more, boxes would be too coarse.
  private static let greatestReduction = 8.0

  /// Checks that the records are of frames like the input's.
  ///
  /// - Throws: `VStreamError.unreadableInput`.
  func check(_ reader: RecordReader, rotation: Int, size: PixelSize) throws(VStreamError) {
    guard reader.rotation == rotation else {
      throw other("has records of frames that were rotated by \(reader.rotation)°, but the input's by \(rotation)°")
    }
    guard Double(reader.size.width) <= Self.greatestReduction * Double(size.width) else {
      throw other("has records of frames of \(reader.size), but the input's are only \(size)")
    }
  }

  private func other(_ what: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "'\(path)' \(what)", subject: path, remedy: "provide the records of this input")
  }

  /// Checks that a record has the detections of all kinds, if detectors ran on the frame, and that each box covers a
  /// part of the frame and has a score: others were not recorded by a detector.
  ///
  /// - Parameters:
  ///   - scale: pixels of the frame for one of the recorded frame.
  ///   - hasDetections: whether the detectors' own results are recorded; otherwise tracks are.
  /// - Throws: `VStreamError.unreadableInput`.
  func check(
    _ record: RecordReader.Frame, hasDetections: Bool, in frame: VideoFrame, _ scale: (x: Double, y: Double)
  ) throws(VStreamError) {
    if hasDetections, record.source == .detected, record.detections == nil {
      throw invalid("no detections", record, frame)
    }
    // The tracks beside recorded detections may have left the frame.
    let replayed = hasDetections ? record.detections : record.found
    for found in [replayed].compactMap(\.self) + record.late.map(\.found) {
      if let missing = kinds.filter({ !found.isDetected($0) }).map(\.rawValue).min() {
        throw invalid("no list of \(missing)", record, frame)
      }
      for subject in kinds.flatMap(found.redactionSubjects) { try check(subject, of: record, in: frame, scale) }
    }
  }

  private func check(
    _ subject: DetectedObject, of record: RecordReader.Frame, in frame: VideoFrame, _ scale: (x: Double, y: Double)
  ) throws(VStreamError) {
    let box = subject.box
    guard box.width >= Self.smallestBox * max(scale.x, 1), box.height >= Self.smallestBox * max(scale.y, 1),
      box.clipped(to: frame.size) != nil
    else {
      let numbers = [box.x, box.y, box.width, box.height].map { $0.formatted(.decimals(0...2)) }
      throw invalid("a box that covers nothing ([\(numbers.joined(separator: ","))], \(subject.label))", record, frame)
    }
    guard (0...1).contains(subject.score) else {
      throw invalid("a score of \(subject.score.formatted(.decimals(0...2))) (\(subject.label))", record, frame)
    }
  }

  private func invalid(_ what: String, _ record: RecordReader.Frame, _ frame: VideoFrame) -> VStreamError {
    VStreamError(
      .unreadableInput,
      "line \(record.line) of '\(path)' has \(what) at \(Int(clamping: frame.time.seconds * 1000)) ms", subject: path,
      remedy: "what has to be redacted in this frame is unknown: record the input again")
  }
}

extension Detections {
  /// Whether a list of a kind is there, however empty.
  fileprivate func isDetected(_ kind: DetectionKind) -> Bool {
    func isDetected(_ kind: (some KnownDetection).Type) -> Bool { self[kind] != nil }
    return isDetected(kind.detectionType)
  }
}

internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting

/// The body of the reader thread where the records of an input's parts are joined: sends the frames of all parts, without
/// pixels and with the detections that were recorded of them, through the steps that follow.
struct JoinedRecords {
  private let paths: [String]
  private let kinds: Set<DetectionKind>
  private let options: [(name: String, value: RecordHeader.OptionValue)]
  private let state: RunState
  private let output: Channel<StreamItem>
  /// The names of classes by their indices, which all parts share.
  private var labels = ClassList.coco.names
  private var first: RecordReader?
  private var last: Time?
  private var shots = JoinedShots()
  private var frameCount = 0

  /// Options that affect the steps after detection only.
  private static let laterOptions: Set = ["events", "recordDetections", "maxObjects"]
  /// The pixels do not matter.
  private static let format = PixelFormat(name: "gray")

  init(_ paths: [String], configuration: PipelineConfiguration, state: RunState, output: Channel<StreamItem>) {
    self.paths = paths
    kinds = configuration.kinds
    options = configuration.recordOptions
    self.state = state
    self.output = output
  }

  mutating func run() {
    do {
      for (number, path) in paths.enumerated() {
        guard !state.isStopping, try join(path, number) else { break }
      }
    } catch {
      state.fail(error)
    }
    output.finish()
  }

  /// - Returns: `false` if the annotator has ended.
  private mutating func join(_ path: String, _ number: Int) throws -> Bool {
    shots.beginPart()
    var reader = try RecordReader(path: path, labels: labels)
    try check(reader, path)
    if first == nil { first = reader }
    while let record = try reader.next() {
      guard !state.isStopping else { return false }
      guard record.time.seconds > last?.seconds ?? -.infinity else {
        throw other(
          path, "does not follow the part before it", remedy: "put the records of each part under its own name")
      }
      last = record.time
      guard try send(record, of: reader) else { return false }
    }
    guard let damaged = reader.corruptPackets else {
      throw other(path, "is incomplete: its last line is missing", remedy: "detect that part again")
    }
    if damaged > 0 { state.count { $0.corruptPackets += damaged } }
    labels = reader.labels
    return true
  }

  private mutating func send(_ record: RecordReader.Frame, of reader: RecordReader) throws -> Bool {
    guard let format = Self.format else { return false }
    var pending = PendingFrame(time: record.time, offered: state.clock.now)
    let shot = shots.next(record.annotations.shot)
    if var found = record.detections {
      found.shot = shot
      let detection = PendingDetection(clock: state.clock)
      detection.settle(.found(found))
      pending.results = [detection]
    }
    var frame = try VideoFrame(withoutPixels: reader.size, format: format, time: record.time)
    frame.shot = shot
    let job = FrameJob(
      frame, index: frameCount, rotation: reader.rotation, arrival: state.clock.now, detection: pending)
    frameCount += 1
    state.count { $0.framesIn += 1 }
    return output.send(.frame(job), weight: Weight.frame)
  }

  /// Checks that a part was detected like the first one, and as this run would detect it.
  private func check(_ reader: RecordReader, _ path: String) throws(VStreamError) {
    guard reader.hasDetections else {
      throw other(path, "holds no detections", remedy: "detect the parts with \(.recordDetections)")
    }
    let differing = reader.options(differingFrom: options).filter { !Self.laterOptions.contains($0) }
    if let name = differing.first {
      throw other(
        path, "was detected with another value of '\(name)' than this run has",
        remedy: "give the options with which the parts were detected")
    }
    if let first, first.size != reader.size || first.rotation != reader.rotation {
      throw other(
        path, "has frames of \(reader.size), and those of the first part are \(first.size)",
        remedy: "split the input again, to be read from its beginning (--from-start)")
    }
  }

  private func other(_ path: String, _ problem: Message, remedy: Message) -> VStreamError {
    VStreamError(.unreadableInput, "'\(path)' \(problem)", subject: path, remedy: remedy)
  }
}

/// Numbers the shots of an input whose parts number theirs, each from 0: a part begins in the last shot of the part before.
struct JoinedShots {
  private var numbers: [Int: Int] = [:]
  private var highest = 0
  private var last = 0

  mutating func beginPart() { numbers = [0: last] }

  /// - Parameter shot: its number in the part.
  mutating func next(_ shot: Int) -> Int {
    let number = numbers[shot] ?? highest + 1
    numbers[shot] = number
    (highest, last) = (max(highest, number), number)
    return number
  }
}

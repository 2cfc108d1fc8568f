internal import Synchronization
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// Follows one run of a camera.
final class CameraObserver: RunObserver {
  private let camera: Camera
  private let packets: PacketViews
  /// Of the writer's thread; `nil` where packets are shown as they are.
  private let encoder = Mutex<LiveEncoder?>(nil)
  /// Of the annotator's thread; `nil` if nothing is recorded.
  private let records: Mutex<RecordFiles?>
  private let showsVideo: Bool
  private let tracks: TrackObserver?

  /// - Parameter showsVideo: whether the run's video is shown, not another one of the camera.
  init(_ camera: Camera, showsVideo: Bool) {
    (self.camera, self.showsVideo) = (camera, showsVideo)
    tracks = camera.recordings.map { TrackObserver(camera, $0.index) }
    packets = PacketViews(camera, .decoded)
    records = Mutex(camera.settings.records.map { RecordFiles($0, camera: camera.name) })
  }

  /// Called when the run has ended.
  func finish() {
    record { files throws(VStreamError) in try files.finish() }
    tracks?.finish()
  }

  private func record(_ body: (inout RecordFiles) throws(VStreamError) -> Void) {
    do throws(VStreamError) {
      try records.withLock { files throws(VStreamError) in
        guard var open = files else { return }
        defer { files = open }
        try body(&open)
      }
    } catch {
      camera.failed(toRecord: error)
    }
  }

  func inputOpened(_ opened: StreamInfo, sound: StreamInfo?) {
    let video = OpenedVideo(opened)
    camera.handle(.opened(.decoded, video))
    guard showsVideo else { return }
    // Packets are shown only if nothing in them has to be hidden.
    let isEncoded = !video.isPlayable || camera.settings.hidesPixels
    encoder.withLock { $0 = isEncoded ? LiveEncoder(frameRate: opened.frameRate) : nil }
    packets.open(opened, sound: sound, isShown: !isEncoded)
  }

  func inputLost(reason: String) {
    camera.handle(.lost(reason: reason))
    tracks?.finish()
  }

  func packetRead(_ packet: Packet) { packets.packetRead(packet) }

  func framePainted(_ painted: ObservedFrame, isKnown: Bool) {
    // A frame whose redacted regions are not known is not shown at all.
    guard isKnown else { return }
    camera.handle(.painted(PaintedFrame(record: painted.record, image: painted.image)))
    tracks?.painted(painted)
    for message in encodedMessages(of: painted.image) { camera.handle(.message(message, [.live])) }
  }

  /// Encoded only while somebody watches, or it is recorded.
  private func encodedMessages(of frame: VideoFrame) -> [LiveMessage] {
    let isFollowed = camera.read { $0.isFollowed(.live) }
    return encoder.withLock { encoder in
      guard var open = encoder else { return [] }
      defer { encoder = open }
      guard isFollowed else {
        if open.isOpen { camera.handle(.encodingEnded) }
        open.close()
        return []
      }
      return (try? open.messages(frame)) ?? []
    }
  }

  func recordsBegan(_ header: RecordHeader) {
    camera.handle(.message(LiveMessage(.start, text: RecordText.line(header)), [.records]))
    record { files throws(VStreamError) in files.begin(header) }
  }

  func frameAnnotated(_ frame: ObservedFrame) {
    let latency = frame.image.hasPixels ? frame.latency : nil
    let actions = camera.handle(.annotated(frame.record, frame.image.size, latency: latency))
    // The frame belongs to the next run.
    if actions.contains(.restart(.decoded)) { return }
    tracks?.annotated(frame.record, camera.read { $0.status.size })
    record { files throws(VStreamError) in
      try files.write(frame.record, on: UTCTime.now.date, at: MonotonicTime.now)
    }
  }
}

/// Publishes the packets of a stream of a camera as its live view, as they are. Follows a stream that is not decoded by itself.
final class PacketViews: PacketObserver {
  private let camera: Camera
  private let stream: CameraStream
  /// Of the reader's thread; without sound that browsers play, only of the silent feed.
  private let videos = Mutex<[CameraFeed: LiveVideo]>([:])

  init(_ camera: Camera, _ stream: CameraStream) { (self.camera, self.stream) = (camera, stream) }

  func inputOpened(_ opened: StreamInfo, sound: StreamInfo?) {
    let video = OpenedVideo(opened)
    camera.handle(.opened(stream, video))
    open(opened, sound: sound, isShown: video.isPlayable)
  }

  /// - Parameter isShown: whether viewers are shown the packets.
  func open(_ video: StreamInfo, sound: StreamInfo?, isShown: Bool) {
    let sound = sound.flatMap { FragmentWriter.canWrite(sound: $0) ? $0 : nil }
    let starts = videos.withLock { videos in
      videos = isShown ? [.live: LiveVideo(video)] : [:]
      if isShown, let sound { videos[.liveWithSound] = LiveVideo(video, sound: sound) }
      if camera.settings.record.mode != .never, !camera.settings.hidesPixels {
        videos[.recorded] = LiveVideo(video, sound: sound, isPlayed: false)
      }
      return videos.mapValues(\.start)
    }
    camera.handle(.sound(starts[.liveWithSound] != nil))
    for (feed, messages) in starts {
      for message in messages { camera.handle(.message(message, [feed])) }
    }
  }

  func packetRead(_ packet: Packet) {
    camera.handle(.packet(stream, index: packet.streamIndex, time: packet.presentationTime?.seconds))
    // Few listen, and the second video costs nothing without them.
    let isHeard = camera.read { $0.isWatched(.liveWithSound) }
    for feed in [CameraFeed.live, .liveWithSound, .recorded] where feed != .liveWithSound || isHeard {
      guard let message = videos.withLock({ $0[feed]?.message(packet) }) else { continue }
      camera.handle(.message(message, [feed]))
    }
  }
}

extension OpenedVideo {
  fileprivate init(_ video: StreamInfo) {
    self.init(
      index: video.index, codec: video.codecName, size: video.encodedSize, isPlayable: FragmentWriter.canWrite(video))
  }
}

/// Writes the records of a camera's runs to files: a new file for each run and each day.
///
/// One owner at a time. A failure ends the recording of the run, not the run.
struct RecordFiles {
  private let pattern: String
  private let camera: String
  private var header: RecordHeader?
  private var writer: RecordWriter?
  private var counts = RunCounts()
  /// Of the open file.
  private var date = ""
  private var lastFlush = 0.0

  /// Seconds after which others can read the records.
  private static let flushInterval = 1.0
  /// Files of one day.
  private static let maximumNumber = 100_000

  init(_ pattern: String, camera: String) {
    self.pattern = pattern
    self.camera = camera
  }

  /// Begins the records of a run.
  mutating func begin(_ header: RecordHeader) { self.header = header }

  /// - Parameters:
  ///   - date: of today, as `UTCTime.date`.
  ///   - now: seconds of a clock that never goes back.
  /// - Throws: `VStreamError` if the file cannot be created or written; the recording has ended then.
  mutating func write(_ record: FrameRecord, on date: String, at now: Double) throws(VStreamError) {
    guard let header else { return }
    do throws(VStreamError) {
      if date != self.date { try open(header, on: date) }
      try writer?.write(record)
      count(record)
      if now - lastFlush >= Self.flushInterval {
        lastFlush = now
        try writer?.flush()
      }
    } catch {
      (self.header, writer) = (nil, nil)
      throw error
    }
  }

  /// Ends the records of the run with its summary.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  mutating func finish() throws(VStreamError) {
    defer { (header, writer, date) = (nil, nil, "") }
    try writer?.finish(counts)
  }

  private mutating func open(_ header: RecordHeader, on date: String) throws(VStreamError) {
    try writer?.finish(counts)
    writer = nil
    counts = RunCounts()
    let path = try Self.unusedPath(pattern, camera: camera, date: date)
    try Folder.createWithParents(Path.folder(of: path))
    var opened = try RecordWriter(path: path, overwrite: false)
    try opened.write(header)
    writer = opened
    self.date = date
  }

  /// Frames that are recorded.
  private mutating func count(_ record: FrameRecord) {
    counts.framesIn += 1
    counts.framesOut += 1
    switch record.annotations.source {
    case .detected: counts.framesDetected += 1
    case .predicted: counts.framesPredicted += 1
    }
  }

  /// The path of a file that does not exist: of the pattern, or with a number before its ending.
  static func unusedPath(_ pattern: String, camera: String, date: String) throws(VStreamError) -> String {
    let path = pattern.replacing("{date}", with: date).replacing("{camera}", with: camera)
    let (stem, ending) = (path.dropLast(ending.count), ending)
    for number in 1...maximumNumber {
      let candidate = number == 1 ? path : "\(stem)-\(number)\(ending)"
      if !FileCheck.exists(candidate) { return candidate }
    }
    throw VStreamError(
      .cannotCreateOutput, "there are \(maximumNumber) files like '\(path)'", subject: path, remedy: "move them away")
  }

  private static let ending = ".jsonl"
}

internal import Dispatch
internal import NIOCore
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// Records a camera on a thread of its own: a viewer that writes files. A slow disk delays nobody: the camera keeps at most 4 MB
/// for it, and it goes on at the next key frame.
struct Recorder {
  private let camera: Camera
  private let store: RecordingStore
  private let log: ServeLog
  private var cutter: RecordingCutter
  private let viewer: LiveViewer
  private let isAwaited = DispatchSemaphore(value: 0)
  private var open: OpenRecording?
  /// Bytes of the open file before its first fragment.
  private var startBytes = 0
  /// Of the file before, whose last frames are annotated after its end.
  private var ended: (boxes: AppendedFile, at: Double)?
  private var syncedAt = 0.0
  /// Whether the user was warned of the present failure.
  private var hasWarned = false

  /// Seconds after which packets are certain to be on the disk.
  private static let syncInterval = 4.0
  /// Bytes that are made free for going on after the disk was full.
  private static let spare = 16 << 20
  /// Seconds in which the boxes of an ended file's frames come.
  private static let lateSeconds = 2.0

  init(_ camera: Camera, _ store: RecordingStore, log: ServeLog) {
    (self.camera, self.store, self.log) = (camera, store, log)
    cutter = RecordingCutter(camera.settings.record)
    // Packets of masked and redacted cameras do not leave: the viewers' video is recorded.
    viewer = LiveViewer(camera.settings.hidesPixels ? .live : .recorded, isRecorder: true) { [isAwaited] in
      isAwaited.signal()
    }
    camera.handle(.joined(viewer))
  }

  /// Records until the camera is stopped, on a thread of its own.
  static func start(_ camera: Camera, _ store: RecordingStore, log: ServeLog) {
    SystemThread.start {
      var recorder = Recorder(camera, store, log: log)
      recorder.run()
    }
  }

  /// Records until the camera is stopped.
  mutating func run() {
    while true {
      switch camera.next(for: viewer) {
      case .message(let message): record(message)
      case .wait: isAwaited.wait()
      case .end:
        for action in cutter.end() { perform(action) }
        return
      }
    }
  }

  private mutating func record(_ message: LiveMessage) {
    let isEvent = camera.read { state in
      state.status.phase == .live && state.status.record.map { $0.annotations.found.count > 0 } == true
    }
    let moment = RecordingCutter.Moment(now: MonotonicTime.now, wall: WallClock.now)
    for action in cutter.add(message, isEvent: isEvent, at: moment) { perform(action) }
    guard case .fragment(let isKey) = message.kind, open != nil else { return }
    if isEvent { open?.file.hasEvent = true }
    open?.file.end = moment.wall
    if isKey, let open { store.note(open.file) }
  }

  private mutating func perform(_ action: RecordingCutter.Action) {
    do throws(VStreamError) {
      switch action {
      case .begin(let wall, let start, let description):
        close()
        open = try store.create(camera.name, at: wall)
        startBytes = start.readableBytes
        try write(start, to: \.video)
        try write(description, to: \.boxes, isLine: true)
      case .write(let bytes, let isKey):
        guard open != nil else { return }
        try write(bytes, to: \.video)
        if isKey { hasWarned = false }
        guard isKey, MonotonicTime.now - syncedAt >= Self.syncInterval else { return }
        syncedAt = MonotonicTime.now
        open?.video.sync()
      case .boxes(let line):
        if let before = ended {
          if MonotonicTime.now - before.at < Self.lateSeconds {
            try before.boxes.write(Array(line.readableBytesView) + Array("\n".utf8))
          } else {
            ended = nil
          }
        }
        try write(line, to: \.boxes, isLine: true)
      case .end: close()
      }
    } catch {
      close()
      _ = cutter.end()
      if !hasWarned { log.warn("not recorded: \(error.text(naming: \.configurationKey))", camera: camera.name) }
      hasWarned = true
    }
  }

  private func write(
    _ buffer: ByteBuffer, to file: KeyPath<OpenRecording, AppendedFile>, isLine: Bool = false
  ) throws(VStreamError) {
    guard let file = open?[keyPath: file] else { return }
    let bytes = Array(buffer.readableBytesView) + (isLine ? Array("\n".utf8) : [])
    do throws(VStreamError) {
      try file.write(bytes)
    } catch {
      guard file.isDiskFull, store.enforce(needing: Self.spare) else { throw error }
      try file.write(bytes)
    }
  }

  private mutating func close() {
    guard var closed = open else { return }
    open = nil
    closed.video.close()
    guard closed.video.byteCount > startBytes else { return store.discard(closed.file) }
    ended = (closed.boxes, MonotonicTime.now)
    closed.file.bytes = closed.video.byteCount + closed.boxes.byteCount
    closed.file.isOpen = false
    store.finish(closed.file)
  }
}

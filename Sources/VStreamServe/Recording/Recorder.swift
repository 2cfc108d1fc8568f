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
  private var file: OpenFile?
  private var syncedAt = 0.0
  /// Whether the user was warned of the present failure.
  private var hasWarned = false

  private struct OpenFile {
    var recorded: RecordedFile
    let open: AppendedFile
    /// Bytes before the first fragment.
    let startBytes: Int
  }

  /// Seconds after which packets are certain to be on the disk.
  private static let syncInterval = 4.0
  /// Bytes that are made free for going on after the disk was full.
  private static let spare = 16 << 20

  init(_ camera: Camera, _ store: RecordingStore, log: ServeLog) {
    (self.camera, self.store, self.log) = (camera, store, log)
    cutter = RecordingCutter(camera.settings.record)
    store.setKeep(camera.settings.record.keep, of: camera.name)
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
    let moment = RecordingCutter.Moment(now: MonotonicTime.now, wall: Double(UTCTime.secondsSince1970))
    for action in cutter.add(message, isEvent: isEvent, at: moment) { perform(action) }
  }

  private mutating func perform(_ action: RecordingCutter.Action) {
    do throws(VStreamError) {
      switch action {
      case .begin(let wall, let start):
        close()
        let (name, open) = try store.create(camera.name, at: wall)
        file = OpenFile(
          recorded: RecordedFile(camera: camera.name, name: name, byteCount: 0, start: wall), open: open,
          startBytes: start.readableBytes)
        try write(Array(start.readableBytesView))
      case .write(let bytes, let isKey):
        guard file != nil else { return }
        try write(Array(bytes.readableBytesView))
        if isKey { hasWarned = false }
        guard isKey, MonotonicTime.now - syncedAt >= Self.syncInterval else { return }
        syncedAt = MonotonicTime.now
        file?.open.sync()
      case .end: close()
      }
    } catch {
      close()
      _ = cutter.end()
      if !hasWarned { log.warn("not recorded: \(error.text(naming: \.configurationKey))", camera: camera.name) }
      hasWarned = true
    }
  }

  private mutating func write(_ bytes: [UInt8]) throws(VStreamError) {
    guard let open = file?.open else { return }
    do throws(VStreamError) {
      try open.write(bytes)
    } catch {
      guard open.isDiskFull, store.enforce(needing: Self.spare) else { throw error }
      try open.write(bytes)
    }
  }

  private mutating func close() {
    guard var ended = file else { return }
    file = nil
    guard ended.open.byteCount > ended.startBytes else { return ended.open.discard() }
    ended.open.close()
    ended.recorded.byteCount = ended.open.byteCount
    store.add(ended.recorded)
  }
}

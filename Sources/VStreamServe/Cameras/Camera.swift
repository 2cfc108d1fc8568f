internal import Synchronization
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// A camera: its supervised runs, what is known of it, and those who follow it.
final class Camera: Sendable {
  let name: String
  let settings: CameraConfiguration
  /// The video and the boxes.
  let live = LiveFeed()
  /// The records.
  let records = LiveFeed()
  private let status: Monitor<CameraStatus>
  private let newest = Monitor<ObservedFrame?>(nil)
  /// The observer of the present run.
  private let observer = Monitor<CameraObserver?>(nil)
  private let supervisor = Monitor<RunSupervisor?>(nil)
  private let log: ServeLog

  init(_ named: ServeConfiguration.NamedCamera, log: ServeLog) {
    name = named.name
    settings = named.settings
    self.log = log
    status = Monitor(CameraStatus(at: MonotonicTime.now))
  }

  /// - Throws: `VStreamError` if a model is missing.
  func start(_ detectors: CameraDetectors) throws(VStreamError) {
    // What would fail on every attempt is reported at once.
    _ = try detectors.configuration(of: settings, observer: nil)
    let made = RunSupervisor(
      configuration: { [self] () throws(VStreamError) in
        let made = CameraObserver(self)
        observer.update { $0 = made }
        return try detectors.configuration(of: settings, observer: made)
      },
      onEvent: { [self] event in note(event) })
    supervisor.update { $0 = made }
    publishState()
    made.start()
  }

  func stop() {
    status.update { $0.stopped(at: MonotonicTime.now) }
    supervisor.read { $0 }?.stop()
  }

  /// Waits until its run has ended, after `stop`.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  func waitUntilStopped(seconds: Double) -> Bool {
    let hasEnded = supervisor.read { $0 }?.waitUntilEnded(seconds: seconds) ?? true
    if hasEnded { supervisor.update { $0 = nil } }
    return hasEnded
  }

  var currentStatus: CameraStatus { status.read { $0 } }

  /// The newest frame and its annotations; `nil` while there is none.
  var newestFrame: ObservedFrame? { newest.read { $0 } }

  private func note(_ event: RunSupervisor.Event) {
    let now = MonotonicTime.now
    switch event {
    case .starting: status.update { $0.begin(at: now) }
    case .progress(let progress):
      status.update { $0.progressed(progress.counts, at: now) }
      for message in progress.messages { log.note(message.description, camera: name) }
    case .ended(let error):
      newest.update { $0 = nil }
      observer.update { observer in
        defer { observer = nil }
        return observer
      }?.finish()
      let problem = error ?? VStreamError(.inputOutput, "the source ended")
      let isStopped = status.update { status in
        status.lost(problem, at: now)
        return status.phase == .stopped
      }
      if isStopped { return }
      log.warn("not running: \(problem.text(naming: \.configurationKey))", camera: name)
      publishState()
    case .waiting(let seconds):
      if status.read({ $0.phase == .stopped }) { return }
      log.note("retrying in \(seconds.formatted(.decimals(1))) s", camera: name)
    }
  }

  // MARK: What its observer reports

  fileprivate func opened(_ video: StreamInfo) {
    status.update { $0.opened(video, at: MonotonicTime.now) }
    publishState()
  }

  fileprivate func lost(_ reason: String) {
    newest.update { $0 = nil }
    status.update { $0.lost(VStreamError(.inputOutput, "the source was lost: \(reason)"), at: MonotonicTime.now) }
    publishState()
  }

  fileprivate func annotated(_ frame: ObservedFrame) {
    let (before, now) = status.update { status in
      let before = status.phase
      status.annotated(frame, at: MonotonicTime.now)
      return (before, status.phase)
    }
    if now != .live { newest.update { $0 = nil } }
    if before != now {
      log.note("live", camera: name)
      publishState()
    }
    guard live.viewerCount + records.viewerCount > 0 else { return }
    let message = LiveMessage(.record, text: RecordText.line(frame.record))
    live.publish(message)
    records.publish(message)
  }

  /// A frame as it may be shown.
  fileprivate func painted(_ frame: ObservedFrame) {
    if status.read({ $0.phase == .live }) { newest.update { $0 = frame } }
  }

  fileprivate func failed(toRecord error: VStreamError) {
    log.warn("its records end: \(error.text(naming: \.configurationKey))", camera: name)
  }

  fileprivate func restart() { supervisor.read { $0 }?.restart() }

  private func publishState() {
    live.publish(LiveMessage(.state, text: CameraJSON.state(self)))
  }
}

/// Follows one run of a camera.
private final class CameraObserver: RunObserver {
  private let camera: Camera
  /// Of the reader's thread.
  private let video = Mutex<LiveVideo?>(nil)
  /// Of the writer's thread; `nil` where packets are shown as they are.
  private let encoder = Mutex<LiveEncoder?>(nil)
  private let size = Monitor<PixelSize?>(nil)
  /// Of the annotator's thread; `nil` if nothing is recorded.
  private let records: Mutex<RecordFiles?>

  init(_ camera: Camera) {
    self.camera = camera
    records = Mutex(camera.settings.records.map { RecordFiles($0, camera: camera.name) })
  }

  /// Called when the run has ended.
  func finish() { record { files throws(VStreamError) in try files.finish() } }

  private func record(_ body: (inout RecordFiles) throws(VStreamError) -> Void) {
    let failure = records.withLock { files -> VStreamError? in
      do throws(VStreamError) {
        if var open = files {
          defer { files = open }
          try body(&open)
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { camera.failed(toRecord: failure) }
  }

  func inputOpened(_ opened: StreamInfo) {
    camera.opened(opened)
    // Packets are shown only if nothing in them has to be hidden.
    guard FragmentWriter.canWrite(opened), !camera.settings.hidesPixels else {
      video.withLock { $0 = nil }
      encoder.withLock { $0 = LiveEncoder(frameRate: opened.frameRate) }
      return
    }
    encoder.withLock { $0 = nil }
    let start = video.withLock { video in
      let made = LiveVideo(opened)
      video = made
      return made.start
    }
    for message in start { camera.live.publish(message) }
  }

  func inputLost(reason: String) { camera.lost(reason) }

  func packetRead(_ packet: Packet) {
    guard let message = video.withLock({ $0?.message(packet) }) else { return }
    camera.live.publish(message)
  }

  func framePainted(_ painted: ObservedFrame, isKnown: Bool) {
    // What nobody knows how to redact is not shown at all.
    guard isKnown else { return }
    camera.painted(painted)
    for message in encodedMessages(of: painted.image) { camera.live.publish(message) }
  }

  /// Encoded only while somebody watches.
  private func encodedMessages(of frame: VideoFrame) -> [LiveMessage] {
    let isWatched = camera.live.viewerCount > 0
    return encoder.withLock { encoder in
      guard var open = encoder else { return [] }
      defer { encoder = open }
      guard isWatched else {
        if open.isOpen { camera.live.forgetVideo() }
        open.close()
        return []
      }
      return (try? open.messages(frame)) ?? []
    }
  }

  func recordsBegan(_ header: RecordHeader) {
    camera.records.publish(LiveMessage(.start, text: RecordText.line(header)))
    record { files throws(VStreamError) in files.begin(header) }
  }

  func frameAnnotated(_ frame: ObservedFrame) {
    let isSame = size.update { size in
      if size == nil { size = frame.image.size }
      return size == frame.image.size
    }
    // A changed size needs other zones, and another header of the records.
    guard isSame else { return camera.restart() }
    camera.annotated(frame)
    record { files throws(VStreamError) in
      try files.write(frame.record, on: UTCTime.now.date, at: MonotonicTime.now)
    }
  }
}

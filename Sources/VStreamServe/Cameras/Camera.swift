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
  /// The same, with the sound.
  let liveWithSound = LiveFeed()
  /// The records.
  let records = LiveFeed()
  private let status: Monitor<CameraStatus>
  private let newest = Monitor<ObservedFrame?>(nil)
  /// The observer of the present run.
  private let observer = Monitor<CameraObserver?>(nil)
  private let supervisor = Monitor<RunSupervisor?>(nil)
  /// Of the stream that is shown and not decoded; `nil` if there is none.
  private let shownSupervisor = Monitor<RunSupervisor?>(nil)
  /// What is shown of that stream; `nil` until it was opened.
  private let shownVideo = Monitor<ShownVideo?>(nil)
  private let alignment = Monitor(StreamAlignment())
  /// The indices of the videos of its streams.
  private let videos = Monitor<[CameraStream: Int]>([:])
  private let sound = Monitor(false)
  /// The streams that are played again when they end, as they are files.
  private let repeated: Set<CameraStream>
  private let log: ServeLog

  /// A stream that is shown and not decoded.
  private struct ShownVideo: Sendable {
    /// Of its frames; `nil` if browsers do not play it.
    var size: PixelSize?
  }

  init(_ named: ServeConfiguration.NamedCamera, log: ServeLog) {
    name = named.name
    settings = named.settings
    self.log = log
    let streams: Set<CameraStream> = named.settings.shownInput == nil ? [.decoded] : [.decoded, .shown]
    status = Monitor(CameraStatus(streams, at: MonotonicTime.now))
    let inputs = [CameraStream.decoded: settings.input, .shown: settings.shownInput].compactMapValues(\.self)
    repeated = Set(inputs.filter { Self.isFile($0.value) }.keys)
  }

  /// - Throws: `VStreamError` if a model is missing.
  func start(_ detectors: CameraDetectors) throws(VStreamError) {
    // What would fail on every attempt is reported at once.
    _ = try detectors.configuration(of: settings, observer: nil)
    let made = RunSupervisor(
      repeatsAtEnd: repeated.contains(.decoded),
      makeRun: { [self] () throws(VStreamError) in
        let size = shownVideo.read { $0?.size }
        let made = CameraObserver(self, showsVideo: size == nil)
        observer.update { $0 = made }
        var configuration = try detectors.configuration(of: settings, observer: made)
        configuration.recordedSize = size
        configuration.decodingEffort = effort(showsVideo: size == nil)
        if settings.rest, !settings.hidesPixels {
          configuration.restsDecoding = { size != nil || FragmentWriter.canWrite($0) }
        }
        return Pipeline(configuration)
      },
      onEvent: { [self] event in note(event) })
    supervisor.update { $0 = made }
    publishState()
    guard let input = settings.shownInput else { return made.start() }
    let shown = RunSupervisor(
      repeatsAtEnd: repeated.contains(.shown),
      makeRun: { [self] () throws(VStreamError) in PacketRelay(input, observer: ShownObserver(self)) },
      onEvent: { [self] event in noteShown(event) })
    shownSupervisor.update { $0 = shown }
    shown.start()
  }

  /// What is decoded: less where nobody sees the frames one by one.
  private func effort(showsVideo: Bool) -> @Sendable (StreamInfo) -> VideoDecoder.Effort {
    if !showsVideo { return { _ in .referenceFramesOnly } }
    if settings.hidesPixels { return { _ in .complete } }
    return { FragmentWriter.canWrite($0) ? .withoutDeblocking : .complete }
  }

  func stop() {
    status.update { $0.stopped(at: MonotonicTime.now) }
    for supervisor in supervisors { supervisor.stop() }
  }

  private var supervisors: [RunSupervisor] {
    [shownSupervisor, supervisor].compactMap { supervisor in supervisor.read { $0 } }
  }

  /// Waits until its run has ended, after `stop`.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  func waitUntilStopped(seconds: Double) -> Bool { supervisors.allSatisfy { $0.waitUntilEnded(seconds: seconds) } }

  /// Whether an input is a file, or images in a folder, which may be still to come; not a device or a pipe.
  private static func isFile(_ input: MediaInput) -> Bool {
    guard !input.isURL, input.location != "-" else { return false }
    return [nil, .regular, .folder].contains(FileStatus(of: input.location)?.kind)
  }

  var currentStatus: CameraStatus { status.read { $0 } }

  /// Whether it has sound that browsers play.
  var hasSound: Bool { sound.read { $0 } }

  var viewerCount: Int { live.viewerCount + liveWithSound.viewerCount }

  /// Ends all who follow it.
  func close() { for feed in [live, liveWithSound, records] { feed.close() } }

  /// The newest frame and its annotations; `nil` while there is none.
  var newestFrame: ObservedFrame? { newest.read { $0 } }

  private func note(_ event: RunSupervisor.Event) {
    let now = MonotonicTime.now
    switch event {
    case .starting: status.update { $0.begin() }
    case .progress(let progress):
      let isNoticed = status.update { status in
        let before = status.notice
        status.progressed(progress.counts, at: now)
        status.note(progress.messages)
        return status.notice != before
      }
      if isNoticed { publishState() }
      for message in progress.messages { log.report(message, camera: name) }
    case .ended(let error):
      observer.update { observer in
        defer { observer = nil }
        return observer
      }?.finish()
      noteEnd(of: .decoded, error)
    case .waiting(let seconds): noteWaiting(seconds)
    case .stopped: supervisor.update { $0 = nil }
    }
  }

  private func noteShown(_ event: RunSupervisor.Event) {
    switch event {
    case .starting, .progress: break
    case .ended(let error): noteEnd(of: .shown, error)
    case .waiting(let seconds): noteWaiting(seconds)
    case .stopped:
      shownSupervisor.update { $0 = nil }
      // The decoded stream is only started with the shown one.
      if shownVideo.read({ $0 == nil }) { supervisor.update { $0 = nil } }
    }
  }

  private func noteEnd(of stream: CameraStream, _ error: VStreamError?) {
    if error == nil, repeated.contains(stream) { return }
    let problem = error ?? VStreamError(.inputOutput, "\(key(of: stream)) ended")
    let isStopped = status.update { status in
      status.lost(stream, problem, at: MonotonicTime.now)
      return status.phase == .stopped
    }
    if isStopped { return }
    newest.update { $0 = nil }
    log.warn("not running: \(problem.text(naming: \.configurationKey))", camera: name)
    publishState()
  }

  private func noteWaiting(_ seconds: Double) {
    if status.read({ $0.phase == .stopped }) { return }
    log.note("retrying in \(seconds.formatted(.decimals(1))) s", camera: name)
  }

  /// What messages call a stream.
  private func key(of stream: CameraStream) -> String {
    stream == .decoded && settings.detectSource != nil ? "the detect-source" : "the source"
  }

  // MARK: What its observers report

  func opened(_ video: StreamInfo) {
    let described = (video.codecName, video.encodedSize)
    videos.update { $0[.decoded] = video.index }
    alignment.update { $0.reset(.decoded) }
    status.update { status in
      status.opened(.decoded, shownVideo.read { $0?.size } == nil ? described : nil, at: MonotonicTime.now)
    }
    publishState()
  }

  /// The stream was opened that is shown and not decoded. What is recorded has its size, so that has to be known first.
  func openedShown(_ video: StreamInfo) {
    let size = FragmentWriter.canWrite(video) ? video.encodedSize : nil
    videos.update { $0[.shown] = video.index }
    alignment.update { $0.reset(.shown) }
    status.update { status in
      status.opened(.shown, size == nil ? nil : (video.codecName, video.encodedSize), at: MonotonicTime.now)
    }
    if size == nil {
      log.warn("browsers do not play \(video.codecName): the live view shows the detect-source", camera: name)
    }
    let before = shownVideo.update { shown in
      defer { shown = ShownVideo(size: size) }
      return shown
    }
    guard let running = supervisor.read({ $0 }) else { return }
    if before == nil { running.start() } else if before?.size != size { running.restart() }
    publishState()
  }

  /// A packet of one of two streams arrived.
  func arrived(_ packet: Packet, of stream: CameraStream) {
    guard settings.shownInput != nil, let time = packet.presentationTime?.seconds,
      videos.read({ $0[stream] }) == packet.streamIndex
    else { return }
    alignment.update { $0.add(time, of: stream, at: MonotonicTime.now) }
  }

  func lost(_ reason: String) {
    newest.update { $0 = nil }
    let problem = VStreamError(.inputOutput, "\(key(of: .decoded)) was lost: \(reason)")
    status.update { $0.lost(.decoded, problem, at: MonotonicTime.now) }
    publishState()
  }

  func annotated(_ frame: ObservedFrame) {
    let size = shownVideo.read { $0?.size } ?? frame.image.size
    let (before, now) = status.update { status in
      let before = status.phase
      let latency = frame.image.hasPixels ? frame.latency : nil
      status.annotated(frame.record, size, latency: latency, at: MonotonicTime.now)
      return (before, status.phase)
    }
    if now != .live { newest.update { $0 = nil } }
    if before != now {
      log.note("live", camera: name)
      publishState()
    }
    guard viewerCount + records.viewerCount > 0 else { return }
    let message = LiveMessage(.record, text: RecordText.line(frame.record))
    records.publish(message)
    if let shown = shownRecord(frame.record, message) { publish(shown) }
  }

  /// A record with the time of the frame that it is drawn over; `nil` if that is not known.
  private func shownRecord(_ record: FrameRecord, _ message: LiveMessage) -> LiveMessage? {
    guard shownVideo.read({ $0?.size }) != nil else { return message }
    guard let shift = alignment.read({ $0.shift }) else { return nil }
    var record = record
    record.annotations.time.ticks += Int64((shift / record.annotations.time.base.value).rounded())
    return LiveMessage(.record, text: RecordText.line(record))
  }

  /// A frame as it may be shown.
  func painted(_ frame: ObservedFrame) {
    if status.read({ $0.phase == .live }) { newest.update { $0 = frame } }
  }

  func failed(toRecord error: VStreamError) {
    log.warn("its records end: \(error.text(naming: \.configurationKey))", camera: name)
  }

  func noteSound(_ hasSound: Bool) {
    let had = sound.update { sound in
      defer { sound = hasSound }
      return sound
    }
    // Viewers come back without it.
    if had, !hasSound { liveWithSound.close() }
  }

  private func publish(_ message: LiveMessage) { for feed in [live, liveWithSound] { feed.publish(message) } }

  func restart() { supervisor.read { $0 }?.restart() }

  private func publishState() {
    publish(LiveMessage(.state, text: CameraJSON.state(self)))
  }
}

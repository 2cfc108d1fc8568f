internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// A camera without its threads and the network: events in, actions out. A value; its owner passes in the time, and carries the
/// actions out.
struct CameraState: Sendable {
  enum Event: Sendable {
    case start
    /// Nothing is shown or started after that, and all viewers end.
    case stop
    /// Of the supervisor of a stream.
    case run(CameraStream, RunSupervisor.Event)
    case opened(CameraStream, OpenedVideo)
    /// The input of the present run was lost, and is reopened.
    case lost(reason: String)
    /// A packet arrived; its time is in seconds of its stream.
    case packet(CameraStream, index: Int, time: Double?)
    /// The size is the frame's own; its latency is `nil` if it was not decoded, and waited for nothing.
    case annotated(FrameRecord, PixelSize, latency: Double?)
    case painted(PaintedFrame)
    case message(LiveMessage, [CameraFeed])
    /// The video encoded for viewers has ended.
    case encodingEnded
    /// Whether there is sound that browsers play.
    case sound(Bool)
    case joined(LiveViewer)
    case left(LiveViewer)
  }

  enum Action: Hashable, Sendable {
    case start(CameraStream)
    /// Ends the stream's run early; another one follows.
    case restart(CameraStream)
    case wake(LiveViewer)
    /// Makes the text of a record, and publishes it.
    case publish(FrameRecord, [CameraFeed])
    case note(String)
    case warn(String)
    case report(Message)
  }

  /// The state of the stream `.shown`.
  private enum ShownStream: Hashable {
    /// There is none, or it was not opened yet.
    case unknown
    /// Browsers do not play it.
    case unplayable
    case video(PixelSize)
  }

  private let name: String
  private let settings: CameraConfiguration
  /// The streams that are played again when they end, as they are files.
  private let repeated: Set<CameraStream>
  private(set) var status: CameraStatus
  /// The newest frame, as it may be shown; `nil` while the camera is not live.
  private(set) var newest: PaintedFrame?
  private var shown = ShownStream.unknown
  private var alignment = StreamAlignment()
  /// The indices of the videos of the streams.
  private var videos: [CameraStream: Int] = [:]
  /// Whether there is sound that browsers play.
  private(set) var hasSound = false
  private var feeds: [CameraFeed: LiveFeed] = [:]
  /// The size of the frames of the present run; `nil` before the first one.
  private var frameSize: PixelSize?
  /// The number of the frame with which the present run became live: earlier ones were decoded before a loss.
  private var firstLiveFrame = 0
  /// Of the present event.
  private var actions: [Action] = []

  init(_ named: ServeConfiguration.NamedCamera, repeated: Set<CameraStream> = [], at now: Double) {
    (name, settings, self.repeated) = (named.name, named.settings, repeated)
    status = CameraStatus(named.settings.shownInput == nil ? [.decoded] : [.decoded, .shown], at: now)
  }

  /// - Parameter now: seconds of a clock that never goes back.
  /// - Returns: the actions, in their order.
  mutating func handle(_ event: Event, at now: Double) -> [Action] {
    defer { actions = [] }
    switch event {
    case .start:
      publishState(at: now)
      actions.append(.start(settings.shownInput == nil ? .decoded : .shown))
    case .stop: stop(at: now)
    case .run(let stream, let event): note(event, of: stream, at: now)
    case .opened(let stream, let video): open(video, of: stream, at: now)
    case .lost(let reason):
      lose(.decoded, VStreamError(.inputOutput, "\(key(of: .decoded)) was lost: \(reason)"), at: now)
    case .packet(let stream, let index, let time):
      if !isWatched(.liveWithSound) { feeds[.liveWithSound]?.recent.removeFragments() }
      guard settings.shownInput != nil, let time, videos[stream] == index else { break }
      alignment.add(time, of: stream, at: now)
    case .annotated(let record, let size, let latency): annotate(record, size, latency: latency, at: now)
    case .painted(let frame):
      if status.phase == .live, frame.record.annotations.frame >= firstLiveFrame { newest = frame }
    case .message(let message, let feeds): publish(message, feeds)
    case .encodingEnded: feeds[.live]?.recent.forgetVideo()
    case .sound(let isHeard):
      // Viewers come back without it.
      if hasSound, !isHeard { end(.liveWithSound) }
      hasSound = isHeard
    case .joined(let viewer):
      feeds[viewer.feed, default: LiveFeed()].add(viewer)
      if status.phase == .stopped { end(viewer.feed) }
    case .left(let viewer): feeds[viewer.feed]?.remove(viewer)
    }
    return actions
  }

  /// The frame size of the stream `.shown`; `nil` if there is none, or browsers do not play it.
  var shownSize: PixelSize? {
    if case .video(let size) = shown { size } else { nil }
  }

  func viewerCount(_ counted: CameraFeed...) -> Int { counted.reduce(0) { $0 + (feeds[$1]?.viewerCount ?? 0) } }

  func isWatched(_ feed: CameraFeed) -> Bool { viewerCount(feed) > 0 }

  /// Whether there are viewers or a recorder.
  func isFollowed(_ feed: CameraFeed) -> Bool { feeds[feed]?.isFollowed == true }

  mutating func next(for viewer: LiveViewer) -> LiveViewer.Next { feeds[viewer.feed]?.next(for: viewer) ?? .end }

  private mutating func stop(at now: Double) {
    status.stopped(at: now)
    newest = nil
    for feed in CameraFeed.allCases { end(feed) }
  }

  private mutating func note(_ event: RunSupervisor.Event, of stream: CameraStream, at now: Double) {
    switch event {
    case .starting:
      guard stream == .decoded else { break }
      status.begin()
      (frameSize, firstLiveFrame) = (nil, 0)
    case .progress(let progress):
      guard stream == .decoded else { break }
      let before = status.notice
      status.progressed(progress.counts, at: now)
      status.note(progress.messages)
      if status.notice != before { publishState(at: now) }
      actions += progress.messages.map(Action.report)
    case .ended(let error):
      if status.phase == .stopped || (error == nil && repeated.contains(stream)) { break }
      let problem = error ?? VStreamError(.inputOutput, "\(key(of: stream)) ended")
      actions.append(.warn("not running: \(problem.text(naming: \.configurationKey))"))
      lose(stream, problem, at: now)
    case .waiting(let seconds):
      if status.phase != .stopped { actions.append(.note("retrying in \(seconds.formatted(.decimals(1))) s")) }
    case .stopped: break
    }
  }

  /// A stream's name in messages.
  private func key(of stream: CameraStream) -> String {
    stream == .decoded && settings.detectSource != nil ? "the detect-source" : "the source"
  }

  private mutating func open(_ video: OpenedVideo, of stream: CameraStream, at now: Double) {
    videos[stream] = video.index
    alignment.reset(stream)
    if stream == .shown { show(video) }
    let isShown = stream == .shown ? shownSize != nil : shownSize == nil
    status.opened(stream, isShown ? (video.codec, video.size) : nil, at: now)
    publishState(at: now)
  }

  /// The records have the size of the shown stream, which therefore is opened before a run begins.
  private mutating func show(_ video: OpenedVideo) {
    let before = shown
    shown = video.isPlayable ? .video(video.size) : .unplayable
    if !video.isPlayable {
      actions.append(.warn("browsers do not play \(video.codec): the live view shows the detect-source"))
    }
    if before == .unknown {
      actions.append(.start(.decoded))
    } else if before != shown {
      actions.append(.restart(.decoded))
    }
  }

  private mutating func lose(_ stream: CameraStream, _ problem: VStreamError, at now: Double) {
    status.lost(stream, problem, at: now)
    newest = nil
    publishState(at: now)
  }

  private mutating func annotate(_ record: FrameRecord, _ size: PixelSize, latency: Double?, at now: Double) {
    // A changed size needs other zones, and another header of the records.
    if let frameSize, frameSize != size { return actions.append(.restart(.decoded)) }
    frameSize = size
    let before = status.phase
    status.annotated(record, shownSize ?? size, latency: latency, at: now)
    if before != status.phase {
      firstLiveFrame = record.annotations.frame
      actions.append(.note("live"))
      publishState(at: now)
    }
    let followed = CameraFeed.allCases.filter(isFollowed)
    guard shownSize != nil else { return publish(record, followed) }
    publish(record, followed.filter { $0 == .records })
    // Viewers get the record with the time of the shown frame, once that is known.
    guard let shift = alignment.shift else { return }
    var shifted = record
    shifted.annotations.time.ticks += Int64((shift / record.annotations.time.base.value).rounded())
    publish(shifted, followed.filter { $0 != .records })
  }

  private mutating func publish(_ record: FrameRecord, _ feeds: [CameraFeed]) {
    if !feeds.isEmpty { actions.append(.publish(record, feeds)) }
  }

  private mutating func publishState(at now: Double) {
    publish(LiveMessage(.state, text: CameraJSON.state(name, status, at: now)), [.live, .liveWithSound])
  }

  private mutating func publish(_ message: LiveMessage, _ followed: [CameraFeed]) {
    for feed in followed { actions += feeds[feed, default: LiveFeed()].publish(message).map(Action.wake) }
  }

  private mutating func end(_ feed: CameraFeed) { actions += (feeds[feed]?.end() ?? []).map(Action.wake) }
}

enum CameraStream: Hashable, Sendable {
  /// Decoded, and shown unless there is another one for that.
  case decoded
  /// Shown and not decoded.
  case shown
}

struct OpenedVideo: Hashable, Sendable {
  /// Of its stream.
  var index: Int
  var codec: String
  var size: PixelSize
  /// Whether browsers play it.
  var isPlayable: Bool
}

/// A frame that is masked and redacted, as it may be shown, and its record.
struct PaintedFrame: Sendable {
  var record: FrameRecord
  var image: VideoFrame
}

/// Aligns the times of two streams of one camera by when their packets arrive. A value: its owner passes in the times.
///
/// A packet is never early, but may be late: of each stream the one counts that took least since its time.
struct StreamAlignment: Sendable {
  /// Of one stream, the smallest difference between arrival and time, in the present interval and in the one before it.
  private struct Delay: Sendable {
    var before = Double.infinity
    var present = Double.infinity
    var startedAt: Double?

    var smallest: Double? {
      let value = min(before, present)
      return value.isFinite ? value : nil
    }

    mutating func add(_ time: Double, at now: Double) {
      if startedAt.map({ now - $0 >= StreamAlignment.interval }) ?? true {
        (before, present, startedAt) = (present, .infinity, now)
      }
      present = min(present, now - time)
    }
  }

  private var delays: [CameraStream: Delay] = [:]

  /// Seconds of packets for comparing clocks, whose rates may differ slightly.
  static let interval = 5.0

  /// Notes the arrival of a packet.
  ///
  /// - Parameters:
  ///   - time: its presentation time, in seconds of its stream.
  ///   - now: seconds of the clock.
  mutating func add(_ time: Double, of stream: CameraStream, at now: Double) {
    delays[stream, default: Delay()].add(time, at: now)
  }

  /// Forgets a stream, whose times begin again.
  mutating func reset(_ stream: CameraStream) { delays[stream] = nil }

  /// Seconds to add to times of the decoded stream for times of the shown one; `nil` until both have packets.
  var shift: Double? {
    guard let decoded = delays[.decoded]?.smallest, let shown = delays[.shown]?.smallest else { return nil }
    return decoded - shown
  }
}

internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

struct SinkContext {
  let output: PipelineOutput
  let container: ContainerInfo
  /// The input's video stream, and the streams that are copied.
  let video: StreamInfo
  let copied: [StreamInfo]
  let trim: Trim
  /// Whether frames at the input's start are skipped.
  let isTrimmed: Bool
  let monitor: SinkMonitor

  /// Seconds that are subtracted from all times.
  func shift(firstFrame first: Time) -> Double { trim.shift(firstFrame: first) }

  /// Seconds from the input's start to the output's first frame.
  private func skipped(firstFrame first: Time) -> Double { isTrimmed ? first.seconds - container.startSeconds : 0 }

  /// The input's properties as of the output's first frame, with the tags that the user sets.
  func container(firstFrame first: Time) -> ContainerInfo {
    container.starting(after: skipped(firstFrame: first), frameRate: video.frameRate).settingTags(output.tags)
  }

  /// The input's video stream as of the output's first frame.
  func video(firstFrame first: Time) -> StreamInfo { video.starting(after: skipped(firstFrame: first)) }

  /// Opens the encoder for frames like the first one.
  ///
  /// - Throws: `VStreamError.usage` for settings that the encoder rejects.
  func encoder(first: VideoFrame) throws(VStreamError) -> VideoEncoder {
    var settings = output.encoder
    // A viewer should not wait for the encoder; a file that is recorded may.
    settings.isLowDelay = output.destination.isLive || (monitor.isLive && monitor.isWatched)
    let codec = output.codec(for: video)
    settings.codec = codec.name
    let encoder = try VideoEncoder(
      codec, settings: settings, first: first, frameRate: settings.frameRate ?? video.frameRate,
      rules: output.destination.rules)
    if encoder.encodedSize != encoder.scaledSize {
      monitor.state.warn(
        "\(codec.name) supports even sizes only: \(encoder.scaledSize) is encoded as \(encoder.encodedSize), edges "
          + "repeated")
    }
    return encoder
  }

  /// Opens the output for the packets of an encoder.
  func open(_ encoder: VideoEncoder, first: VideoFrame) throws -> any MediaSink {
    let media = try monitor.waiting {
      try output.destination.open(
        video: encoder, first: first, source: video(firstFrame: first.time), copying: copied, audio: output.audio,
        container: container(firstFrame: first.time), shift: shift(firstFrame: first.time),
        interrupt: monitor.interrupt)
    }
    begin(media)
    return media
  }

  /// Notes that the output is open, and warns of lost contents.
  func begin(_ media: any MediaSink) {
    for path in output.outdatedFiles { PartFile.remove(path) }
    for stream in media.omitted {
      monitor.state.warn("stream \(stream.stream.label) is omitted: \(stream.reason)")
    }
    monitor.state.contents.update { contents in
      contents.isOutputOpen = true
      contents.omittedStreams.formUnion(media.omitted.map(\.stream.index))
    }
    for notice in media.notices { monitor.state.warn(notice) }
  }

  /// Warns of problems of copied streams, and counts packets that the output refused.
  func noteProblems(of media: any MediaSink) {
    for problem in media.problems { monitor.state.warn(problem) }
    let refused = media.refused
    guard refused.count > 0 else { return }
    monitor.state.count { $0.corruptPackets += refused.count }
    let what =
      refused.count == 1
      ? "1 damaged packet of a copied stream is" : "\(refused.count) damaged packets of copied streams are"
    monitor.state.warn("\(what) omitted: \(refused.reason)")
  }
}

/// Measures a sink: the time of its stages, the frames' latency, and since when a call has been waiting for its receiver.
struct SinkMonitor {
  let state: RunState
  let timer: StageTimer
  /// Whether the input is live, so that latency is measured.
  let isLive: Bool
  /// Whether the output is read while it is written: a pipe, or a network address.
  let isWatched: Bool

  /// Ends the waiting for the receiver; `nil` for a file.
  var interrupt: Interrupt? { isWatched ? state.sinkInterrupt : nil }

  /// Runs a call that returns when the receiver has accepted the data.
  func waiting<R>(_ call: () throws -> R) rethrows -> R {
    guard isWatched else { return try call() }
    let now = state.clock.now
    state.contents.update { $0.sinkBusySince = now }
    defer { state.contents.update { $0.sinkBusySince = nil } }
    return try call()
  }

  func muxing<R>(_ call: () throws -> R) rethrows -> R { try timer.measure(.mux) { try waiting(call) } }

  func addLatency(since arrival: Double) {
    guard isLive else { return }
    let seconds = state.clock.now - arrival
    state.contents.update { contents in
      contents.latency.add(seconds)
      contents.recentLatency.add(seconds)
    }
  }
}

/// The arrival times of packets in flight, by their stream times: codecs do not pass them on.
struct ArrivalTimes {
  /// By microseconds of stream time.
  private var arrivals: [Int64: Double] = [:]
  private var newest: Double?
  /// Codecs delay frames far less; older entries are of frames that they dropped.
  private static let maximumCount = 512

  mutating func note(_ arrival: Double, at seconds: Double) {
    arrivals[Self.key(seconds)] = arrival
    newest = arrival
    guard arrivals.count > Self.maximumCount else { return }
    let oldest = arrivals.sorted { $0.value < $1.value }.prefix(Self.maximumCount / 2)
    for (key, _) in oldest { arrivals[key] = nil }
  }

  /// Removes the arrival that was noted for a time; `nil` if there is none.
  mutating func take(at seconds: Double) -> Double? { arrivals.removeValue(forKey: Self.key(seconds)) }

  /// The latest arrival; `nil` before the first one.
  var latest: Double? { newest }

  private static func key(_ seconds: Double) -> Int64 {
    Int64(exactly: (min(max(seconds, -9e12), 9e12) * 1e6).rounded()) ?? 0
  }
}

internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting

/// Copies the video without re-encoding it, and shows the annotations as subtitles.
struct OverlayTrackSink: FrameSink {
  private let context: SinkContext
  private let overlay: OverlayOptions
  private var output: OverlayTrackOutput?
  /// All of them: copied video must be complete, and its first frame arrives soon.
  private var early = EarlyPackets(isLimited: false)

  private var monitor: SinkMonitor { context.monitor }

  init(_ context: SinkContext, overlay: OverlayOptions) {
    self.context = context
    self.overlay = overlay
  }

  mutating func write(_ job: FrameJob) throws {
    let frame = job.frame
    let script = OverlayScript(overlay, size: frame.size)
    if output == nil {
      output = try open(script, first: frame)
      for packet in early.takeAll() { try output?.writeCopy(packet) }
    }
    let usual = Int(clamping: 1 / ((context.video.frameRate?.value ?? 25) * frame.time.base.value))
    let duration = frame.durationTicks > 0 ? frame.durationTicks : Int64(usual)
    let lines = script.lines(job.record.annotations)
    try monitor.muxing { try output?.show(lines, at: frame.time, duration: duration) }
    monitor.addLatency(since: job.arrival)
  }

  /// - Throws: `VStreamError.usage` for a video packet without a presentation time, which only decoding would determine.
  mutating func write(_ packet: Packet) throws {
    guard packet.streamIndex != context.video.index || packet.presentationTime != nil else {
      throw VStreamError(
        .usage, "the input has no presentation times, so its video cannot be copied (\(.overlayTrack))",
        setting: .overlayTrack, remedy: "omit \(.overlayTrack) to re-encode the video")
    }
    guard let output else { return early.append(packet) }
    try monitor.muxing { try output.writeCopy(packet) }
  }

  private func open(_ script: OverlayScript, first: VideoFrame) throws -> OverlayTrackOutput {
    let output = try monitor.waiting {
      try OverlayTrackOutput(
        context.output.destination, header: script.header, video: context.video(firstFrame: first.time),
        copying: context.copied, audio: context.output.audio, container: context.container(firstFrame: first.time),
        shift: context.shift(firstFrame: first.time),
        isWatched: monitor.isLive && monitor.isWatched, interrupt: monitor.interrupt)
    }
    context.begin(output.media)
    return output
  }

  mutating func finish(isComplete: Bool) throws {
    guard let media = output?.media else { return }
    defer { context.noteProblems(of: media) }
    try monitor.timer.measure(.mux) {
      if let warning = try output?.finish(isComplete: isComplete) { monitor.state.warn(Message(warning)) }
    }
  }

  func abandon() { output?.abandon() }

  func discard() { output?.discard() }
}

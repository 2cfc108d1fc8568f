internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamSystem

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

/// An open output whose video is copied, with subtitles: in a track of the output if its container supports that, otherwise
/// in a script file beside it.
///
/// One owner at a time.
struct OverlayTrackOutput {
  let media: MediaWriter
  /// `nil` if the output has the subtitles itself.
  private let script: TextFile?
  /// Seconds that are subtracted from all times.
  private let shift: Double
  /// The lines on display, whose end the next frame determines.
  private var shown: (lines: [OverlayScript.Line], start: Time)?
  /// The end of the latest frame.
  private var end: Time?

  /// - Parameter header: of the script.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for video that the container cannot hold without re-encoding.
  init(
    _ destination: OutputDestination, header: String, video: StreamInfo, copying streams: [StreamInfo],
    audio: AudioPolicy, container: ContainerInfo, shift: Double, isWatched: Bool, interrupt: Interrupt?
  ) throws(VStreamError) {
    self.shift = shift
    media = try MediaWriter(
      destination, copyingVideo: video, and: streams, audio: audio,
      subtitles: destination.holdsScripts ? (header, "vstream") : nil, container: container, shift: shift,
      isWatched: isWatched, interrupt: interrupt)
    guard !destination.holdsScripts, let path = destination.scriptPath else {
      script = nil
      return
    }
    do {
      let script = try TextFile(creating: path, overwrite: destination.overwrites)
      try script.write(Array(header.utf8))
      self.script = script
    } catch {
      media.discard()
      throw error
    }
  }

  /// Closes the output after a failure, so that it plays.
  func abandon() {
    try? script?.close()
    media.abandon()
  }

  /// Removes the output so far.
  func discard() {
    media.discard()
    script?.discard()
  }

  func writeCopy(_ packet: Packet) throws(VStreamError) { try media.writeCopy(packet) }

  /// Displays lines from a frame's time on, instead of the previous ones.
  ///
  /// - Parameter duration: of the frame, in ticks of its time.
  mutating func show(_ lines: [OverlayScript.Line], at time: Time, duration: Int64) throws(VStreamError) {
    try writeShown(until: time)
    shown = (lines, time)
    let (end, overflows) = time.ticks.addingReportingOverflow(max(1, duration))
    self.end = Time(ticks: overflows ? time.ticks : end, base: time.base)
  }

  private mutating func writeShown(until end: Time) throws(VStreamError) {
    guard let shown else { return }
    self.shown = nil
    for line in shown.lines {
      let timed = SubtitleLine(start: shown.start, end: end, layer: line.layer, style: line.style, text: line.text)
      guard let script else {
        try media.writeSubtitle(timed)
        continue
      }
      if let text = timed.scriptLine(offsetBy: shift) { try script.write(line: text) }
    }
  }

  /// Flushes the output, and gives files their final names.
  ///
  /// - Parameter isComplete: whether the input was processed to its end; otherwise the video keeps the name `PATH.part`.
  /// - Returns: a warning if a file could not be given its final form.
  /// - Throws: `VStreamError.inputOutput`; the output so far is playable.
  mutating func finish(isComplete: Bool) throws(VStreamError) -> String? {
    if let end { try writeShown(until: end) }
    try script?.close()
    return try media.finish(isComplete: isComplete)
  }
}

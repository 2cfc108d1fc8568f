internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// The output of a run whose video is copied: packets as they are, and what would be drawn as subtitles, in a track of the
/// output where it can hold one, else in a file beside it.
///
/// One owner at a time.
struct OverlayOutput {
  private let media: MediaWriter
  /// `nil` where the output holds the subtitles itself.
  private let file: TextFile?
  /// Seconds that all times are set back by.
  private let shift: Double
  /// What is shown now, until the next frame tells for how long.
  private var shown: (lines: [OverlayScript.Line], start: Time)?
  /// When the frame that came last ends by its own word, or by the stream's rate.
  private var end: Time?

  var omitted: [OmittedStream] { media.omitted }
  var outOfOrder: Int { media.outOfOrder }

  /// - Parameter header: of the script.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for video that the container cannot hold as it is.
  init(
    _ destination: OutputDestination, header: String, video: StreamInfo, copying streams: [StreamInfo],
    container: ContainerInfo, shift: Double, isWatched: Bool, interrupt: Interrupt?
  ) throws(VStreamError) {
    self.shift = shift
    media = try MediaWriter(
      destination, copyingVideo: video, and: streams,
      subtitles: destination.holdsScripts ? (header, "vstream") : nil, container: container, shift: shift,
      isWatched: isWatched, interrupt: interrupt)
    guard !destination.holdsScripts, let path = destination.scriptPath else {
      file = nil
      return
    }
    do {
      let file = try TextFile(creating: path)
      try file.write(Array(header.utf8))
      self.file = file
    } catch {
      media.discard()
      throw error
    }
  }

  /// Gives up: what was written so far is removed, but for the script.
  func discard() { media.discard() }

  /// - Throws: `VStreamError.usage` for a packet of video that does not say when it is shown, which only decoding would tell.
  static func requireTime(of packet: Packet, in video: StreamInfo) throws(VStreamError) {
    guard packet.streamIndex == video.index, packet.presentationTime == nil else { return }
    throw VStreamError(
      .usage,
      "--overlay-track: the input does not say when its pictures are shown, so they cannot be copied as they are",
      remedy: "leave it out, and have the video coded anew")
  }

  /// Writes a packet of the input's.
  func writeCopy(_ packet: Packet) throws(VStreamError) { try media.writeCopy(packet) }

  /// Shows lines from a frame's time on, instead of those before.
  ///
  /// - Parameter duration: of the frame, in ticks of its time.
  mutating func show(_ lines: [OverlayScript.Line], at time: Time, duration: Int64) throws(VStreamError) {
    try writeShown(until: time)
    shown = (lines, time)
    let (end, isTooLarge) = time.ticks.addingReportingOverflow(max(1, duration))
    self.end = Time(ticks: isTooLarge ? time.ticks : end, base: time.base)
  }

  private mutating func writeShown(until end: Time) throws(VStreamError) {
    guard let shown else { return }
    self.shown = nil
    for line in shown.lines {
      let timed = SubtitleLine(start: shown.start, end: end, layer: line.layer, style: line.style, text: line.text)
      guard let file else {
        try media.writeSubtitle(timed)
        continue
      }
      if let text = timed.scriptLine(offsetBy: shift) { try file.write(line: text) }
    }
  }

  /// Writes what is left, and gives files their names.
  ///
  /// - Returns: a warning where a file could not be given its final form.
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  mutating func finish() throws(VStreamError) -> String? {
    if let end { try writeShown(until: end) }
    try file?.close()
    return try media.finish()
  }
}

internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// What a sink knows of its run.
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
    let encoder = try VideoEncoder(
      output.codec, settings: settings, first: first, frameRate: settings.frameRate ?? video.frameRate,
      rules: output.destination.rules)
    if encoder.encodedSize != encoder.scaledSize {
      monitor.state.warn(
        "\(output.codec.name) supports even sizes only: \(encoder.scaledSize) is encoded as \(encoder.encodedSize), edges "
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

  /// Notes that the output is open, and warns of what it cannot hold.
  func begin(_ media: any MediaSink) {
    for path in output.outdatedFiles { PartFile.remove(path) }
    monitor.state.contents.update { $0.isOutputOpen = true }
    for stream in media.omitted {
      monitor.state.warn("stream \(stream.stream.label) is omitted: \(stream.reason)")
    }
    let omitted = Set(media.omitted.map(\.stream.index))
    monitor.state.contents.update { contents in
      contents.unredacted.removeAll { part in part.stream.map(omitted.contains) == true }
    }
    for notice in media.notices { monitor.state.warn(notice) }
  }

  /// Warns of what was not as expected of copied streams, and counts packets that the output refused.
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

internal import CVStreamLibAV
package import VStreamCore

/// How a container stores negative timestamps, as of audio hidden by an edit list.
package enum EarlierTimes: Hashable, Sendable {
  /// They are stored.
  case stored
  /// They are stored, but readers do not know them.
  case unread
  /// They cannot be stored.
  case impossible
}

/// A container's requirements of the encoder.
package struct ContainerRules: Hashable, Sendable {
  /// Whether the codec's parameter sets are stored apart from the frames.
  package var hasGlobalHeader = false
  /// Whether frames are counted instead of timed, so that only a constant rate can be written.
  package var isConstantRate = false
  /// Whether the first frame is at 0, whatever its time.
  package var startsAtZero = false
  /// Whether packets must be in presentation order, as no decoding time is stored.
  package var needsPresentationOrder = false
  /// How negative timestamps are stored.
  package var earlierTimes = EarlierTimes.stored
  /// Whether it is split in segments of some seconds, each starting with a key frame.
  package var isSegmented = false
  /// The least time from one frame to the next that players show, in ticks of the container's clock; `nil` for any.
  package var minimumFrameDistance: Time?

  package init() {}
}

/// A stream of the input that is not in the output, and why.
package struct OmittedStream: Sendable {
  package let stream: StreamInfo
  /// The reason and the remedy, on one line.
  package let reason: String
}

/// The receiver of packets: a media file or stream, or image files.
///
/// One owner at a time.
package protocol MediaSink: AnyObject {
  /// Streams of the input that the output cannot hold.
  var omitted: [OmittedStream] { get }
  /// Other losses of the input's contents, one line each.
  var notices: [Message] { get }
  /// Problems of copied streams, one line each.
  var problems: [Message] { get }
  /// Packets of copied streams that are not in the output, as their contents are damaged.
  var refused: RefusedPackets { get }

  /// Writes a packet of the video encoder.
  ///
  /// - Throws: `VStreamError.inputOutput`; the file plays up to there.
  func writeVideo(_ packet: Packet) throws(VStreamError)

  /// Writes a packet of an input stream that is copied; packets of other streams are ignored.
  ///
  /// - Throws: `VStreamError.inputOutput`; the file plays up to there.
  func writeCopy(_ packet: Packet) throws(VStreamError)

  /// Completes the output, and gives files their names.
  ///
  /// - Parameter isComplete: whether it has all that it should have; otherwise a file keeps the name `PATH.part`, and a
  ///   file that was there before stays.
  /// - Returns: a warning if a file could not be given its final form.
  /// - Throws: `VStreamError.inputOutput`; the file plays up to there.
  func finish(isComplete: Bool) throws(VStreamError) -> String?

  /// Closes an output that failed part way, so that it plays; a file without a frame is removed.
  func abandon()

  /// Removes the output so far.
  func discard()
}

/// Packets that a muxer refused for their contents.
package struct RefusedPackets: Hashable, Sendable {
  package var count = 0
  /// libav's reason for the first one.
  package var reason = ""
}

extension OutputDestination {
  /// Opens the output for the packets of an encoder.
  ///
  /// - Parameters:
  ///   - video: the opened encoder whose packets will be written.
  ///   - first: the first frame that will be encoded, for its side data.
  ///   - source: the input's video stream, for its metadata.
  ///   - streams: the input's streams to copy.
  ///   - audio: the policy for audio that the container cannot hold as it is.
  ///   - shift: seconds that are subtracted from all times.
  ///   - interrupt: ends a call that waits for the receiver; that call and all later ones fail.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for options that the container does not have, and for a
  ///   codec that it cannot hold.
  package func open(
    video: VideoEncoder, first: VideoFrame, source: StreamInfo, copying streams: [StreamInfo],
    audio: AudioPolicy = .auto, container: ContainerInfo, shift: Double, interrupt: Interrupt? = nil
  ) throws(VStreamError) -> any MediaSink {
    try requireHolds(VideoCodec(video.context.pointee.codec))
    if style == .images {
      return try ImageWriter(self, video: video, first: first, omitting: streams, photo: container.photo)
    }
    return try MediaWriter(
      self, video: video, first: first, source: source, copying: streams, audio: audio, container: container,
      shift: shift,
      interrupt: interrupt)
  }
}

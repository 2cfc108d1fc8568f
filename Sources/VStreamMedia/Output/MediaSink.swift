internal import CVStreamLibAV
public import VStreamScene

/// What an encoder has to know of the container that its packets go into.
public struct ContainerRules: Hashable, Sendable {
  /// Whether the codec's parameter sets are wanted apart from the frames.
  public var hasGlobalHeader = false
  /// Whether frames are counted instead of timed, so that only a constant rate can be written.
  public var isConstantRate = false
  /// Whether pictures must come in the order in which they are shown, as no time of decoding is kept.
  public var keepsOrder = false
  /// Whether it is cut in pieces of some seconds, each of which has to begin with a key frame.
  public var isCutInPieces = false

  public init() {}
}

/// Where packets end: a file or stream of media, or files of pictures.
///
/// One owner at a time.
public protocol MediaSink: AnyObject {
  /// Streams of the input that the output cannot hold.
  var omitted: [OmittedStream] { get }
  /// Packets whose order in time had to be mended, or that were left out for it.
  var outOfOrder: Int { get }

  /// Writes a packet of the video encoder.
  ///
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  func writeVideo(_ packet: Packet) throws(VStreamError)

  /// Writes a packet of an input stream that is copied; packets of other streams are passed over.
  ///
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  func writeCopy(_ packet: Packet) throws(VStreamError)

  /// Writes what is needed at the end, and gives files their names.
  ///
  /// - Returns: a warning where a file could not be given its final form.
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  func finish() throws(VStreamError) -> String?

  /// Gives up: what was written so far is removed.
  func discard()
}

extension OutputDestination {
  /// Opens the output for the packets of an encoder.
  ///
  /// - Parameters:
  ///   - video: the opened encoder whose packets will be written.
  ///   - first: the first frame that will be coded, for what it says beside its pixels.
  ///   - source: the input's video stream, for its metadata, and what else is to be copied.
  ///   - shift: seconds that all times are set back by.
  ///   - interrupt: ends a call that waits for whoever takes what is written, which fails then, and every later one.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for options that the container does not have, and for a
  ///   coding that it cannot hold.
  public func open(
    video: VideoEncoder, first: VideoFrame, source: StreamInfo, copying streams: [StreamInfo],
    container: ContainerInfo, shift: Double, interrupt: Interrupt? = nil
  ) throws(VStreamError) -> any MediaSink {
    try requireHolds(VideoCodec(video.context.pointee.codec))
    if style == .images {
      return try ImageWriter(self, video: video, first: first, leavingOut: streams, photo: container.photo)
    }
    return try MediaWriter(
      self, video: video, first: first, source: source, copying: streams, container: container, shift: shift,
      interrupt: interrupt)
  }
}

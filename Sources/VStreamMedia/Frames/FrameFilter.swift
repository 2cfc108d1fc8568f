internal import CVStreamLibAV
internal import VStreamCore

/// A chain of libavfilter's filters for frames of one size and pixel format (`FilterGraph`), with one frame out for each in.
///
/// One owner at a time.
final class FrameFilter {
  private let chain: FilterGraph
  private let timeBase: Rational
  private let size: PixelSize
  private let format: PixelFormat
  /// Of the frames in the chain, in their order; the time base of filters' durations depends on FFmpeg's version.
  private var durations: [Int64] = []

  /// - Parameters:
  ///   - description: The chain in the syntax of FFmpeg's `-vf`.
  ///   - frame: The first frame; later frames need the same size and format.
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed or has no such filter.
  init(_ description: String, like frame: VideoFrame) throws(VStreamError) {
    let aspect = frame.av.pointee.sample_aspect_ratio
    let base = frame.time.base
    let source =
      "video_size=\(frame.size.width)x\(frame.size.height):pix_fmt=\(frame.format.rawValue):"
      + "time_base=\(base.numerator)/\(base.denominator):pixel_aspect=\(max(0, aspect.num))/\(max(1, aspect.den))"
    chain = try FilterGraph(
      AVMEDIA_TYPE_VIDEO, source: source, description: description,
      failure: "frames cannot be filtered by '\(description)'")
    timeBase = base
    size = frame.size
    format = frame.format
  }

  /// Whether a frame has the size and format of this chain.
  func accepts(_ frame: VideoFrame) -> Bool { frame.size == size && frame.format == format }

  /// Filters a frame and returns the ready frames; the chain may delay them.
  func process(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    durations.append(frame.durationTicks)
    try chain.send(frame.av)
    return try receiveAll()
  }

  /// Returns the delayed frames, at the end of the stream.
  func finish() throws(VStreamError) -> [VideoFrame] {
    try chain.send(nil)
    return try receiveAll()
  }

  private func receiveAll() throws(VStreamError) -> [VideoFrame] {
    var frames: [VideoFrame] = []
    while true {
      guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
      let owner = VideoFrame(takingOwnershipOf: frame, timeBase: timeBase)
      guard try chain.receive(frame) else { return frames }
      frame.pointee.pts = av_rescale_q(frame.pointee.pts, chain.timeBase, timeBase.av)
      if !durations.isEmpty { CVStreamLibAV_setDuration(frame, durations.removeFirst()) }
      frames.append(owner)
    }
  }
}

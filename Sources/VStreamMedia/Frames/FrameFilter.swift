internal import CVStreamLibAV
internal import VStreamScene

/// A chain of libavfilter's filters that frames of one kind go through. Loads the library when the first is made.
///
/// One owner at a time.
final class FrameFilter {
  private let filter: OpaquePointer
  private let timeBase: Rational
  private let input: Kind

  /// What frames have in common that can go through one chain.
  struct Kind: Hashable {
    let size: PixelSize
    let format: PixelFormat

    init(_ frame: VideoFrame) {
      size = frame.size
      format = frame.format
    }
  }

  /// - Parameter description: the chain as FFmpeg's `-vf` takes it.
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed, `library` if it refuses.
  init(_ description: String, like frame: VideoFrame) throws(VStreamError) {
    let aspect = frame.av.pointee.sample_aspect_ratio
    let base = frame.time.base
    let source =
      "video_size=\(frame.size.width)x\(frame.size.height):pix_fmt=\(frame.format.rawValue):"
      + "time_base=\(base.numerator)/\(base.denominator):pixel_aspect=\(max(0, aspect.num))/\(max(1, aspect.den))"
    var opened: OpaquePointer?
    try requireLibAV(
      .missingDependency, "frames cannot be filtered by '\(description)'",
      remedy: "see that libavfilter is installed (scripts/bootstrap does)"
    ) { CVStreamLibAV_openFilter(source, description, &opened) }
    guard let opened else { throw outOfMemory("filter") }
    filter = opened
    timeBase = base
    input = Kind(frame)
  }

  deinit { CVStreamLibAV_closeFilter(filter) }

  /// Whether a frame can go through this chain.
  func takes(_ frame: VideoFrame) -> Bool { Kind(frame) == input }

  /// Puts a frame in and takes out what is ready; frames may come out later than they went in.
  func process(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    try requireLibAV(.library, "a filter") { CVStreamLibAV_sendToFilter(filter, frame.av) }
    return try receiveAll()
  }

  /// Takes out what was kept back.
  func finish() throws(VStreamError) -> [VideoFrame] {
    try requireLibAV(.library, "a filter") { CVStreamLibAV_sendToFilter(filter, nil) }
    return try receiveAll()
  }

  private func receiveAll() throws(VStreamError) -> [VideoFrame] {
    var frames: [VideoFrame] = []
    while true {
      guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
      let owner = VideoFrame(takingOwnershipOf: frame, timeBase: timeBase)
      guard case .value = try libav(.library, "a filter", { CVStreamLibAV_receiveFromFilter(filter, frame) }) else {
        return frames
      }
      let base = CVStreamLibAV_filterTimeBase(filter)
      frame.pointee.pts = av_rescale_q(frame.pointee.pts, base, timeBase.av)
      frames.append(owner)
    }
  }
}

internal import CVStreamLibAV
package import VStreamCore

/// Makes the frames of a stream progressive, upright, and of one size and pixel format.
///
/// Interlaced frames are deinterlaced (bwdif, one frame out for each in) and rotated ones made upright by libavfilter.
/// Frames of another size than the first are scaled to fit it, with black around them if their shape differs. Frames
/// that need none of this are returned as they are. One owner at a time.
package final class FrameNormaliser {
  private let streamOrientation: Orientation
  /// The orientation of the latest frames.
  package private(set) var orientation: Orientation
  private let removesHidden: Bool
  /// For frames with an alpha channel.
  private var flattener: FrameConverter?
  private let chooseTarget: (VideoFrame) throws(VStreamError) -> FrameTarget
  private var deinterlaces = false
  private var filter: FrameFilter?
  private var converter: FrameConverter?
  /// For frames of another shape than the first one's.
  private var fittingConverter: FrameConverter?
  /// As the stream stores it.
  private var firstFormat: PixelFormat?
  /// Width ÷ height of the first frame's pixels.
  private var pixelAspect = 1.0
  /// The conversions that a user should know of, one line each.
  private var notices: [String] = []
  /// Sizes for which there was a notice.
  private var notedSizes: Set<PixelSize> = []

  /// - Parameters:
  ///   - orientation: The container's, of the stream; a frame's own orientation is used only if this is upright.
  ///   - removesHidden: Whether frames lose hidden contents that could be made visible: the alpha channel, as transparent
  ///     pixels are blended with medium grey, and data of encoders.
  ///   - chooseTarget: Chooses the format of all frames from the first one, progressive and upright.
  package init(
    orientation: Orientation, removesHidden: Bool = false,
    chooseTarget: @escaping (VideoFrame) throws(VStreamError) -> FrameTarget
  ) {
    streamOrientation = orientation
    self.orientation = orientation
    self.removesHidden = removesHidden
    self.chooseTarget = chooseTarget
  }

  /// Normalises a frame and returns the frames that are ready, which may be earlier ones.
  ///
  /// - Throws: `VStreamError.missingDependency` if libavfilter is required and not installed; `library` if a conversion
  ///   is not possible.
  package func normalise(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    var frame = frame
    var isAltered = frame.isAltered
    var ready: [VideoFrame] = []
    let wanted = streamOrientation != .upright ? streamOrientation : frame.orientation ?? .upright
    if wanted != orientation {
      ready += try finishFilter()
      orientation = wanted
    }
    if wanted != .upright { try frame.removeOrientation() }
    if removesHidden {
      try frame.removeUserData()
      frame = try flattened(frame)
    }
    if frame.isInterlaced, !deinterlaces {
      deinterlaces = true
      notices.append("interlaced input is deinterlaced (bwdif, one frame for each)")
      ready += try finishFilter()
    }
    if firstFormat == nil { firstFormat = frame.format }
    isAltered = isAltered || frame.format != firstFormat || wanted != streamOrientation
    ready += try filtered(frame)
    var converted = try convert(ready)
    for index in converted.indices where isAltered { converted[index].isAltered = true }
    return converted
  }

  /// The frame without its alpha channel.
  private func flattened(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    guard let opaque = frame.format.opaque else { return frame }
    let addressable = FrameConverter(size: frame.size, format: frame.format.addressable)
    var blended = try addressable.convert(frame)
    try blended.blendOverGray()
    if let flattener, flattener.size == frame.size, flattener.format == opaque { return try flattener.convert(blended) }
    if flattener == nil { notices.append("the alpha channel is omitted: what is transparent is shown before grey") }
    let made = FrameConverter(size: frame.size, format: opaque)
    flattener = made
    return try made.convert(blended)
  }

  /// The conversions since the last call that a user should know of, one line each.
  package func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Returns the delayed frames, at the end of the stream.
  package func finish() throws(VStreamError) -> [VideoFrame] { try convert(try finishFilter()) }

  /// Whether a frame may leave only after later ones came.
  package var delaysFrames: Bool { deinterlaces }

  private var filters: [String] {
    (deinterlaces ? ["bwdif=mode=send_frame:parity=auto:deint=interlaced"] : []) + orientation.filters
  }

  private func filtered(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    guard !filters.isEmpty else { return [frame] }
    var ready: [VideoFrame] = []
    if filter?.accepts(frame) == false { ready += try finishFilter() }
    if filter == nil { filter = try FrameFilter(filters.joined(separator: ","), like: frame) }
    return ready + (try filter?.process(frame) ?? [])
  }

  private func finishFilter() throws(VStreamError) -> [VideoFrame] {
    defer { filter = nil }
    return try filter?.finish() ?? []
  }

  private func convert(_ frames: [VideoFrame]) throws(VStreamError) -> [VideoFrame] {
    var converted: [VideoFrame] = []
    for frame in frames {
      var made = try convert(frame)
      made.isAltered = frame.size != converter?.size || deinterlaces
      converted.append(made)
    }
    return converted
  }

  private func convert(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    guard let converter else {
      let target = try chooseTarget(frame)
      let first = FrameConverter(size: frame.size, format: target.format, range: target.range)
      converter = first
      pixelAspect = frame.pixelAspect
      return try first.convert(frame)
    }
    guard frame.size != converter.size else { return try converter.convert(frame) }
    if notedSizes.insert(frame.size).inserted {
      notices.append("the frame size changed from \(converter.size) to \(frame.size): scaled to the first size")
    }
    return try fit(frame, converter)
  }

  /// Scales a frame of another size than the first.
  private func fit(_ frame: VideoFrame, _ converter: FrameConverter) throws(VStreamError) -> VideoFrame {
    guard let layout = converter.format.layout else { return try converter.convert(frame) }
    let fitted = converter.size.fitting(
      ratio: Double(frame.size.width) / Double(frame.size.height) * frame.pixelAspect / pixelAspect,
      gridX: 1 << layout.chromaShiftX, gridY: 1 << layout.chromaShiftY)
    guard fitted != converter.size else { return try converter.convert(frame) }
    let scaler: FrameConverter
    if let fittingConverter, fittingConverter.size == fitted {
      scaler = fittingConverter
    } else {
      scaler = FrameConverter(size: fitted, format: converter.format, range: converter.range)
      fittingConverter = scaler
    }
    return try scaler.convert(frame).centred(on: converter.size)
  }
}

extension PixelSize {
  /// The largest size within this one that has another aspect ratio.
  ///
  /// - Parameters:
  ///   - ratio: Width ÷ height, in pixels of this size's shape; within 2 % of this size's own, this size is returned.
  ///   - gridX: The width is a multiple of this, and the height of `gridY`.
  func fitting(ratio: Double, gridX: Int, gridY: Int) -> PixelSize {
    let own = Double(width) / Double(height)
    guard ratio.isFinite, ratio > 0, abs(ratio / own - 1) > 0.02 else { return self }
    func rounded(_ length: Double, toMultipleOf grid: Int, limit: Int) -> Int {
      min(limit, max(1, Int((length / Double(grid)).rounded())) * grid)
    }
    return ratio < own
      ? PixelSize(width: rounded(Double(height) * ratio, toMultipleOf: gridX, limit: width), height: height)
      : PixelSize(width: width, height: rounded(Double(width) / ratio, toMultipleOf: gridY, limit: height))
  }
}

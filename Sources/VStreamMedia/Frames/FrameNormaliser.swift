internal import CVStreamLibAV
public import VStreamScene

/// What all frames of a stream are to be like.
public struct FrameTarget: Hashable, Sendable {
  public var format: PixelFormat
  public var range: FrameConverter.Range

  public init(format: PixelFormat, range: FrameConverter.Range = .kept) {
    self.format = format
    self.range = range
  }
}

/// Makes all frames of a stream alike before anyone else sees them: progressive, upright, of one size and pixel format.
///
/// Interlaced frames are deinterlaced (bwdif, one frame out for each in), turned ones turned by libavfilter, and frames
/// whose size or format changes in mid-stream are brought to the first one's, in their own shape, on black. Frames that need nothing pass untouched. One
/// owner at a time.
public final class FrameNormaliser {
  private let streamOrientation: Orientation
  /// How the frames that were taken last are turned.
  public private(set) var orientation: Orientation
  private let chooseTarget: (VideoFrame) throws(VStreamError) -> FrameTarget
  private var deinterlaces = false
  private var filter: FrameFilter?
  private var converter: FrameConverter?
  /// For frames of another shape than the first one's.
  private var fitting: FrameConverter?
  /// Width ÷ height of the first frame's pixels.
  private var pixelAspect = 1.0
  /// What was done to the pictures that a user should know of, one line each.
  private var notices: [String] = []
  /// Sizes that were spoken of.
  private var changedSizes: Set<PixelSize> = []

  /// - Parameter chooseTarget: what frames are to be like, told from the first one, progressive and upright.
  public init(
    orientation: Orientation, chooseTarget: @escaping (VideoFrame) throws(VStreamError) -> FrameTarget
  ) {
    streamOrientation = orientation
    self.orientation = orientation
    self.chooseTarget = chooseTarget
  }

  /// Takes a frame and gives those that are ready, which may be earlier ones.
  ///
  /// - Throws: `VStreamError.missingDependency` if libavfilter is needed and not there; `library` if a conversion is not
  ///   possible.
  public func normalise(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    var ready: [VideoFrame] = []
    // What the container says goes before what the frame does.
    let wanted = streamOrientation != .upright ? streamOrientation : frame.orientation ?? .upright
    if wanted != orientation {
      ready += try finishFilter()
      orientation = wanted
    }
    if wanted != .upright { frame.forgetOrientation() }
    if frame.isInterlaced, !deinterlaces {
      deinterlaces = true
      notices.append("interlaced input is deinterlaced (bwdif, one frame for each)")
      ready += try finishFilter()
    }
    ready += try filtered(frame)
    return try convert(ready)
  }

  /// What was done to the pictures since the last call.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Gives the frames that were kept back.
  public func finish() throws(VStreamError) -> [VideoFrame] { try convert(try finishFilter()) }

  private var filters: [String] {
    (deinterlaces ? ["bwdif=mode=send_frame:parity=auto:deint=interlaced"] : []) + orientation.filters
  }

  private func filtered(_ frame: VideoFrame) throws(VStreamError) -> [VideoFrame] {
    guard !filters.isEmpty else { return [frame] }
    var ready: [VideoFrame] = []
    if filter?.takes(frame) == false { ready += try finishFilter() }
    if filter == nil { filter = try FrameFilter(filters.joined(separator: ","), like: frame) }
    return ready + (try filter?.process(frame) ?? [])
  }

  private func finishFilter() throws(VStreamError) -> [VideoFrame] {
    defer { filter = nil }
    return try filter?.finish() ?? []
  }

  private func convert(_ frames: [VideoFrame]) throws(VStreamError) -> [VideoFrame] {
    var converted: [VideoFrame] = []
    for frame in frames { converted.append(try convert(frame)) }
    return converted
  }

  private func convert(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    guard let converter else {
      let target = try chooseTarget(frame)
      let made = FrameConverter(size: frame.size, format: target.format, range: target.range)
      converter = made
      pixelAspect = frame.pixelAspect
      return try made.convert(frame)
    }
    guard frame.size != converter.size else { return try converter.convert(frame) }
    if changedSizes.insert(frame.size).inserted {
      notices.append("the picture's size changed from \(converter.size) to \(frame.size): scaled to fit the former")
    }
    guard let layout = converter.format.layout else { return try converter.convert(frame) }
    let fitted = converter.size.fitting(
      ratio: Double(frame.size.width) / Double(frame.size.height) * frame.pixelAspect / pixelAspect,
      gridX: 1 << layout.chromaShiftX, gridY: 1 << layout.chromaShiftY)
    guard fitted != converter.size else { return try converter.convert(frame) }
    let made =
      fitting?.size == fitted
      ? fitting : FrameConverter(size: fitted, format: converter.format, range: converter.range)
    fitting = made
    return try made?.convert(frame).centred(on: converter.size) ?? frame
  }
}

extension PixelSize {
  /// How large on this size something of another shape is.
  ///
  /// - Parameters:
  ///   - ratio: its width ÷ height, in pixels of this size's shape; nearly this size's own counts as that.
  ///   - gridX: what the width is to be a multiple of, and `gridY` the height.
  func fitting(ratio: Double, gridX: Int, gridY: Int) -> PixelSize {
    let own = Double(width) / Double(height)
    guard ratio.isFinite, ratio > 0, abs(ratio / own - 1) > 0.02 else { return self }
    func whole(_ length: Double, _ grid: Int, _ limit: Int) -> Int {
      min(limit, max(1, Int((length / Double(grid)).rounded())) * grid)
    }
    return ratio < own
      ? PixelSize(width: whole(Double(height) * ratio, gridX, width), height: height)
      : PixelSize(width: width, height: whole(Double(width) / ratio, gridY, height))
  }
}

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
/// whose size or format changes in mid-stream are brought to the first one's. Frames that need nothing pass untouched. One
/// owner at a time.
public final class FrameNormaliser {
  private let streamOrientation: Orientation
  /// How the frames that were taken last are turned.
  public private(set) var orientation: Orientation
  private let chooseTarget: (VideoFrame) throws(VStreamError) -> FrameTarget
  private var deinterlaces = false
  private var filter: FrameFilter?
  private var converter: FrameConverter?
  /// What was done to the pictures that a user should know of, one line each.
  public private(set) var notices: [String] = []

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
    if let converter {
      if frame.size != converter.size, notices.last?.hasPrefix("the picture's size changed") != true {
        notices.append("the picture's size changed from \(converter.size) to \(frame.size): scaled to the former")
      }
      return try converter.convert(frame)
    }
    let target = try chooseTarget(frame)
    let made = FrameConverter(size: frame.size, format: target.format, range: target.range)
    converter = made
    return try made.convert(frame)
  }
}

internal import CVStreamLibAV
public import VStreamScene

/// Brings frames to one size and pixel format.
///
/// Frames that are as wanted pass untouched; others are converted by libswscale, in their own colours: the matrix is kept,
/// and the range unless another is wanted. One owner at a time.
public final class FrameConverter {
  /// Which of a component's numbers are to be used.
  public enum Range: Hashable, Sendable {
    /// As the source has it; limited where RGB becomes luma and chroma.
    case kept
    /// 16…235 of 255.
    case limited
    /// All.
    case full
  }

  public let size: PixelSize
  public let format: PixelFormat
  public let range: Range
  private var scaler: OpaquePointer?
  private var configured: Kind?

  /// What frames have in common that the scaler is set up for.
  private struct Kind: Hashable {
    let size: PixelSize
    let format: PixelFormat
    let color: ColorDescription
  }

  public init(size: PixelSize, format: PixelFormat, range: Range = .kept) {
    self.size = size
    self.format = format
    self.range = range
  }

  deinit { sws_freeContext(scaler) }

  /// - Throws: `VStreamError.library` if the conversion is not possible or memory runs out.
  public func convert(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    let sourceIsFull = frame.color.isFullRange(format: frame.format) || frame.format.layout?.model == .rgb
    let targetIsFull = isFull(from: frame, sourceIsFull)
    if frame.size == size, frame.format == format, sourceIsFull == targetIsFull { return frame }
    let source = frame.av
    let what = "conversion from \(frame.format) \(frame.size) to \(format) \(size)"
    let kind = Kind(size: frame.size, format: frame.format, color: frame.color)
    if kind != configured {
      // Not sws_getCachedContext: it makes a new one for each frame of a format with a j.
      configured = kind
      sws_freeContext(scaler)
      scaler = sws_getContext(
        source.pointee.width, source.pointee.height, AVPixelFormat(source.pointee.format), Int32(size.width),
        Int32(size.height), format.av, Int32(SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT), nil, nil, nil)
      if let scaler { setColours(scaler, of: frame, sourceIsFull: sourceIsFull, targetIsFull: targetIsFull) }
    }
    guard let scaler else { throw VStreamError(.library, "\(what) is not possible") }

    let converted = try VideoFrame(format: format, size: size, time: frame.time)
    try requireLibAV(.library, what) { av_frame_copy_props(converted.av, source) }
    try requireLibAV(.library, what) { sws_scale_frame(scaler, converted.av, source) }
    tag(converted, from: frame, isFull: targetIsFull)
    return converted
  }

  /// Whether the converted frame uses all numbers.
  private func isFull(from frame: VideoFrame, _ sourceIsFull: Bool) -> Bool {
    if format.layout?.model == .rgb || format.description.hasPrefix("yuvj") { return true }
    switch range {
    case .limited: return false
    case .full: return true
    case .kept: return frame.format.layout?.model == .rgb ? false : sourceIsFull
    }
  }

  /// Keeps matrix and range through the conversion, instead of libswscale's guess.
  private func setColours(_ scaler: OpaquePointer, of frame: VideoFrame, sourceIsFull: Bool, targetIsFull: Bool) {
    let matrix: Int32 =
      switch frame.color.matrix(height: frame.size.height) {
      case .bt601: SWS_CS_ITU601
      case .bt709: SWS_CS_ITU709
      case .bt2020: SWS_CS_BT2020
      }
    let coefficients = sws_getCoefficients(matrix)
    sws_setColorspaceDetails(
      scaler, coefficients, sourceIsFull ? 1 : 0, coefficients, targetIsFull ? 1 : 0, 0, 1 << 16, 1 << 16)
  }

  /// Says of the converted frame how its numbers stand for colours, where that has changed.
  private func tag(_ converted: VideoFrame, from frame: VideoFrame, isFull: Bool) {
    let wasRGB = frame.format.layout?.model == .rgb
    if format.layout?.model == .rgb {
      converted.av.pointee.colorspace = AVCOL_SPC_RGB
    } else if wasRGB {
      converted.av.pointee.colorspace =
        frame.color.matrix(height: frame.size.height) == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
    }
    if wasRGB || isFull != frame.color.isFullRange(format: frame.format) || range != .kept {
      converted.av.pointee.color_range = isFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }
  }
}

internal import CVStreamLibAV
public import VStreamScene

/// Converts frames to one size and pixel format with libswscale.
///
/// Frames that already have both are returned as they are. The colour matrix is preserved, and the sample range unless
/// another one is requested. One owner at a time.
public final class FrameConverter {
  /// The sample values that a converted frame uses.
  public enum Range: Hashable, Sendable {
    /// Those that the source uses; the limited range where RGB becomes luma and chroma.
    case unchanged
    /// 16…235 of 255.
    case limited
    /// All values.
    case full
  }

  public let size: PixelSize
  public let format: PixelFormat
  public let range: Range
  private var scaler: OpaquePointer?
  private var configuration: Configuration?

  /// The properties of a source frame that the scaler is set up for.
  private struct Configuration: Hashable {
    let size: PixelSize
    let format: PixelFormat
    let color: ColorDescription
  }

  public init(size: PixelSize, format: PixelFormat, range: Range = .unchanged) {
    self.size = size
    self.format = format
    self.range = range
  }

  deinit { sws_freeContext(scaler) }

  /// Converts a frame; its time and its other properties are preserved.
  ///
  /// - Throws: `VStreamError.library` if libswscale cannot convert between the formats, or memory runs out.
  public func convert(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    let sourceIsFull = frame.color.isFullRange(format: frame.format) || frame.format.isRGB
    let targetIsFull = isFullRange(from: frame, sourceIsFull)
    if frame.size == size, frame.format == format, sourceIsFull == targetIsFull { return frame }
    let what = "conversion from \(frame.format) \(frame.size) to \(format) \(size)"
    setUpScaler(for: frame, sourceIsFull: sourceIsFull, targetIsFull: targetIsFull)
    guard let scaler else { throw VStreamError(.library, "\(what) is not possible") }
    let converted = try VideoFrame(format: format, size: size, time: frame.time)
    try requireLibAV(.library, what) { av_frame_copy_props(converted.av, frame.av) }
    try requireLibAV(.library, what) { sws_scale_frame(scaler, converted.av, frame.av) }
    tag(converted, from: frame, isFull: targetIsFull)
    return converted
  }

  /// Whether the converted frame uses all sample values.
  private func isFullRange(from frame: VideoFrame, _ sourceIsFull: Bool) -> Bool {
    if format.isRGB || format.impliesFullRange { return true }
    switch range {
    case .limited: return false
    case .full: return true
    case .unchanged: return frame.format.isRGB ? false : sourceIsFull
    }
  }

  /// Makes a scaler for frames like this one, unless there is one. `sws_getCachedContext` would make a new one for each
  /// frame of a `yuvj` format.
  private func setUpScaler(for frame: VideoFrame, sourceIsFull: Bool, targetIsFull: Bool) {
    let wanted = Configuration(size: frame.size, format: frame.format, color: frame.color)
    guard wanted != configuration else { return }
    configuration = wanted
    sws_freeContext(scaler)
    scaler = makeScaler(for: frame, sourceIsFull: sourceIsFull, targetIsFull: targetIsFull)
    guard let scaler else { return }
    // Without this libswscale assumes BT.601.
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

  /// - Returns: `nil` if libswscale cannot convert between the formats.
  private func makeScaler(for frame: VideoFrame, sourceIsFull: Bool, targetIsFull: Bool) -> OpaquePointer? {
    guard let scaler = sws_alloc_context() else { return nil }
    // The ranges are set before: between equal formats libswscale decides here whether samples are only copied.
    let options: [(key: String, value: Int64)] = [
      ("srcw", Int64(frame.size.width)), ("srch", Int64(frame.size.height)),
      ("src_format", Int64(frame.format.rawValue)), ("src_range", sourceIsFull ? 1 : 0),
      ("dstw", Int64(size.width)), ("dsth", Int64(size.height)), ("dst_format", Int64(format.rawValue)),
      ("dst_range", targetIsFull ? 1 : 0),
      ("sws_flags", Int64(SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT)),
    ]
    for option in options { av_opt_set_int(UnsafeMutableRawPointer(scaler), option.key, option.value, 0) }
    guard !LibAVCode(sws_init_context(scaler, nil, nil)).isFailure else {
      sws_freeContext(scaler)
      return nil
    }
    return scaler
  }

  /// Tags the converted frame with its matrix and range where they differ from the source's.
  private func tag(_ converted: VideoFrame, from frame: VideoFrame, isFull: Bool) {
    let wasRGB = frame.format.isRGB
    if format.isRGB {
      converted.av.pointee.colorspace = AVCOL_SPC_RGB
    } else if wasRGB {
      converted.av.pointee.colorspace =
        frame.color.matrix(height: frame.size.height) == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
    }
    if wasRGB || isFull != frame.color.isFullRange(format: frame.format) || range != .unchanged {
      converted.av.pointee.color_range = isFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }
  }
}

extension PixelFormat {
  fileprivate var isRGB: Bool { layout?.model == .rgb }
}

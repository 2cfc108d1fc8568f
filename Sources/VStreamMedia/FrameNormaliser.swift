internal import CVStreamLibAV
public import VStreamScene

/// Makes all frames of a stream alike before anyone else sees them: one size, one pixel format.
///
/// Frames that are as wanted pass untouched; others are converted by libswscale. One owner at a time.
public final class FrameNormaliser {
  public let size: PixelSize
  public let format: PixelFormat
  private var scaler: OpaquePointer?

  public init(size: PixelSize, format: PixelFormat) {
    self.size = size
    self.format = format
  }

  deinit { sws_freeContext(scaler) }

  /// - Throws: `VStreamError.library` if the conversion is not possible or memory runs out.
  public func normalise(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    if frame.size == size, frame.format == format { return frame }
    let source = frame.av
    let what = "conversion from \(frame.format) \(frame.size) to \(format) \(size)"
    scaler = sws_getCachedContext(
      scaler, source.pointee.width, source.pointee.height, AVPixelFormat(source.pointee.format), Int32(size.width),
      Int32(size.height), format.av, Int32(SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT), nil, nil, nil)
    guard let scaler else { throw VStreamError(.library, "\(what) is not possible") }
    setColours(scaler, of: frame)

    let converted = try VideoFrame(format: format, size: size, time: frame.time)
    try requireLibAV(.library, what) { av_frame_copy_props(converted.av, source) }
    try requireLibAV(.library, what) { sws_scale_frame(scaler, converted.av, source) }
    if format.layout?.model == .rgb { converted.av.pointee.colorspace = AVCOL_SPC_RGB }
    return converted
  }

  /// Keeps matrix and range through the conversion, instead of libswscale's guess.
  private func setColours(_ scaler: OpaquePointer, of frame: VideoFrame) {
    let matrix: Int32 =
      switch frame.color.matrix(height: frame.size.height) {
      case .bt601: SWS_CS_ITU601
      case .bt709: SWS_CS_ITU709
      case .bt2020: SWS_CS_BT2020
      }
    let coefficients = sws_getCoefficients(matrix)
    let sourceIsFull: Int32 = frame.color.isFullRange(format: frame.format) ? 1 : 0
    let targetIsFull: Int32 = format.layout?.model == .rgb ? 1 : sourceIsFull
    sws_setColorspaceDetails(
      scaler, coefficients, sourceIsFull, coefficients, targetIsFull, 0, 1 << 16, 1 << 16)
  }
}

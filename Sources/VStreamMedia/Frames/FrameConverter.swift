internal import CVStreamLibAV
package import VStreamCore

/// Converts frames to one size and pixel format with libswscale.
///
/// Frames that already have both are returned as they are. The colour matrix is preserved, and the sample range unless
/// another one is requested. One owner at a time.
package final class FrameConverter {
  /// The sample values that a converted frame uses.
  package enum Range: Hashable, Sendable {
    /// The source's range; the limited range where RGB becomes luma and chroma.
    case unchanged
    /// 16…235 of 255.
    case limited
    /// All values.
    case full
  }

  package let size: PixelSize
  package let format: PixelFormat
  package let range: Range
  private let matrix: ColorDescription.Matrix?
  private var scaler: OpaquePointer?
  private var configuration: Configuration?

  /// The properties of a source frame that the scaler is set up for.
  private struct Configuration: Hashable {
    let size: PixelSize
    let format: PixelFormat
    let color: ColorDescription
  }

  /// - Parameter matrix: between RGB and luma and chroma; `nil` for that of the source frame.
  package init(
    size: PixelSize, format: PixelFormat, range: Range = .unchanged, matrix: ColorDescription.Matrix? = nil
  ) {
    self.size = size
    self.format = format
    self.range = range
    self.matrix = matrix
  }

  deinit { CVStreamLibAV_closeScaler(scaler) }

  /// Converts a frame; its time and its other properties are preserved.
  ///
  /// - Throws: `VStreamError.library` if libswscale cannot convert between the formats, or memory runs out.
  package func convert(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    let sourceIsFull = frame.color.isFullRange(format: frame.format) || frame.format.isRGB
    let targetIsFull = isFullRange(from: frame, sourceIsFull)
    if frame.size == size, frame.format == format, sourceIsFull == targetIsFull { return frame }
    let what = "conversion from \(frame.format) \(frame.size) to \(format) \(size)"
    setUpScaler(for: frame, sourceIsFull: sourceIsFull, targetIsFull: targetIsFull)
    guard let scaler else { throw VStreamError(.library, "\(what) is not possible") }
    let converted = try VideoFrame(format: format, size: size, time: frame.time)
    try requireLibAV(.library, what) { av_frame_copy_props(converted.av, frame.av) }
    try requireLibAV(.library, what) { CVStreamLibAV_scale(scaler, converted.av, frame.av) }
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
    CVStreamLibAV_closeScaler(scaler)
    let matrix =
      switch matrix ?? frame.color.matrix(height: frame.size.height) {
      case .bt601: AVCOL_SPC_BT470BG
      case .bt709: AVCOL_SPC_BT709
      case .bt2020: AVCOL_SPC_BT2020_NCL
      }
    scaler = CVStreamLibAV_openScaler(
      Self.samples(frame.size, frame.format, isFull: sourceIsFull), Self.samples(size, format, isFull: targetIsFull),
      matrix)
  }

  private static func samples(_ size: PixelSize, _ format: PixelFormat, isFull: Bool) -> CVStreamLibAV_Samples {
    CVStreamLibAV_Samples(
      width: Int32(size.width), height: Int32(size.height), format: format.av, isFullRange: isFull ? 1 : 0)
  }

  /// Tags the converted frame with its matrix and range where they differ from the source's.
  private func tag(_ converted: VideoFrame, from frame: VideoFrame, isFull: Bool) {
    let wasRGB = frame.format.isRGB
    if format.isRGB {
      converted.av.pointee.colorspace = AVCOL_SPC_RGB
    } else if wasRGB {
      converted.av.pointee.colorspace =
        (matrix ?? frame.color.matrix(height: frame.size.height)) == .bt709 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M
    }
    if wasRGB || isFull != frame.color.isFullRange(format: frame.format) || range != .unchanged {
      converted.av.pointee.color_range = isFull ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }
  }
}

extension PixelFormat {
  fileprivate var isRGB: Bool { layout?.model == .rgb }
}

/// The pixel format and sample range that all frames of a stream are converted to.
package struct FrameTarget: Hashable, Sendable {
  package var format: PixelFormat
  package var range: FrameConverter.Range

  package init(format: PixelFormat, range: FrameConverter.Range = .unchanged) {
    self.format = format
    self.range = range
  }
}

/// The stored sample values of black, white and neutral chroma.
package struct SampleRange: Hashable, Sendable {
  /// The luma value of black.
  package let black: Float
  /// The difference of the luma values of white and black.
  package let lumaSpan: Float
  /// The chroma value of gray.
  package let chromaMiddle: Float
  /// The maximum chroma value minus the minimum.
  package let chromaSpan: Float

  /// - Parameters:
  ///   - depth: Significant bits of a sample, from 8.
  ///   - isFull: Whether all values are used, instead of 16…235 for luma and 16…240 for chroma (of 255).
  ///     Source: ITU-T H.273, 8.3.
  package init(depth: Int, isFull: Bool) {
    let unit = Float(1 << (depth - 8))
    let maximum = Float((1 << depth) - 1)
    black = isFull ? 0 : 16 * unit
    lumaSpan = isFull ? maximum : 219 * unit
    chromaMiddle = 128 * unit
    chromaSpan = isFull ? maximum : 224 * unit
  }
}

internal import CVStreamLibAV

/// How a frame's numbers stand for colours: FFmpeg's codes (those of ITU-T H.273), carried from input to output.
public struct ColorDescription: Hashable, Sendable {
  /// The coefficients that make luma and chroma of red, green and blue.
  public enum Matrix: Hashable, Sendable {
    case bt601
    case bt709
    case bt2020
  }

  let range: Int32
  let primaries: Int32
  let transfer: Int32
  let space: Int32
  let chromaLocation: Int32

  /// The matrix to draw and sample with: the tagged one; where there is none, BT.709 from 720 lines on, else BT.601,
  /// as players guess.
  public func matrix(height: Int) -> Matrix {
    switch AVColorSpace(rawValue: UInt32(bitPattern: space)) {
    case AVCOL_SPC_BT709: return .bt709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: return .bt601
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: return .bt2020
    default: return height >= 720 ? .bt709 : .bt601
    }
  }

  /// Whether black is 0 and white the largest number, instead of 16 and 235 (of 255).
  public func isFullRange(format: PixelFormat) -> Bool {
    if range == Int32(bitPattern: AVCOL_RANGE_JPEG.rawValue) { return true }
    return range == Int32(bitPattern: AVCOL_RANGE_UNSPECIFIED.rawValue) && format.description.hasPrefix("yuvj")
  }

  /// How light becomes numbers.
  public enum Transfer: Hashable, Sendable {
    /// The curves of ordinary video and pictures.
    case standard
    /// Perceptual quantiser, up to 10,000 candela per square metre (HDR10).
    case pq
    /// Hybrid log-gamma.
    case hlg
  }

  public var transferCurve: Transfer {
    switch AVColorTransferCharacteristic(rawValue: UInt32(bitPattern: transfer)) {
    case AVCOL_TRC_SMPTE2084: return .pq
    case AVCOL_TRC_ARIB_STD_B67: return .hlg
    default: return .standard
    }
  }
}

internal import CVStreamLibAV

/// How the sample values of a frame encode colours, as FFmpeg's codes (those of ITU-T H.273); carried unchanged from input
/// to output.
package struct ColorDescription: Hashable, Sendable {
  /// The coefficients that convert between red, green, blue and luma, chroma.
  package enum Matrix: Hashable, Sendable {
    case bt601
    case bt709
    case bt2020

    /// The weights of red and blue in luma; green has the rest to 1. Source: ITU-T H.273, table 4.
    package var weights: (red: Float, blue: Float) {
      switch self {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    }
  }

  /// The transfer characteristics: how light is encoded as sample values.
  package enum Transfer: Hashable, Sendable {
    /// The curves of ordinary video and images.
    case standard
    /// Perceptual quantiser, up to 10,000 candela per square metre (HDR10).
    case pq
    /// Hybrid log-gamma.
    case hlg
  }

  let range: Int32
  let primaries: Int32
  let transfer: Int32
  let space: Int32
  let chromaLocation: Int32

  /// The matrix to draw and sample with: the tagged one; for frames without a tag, BT.709 from a height of 720 on, else
  /// BT.601, as players assume.
  package func matrix(height: Int) -> Matrix {
    switch AVColorSpace(rawValue: UInt32(bitPattern: space)) {
    case AVCOL_SPC_BT709: return .bt709
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: return .bt601
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: return .bt2020
    default: return height >= 720 ? .bt709 : .bt601
    }
  }

  /// Whether black is 0 and white the maximum value, instead of 16 and 235 (of 255).
  package func isFullRange(format: PixelFormat) -> Bool {
    if range == Int32(bitPattern: AVCOL_RANGE_JPEG.rawValue) { return true }
    return range == Int32(bitPattern: AVCOL_RANGE_UNSPECIFIED.rawValue) && format.impliesFullRange
  }

  package var transferCurve: Transfer {
    switch AVColorTransferCharacteristic(rawValue: UInt32(bitPattern: transfer)) {
    case AVCOL_TRC_SMPTE2084: return .pq
    case AVCOL_TRC_ARIB_STD_B67: return .hlg
    default: return .standard
    }
  }
}

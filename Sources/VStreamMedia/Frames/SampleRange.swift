/// Which stored numbers stand for black, white and no colour.
public struct SampleRange: Hashable, Sendable {
  /// The number that stands for black.
  public let black: Float
  /// White minus black.
  public let lumaSpan: Float
  /// The number that stands for no colour.
  public let chromaMiddle: Float
  /// The greatest chroma number minus the least.
  public let chromaSpan: Float

  /// - Parameters:
  ///   - depth: significant bits of a sample.
  ///   - isFull: whether all numbers are used, instead of 16…235 and 16…240 (of 255). Source: ITU-T H.273, 8.3.
  public init(depth: Int, isFull: Bool) {
    let unit = Float(1 << (depth - 8))
    let greatest = Float((1 << depth) - 1)
    black = isFull ? 0 : 16 * unit
    lumaSpan = isFull ? greatest : 219 * unit
    chromaMiddle = 128 * unit
    chromaSpan = isFull ? greatest : 224 * unit
  }
}

extension ColorDescription.Matrix {
  /// The shares of red and blue in luma. Source: ITU-T H.273, table 4.
  public var weights: (red: Float, blue: Float) {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    }
  }
}

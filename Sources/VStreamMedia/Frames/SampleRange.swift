/// The stored sample values of black, white and neutral chroma.
public struct SampleRange: Hashable, Sendable {
  /// The luma value of black.
  public let black: Float
  /// The luma value of white minus that of black.
  public let lumaSpan: Float
  /// The chroma value of gray.
  public let chromaMiddle: Float
  /// The maximum chroma value minus the minimum.
  public let chromaSpan: Float

  /// - Parameters:
  ///   - depth: Significant bits of a sample, from 8.
  ///   - isFull: Whether all values are used, instead of 16…235 for luma and 16…240 for chroma (of 255).
  ///     Source: ITU-T H.273, 8.3.
  public init(depth: Int, isFull: Bool) {
    let unit = Float(1 << (depth - 8))
    let maximum = Float((1 << depth) - 1)
    black = isFull ? 0 : 16 * unit
    lumaSpan = isFull ? maximum : 219 * unit
    chromaMiddle = 128 * unit
    chromaSpan = isFull ? maximum : 224 * unit
  }
}

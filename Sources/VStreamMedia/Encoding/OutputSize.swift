internal import CVStreamLibAV
internal import VStreamCore

/// The size that frames are scaled to before they are encoded.
public struct OutputSize: Hashable, Sendable {
  /// In pixels; `nil` for the one that keeps the frames' aspect ratio.
  private let width: Int?
  private let height: Int?

  private static let limits = 1...16_384

  /// - Parameters:
  ///   - width: in pixels; `nil` for the one that keeps the aspect ratio.
  ///   - height: in pixels; `nil` for the one that keeps the aspect ratio.
  /// - Returns: `nil` if neither is given, or one is not from 1 to 16384.
  public init?(width: Int?, height: Int?) {
    let sides = [width, height].compactMap(\.self)
    guard !sides.isEmpty, sides.allSatisfy(Self.limits.contains) else { return nil }
    (self.width, self.height) = (width, height)
  }

  /// - Parameter text: `1280x720`, or with -1 for one that keeps the aspect ratio: `1280x-1`. A colon may replace the `x`.
  /// - Returns: `nil` for any other text.
  package init?(_ text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == ":" }.map { Int($0) }
    guard parts.count == 2 else { return nil }
    let numbers = parts.compactMap(\.self)
    guard numbers.count == 2, numbers.allSatisfy({ Self.limits.contains($0) || $0 == -1 || $0 == -2 }) else {
      return nil
    }
    (width, height) = (numbers[0] > 0 ? numbers[0] : nil, numbers[1] > 0 ? numbers[1] : nil)
    if width == nil, height == nil { return nil }
  }

  /// The size for frames of a size. A width or height that keeps the aspect ratio is even.
  func size(for source: PixelSize) -> PixelSize {
    func even(_ length: Int, _ numerator: Int, _ denominator: Int) -> Int {
      let exact = Double(length) * Double(numerator) / Double(max(1, denominator))
      return min(max(2, 2 * Int(clamping: (exact / 2).rounded())), Self.limits.upperBound)
    }
    let width = width ?? even(height ?? 0, source.width, source.height)
    return PixelSize(width: width, height: height ?? even(width, source.height, source.width))
  }

  /// The shape of pixels that shows scaled frames as wide as before.
  ///
  /// - Parameter aspect: width ÷ height of the source's pixels; 0/1 for unknown.
  func pixelAspect(_ aspect: AVRational, from source: PixelSize, to target: PixelSize) -> AVRational {
    // Rounding to an even length changes the shape by less than players show.
    if width == nil || height == nil { return aspect }
    let isKnown = aspect.num > 0 && aspect.den > 0
    if !isKnown, source.width * target.height == source.height * target.width { return aspect }
    var result = AVRational()
    let numerator = Int64(isKnown ? aspect.num : 1) * Int64(source.width * target.height)
    let denominator = Int64(isKnown ? aspect.den : 1) * Int64(source.height * target.width)
    av_reduce(&result.num, &result.den, numerator, denominator, Int64(Int32.max))
    return result
  }
}

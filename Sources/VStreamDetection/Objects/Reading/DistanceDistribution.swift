internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Boxes whose sides are given by their distances from a point, each as a distribution over 8 bins.
///
/// Source: X. Li et al., "Generalized Focal Loss", 2020.
enum DistanceDistribution {
  /// The bins of one distance.
  static let binCount = 8
  /// The values of one box: the distances to the left, top, right and bottom.
  static let valueCount = 4 * binCount

  /// - Parameters:
  ///   - values: `valueCount` logits.
  ///   - stride: pixels of one bin.
  static func box(around center: Point, _ values: ArraySlice<Float>, stride: Int) -> Box {
    let distances = (0..<4).map { side in
      mean(ofBins: values.dropFirst(binCount * side).prefix(binCount)) * Double(stride)
    }
    return Box(
      left: center.x - distances[0], top: center.y - distances[1], right: center.x + distances[2],
      bottom: center.y + distances[3])
  }

  /// The mean of a distribution that is given by logits.
  private static func mean(ofBins bins: ArraySlice<Float>) -> Double {
    let highest = bins.max() ?? 0
    let weights = bins.map { exp(Double($0 - highest)) }
    return weights.enumerated().map { Double($0.offset) * $0.element }.reduce(0, +) / weights.reduce(0, +)
  }
}

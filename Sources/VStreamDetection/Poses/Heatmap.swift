internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Probability maps of a crop, one per point, that refine the points' positions.
///
/// Source: MediaPipe, `refine_landmarks_from_heatmap_calculator.cc`.
struct Heatmap {
  static let side = 64
  /// Distance from a point up to which its map is used, in the map's pixels.
  private static let radius = 3
  /// A position is refined only if a likelihood near it is at least this.
  private static let minimumLikelihood: Float = 0.5

  let channels: Int

  /// The mean position of a channel's likelihoods near a position.
  ///
  /// - Parameters:
  ///   - position: in fractions of the crop; outside of it, it is returned unchanged.
  ///   - map: logits, `[side, side, channels]`.
  func refined(_ position: Point, of channel: Int, in map: Span<Float>) -> Point {
    let side = Self.side
    guard (0..<1).contains(position.x), (0..<1).contains(position.y) else { return position }
    let (column, row) = (Int(position.x * Double(side)), Int(position.y * Double(side)))
    var (sum, across, down, maximum): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for y in max(0, row - Self.radius)...min(side - 1, row + Self.radius) {
      for x in max(0, column - Self.radius)...min(side - 1, column + Self.radius) {
        let likelihood = 1 / (1 + expf(-map[(y * side + x) * channels + channel]))
        sum += likelihood
        across += Float(x) * likelihood
        down += Float(y) * likelihood
        maximum = max(maximum, likelihood)
      }
    }
    guard maximum >= Self.minimumLikelihood else { return position }
    return Point(x: Double(across / sum) / Double(side), y: Double(down / sum) / Double(side))
  }
}

#if canImport(Glibc)
  internal import Glibc
#endif

/// Steadies the points of a mesh over time: the slower they move, the more.
///
/// What moves fast is passed on as it is, so that nothing lags. Speeds are in sizes of the face per second, so a face is
/// steadied alike near and far.
/// - Source: G. Casiez et al., "1€ Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive Systems",
///   2012; the settings are MediaPipe's for faces.
struct OneEuroFilter: Hashable, Sendable {
  /// Hertz: what is let through of a face that stands still.
  private static let minimumCutoff = 0.05
  /// Hertz more for each size of the face per second.
  private static let slope = 80.0
  /// Hertz: how speeds are steadied.
  private static let speedCutoff = 1.0

  private var values: [Vector] = []
  private var speeds: [Vector] = []
  private var time = 0.0

  /// - Parameters:
  ///   - points: where they are seen.
  ///   - size: of the face, in the points' unit.
  ///   - seconds: stream time; what is not later than before is passed on as it is.
  mutating func steady(_ points: [Vector], size: Double, at seconds: Double) -> [Vector] {
    let passed = seconds - time
    guard values.count == points.count, passed > 0, size > 0 else {
      values = points
      speeds = [Vector](repeating: Vector(0, 0, 0), count: points.count)
      time = seconds
      return points
    }
    time = seconds
    let speedShare = Self.share(Self.speedCutoff, passed)
    for index in points.indices {
      let speed = (points[index] - values[index]) * (1 / (passed * size))
      speeds[index] = speeds[index] + (speed - speeds[index]) * speedShare
      let (old, new, rate) = (values[index], points[index], speeds[index])
      values[index] = Vector(
        Self.mixed(old.x, new.x, rate.x, passed), Self.mixed(old.y, new.y, rate.y, passed),
        Self.mixed(old.z, new.z, rate.z, passed))
    }
    return values
  }

  private static func mixed(_ old: Double, _ new: Double, _ speed: Double, _ passed: Double) -> Double {
    old + (new - old) * share(minimumCutoff + slope * abs(speed), passed)
  }

  /// The weight of a new value beside the old, for a cutoff frequency.
  private static func share(_ cutoff: Double, _ passed: Double) -> Double {
    let constant = 2 * Double.pi * cutoff * passed
    return constant / (1 + constant)
  }
}

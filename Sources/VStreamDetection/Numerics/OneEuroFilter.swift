#if canImport(Glibc)
  internal import Glibc
#endif

/// Steadies points over time: the slower they move, the more.
///
/// What moves fast is passed on as it is, so that nothing lags. Speeds are in sizes of the face or body per second, so it is
/// smoothed alike near and far.
/// - Source: G. Casiez et al., "1€ Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive Systems",
///   2012; the settings are MediaPipe's.
struct OneEuroFilter: Hashable, Sendable {
  struct Settings: Hashable, Sendable {
    /// Hertz: what is let through of what stands still.
    var minimumCutoff: Double
    /// Hertz more for each size per second.
    var slope: Double

    /// For the points of faces and bodies.
    static let points = Settings(minimumCutoff: 0.05, slope: 80)
    /// For the points by which a body is found again.
    static let regions = Settings(minimumCutoff: 0.01, slope: 10)
  }

  /// Hertz: how speeds are smoothed.
  private static let speedCutoff = 1.0

  private let settings: Settings
  private var values: [Vector] = []
  private var speeds: [Vector] = []
  private var time = 0.0

  init(_ settings: Settings = .points) { self.settings = settings }

  /// - Parameters:
  ///   - points: where they are seen.
  ///   - size: of the face or body, in the points' unit.
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
    let speedFraction = Self.share(Self.speedCutoff, passed)
    for index in points.indices {
      let speed = (points[index] - values[index]) * (1 / (passed * size))
      speeds[index] = speeds[index] + (speed - speeds[index]) * speedFraction
      let (old, new, rate) = (values[index], points[index], speeds[index])
      values[index] = Vector(
        mixed(old.x, new.x, rate.x, passed), mixed(old.y, new.y, rate.y, passed),
        mixed(old.z, new.z, rate.z, passed))
    }
    return values
  }

  private func mixed(_ old: Double, _ new: Double, _ speed: Double, _ passed: Double) -> Double {
    old + (new - old) * Self.share(settings.minimumCutoff + settings.slope * abs(speed), passed)
  }

  /// The weight of a new value beside the old, for a cutoff frequency.
  private static func share(_ cutoff: Double, _ passed: Double) -> Double {
    let constant = 2 * Double.pi * cutoff * passed
    return constant / (1 + constant)
  }
}

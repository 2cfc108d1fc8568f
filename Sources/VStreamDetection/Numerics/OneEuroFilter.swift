internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Smooths points over time: the slower they move, the more.
///
/// Fast movement is hardly smoothed, so that nothing lags. Speeds are in sizes of the face or body per second, so that near
/// and far ones are smoothed alike.
/// - Source: G. Casiez et al., "1€ Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive Systems",
///   2012; the settings are MediaPipe's.
struct OneEuroFilter: Hashable, Sendable {
  struct Settings: Hashable, Sendable {
    /// Cutoff frequency for still points, in hertz.
    var minimumCutoff: Double
    /// Increase of the cutoff frequency for each size per second, in hertz.
    var slope: Double

    /// For the points of faces and bodies.
    static let points = Settings(minimumCutoff: 0.05, slope: 80)
    /// For the points that determine the next frame's crop of a body.
    static let regions = Settings(minimumCutoff: 0.01, slope: 10)
  }

  /// Cutoff frequency for speeds, in hertz.
  private static let speedCutoff = 1.0

  private let settings: Settings
  private var values: [Vector] = []
  private var speeds: [Vector] = []
  private var time = 0.0

  init(_ settings: Settings = .points) { self.settings = settings }

  /// The points smoothed by those before; unchanged if time has not advanced.
  ///
  /// - Parameters:
  ///   - size: of the face or body, in the points' unit.
  ///   - seconds: stream time.
  mutating func smoothed(_ points: [Vector], size: Double, at seconds: Double) -> [Vector] {
    let elapsed = seconds - time
    guard values.count == points.count, elapsed > 0, size > 0 else {
      values = points
      speeds = [Vector](repeating: Vector(0, 0, 0), count: points.count)
      time = seconds
      return points
    }
    time = seconds
    let speedFraction = Self.weight(Self.speedCutoff, elapsed)
    for index in points.indices {
      let speed = (points[index] - values[index]) * (1 / (elapsed * size))
      speeds[index] = speeds[index] + (speed - speeds[index]) * speedFraction
      let (old, new, rate) = (values[index], points[index], speeds[index])
      values[index] = Vector(
        filtered(old.x, new.x, rate.x, elapsed), filtered(old.y, new.y, rate.y, elapsed),
        filtered(old.z, new.z, rate.z, elapsed))
    }
    return values
  }

  private func filtered(_ old: Double, _ new: Double, _ speed: Double, _ elapsed: Double) -> Double {
    old + (new - old) * Self.weight(settings.minimumCutoff + settings.slope * abs(speed), elapsed)
  }

  /// The weight of a new value relative to the old, for a cutoff frequency.
  private static func weight(_ cutoff: Double, _ elapsed: Double) -> Double {
    let constant = 2 * Double.pi * cutoff * elapsed
    return constant / (1 + constant)
  }
}

/// Angles in a frame, whose y axis points down.
enum Angle {
  /// The direction from one point to another in radians, clockwise from the x axis; 0 if they are the same.
  static func between(_ start: Point, _ end: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    return x == 0 && y == 0 || !x.isFinite || !y.isFinite ? 0 : atan2(y, x)
  }

  static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}

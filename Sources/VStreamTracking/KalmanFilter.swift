internal import VStreamScene

/// Estimates one coordinate that moves at a nearly constant velocity (Kalman, 1960; white-noise acceleration).
///
/// Position in pixels, velocity in pixels per second; the covariance is a symmetric 2×2 matrix.
struct AxisFilter: Hashable, Sendable {
  private(set) var position: Double
  private(set) var velocity: Double = 0
  private var positionVariance: Double
  private var covariance: Double = 0
  private var velocityVariance: Double

  /// - Parameters:
  ///   - position: the first measurement.
  ///   - variance: of a measurement.
  ///   - velocityVariance: of the velocity, of which nothing is known yet.
  init(position: Double, variance: Double, velocityVariance: Double) {
    self.position = position
    positionVariance = variance
    self.velocityVariance = velocityVariance
  }

  /// Moves the estimate on by `seconds`.
  ///
  /// - Parameter acceleration: spectral density of the acceleration, in pixels² per second³.
  mutating func predict(seconds: Double, acceleration: Double) {
    let squared = seconds * seconds
    position += velocity * seconds
    positionVariance += 2 * seconds * covariance + squared * velocityVariance + acceleration * squared * seconds / 3
    covariance += seconds * velocityVariance + acceleration * squared / 2
    velocityVariance += acceleration * seconds
  }

  /// Corrects the estimate by a measurement of the position.
  mutating func correct(_ measurement: Double, variance: Double) {
    let total = positionVariance + variance
    guard total > 0 else { return }
    let positionGain = positionVariance / total
    let velocityGain = covariance / total
    let innovation = measurement - position
    position += positionGain * innovation
    velocity += velocityGain * innovation
    velocityVariance -= velocityGain * covariance
    covariance -= positionGain * covariance
    positionVariance -= positionGain * positionVariance
  }
}

/// Estimates a moving, growing box: its centre, width and height, each on its own.
///
/// All noise is proportional to the box's size, so boxes scaled by a factor move alike, scaled by it.
struct BoxFilter: Hashable, Sendable {
  private var centerX: AxisFilter
  private var centerY: AxisFilter
  private var width: AxisFilter
  private var height: AxisFilter
  /// The last measured size, which a prediction stays near.
  private var measured: Box

  /// Standard deviations in units of the box's size (mean of width and height), and of that per second.
  private enum Noise {
    static let measuredCenter = 0.05
    static let measuredSize = 0.08
    static let firstVelocity = 1.0
    static let acceleration = 1.2
    static let growth = 0.3
  }

  init(_ box: Box) {
    let size = Self.size(box)
    func axis(_ value: Double, _ noise: Double) -> AxisFilter {
      let velocity = Noise.firstVelocity * size
      return AxisFilter(
        position: value, variance: (noise * size) * (noise * size), velocityVariance: velocity * velocity)
    }
    centerX = axis(box.center.x, Noise.measuredCenter)
    centerY = axis(box.center.y, Noise.measuredCenter)
    width = axis(box.width, Noise.measuredSize)
    height = axis(box.height, Noise.measuredSize)
    measured = box
  }

  /// Where the box will be after `seconds` if it goes on as it does. It is never less than half, nor more than twice,
  /// as large as when it was last measured.
  func box(after seconds: Double) -> Box {
    func held(_ axis: AxisFilter, near size: Double) -> Double {
      min(max(axis.position + axis.velocity * seconds, size / 2), size * 2)
    }
    return Box(
      center: Point(
        x: centerX.position + centerX.velocity * seconds, y: centerY.position + centerY.velocity * seconds),
      width: held(width, near: measured.width), height: held(height, near: measured.height))
  }

  mutating func predict(seconds: Double) {
    let size = Self.size(measured)
    let moving = (Noise.acceleration * size) * (Noise.acceleration * size)
    let growing = (Noise.growth * size) * (Noise.growth * size)
    centerX.predict(seconds: seconds, acceleration: moving)
    centerY.predict(seconds: seconds, acceleration: moving)
    width.predict(seconds: seconds, acceleration: growing)
    height.predict(seconds: seconds, acceleration: growing)
  }

  mutating func correct(_ box: Box) {
    let size = Self.size(box)
    let center = (Noise.measuredCenter * size) * (Noise.measuredCenter * size)
    let extent = (Noise.measuredSize * size) * (Noise.measuredSize * size)
    centerX.correct(box.center.x, variance: center)
    centerY.correct(box.center.y, variance: center)
    width.correct(box.width, variance: extent)
    height.correct(box.height, variance: extent)
    measured = box
  }

  private static func size(_ box: Box) -> Double { (box.width + box.height) / 2 }
}

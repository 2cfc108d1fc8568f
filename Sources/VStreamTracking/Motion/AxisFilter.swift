/// Estimates one coordinate that moves at a nearly constant velocity (Kalman, 1960; white-noise acceleration).
///
/// Position in pixels, velocity in pixels per second; the covariance is a symmetric 2×2 matrix.
struct AxisFilter: Hashable, Sendable {
  private(set) var position: Double
  private(set) var velocity: Double = 0
  /// Of the position, in pixels².
  private(set) var variance: Double
  private var covariance: Double = 0
  private var velocityVariance: Double

  /// - Parameters:
  ///   - position: the first measurement.
  ///   - variance: of a measurement.
  ///   - velocityVariance: of the velocity, of which nothing is known yet.
  init(position: Double, variance: Double, velocityVariance: Double) {
    self.position = position
    self.variance = variance
    self.velocityVariance = velocityVariance
  }

  /// Moves the estimate on by `seconds`.
  ///
  /// - Parameter acceleration: spectral density of the acceleration, in pixels² per second³.
  mutating func predict(seconds: Double, acceleration: Double) {
    let squared = seconds * seconds
    position += velocity * seconds
    variance += 2 * seconds * covariance + squared * velocityVariance + acceleration * squared * seconds / 3
    covariance += seconds * velocityVariance + acceleration * squared / 2
    velocityVariance += acceleration * seconds
  }

  /// Corrects the estimate by a measurement of the position.
  ///
  /// - Parameter noise: variance of the measurement.
  mutating func correct(_ measurement: Double, noise: Double) {
    let total = variance + noise
    guard total > 0 else { return }
    let positionGain = variance / total
    let velocityGain = covariance / total
    let innovation = measurement - position
    position += positionGain * innovation
    velocity += velocityGain * innovation
    velocityVariance -= velocityGain * covariance
    covariance -= positionGain * covariance
    variance -= positionGain * variance
  }

  /// Trusts the estimate less: all variances grow by a factor.
  mutating func loosen(by factor: Double) {
    variance *= factor
    covariance *= factor
    velocityVariance *= factor
  }

  mutating func shift(by distance: Double) { position += distance }
}

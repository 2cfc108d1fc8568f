/// Estimates one coordinate that moves at a nearly constant velocity (Kalman, 1960; white-noise acceleration).
///
/// Position in pixels, velocity in pixels per second; the covariance is a symmetric 2×2 matrix.
struct AxisFilter: Hashable, Sendable {
  private(set) var position: Double
  private(set) var velocity: Double = 0
  /// Variance of the position, in pixels².
  private(set) var variance: Double
  private var covariance: Double = 0
  private var velocityVariance: Double

  /// - Parameters:
  ///   - position: the first measurement.
  ///   - variance: of a measurement, in pixels².
  ///   - velocityVariance: of the velocity, which is still unknown.
  init(position: Double, variance: Double, velocityVariance: Double) {
    self.position = position
    self.variance = variance
    self.velocityVariance = velocityVariance
  }

  /// Predicts the state `seconds` later.
  ///
  /// - Parameters:
  ///   - moving: seconds of these for which it moves; then it stops.
  ///   - acceleration: spectral density of the acceleration, in pixels² per second³.
  mutating func predict(seconds: Double, moving: Double, acceleration: Double) {
    let squared = moving * moving
    position += velocity * moving
    variance += 2 * moving * covariance + squared * velocityVariance + acceleration * squared * moving / 3
    covariance += moving * velocityVariance + acceleration * squared / 2
    velocityVariance += acceleration * seconds
  }

  /// Updates the estimate with a measurement of the position.
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

  /// Multiplies all variances by a factor, so that the next measurement has more weight.
  mutating func inflateVariance(by factor: Double) {
    variance *= factor
    covariance *= factor
    velocityVariance *= factor
  }

  mutating func shift(by distance: Double) { position += distance }
}

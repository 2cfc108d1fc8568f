internal import VStreamCore

/// Estimates centre, width and height of a moving box, each independently.
///
/// All noise is proportional to the box's size, so the estimates of scaled boxes are the scaled estimates.
struct BoxFilter: Hashable, Sendable {
  private var x: AxisFilter
  private var y: AxisFilter
  private var width: AxisFilter
  private var height: AxisFilter
  /// The size at the last detection, which limits that of a prediction.
  private var lastWidth: Double
  private var lastHeight: Double
  /// Seconds between the last two states.
  private var lastStep = 0.0
  /// How far the centre was predicted to move since the last detection, if a gap is among the predictions: it may have stopped
  /// on the way.
  private(set) var gapPath = Point(x: 0, y: 0)

  /// Standard deviations in units of the box's size (mean of width and height), and of that per second.
  private enum Noise {
    static let center = 0.1
    static let extent = 0.15
    static let firstVelocity = 2.0
    static let acceleration = 0.7
    static let growth = 0.15
  }

  /// Thresholds for unusual detections.
  private enum Rule {
    /// A box that is shorter than this fraction of the predicted one may be truncated.
    static let truncation = 0.95
    /// Squared distance from the predicted centre, in variances, from which the object must have changed its direction.
    static let outlierDistance = 5.0
    /// Seconds for which an object is expected to go on as it did; or so many times those between its last two states. In a
    /// longer gap of the stream its velocity is not known.
    static let motionTime = 1.0
    static let motionSteps = 2.0
  }

  init(_ box: Box) {
    let size = (box.width + box.height) / 2
    func axis(_ value: Double, noise: Double, speed: Double) -> AxisFilter {
      AxisFilter(
        position: value, variance: (noise * size) * (noise * size), velocityVariance: (speed * size) * (speed * size))
    }
    x = axis(box.center.x, noise: Noise.center, speed: Noise.firstVelocity)
    y = axis(box.center.y, noise: Noise.center, speed: Noise.firstVelocity)
    width = axis(box.width, noise: Noise.extent, speed: Noise.growth)
    height = axis(box.height, noise: Noise.extent, speed: Noise.growth)
    lastWidth = box.width
    lastHeight = box.height
  }

  /// Mean of width and height at the last detection: the unit of all noise.
  var size: Double { (lastWidth + lastHeight) / 2 }

  /// The box predicted `seconds` ahead at constant velocity, where it stops after a gap. Its sides stay between half and twice
  /// those at the last detection.
  func box(after seconds: Double = 0) -> Box {
    let seconds = movingTime(within: seconds)
    func limited(_ axis: AxisFilter, near size: Double) -> Double {
      min(max(axis.position + axis.velocity * seconds, size / 2), size * 2)
    }
    return Box(
      center: Point(x: x.position + x.velocity * seconds, y: y.position + y.velocity * seconds),
      width: limited(width, near: lastWidth), height: limited(height, near: lastHeight))
  }

  /// Variances of the distance between the predicted centre and a detected one, in pixels².
  var innovationVariance: (x: Double, y: Double) {
    let noise = (Noise.center * size) * (Noise.center * size)
    return (x.variance + noise, y.variance + noise)
  }

  mutating func predict(seconds: Double) {
    let moving = movingTime(within: seconds)
    lastStep = seconds
    if moving < seconds || gapPath != Point(x: 0, y: 0) {
      gapPath.x += x.velocity * moving
      gapPath.y += y.velocity * moving
    }
    let (motion, growth) = (
      (Noise.acceleration * size) * (Noise.acceleration * size), (Noise.growth * size) * (Noise.growth * size)
    )
    x.predict(seconds: seconds, moving: moving, acceleration: motion)
    y.predict(seconds: seconds, moving: moving, acceleration: motion)
    width.predict(seconds: seconds, moving: moving, acceleration: growth)
    height.predict(seconds: seconds, moving: moving, acceleration: growth)
  }

  private func movingTime(within seconds: Double) -> Double {
    min(seconds, max(Rule.motionTime, Rule.motionSteps * lastStep))
  }

  /// Updates the estimate with a detection.
  mutating func correct(_ detected: Box) {
    let predicted = box()
    let noise = (Noise.center * size) * (Noise.center * size)
    let offset = Self.offset(of: detected, from: predicted)
    let distance = offset.x * offset.x / (x.variance + noise) + offset.y * offset.y / (y.variance + noise)
    if distance > Rule.outlierDistance {
      x.inflateVariance(by: distance / Rule.outlierDistance)
      y.inflateVariance(by: distance / Rule.outlierDistance)
    }
    x.correct(predicted.center.x + offset.x, noise: noise)
    y.correct(predicted.center.y + offset.y, noise: noise)
    gapPath = Point(x: 0, y: 0)
    let extent = (Noise.extent * size) * (Noise.extent * size)
    width.correct(detected.width, noise: extent * Self.noiseFactor(detected.width / predicted.width))
    height.correct(detected.height, noise: extent * Self.noiseFactor(detected.height / predicted.height))
    lastWidth = max(width.position, detected.width / 2)
    lastHeight = max(height.position, detected.height / 2)
  }

  /// The offset of a detected object from its prediction.
  ///
  /// Part of an object may be hidden behind something, or outside the frame. Its box is too short then, and the box's centre
  /// is not the object's. The detected box is only known to be a part of the object: of the centres that are possible under
  /// this condition, the nearest to the predicted one is used.
  static func offset(of detected: Box, from predicted: Box) -> Point {
    func offset(_ distance: Double, _ length: Double, _ predictedLength: Double) -> Double {
      let hidden = max(0, (Rule.truncation * predictedLength - length) / 2)
      return distance > hidden ? distance - hidden : distance < -hidden ? distance + hidden : 0
    }
    let (center, origin) = (detected.center, predicted.center)
    return Point(
      x: offset(center.x - origin.x, detected.width, predicted.width),
      y: offset(center.y - origin.y, detected.height, predicted.height))
  }

  /// The factor on the noise of a side that may be truncated; `ratio` is detected length by predicted length.
  private static func noiseFactor(_ ratio: Double) -> Double {
    let missing = max(0, Rule.truncation - ratio) / 0.1
    return 1 + missing * missing
  }

  mutating func shift(by distance: Point) {
    x.shift(by: distance.x)
    y.shift(by: distance.y)
  }
}

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

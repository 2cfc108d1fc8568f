internal import VStreamScene

/// Estimates a moving, growing box: its centre, width and height, each on its own.
///
/// All noise is proportional to the box's size, so boxes scaled by a factor move alike, scaled by it.
struct BoxFilter: Hashable, Sendable {
  private var x: AxisFilter
  private var y: AxisFilter
  private var width: AxisFilter
  private var height: AxisFilter
  /// The size at the last detection, which a prediction stays near.
  private var steadyWidth: Double
  private var steadyHeight: Double

  /// Standard deviations in units of the box's size (mean of width and height), and of that per second.
  private enum Noise {
    static let center = 0.07
    static let extent = 0.15
    static let firstVelocity = 2.0
    static let acceleration = 0.7
    static let growth = 0.15
  }

  /// What is out of the ordinary.
  private enum Rule {
    /// A box that is shorter than this share of the expected one may be cut.
    static let cut = 0.95
    /// Squared distance from the expected centre, in variances, from which on the object must have turned.
    static let surprise = 5.0
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
    steadyWidth = box.width
    steadyHeight = box.height
  }

  /// Mean of width and height at the last detection: the unit of all noise.
  var size: Double { (steadyWidth + steadyHeight) / 2 }

  /// Where the box will be after `seconds` if it goes on as it does. It is never less than half, nor more than twice,
  /// as large as at the last detection.
  func box(after seconds: Double = 0) -> Box {
    func held(_ axis: AxisFilter, near size: Double) -> Double {
      min(max(axis.position + axis.velocity * seconds, size / 2), size * 2)
    }
    return Box(
      center: Point(x: x.position + x.velocity * seconds, y: y.position + y.velocity * seconds),
      width: held(width, near: steadyWidth), height: held(height, near: steadyHeight))
  }

  /// Variances of the distances between the expected centre and a detected one, in pixels².
  var expectedVariance: (x: Double, y: Double) {
    let noise = (Noise.center * size) * (Noise.center * size)
    return (x.variance + noise, y.variance + noise)
  }

  mutating func predict(seconds: Double) {
    let moving = (Noise.acceleration * size) * (Noise.acceleration * size)
    let growing = (Noise.growth * size) * (Noise.growth * size)
    x.predict(seconds: seconds, acceleration: moving)
    y.predict(seconds: seconds, acceleration: moving)
    width.predict(seconds: seconds, acceleration: growing)
    height.predict(seconds: seconds, acceleration: growing)
  }

  /// Corrects the estimate by a detection.
  mutating func correct(_ found: Box) {
    let expected = box()
    let noise = (Noise.center * size) * (Noise.center * size)
    let offset = Self.offset(of: found, from: expected)
    let surprise = offset.x * offset.x / (x.variance + noise) + offset.y * offset.y / (y.variance + noise)
    if surprise > Rule.surprise {
      x.loosen(by: surprise / Rule.surprise)
      y.loosen(by: surprise / Rule.surprise)
    }
    x.correct(expected.center.x + offset.x, noise: noise)
    y.correct(expected.center.y + offset.y, noise: noise)
    let extent = (Noise.extent * size) * (Noise.extent * size)
    width.correct(found.width, noise: extent * Self.doubt(found.width / expected.width))
    height.correct(found.height, noise: extent * Self.doubt(found.height / expected.height))
    steadyWidth = max(width.position, found.width / 2)
    steadyHeight = max(height.position, found.height / 2)
  }

  /// How far a detected object is from where it was expected.
  ///
  /// Something in front, or the frame's edge, may hide part of an object. Its box is too short then, and the middle of
  /// what is seen is not the object's. All that is known is that what is seen is part of it: of the centres that allow
  /// for that, the nearest to the expected one counts.
  static func offset(of found: Box, from expected: Box) -> Point {
    func offset(_ distance: Double, _ length: Double, _ expectedLength: Double) -> Double {
      let hidden = max(0, (Rule.cut * expectedLength - length) / 2)
      return distance > hidden ? distance - hidden : distance < -hidden ? distance + hidden : 0
    }
    let (center, place) = (found.center, expected.center)
    return Point(
      x: offset(center.x - place.x, found.width, expected.width),
      y: offset(center.y - place.y, found.height, expected.height))
  }

  /// How much less a length tells of the object's size when it may be cut; `ratio` is that to the expected length.
  private static func doubt(_ ratio: Double) -> Double {
    let missing = max(0, Rule.cut - ratio) / 0.1
    return 1 + missing * missing
  }

  mutating func shift(by distance: Point) {
    x.shift(by: distance.x)
    y.shift(by: distance.y)
  }
}

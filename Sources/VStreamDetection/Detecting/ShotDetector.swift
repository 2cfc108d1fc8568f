package import VStreamCore
internal import VStreamInference
package import VStreamMedia
internal import VStreamTracking

/// Numbers the shots of a stream, the sequences of frames without a cut.
///
/// A frame begins a shot if it shares less texture with the frame before than usual. Camera motion, large moving objects and changes
/// of the exposure leave the texture. A shot whose picture returns within a second, as after a flash or damage, goes on.
///
/// One owner at a time, its frames in their order.
package struct ShotDetector {
  /// The number of the shot of the last frame, from 0.
  package private(set) var shot = 0
  private var highest = 0
  private var grid = BrightnessGrid()
  private var last: (picture: Picture, time: Double)?
  /// The recent similarity of consecutive frames.
  private var usual = Rule.firstUsual
  private var start = -Double.infinity
  /// Whether the last two frames differed like two shots.
  private var wasDifferent = false
  /// The last picture of an interrupted shot, and its usual similarity.
  private var left: (picture: Picture, shot: Int, time: Double, usual: Double)?

  private enum Rule {
    /// The least similarity within a shot, as a fraction of the usual one, in still and in moving pictures.
    static let stillFraction = 0.66
    static let movingFraction = 0.5
    /// The usual similarity of a still picture.
    static let still = 0.85
    static let firstUsual = 0.75
    /// The most seconds of an interruption.
    static let longestInterruption = 1.0
    /// Seconds of a shot that interrupts no other one.
    static let shortestShot = CoverageLookBack.longestInterruption
  }

  package init() {}

  /// The shot of the next frame.
  ///
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  package mutating func next(_ frame: VideoFrame) throws(VStreamError) -> Int {
    if try grid.read(frame) { restart() }
    let (picture, time) = (Picture(grid), frame.time.seconds)
    if let last { compare(picture, with: last, at: time) }
    last = (picture, time)
    return shot
  }

  /// Compares the next frame with none: it belongs to the same shot.
  package mutating func restart() { (last, left, usual, wasDifferent) = (nil, nil, Rule.firstUsual, false) }

  private mutating func compare(_ picture: Picture, with last: (picture: Picture, time: Double), at time: Double) {
    if let left, time - left.time > Rule.longestInterruption || time < left.time { self.left = nil }
    if let left,
      left.picture.similarity(to: picture, sufficient: Self.threshold(left.usual)) >= Self.threshold(left.usual)
    {
      (shot, usual, self.left, wasDifferent) = (left.shot, left.usual, nil, true)
      return
    }
    let threshold = Self.threshold(usual)
    let similarity = last.picture.similarity(to: picture, sufficient: threshold)
    let isDifferent = similarity < threshold
    defer { wasDifferent = isDifferent }
    // In noise, or with a spinning camera, every frame differs from the next.
    guard isDifferent, !wasDifferent else {
      usual += (similarity - usual) / 2
      return
    }
    if left == nil || time - start >= Rule.shortestShot { left = (last.picture, shot, last.time, usual) }
    highest += 1
    (shot, usual, start) = (highest, Rule.firstUsual, time)
  }

  /// The least similarity within a shot.
  private static func threshold(_ usual: Double) -> Double {
    usual * (usual > Rule.still ? Rule.stillFraction : Rule.movingFraction)
  }
}

/// The brightness of a frame's cells, for template matching.
private struct Picture {
  private let size: PixelSize
  private let values: [Float]
  /// Eight cells from each cell on.
  private let rows: [SIMD8<Float>]

  /// The side of a part and the radius of its first search, in cells.
  private static let side = 8
  private static let reach = 3
  /// The longest shared motion, in fractions of the picture, and the step of its search, in cells.
  private static let longestMotion = 0.3
  private static let motionStep = 3
  /// The least fraction of the parts with a shared motion.
  private static let leastMoving = 0.1
  private static let mostMotions = 3
  /// The least correlation of equal parts, and of parts at a coarse position.
  private static let sameCorrelation: Float = 0.8
  private static let nearCorrelation: Float = 0.6
  /// The least standard deviation of texture, and the largest difference of equal parts without correlation, in levels.
  private static let leastDeviation: Float = 5
  private static let leastDifference: Float = 16
  /// The brightness of a saturated part.
  private static let saturated: Float = 250
  /// The least fraction of parts with texture in a comparison; without it, the change of the mean that is a cut, in levels.
  private static let leastTexture = 0.05
  private static let leastChange: Float = 40

  init(_ grid: BrightnessGrid) {
    size = grid.size
    let values = (0..<size.width * size.height).map { grid.values[$0 / 8][$0 % 8] }
    self.values = values
    rows = (0..<max(0, values.count - 7)).map { first in
      var row = SIMD8<Float>.zero
      for lane in 0..<8 { row[lane] = values[first + lane] }
      return row
    }
  }

  private var mean: Float { values.reduce(0, +) / Float(max(1, values.count)) }

  /// The fraction of the parts with texture that both pictures share, 0…1: in place, nearby, or displaced by a shared motion.
  ///
  /// - Parameter sufficient: the similarity that ends the search.
  func similarity(to other: Picture, sufficient: Double) -> Double {
    guard size == other.size else { return 1 }
    let (there, back) = (parts, other.parts)
    let all = Double(max(1, size.width / Self.side * (size.height / Self.side)))
    func fraction(_ parts: [Part], foundIn picture: Picture) -> Double? {
      let parts = parts.filter { picture.part($0.x, $0.y).mean < Self.saturated }
      guard Double(parts.count) >= Self.leastTexture * all else { return nil }
      let unfound = picture.unfound(parts, sufficient: max(sufficient, 0.7))
      return 1 - Double(unfound.count) / Double(parts.count)
    }
    let fractions = [fraction(there, foundIn: other), fraction(back, foundIn: self)].compactMap(\.self)
    return fractions.min() ?? (abs(mean - other.mean) < Self.leastChange ? 1 : 0)
  }

  /// The parts of another picture without a match in this one.
  private func unfound(_ parts: [Part], sufficient: Double) -> [Part] {
    func isEnough(_ unfound: [Part]) -> Bool { Double(parts.count - unfound.count) >= sufficient * Double(parts.count) }
    var unfound = parts.filter { !shows($0, (0, 0), isSamePlace: true) }
    if isEnough(unfound) { return unfound }
    unfound = unfound.filter { !isNear($0, (0, 0)) }
    for _ in 0..<Self.mostMotions where !isEnough(unfound) {
      guard let motion = motion(of: unfound, least: Self.leastMoving * Double(parts.count)) else { break }
      unfound = unfound.filter { !isNear($0, motion) }
    }
    return unfound
  }

  private func isNear(_ part: Part, _ motion: (x: Int, y: Int)) -> Bool {
    for y in -Self.reach...Self.reach {
      for x in -Self.reach...Self.reach where shows(part, (motion.x + x, motion.y + y)) { return true }
    }
    return false
  }

  /// The motion shared by the most parts of another picture; `nil` if it is shared by fewer than `least`.
  private func motion(of parts: [Part], least: Double) -> (x: Int, y: Int)? {
    var best: (count: Int, x: Int, y: Int) = (0, 0, 0)
    let (across, down) = (Int(Self.longestMotion * Double(size.width)), Int(Self.longestMotion * Double(size.height)))
    for y in stride(from: -down, through: down, by: Self.motionStep) {
      for x in stride(from: -across, through: across, by: Self.motionStep) {
        let count = parts.count { shows($0, (x, y), correlation: Self.nearCorrelation) }
        if count > best.count { best = (count, x, y) }
      }
    }
    return Double(best.count) >= least ? (best.x, best.y) : nil
  }

  /// A part of a picture with texture, less its mean.
  private struct Part {
    let x: Int
    let y: Int
    var rows: [8 of SIMD8<Float>]
    var mean: Float
    var deviation: Float
  }

  private var parts: [Part] {
    var parts: [Part] = []
    for y in stride(from: 0, through: size.height - Self.side, by: Self.side) {
      for x in stride(from: 0, through: size.width - Self.side, by: Self.side) {
        let part = part(x, y)
        if part.deviation > Self.leastDeviation { parts.append(part) }
      }
    }
    return parts
  }

  private func part(_ x: Int, _ y: Int) -> Part {
    var rows = [8 of SIMD8<Float>](repeating: .zero)
    var sum = SIMD8<Float>.zero
    for row in 0..<Self.side {
      rows[row] = self.rows[(y + row) * size.width + x]
      sum += rows[row]
    }
    let mean = sum.sum() / Float(Self.side * Self.side)
    var squares = SIMD8<Float>.zero
    for row in 0..<Self.side {
      rows[row] -= mean
      squares += rows[row] * rows[row]
    }
    let deviation = (squares.sum() / Float(Self.side * Self.side)).squareRoot()
    return Part(x: x, y: y, rows: rows, mean: mean, deviation: deviation)
  }

  /// Whether a part of another picture is in this one, moved.
  private func shows(
    _ part: Part, _ motion: (x: Int, y: Int), correlation: Float = Picture.sameCorrelation, isSamePlace: Bool = false
  ) -> Bool {
    let (x, y) = (part.x + motion.x, part.y + motion.y)
    guard x >= 0, y >= 0, x + Self.side <= size.width, y + Self.side <= size.height else { return false }
    let own = self.part(x, y)
    var (products, differences) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    for row in 0..<Self.side { products += part.rows[row] * own.rows[row] }
    let count = Float(Self.side * Self.side)
    if products.sum() / count > correlation * part.deviation * own.deviation { return true }
    guard isSamePlace else { return false }
    for row in 0..<Self.side {
      let difference = part.rows[row] - own.rows[row] + (part.mean - own.mean)
      differences += difference.replacing(with: -difference, where: difference .< 0)
    }
    return differences.sum() / count < Self.leastDifference
  }
}

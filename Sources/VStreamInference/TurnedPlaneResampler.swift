internal import VStreamMedia
internal import VStreamScene

/// Samples a rectangle that stands askew in one component of a frame: each target sample is made of the four source
/// samples around its centre. Positions are as in `PlaneResampler`; past the frame's edge, the edge counts.
struct TurnedPlaneResampler {
  /// Target height × width values as they are stored in the plane.
  private(set) var result: [Float]

  init(target: PixelSize) { result = [Float](repeating: 0, count: target.width * target.height) }

  /// - Parameter region: pixels of the frame.
  mutating func run(
    _ planes: borrowing VideoFrame.Planes, _ component: PixelLayout.Component, region: RotatedBox, target: PixelSize
  ) {
    guard let base = planes.bases[component.plane] else { return }
    let first = base.advanced(by: component.offset)
    let walk = Walk(component, frame: planes.size, region: region, target: target)
    let stride = planes.strides[component.plane]
    result.withUnsafeMutableBufferPointer { result in
      if component.depth + component.shift > 8 {
        walk.run(UInt16.self, first, component, stride: stride, into: result)
      } else {
        walk.run(UInt8.self, first, component, stride: stride, into: result)
      }
    }
  }
}

/// The way over a component's samples from one target sample to the next, in fractions of 2⁻²⁴ of a sample.
private struct Walk {
  private static let bits = 24
  private static let one = Double(1 << bits)

  private let target: PixelSize
  /// Of the component's plane.
  private let width: Int
  private let height: Int
  /// Where the first target sample's centre lies, and how far it is to the next in its row and in its column.
  private let start: (x: Int, y: Int)
  private let across: (x: Int, y: Int)
  private let down: (x: Int, y: Int)

  init(_ component: PixelLayout.Component, frame: PixelSize, region: RotatedBox, target: PixelSize) {
    self.target = target
    width = (frame.width + (1 << component.shiftX) - 1) >> component.shiftX
    height = (frame.height + (1 << component.shiftY) - 1) >> component.shiftY
    let (stepX, stepY) = (1 / Double(target.width), 1 / Double(target.height))
    let spacing = (x: Double(1 << component.shiftX), y: Double(1 << component.shiftY))
    func place(_ column: Double, _ row: Double) -> (x: Double, y: Double) {
      let point = region.point(across: (column + 0.5) * stepX, down: (row + 0.5) * stepY)
      return (point.x / spacing.x - 0.5, point.y / spacing.y - 0.5)
    }
    let (first, right, below) = (place(0, 0), place(1, 0), place(0, 1))
    start = (Int(first.x * Self.one), Int(first.y * Self.one))
    across = (Int((right.x - first.x) * Self.one), Int((right.y - first.y) * Self.one))
    down = (Int((below.x - first.x) * Self.one), Int((below.y - first.y) * Self.one))
  }

  @inline(__always)
  func run<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeMutableRawPointer, _ component: PixelLayout.Component, stride: Int,
    into result: UnsafeMutableBufferPointer<Float>
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let unshift = 1 / Float(1 << component.shift)
    let count = target.width
    for row in 0..<target.height {
      let x = start.x &+ row &* down.x
      let y = start.y &+ row &* down.y
      let line = UnsafeMutableBufferPointer(rebasing: result[(row * count)..<((row + 1) * count)])
      // Most rows lie wholly inside, and need not look for the edge.
      if contains(x, y), contains(x &+ (count - 1) &* across.x, y &+ (count - 1) &* across.y) {
        for column in line.indices {
          let (left, top) = (x &+ column &* across.x, y &+ column &* across.y)
          let upper = base.advanced(by: (top >> Self.bits) &* stride).assumingMemoryBound(to: Sample.self)
            .advanced(by: (left >> Self.bits) &* step)
          let lower = UnsafeRawPointer(upper).advanced(by: stride).assumingMemoryBound(to: Sample.self)
          line[column] = Self.mean(upper[0], upper[step], lower[0], lower[step], left, top) * unshift
        }
      } else {
        for column in line.indices {
          let (left, top) = (x &+ column &* across.x, y &+ column &* across.y)
          let (first, second) = (
            clamped(left >> Self.bits, width) &* step, clamped(left >> Self.bits &+ 1, width) &* step
          )
          let upper = base.advanced(by: clamped(top >> Self.bits, height) &* stride)
            .assumingMemoryBound(to: Sample.self)
          let lower = base.advanced(by: clamped(top >> Self.bits &+ 1, height) &* stride)
            .assumingMemoryBound(to: Sample.self)
          line[column] = Self.mean(upper[first], upper[second], lower[first], lower[second], left, top) * unshift
        }
      }
    }
  }

  /// The mean of four samples, weighted by how near a place lies to each.
  @inline(__always)
  private static func mean<Sample: FixedWidthInteger & UnsignedInteger>(
    _ upperLeft: Sample, _ upperRight: Sample, _ lowerLeft: Sample, _ lowerRight: Sample, _ x: Int, _ y: Int
  ) -> Float {
    func number(_ sample: Sample) -> Float { Float(Int32(truncatingIfNeeded: sample)) }
    let (shareX, shareY) = (fraction(x), fraction(y))
    let above = number(upperLeft) + (number(upperRight) - number(upperLeft)) * shareX
    let under = number(lowerLeft) + (number(lowerRight) - number(lowerLeft)) * shareX
    return above + (under - above) * shareY
  }

  /// Whether all four samples around a place are the plane's. What holds for both ends of a row holds between them.
  private func contains(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x >> Self.bits < width - 1 && y >> Self.bits < height - 1
  }

  @inline(__always)
  private func clamped(_ index: Int, _ count: Int) -> Int { min(max(index, 0), count &- 1) }

  @inline(__always)
  private static func fraction(_ position: Int) -> Float {
    Float(Int32(truncatingIfNeeded: position & ((1 << bits) - 1))) * (1 / Float(1 << bits))
  }
}

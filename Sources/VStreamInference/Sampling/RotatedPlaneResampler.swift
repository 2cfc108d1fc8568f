internal import VStreamMedia
internal import VStreamScene

/// Samples a rectangle, which may stand askew, in one component of a frame: each target sample is made of the four source
/// samples around its centre. Positions are as in `PlaneResampler`; past the frame's edge, the edge counts.
struct RotatedPlaneResampler {
  /// Target height × width values as they are stored in the plane.
  private(set) var result: [Float]
  /// Of an upright rectangle: between which samples of any row each column lies.
  private var columns: [Column] = []

  init(target: PixelSize) { result = [Float](repeating: 0, count: target.width * target.height) }

  /// A place between two samples of a row, both in the frame.
  fileprivate struct Column {
    let left: Int32
    /// How much of the right sample it is made of.
    let share: Float
  }

  /// - Parameter region: pixels of the frame.
  mutating func run(
    _ planes: borrowing VideoFrame.Planes, _ component: PixelLayout.Component, region: RotatedBox, target: PixelSize
  ) {
    guard let base = planes.bases[component.plane] else { return }
    let first = base.advanced(by: component.offset)
    let walk = Walk(component, frame: planes.size, region: region, target: target)
    let stride = planes.strides[component.plane]
    if walk.isUpright, component.depth + component.shift <= 8, component.step == 1, walk.hasTwoColumns {
      walk.setColumns(&columns)
      return result.withUnsafeMutableBufferPointer { result in
        walk.runUpright(first, columns, unshift: 1 / Float(1 << component.shift), stride: stride, into: result)
      }
    }
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

  /// Whether rows of the target lie in rows of the plane, all alike.
  var isUpright: Bool { across.y == 0 && down.x == 0 }

  var hasTwoColumns: Bool { width > 1 }

  /// Between which samples of a row each column of an upright target lies.
  func setColumns(_ columns: inout [RotatedPlaneResampler.Column]) {
    columns.removeAll(keepingCapacity: true)
    for column in 0..<target.width {
      let x = start.x &+ column &* across.x
      let left = x >> Self.bits
      // Past the edge, its own sample is all.
      let share: Float = left < 0 ? 0 : left > width - 2 ? 1 : Self.fraction(x)
      columns.append(RotatedPlaneResampler.Column(left: Int32(clamped(left, width - 1)), share: share))
    }
  }

  /// Bytes side by side of an upright target, eight at a time. The columns have both their samples in the plane, and rows
  /// are kept in it here, so that no sample need look for an edge.
  func runUpright(
    _ base: UnsafeRawPointer, _ columns: [RotatedPlaneResampler.Column], unshift: Float, stride: Int,
    into result: UnsafeMutableBufferPointer<Float>
  ) {
    let count = target.width
    columns.withUnsafeBufferPointer { columns in
      for row in 0..<target.height {
        let y = start.y &+ row &* down.y
        let upper = base.advanced(by: clamped(y >> Self.bits, height) &* stride)
        let lower = base.advanced(by: clamped(y >> Self.bits &+ 1, height) &* stride)
        let share = Self.fraction(y)
        let line = row &* count
        for first in Swift.stride(from: 0, to: count & ~7, by: 8) {
          @inline(__always)
          func place(_ lane: Int) -> UnsafeRawPointer { upper.advanced(by: Int(columns[first &+ lane].left)) }
          let places = (place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7))
          var shares = SIMD8<Float>()
          for lane in 0..<8 { shares[lane] = columns[first &+ lane].share }
          let above = Self.pairs(places, at: 0)
          let under = Self.pairs(places, at: lower - upper)
          let left = above.left + (under.left - above.left) * share
          let right = above.right + (under.right - above.right) * share
          let mean = (left + (right - left) * shares) * unshift
          for lane in 0..<8 { result[line &+ first &+ lane] = mean[lane] }
        }
        for column in (count & ~7)..<count {
          let place = columns[column]
          let above = upper.advanced(by: Int(place.left)).assumingMemoryBound(to: UInt8.self)
          let under = lower.advanced(by: Int(place.left)).assumingMemoryBound(to: UInt8.self)
          let left = Float(above[0]) + (Float(under[0]) - Float(above[0])) * share
          let right = Float(above[1]) + (Float(under[1]) - Float(above[1])) * share
          result[line &+ column] = (left + (right - left) * place.share) * unshift
        }
      }
    }
  }

  @inline(__always)
  func run<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeRawPointer, _ component: PixelLayout.Component, stride: Int,
    into result: UnsafeMutableBufferPointer<Float>
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let unshift = 1 / Float(1 << component.shift)
    let count = target.width
    for row in 0..<target.height {
      let x = start.x &+ row &* down.x
      let y = start.y &+ row &* down.y
      let line = UnsafeMutableBufferPointer(rebasing: result[(row * count)..<((row + 1) * count)])
      let inside = columnsInside(x, y)
      for column in 0..<inside.lowerBound { line[column] = atEdge(column) * unshift }
      let done =
        step == 1 && Sample.self == UInt8.self ? runByEights(base, stride: stride, x, y, inside, into: line) : 0
      for column in (inside.lowerBound + done)..<inside.upperBound {
        let (left, top) = (x &+ column &* across.x, y &+ column &* across.y)
        let upper = base.advanced(by: (top >> Self.bits) &* stride).assumingMemoryBound(to: Sample.self)
          .advanced(by: (left >> Self.bits) &* step)
        let lower = UnsafeRawPointer(upper).advanced(by: stride).assumingMemoryBound(to: Sample.self)
        line[column] = Self.mean(upper[0], upper[step], lower[0], lower[step], left, top) * unshift
      }
      for column in inside.upperBound..<count { line[column] = atEdge(column) * unshift }

      func atEdge(_ column: Int) -> Float {
        let (left, top) = (x &+ column &* across.x, y &+ column &* across.y)
        let (first, second) = (
          clamped(left >> Self.bits, width) &* step, clamped(left >> Self.bits &+ 1, width) &* step
        )
        let upper = base.advanced(by: clamped(top >> Self.bits, height) &* stride)
          .assumingMemoryBound(to: Sample.self)
        let lower = base.advanced(by: clamped(top >> Self.bits &+ 1, height) &* stride)
          .assumingMemoryBound(to: Sample.self)
        return Self.mean(upper[first], upper[second], lower[first], lower[second], left, top)
      }
    }
  }

  /// The samples of a row that need not look for the frame's edge: in one piece, as a row is straight.
  private func columnsInside(_ x: Int, _ y: Int) -> Range<Int> {
    func isInside(_ column: Int) -> Bool { contains(x &+ column &* across.x, y &+ column &* across.y) }
    guard let first = (0..<target.width).first(where: isInside),
      let last = (first..<target.width).last(where: isInside)
    else { return 0..<0 }
    return first..<(last + 1)
  }

  /// Eight samples of a row at a time, of bytes side by side.
  ///
  /// - Parameter columns: those inside the frame.
  /// - Returns: how many of them were made: all, less a remainder that does not make eight.
  @inline(__always)
  private func runByEights(
    _ base: UnsafeRawPointer, stride: Int, _ x: Int, _ y: Int, _ columns: Range<Int>,
    into line: UnsafeMutableBufferPointer<Float>
  ) -> Int {
    let lanes = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
    // The fractions are in the lower bits, which are right even where the whole does not fit.
    let stepsX = lanes &* Int32(truncatingIfNeeded: across.x)
    let stepsY = lanes &* Int32(truncatingIfNeeded: across.y)
    let count = columns.count & ~7
    for first in Swift.stride(from: columns.lowerBound, to: columns.lowerBound + count, by: 8) {
      let (left, top) = (x &+ first &* across.x, y &+ first &* across.y)
      @inline(__always)
      func place(_ lane: Int) -> UnsafeRawPointer {
        base.advanced(
          by: (top &+ lane &* across.y) >> Self.bits &* stride &+ (left &+ lane &* across.x) >> Self.bits)
      }
      let places = (place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7))
      let above = Self.pairs(places, at: 0)
      let under = Self.pairs(places, at: stride)
      let shareX = Self.fractions(SIMD8(repeating: Int32(truncatingIfNeeded: left)) &+ stepsX)
      let shareY = Self.fractions(SIMD8(repeating: Int32(truncatingIfNeeded: top)) &+ stepsY)
      let upper = above.left + (above.right - above.left) * shareX
      let lower = under.left + (under.right - under.left) * shareX
      let mean = upper + (lower - upper) * shareY
      for lane in 0..<8 { line[first &+ lane] = mean[lane] }
    }
    return count
  }

  private typealias EightPlaces = (
    UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer,
    UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer
  )

  /// The byte at an offset from each place, and the one to its right.
  @inline(__always)
  private static func pairs(_ places: EightPlaces, at offset: Int) -> (left: SIMD8<Float>, right: SIMD8<Float>) {
    @inline(__always)
    func pair(_ place: UnsafeRawPointer) -> UInt16 {
      UInt16(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    let pairs = SIMD8(
      pair(places.0), pair(places.1), pair(places.2), pair(places.3), pair(places.4), pair(places.5), pair(places.6),
      pair(places.7))
    return (floats(pairs & 0xFF), floats(pairs &>> 8))
  }

  @inline(__always)
  private static func floats(_ numbers: SIMD8<UInt16>) -> SIMD8<Float> {
    SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: numbers))
  }

  @inline(__always)
  private static func fractions(_ positions: SIMD8<Int32>) -> SIMD8<Float> {
    SIMD8<Float>(positions & Int32((1 << bits) - 1)) * (1 / Float(1 << bits))
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

  /// Whether all four samples around a place are the plane's.
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

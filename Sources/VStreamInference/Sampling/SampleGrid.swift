internal import VStreamCore
internal import VStreamMedia

/// The positions of target samples in a component's plane, in fixed point with 24 fractional bits.
struct SampleGrid {
  static let bits = 24
  private static let one = Double(1 << bits)

  let target: PixelSize
  /// Size of the component's plane, in samples.
  let width: Int
  let height: Int
  /// The first target sample's centre, and the steps to the next sample in its row and in its column.
  let start: (x: Int, y: Int)
  let across: (x: Int, y: Int)
  let down: (x: Int, y: Int)

  init(_ component: PixelLayout.Component, frame: PixelSize, region: RotatedBox, target: PixelSize) {
    self.target = target
    width = (frame.width + (1 << component.shiftX) - 1) >> component.shiftX
    height = (frame.height + (1 << component.shiftY) - 1) >> component.shiftY
    let (stepX, stepY) = (1 / Double(target.width), 1 / Double(target.height))
    let spacing = (x: Double(1 << component.shiftX), y: Double(1 << component.shiftY))
    func position(_ column: Double, _ row: Double) -> (x: Double, y: Double) {
      let point = region.point(across: (column + 0.5) * stepX, down: (row + 0.5) * stepY)
      return (point.x / spacing.x - 0.5, point.y / spacing.y - 0.5)
    }
    let (first, right, below) = (position(0, 0), position(1, 0), position(0, 1))
    start = (Int(first.x * Self.one), Int(first.y * Self.one))
    across = (Int((right.x - first.x) * Self.one), Int((right.y - first.y) * Self.one))
    down = (Int((below.x - first.x) * Self.one), Int((below.y - first.y) * Self.one))
  }

  /// Whether the target's rows are parallel to the plane's.
  var isUpright: Bool { across.y == 0 && down.x == 0 }

  var hasTwoColumns: Bool { width > 1 }

  /// The columns of a target row whose four source samples all lie in the plane; contiguous, as a row is a straight line.
  ///
  /// - Parameters: the position of the row's first sample.
  func columnsInside(_ x: Int, _ y: Int) -> Range<Int> {
    func isInside(_ column: Int) -> Bool { contains(x &+ column &* across.x, y &+ column &* across.y) }
    guard let first = (0..<target.width).first(where: isInside),
      let last = (first..<target.width).last(where: isInside)
    else { return 0..<0 }
    return first..<(last + 1)
  }

  /// Whether all four samples around a position lie in the plane.
  private func contains(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x >> Self.bits < width - 1 && y >> Self.bits < height - 1
  }

  @inline(__always)
  func clamped(_ index: Int, _ count: Int) -> Int { min(max(index, 0), count &- 1) }

  @inline(__always)
  static func fraction(_ position: Int) -> Float {
    Float(Int32(truncatingIfNeeded: position & ((1 << bits) - 1))) * (1 / Float(1 << bits))
  }

  /// The same, of eight positions.
  @inline(__always)
  static func fractions(_ positions: SIMD8<Int32>) -> SIMD8<Float> {
    SIMD8<Float>(positions & Int32((1 << bits) - 1)) * (1 / Float(1 << bits))
  }
}

/// The addresses of eight bytes.
typealias EightAddresses = (
  UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer,
  UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer
)

extension SampleGrid {
  /// The bytes at an offset from each address, and the bytes to their right.
  @inline(__always)
  static func pairs(_ addresses: EightAddresses, at offset: Int) -> (left: SIMD8<Float>, right: SIMD8<Float>) {
    @inline(__always)
    func pair(_ address: UnsafeRawPointer) -> UInt16 {
      UInt16(littleEndian: address.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    let pairs = SIMD8(
      pair(addresses.0), pair(addresses.1), pair(addresses.2), pair(addresses.3), pair(addresses.4),
      pair(addresses.5), pair(addresses.6), pair(addresses.7))
    return (floats(pairs & 0xFF), floats(pairs &>> 8))
  }

  @inline(__always)
  private static func floats(_ values: SIMD8<UInt16>) -> SIMD8<Float> {
    SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: values))
  }
}

extension SampleGrid {
  /// The positions of the columns of an upright target.
  func setColumns(_ columns: inout [SampleColumn]) {
    columns.removeAll(keepingCapacity: true)
    for column in 0..<target.width {
      let x = start.x &+ column &* across.x
      let left = x >> Self.bits
      // Beyond the edge, only the edge's own sample has weight.
      let fraction: Float = left < 0 ? 0 : left > width - 2 ? 1 : Self.fraction(x)
      columns.append(SampleColumn(left: Int32(clamped(left, width - 1)), fraction: fraction))
    }
  }

  /// Interpolates adjacent bytes for an upright target, eight at a time.
  ///
  /// Both samples of each column lie in the plane, and rows are clamped to it here, so that no sample needs a test.
  func interpolateUpright(
    _ base: UnsafeRawPointer, _ columns: [SampleColumn], unshift: Float, stride: Int,
    into result: UnsafeMutableBufferPointer<Float>
  ) {
    let count = target.width
    columns.withUnsafeBufferPointer { columns in
      for row in 0..<target.height {
        let y = start.y &+ row &* down.y
        let upper = base.advanced(by: clamped(y >> Self.bits, height) &* stride)
        let lower = base.advanced(by: clamped(y >> Self.bits &+ 1, height) &* stride)
        let fractionY = Self.fraction(y)
        let line = row &* count
        for first in Swift.stride(from: 0, to: count & ~7, by: 8) {
          @inline(__always)
          func address(_ lane: Int) -> UnsafeRawPointer { upper.advanced(by: Int(columns[first &+ lane].left)) }
          let addresses = (
            address(0), address(1), address(2), address(3), address(4), address(5), address(6), address(7)
          )
          var fractions = SIMD8<Float>()
          for lane in 0..<8 { fractions[lane] = columns[first &+ lane].fraction }
          let above = Self.pairs(addresses, at: 0)
          let under = Self.pairs(addresses, at: lower - upper)
          let left = above.left + (under.left - above.left) * fractionY
          let right = above.right + (under.right - above.right) * fractionY
          let mean = (left + (right - left) * fractions) * unshift
          for lane in 0..<8 { result[line &+ first &+ lane] = mean[lane] }
        }
        for index in (count & ~7)..<count {
          let column = columns[index]
          let above = upper.advanced(by: Int(column.left)).assumingMemoryBound(to: UInt8.self)
          let under = lower.advanced(by: Int(column.left)).assumingMemoryBound(to: UInt8.self)
          let left = Float(above[0]) + (Float(under[0]) - Float(above[0])) * fractionY
          let right = Float(above[1]) + (Float(under[1]) - Float(above[1])) * fractionY
          result[line &+ index] = (left + (right - left) * column.fraction) * unshift
        }
      }
    }
  }
}

extension SampleGrid {
  /// Interpolates samples of any size and spacing, for any rotation.
  @inline(__always)
  func interpolate<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeRawPointer, _ component: PixelLayout.Component, stride: Int,
    into result: UnsafeMutableBufferPointer<Float>
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let unshift = 1 / Float(1 << component.shift)
    let count = target.width
    let isBytes = step == 1 && Sample.self == UInt8.self
    for row in 0..<target.height {
      let x = start.x &+ row &* down.x
      let y = start.y &+ row &* down.y
      let line = UnsafeMutableBufferPointer(rebasing: result[(row * count)..<((row + 1) * count)])
      let inside = columnsInside(x, y)
      for column in 0..<inside.lowerBound { line[column] = atEdge(column) * unshift }
      let done = isBytes ? interpolateByEights(base, stride: stride, x, y, inside, into: line) : 0
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

  /// Interpolates adjacent bytes, eight target samples of a row at a time.
  ///
  /// - Parameters:
  ///   - x, y: the position of the row's first sample.
  ///   - columns: those inside the frame.
  /// - Returns: how many of them are done; less than eight remain.
  @inline(__always)
  private func interpolateByEights(
    _ base: UnsafeRawPointer, stride: Int, _ x: Int, _ y: Int, _ columns: Range<Int>,
    into line: UnsafeMutableBufferPointer<Float>
  ) -> Int {
    let lanes = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
    // Only the fractional bits are used, and 32 bits hold them even where the whole position overflows.
    let stepsX = lanes &* Int32(truncatingIfNeeded: across.x)
    let stepsY = lanes &* Int32(truncatingIfNeeded: across.y)
    let count = columns.count & ~7
    for first in Swift.stride(from: columns.lowerBound, to: columns.lowerBound + count, by: 8) {
      let (left, top) = (x &+ first &* across.x, y &+ first &* across.y)
      @inline(__always)
      func address(_ lane: Int) -> UnsafeRawPointer {
        base.advanced(
          by: (top &+ lane &* across.y) >> Self.bits &* stride &+ (left &+ lane &* across.x) >> Self.bits)
      }
      let addresses = (
        address(0), address(1), address(2), address(3), address(4), address(5), address(6), address(7)
      )
      let above = Self.pairs(addresses, at: 0)
      let under = Self.pairs(addresses, at: stride)
      let fractionX = Self.fractions(SIMD8(repeating: Int32(truncatingIfNeeded: left)) &+ stepsX)
      let fractionY = Self.fractions(SIMD8(repeating: Int32(truncatingIfNeeded: top)) &+ stepsY)
      let upper = above.left + (above.right - above.left) * fractionX
      let lower = under.left + (under.right - under.left) * fractionX
      let mean = upper + (lower - upper) * fractionY
      for lane in 0..<8 { line[first &+ lane] = mean[lane] }
    }
    return count
  }

  /// The mean of four samples, weighted by a position's distances to them.
  @inline(__always)
  private static func mean<Sample: FixedWidthInteger & UnsignedInteger>(
    _ upperLeft: Sample, _ upperRight: Sample, _ lowerLeft: Sample, _ lowerRight: Sample, _ x: Int, _ y: Int
  ) -> Float {
    func float(_ sample: Sample) -> Float { Float(Int32(truncatingIfNeeded: sample)) }
    let (fractionX, fractionY) = (fraction(x), fraction(y))
    let above = float(upperLeft) + (float(upperRight) - float(upperLeft)) * fractionX
    let under = float(lowerLeft) + (float(lowerRight) - float(lowerLeft)) * fractionX
    return above + (under - above) * fractionY
  }
}

internal import VStreamCore
internal import VStreamMedia

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

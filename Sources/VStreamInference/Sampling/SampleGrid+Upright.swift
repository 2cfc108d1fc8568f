internal import VStreamCore

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

internal import VStreamCore
internal import VStreamMedia

/// The planes of a frame for drawing. Valid only inside `withMutablePlanes`.
struct Canvas: ~Copyable {
  private let layout: PixelLayout
  private let bases: InlineArray<4, UnsafeMutableRawPointer?>
  private let strides: InlineArray<4, Int>
  let size: PixelSize

  init(_ planes: borrowing VideoFrame.MutablePlanes, layout: PixelLayout) {
    self.layout = layout
    bases = planes.bases
    strides = planes.strides
    size = planes.size
  }

  var chromaShiftX: Int { layout.chromaShiftX }
  var chromaShiftY: Int { layout.chromaShiftY }

  /// Blends a colour into every plane where the mask covers it.
  ///
  /// - Parameter opacity: 0…256; 256 replaces fully covered samples.
  func paint(_ mask: borrowing Mask, _ color: StoredColor, opacity: Int32 = 256) {
    mask.coverage.withUnsafeBufferPointer { coverage in
      for (index, component) in layout.components.enumerated() {
        guard let base = bases[component.plane] else { continue }
        let first = base.advanced(by: component.offset)
        if layout.bytesPerSample == 2 {
          blend(UInt16.self, first, component, coverage, mask, color.values[index], opacity)
        } else {
          blend(UInt8.self, first, component, coverage, mask, color.values[index], opacity)
        }
      }
    }
  }

  /// Blends one component. A mask lies inside the frame and starts on the chroma grid, so all its samples lie inside the
  /// plane.
  private func blend<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeMutableRawPointer, _ component: PixelLayout.Component,
    _ coverage: UnsafeBufferPointer<UInt8>, _ mask: borrowing Mask, _ value: Int32, _ opacity: Int32
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let stride = strides[component.plane]
    let (shiftX, shiftY) = (component.shiftX, component.shiftY)
    let columns = (mask.width + (1 << shiftX) - 1) >> shiftX
    let rows = (mask.height + (1 << shiftY) - 1) >> shiftY
    for row in 0..<rows {
      let start = base.advanced(by: ((mask.top >> shiftY) + row) * stride)
      let line = start.assumingMemoryBound(to: Sample.self)
      let blendedCount =
        Sample.self == UInt8.self && component.step == 1
        ? blendVectors(start.advanced(by: mask.left >> shiftX), row, shiftX, shiftY, coverage, mask, value, opacity)
        : 0
      for column in blendedCount..<max(blendedCount, columns) {
        let covered = Self.coverage(coverage, mask, column, row, shiftX, shiftY)
        if covered == 0 { continue }
        let at = ((mask.left >> shiftX) + column) * step
        let old = Int32(truncatingIfNeeded: line[at])
        // Coverage 0…255 becomes a weight 0…256, so that full coverage gives the colour itself.
        let weight = ((covered + (covered >> 7)) * opacity) >> 8
        line[at] = Sample(truncatingIfNeeded: old + (((value - old) * weight + 128) >> 8))
      }
    }
  }

  /// Blends a row of bytes in vectors of 16 pixels of the mask, with the same result as sample by sample. Values beyond the
  /// mask's width are not covered, and remain unchanged.
  ///
  /// - Returns: the number of samples blended.
  private func blendVectors(
    _ line: UnsafeMutableRawPointer, _ row: Int, _ shiftX: Int, _ shiftY: Int, _ coverage: UnsafeBufferPointer<UInt8>,
    _ mask: borrowing Mask, _ value: Int32, _ opacity: Int32
  ) -> Int {
    let hasRows = (row + 1) << shiftY <= mask.height
    guard hasRows, shiftX == shiftY, shiftX < 2, let values = UnsafeRawPointer(coverage.baseAddress) else { return 0 }
    // Up to the last 16 pixels inside the frame; at the edge of an odd-sized frame a chroma sample has fewer pixels.
    let end = min(mask.stride, (size.width - mask.left) & ~15)
    for pixel in stride(from: 0, to: end, by: 16) {
      // Unaligned loads and stores; 16 pixels lie inside a row of the mask and inside the plane.
      let upper = values.loadUnaligned(fromByteOffset: (row << shiftY) * mask.stride + pixel, as: SIMD16<UInt8>.self)
      if shiftX == 0 {
        if upper.max() == 0 { continue }
        let old = line.loadUnaligned(fromByteOffset: pixel, as: SIMD16<UInt8>.self)
        let covered = SIMD16<UInt16>(truncatingIfNeeded: upper)
        let new = Self.blended(SIMD16(truncatingIfNeeded: old), covered, UInt16(value), UInt16(opacity))
        line.storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: new), toByteOffset: pixel, as: SIMD16<UInt8>.self)
      } else {
        let lower = values.loadUnaligned(fromByteOffset: (row * 2 + 1) * mask.stride + pixel, as: SIMD16<UInt8>.self)
        let sums = SIMD16<UInt16>(truncatingIfNeeded: upper) &+ SIMD16<UInt16>(truncatingIfNeeded: lower)
        let covered = (sums.evenHalf &+ sums.oddHalf &+ 2) &>> 2
        if covered.max() == 0 { continue }
        let old = line.loadUnaligned(fromByteOffset: pixel >> 1, as: SIMD8<UInt8>.self)
        let new = Self.blended(SIMD8(truncatingIfNeeded: old), covered, UInt16(value), UInt16(opacity))
        line.storeBytes(of: SIMD8<UInt8>(truncatingIfNeeded: new), toByteOffset: pixel >> 1, as: SIMD8<UInt8>.self)
      }
    }
    return end >> shiftX
  }

  /// Blends as for one sample; sums are at most 255 × 256 + 128 and fit 16 bits.
  @inline(__always)
  private static func blended<Samples: SIMD<UInt16>>(
    _ old: Samples, _ covered: Samples, _ value: UInt16, _ opacity: UInt16
  ) -> Samples {
    var weight = covered &+ (covered &>> 7)
    // 256 × 256 would overflow, and a factor of 256 has no effect.
    if opacity < 256 { weight = (weight &* opacity) &>> 8 }
    let rest = Samples(repeating: 256) &- weight
    return (old &* rest &+ weight &* value &+ 128) &>> 8
  }

  /// The coverage of one sample: that of its pixel, or the mean of its chroma block.
  @inline(__always)
  private static func coverage(
    _ coverage: UnsafeBufferPointer<UInt8>, _ mask: borrowing Mask, _ column: Int, _ row: Int, _ shiftX: Int,
    _ shiftY: Int
  ) -> Int32 {
    if shiftX == 0, shiftY == 0 { return Int32(coverage[row * mask.stride + column]) }
    var sum: Int32 = 0
    var count: Int32 = 0
    for y in (row << shiftY)..<min(mask.height, (row + 1) << shiftY) {
      for x in (column << shiftX)..<min(mask.width, (column + 1) << shiftX) {
        sum += Int32(coverage[y * mask.stride + x])
        count += 1
      }
    }
    return count == 0 ? 0 : (sum + count / 2) / count
  }
}

internal import VStreamCore
internal import VStreamMedia

/// Scales an upright region of one component of a frame with a triangle filter, first vertically, then horizontally.
///
/// Positions are pixel centres: the centre of target sample i lies at `(i + ½) · region ÷ target` from the region's edge.
/// A chroma sample lies at the centre of the pixels that it belongs to.
struct PlaneResampler {
  private let plan: ResamplingPlan
  /// One target row before horizontal scaling: as wide as the source.
  private var line: [Float]
  /// Target height × width values, in the plane's own range.
  private(set) var result: [Float]

  init(
    component: PixelLayout.Component, frame: PixelSize, region: Box, target: PixelSize
  ) {
    let scaleX = 1 / Double(1 << component.shiftX)
    let scaleY = 1 / Double(1 << component.shiftY)
    let width = (frame.width + (1 << component.shiftX) - 1) >> component.shiftX
    let height = (frame.height + (1 << component.shiftY) - 1) >> component.shiftY
    plan = ResamplingPlan(
      component: component, target: target,
      rows: Taps(
        from: region.y * scaleY, length: region.height * scaleY, source: height, target: target.height),
      columns: Taps(
        from: region.x * scaleX, length: region.width * scaleX, source: width, target: target.width))
    line = [Float](repeating: 0, count: width)
    result = [Float](repeating: 0, count: target.width * target.height)
  }

  mutating func run(_ planes: borrowing VideoFrame.Planes) {
    let component = plan.component
    guard let base = planes.bases[component.plane] else { return }
    let first = base.advanced(by: component.offset)
    let stride = planes.strides[component.plane]
    line.withUnsafeMutableBufferPointer { line in
      result.withUnsafeMutableBufferPointer { result in
        if component.depth + component.shift > 8 {
          plan.run(UInt16.self, first, stride: stride, line: line, result: result)
        } else {
          plan.run(UInt8.self, first, stride: stride, line: line, result: result)
        }
      }
    }
  }
}

/// The weights and addresses for one geometry, the same for each frame.
private struct ResamplingPlan {
  let component: PixelLayout.Component
  let target: PixelSize
  let rows: Taps
  let columns: Taps

  @inline(__always)
  func run<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeRawPointer, stride: Int, line: UnsafeMutableBufferPointer<Float>,
    result: UnsafeMutableBufferPointer<Float>
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let unshift = 1 / Float(1 << component.shift)
    let usedColumns = columns.range
    for y in 0..<target.height {
      for tap in 0..<rows.count {
        let weight = rows.weights[y * rows.count + tap] * unshift
        let row = base.advanced(by: (rows.starts[y] + tap) * stride).assumingMemoryBound(to: Sample.self)
        accumulate(row, step: step, weight: weight, isFirst: tap == 0, over: usedColumns, into: line)
      }
      columns.apply(to: line, result: result, at: y * target.width)
    }
  }

  @inline(__always)
  private func accumulate<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafePointer<Sample>, step: Int, weight: Float, isFirst: Bool, over used: Range<Int>,
    into line: UnsafeMutableBufferPointer<Float>
  ) {
    // `line` is as wide as the plane, and `used` lies within it; pointers let the compiler vectorise the loops.
    guard let sums = line.baseAddress else { return }
    switch (step == 1, isFirst) {
    case (true, true): for x in used { sums[x] = Float(row[x]) * weight }
    case (true, false): for x in used { sums[x] += Float(row[x]) * weight }
    case (false, true): for x in used { sums[x] = Float(row[x &* step]) * weight }
    case (false, false): for x in used { sums[x] += Float(row[x &* step]) * weight }
    }
  }
}

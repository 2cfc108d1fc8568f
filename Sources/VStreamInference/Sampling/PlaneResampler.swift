internal import VStreamMedia
internal import VStreamScene

/// Scales a region of one component of a frame to a grid of floats with a triangle filter, first down the columns, then
/// along the rows.
///
/// Positions are those of pixel centres: the centre of target sample i lies at `(i + ½) · region ÷ target` from the
/// region's edge. Chroma samples are taken to lie amid the pixels that they belong to.
struct PlaneResampler {
  private let plan: ResamplingPlan
  /// One target row, still as wide as the source.
  private var line: [Float]
  /// Target height × width values as they are stored in the plane.
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

/// What is to be done for each frame, worked out once.
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
    // Only these columns of the source are looked at.
    let used = columns.range
    for y in 0..<target.height {
      for tap in 0..<rows.count {
        let weight = rows.weights[y * rows.count + tap] * unshift
        let row = base.advanced(by: (rows.starts[y] + tap) * stride).assumingMemoryBound(to: Sample.self)
        accumulate(row, step: step, weight: weight, isFirst: tap == 0, over: used, into: line)
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

/// Which source samples make each target sample along one axis, and with what weight.
struct Taps: Hashable {
  /// Samples that each target sample is made of.
  let count: Int
  /// The first of them, per target sample; `starts[i] + count` never exceeds the source.
  let starts: [Int]
  /// `count` weights per target sample, which add up to 1.
  let weights: [Float]

  /// The source samples that are looked at, all together.
  let range: Range<Int>

  /// - Parameters:
  ///   - start: where the region begins, in samples from the source's edge.
  ///   - length: how many source samples the region spans.
  init(from start: Double, length: Double, source: Int, target: Int) {
    let scale = length / Double(target)
    // The triangle reaches one target sample to each side when making smaller, one source sample else.
    let reach = max(1, scale)
    count = min(source, Int((2 * reach).rounded(.up)) + 1)
    var starts: [Int] = []
    var weights: [Float] = []
    for index in 0..<target {
      let center = start + (Double(index) + 0.5) * scale - 0.5
      let unclamped = Int((center - reach).rounded(.down)) + 1
      let first = min(max(0, unclamped), source - count)
      var own = [Double](repeating: 0, count: count)
      for sample in unclamped..<(unclamped + max(count, Int((2 * reach).rounded(.up)) + 1)) {
        let weight = max(0, 1 - abs(Double(sample) - center) / reach)
        // Past the edge, the edge counts.
        own[min(max(sample - first, 0), count - 1)] += weight
      }
      let sum = own.reduce(0, +)
      starts.append(first)
      weights += own.map { Float($0 / sum) }
    }
    self.starts = starts
    self.weights = weights
    range = (starts.min() ?? 0)..<((starts.max() ?? 0) + count)
  }

  /// Writes one target row; all indices were bounded when the taps were made.
  @inline(__always)
  func apply(
    to line: UnsafeMutableBufferPointer<Float>, result: UnsafeMutableBufferPointer<Float>, at offset: Int
  ) {
    starts.withUnsafeBufferPointer { starts in
      weights.withUnsafeBufferPointer { weights in
        for index in 0..<starts.count {
          var sum: Float = 0
          for tap in 0..<count { sum += line[starts[index] &+ tap] * weights[index &* count &+ tap] }
          result[offset &+ index] = sum
        }
      }
    }
  }
}

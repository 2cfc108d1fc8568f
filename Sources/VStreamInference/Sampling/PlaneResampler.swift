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

/// The source samples that each target sample is computed from along one axis, with their weights.
struct Taps: Hashable {
  /// Source samples for each target sample.
  let count: Int
  /// The index of the first source sample, per target sample; `starts[i] + count` never exceeds the source.
  let starts: [Int]
  /// `count` weights per target sample, whose sum is 1.
  let weights: [Float]

  /// The source samples that any target sample uses.
  let range: Range<Int>

  /// - Parameters:
  ///   - start: the region's offset from the source's edge, in samples.
  ///   - length: the region's length, in source samples.
  init(from start: Double, length: Double, source: Int, target: Int) {
    let scale = length / Double(target)
    // The triangle spans one target sample to each side when reducing, one source sample when enlarging.
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
        // Beyond the edge, the edge's own sample counts.
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

  /// Writes one target row; the initialiser has bounded all indices.
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

/// Resamples a rectangle, which may be rotated, in one component of a frame: each target sample is interpolated from the
/// four source samples around its centre. Positions are as in `PlaneResampler`; beyond the frame's edge, its samples
/// are repeated.
struct RotatedPlaneResampler {
  /// Target height × width values, in the plane's own range.
  private(set) var result: [Float]
  /// The columns of an upright rectangle.
  private var columns: [SampleColumn] = []

  init(target: PixelSize) { result = [Float](repeating: 0, count: target.width * target.height) }

  /// - Parameter region: pixels of the frame.
  mutating func run(
    _ planes: borrowing VideoFrame.Planes, _ component: PixelLayout.Component, region: RotatedBox, target: PixelSize
  ) {
    guard let base = planes.bases[component.plane] else { return }
    let first = base.advanced(by: component.offset)
    let grid = SampleGrid(component, frame: planes.size, region: region, target: target)
    let stride = planes.strides[component.plane]
    let isWide = component.depth + component.shift > 8
    if grid.isUpright, !isWide, component.step == 1, grid.hasTwoColumns {
      grid.setColumns(&columns)
      return result.withUnsafeMutableBufferPointer { result in
        grid.interpolateUpright(
          first, columns, unshift: 1 / Float(1 << component.shift), stride: stride, into: result)
      }
    }
    result.withUnsafeMutableBufferPointer { result in
      if isWide {
        grid.interpolate(UInt16.self, first, component, stride: stride, into: result)
      } else {
        grid.interpolate(UInt8.self, first, component, stride: stride, into: result)
      }
    }
  }
}

/// The position of a target column between two samples of a row, both in the plane.
struct SampleColumn {
  /// Index of the left sample.
  let left: Int32
  /// Weight of the right sample.
  let fraction: Float
}

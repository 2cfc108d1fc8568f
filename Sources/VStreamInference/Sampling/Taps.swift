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

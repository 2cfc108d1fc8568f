/// The decoding times of packets of several encoders, one after the other: ascending, and none later than its packet's
/// presentation time. Pure.
struct DecodingTimes {
  /// In the order of decoding.
  private let times: [Int64]

  /// - Parameters:
  ///   - presentation: the presentation times in the order of decoding, each once.
  ///   - first: the decoding times that the first encoder gave to its packets.
  init(presentation: [Int64], first: [Int64]) {
    let sorted = presentation.sorted()
    let ranks = Dictionary(zip(sorted, 0...), uniquingKeysWith: { one, _ in one })
    // By how many packets decoding precedes presentation at most.
    let delay = presentation.enumerated().map { $0.offset - (ranks[$0.element] ?? 0) }.max() ?? 0
    var times: [Int64] = []
    times.reserveCapacity(presentation.count)
    for index in presentation.indices {
      guard index < delay else {
        times.append(sorted[index - delay])
        continue
      }
      // Before the first presentation time: as the encoder has it, if that leaves a tick for those that follow.
      let latest = sorted[0] - Int64(delay - index)
      times.append(first.indices.contains(index) ? min(first[index], latest) : latest)
    }
    for index in times.indices.dropFirst().reversed() where times[index - 1] >= times[index] {
      times[index - 1] = times[index] - 1
    }
    self.times = times
  }

  subscript(index: Int) -> Int64 { times[index] }
  var count: Int { times.count }
}

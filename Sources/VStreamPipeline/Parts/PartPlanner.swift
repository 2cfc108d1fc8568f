package import VStreamCore
package import VStreamMedia

/// Cuts a video into parts of whole cells of the grid, each with the key frame from which it can be decoded. Pure.
package struct PartPlanner: Sendable {
  private let entries: [VideoScan.Entry]
  private let base: Rational
  private let startsAtKeyFrames: Bool
  private let grid = TimeGrid.files

  /// - Parameters:
  ///   - entries: the packets of the video, in the order of decoding.
  ///   - base: seconds for a tick.
  ///   - startsAtKeyFrames: whether frames can be decoded from a key frame on.
  package init(_ entries: [VideoScan.Entry], base: Rational, startsAtKeyFrames: Bool) {
    self.entries = entries
    self.base = base
    // Where times are missing or not unique, only the decoder knows those of the frames.
    var times = entries.filter { !$0.isHidden }.map(\.ticks)
    let areKnown = !times.contains(nil)
    times.sort { ($0 ?? 0) < ($1 ?? 0) }
    self.startsAtKeyFrames = startsAtKeyFrames && areKnown && zip(times, times.dropFirst()).allSatisfy { $0 != $1 }
  }

  /// The parts, at least one; a part without a packet is merged with the one before.
  ///
  /// - Parameter seconds: the length of a part, which is rounded up to whole cells.
  package func parts(of seconds: Double) -> [InputPart] {
    let cells = max(1, Int64((min(seconds, 1e12) / Double(grid.seconds)).rounded(.up)))
    var counts: [Int64: Int] = [:]
    for case let ticks? in entries.lazy.filter({ !$0.isHidden }).map(\.ticks) {
      counts[Self.floor(grid.cell(of: Time(ticks: ticks, base: base)), cells), default: 0] += 1
    }
    let starts = counts.keys.sorted()
    let keys = keyFrames(before: starts.dropFirst().map { grid.firstTick(of: $0 * cells, in: base) })
    return starts.enumerated().map { number, start in
      let first = number > 0 ? start * cells : nil
      let end = number + 1 < starts.count ? starts[number + 1] * cells : nil
      return InputPart(
        number: number, firstCell: first, endCell: end, startTicks: first.map { grid.firstTick(of: $0, in: base) },
        endTicks: end.map { grid.firstTick(of: $0, in: base) }, keyTicks: number > 0 ? keys[number - 1] : nil,
        packets: counts[start] ?? 0)
    }
  }

  /// For each time the last key frame before it after which all frames from the time on are decoded, with a further key
  /// frame between them where that is needed; `nil` for the beginning.
  ///
  /// - Parameter times: ascending.
  private func keyFrames(before times: [Int64]) -> [Int64?] {
    guard startsAtKeyFrames else { return times.map { _ in nil } }
    var keys: [(ticks: Int64, latestBefore: Int64)] = []
    var latest = Int64.min
    for entry in entries {
      if entry.isKey, !entry.isHidden, let ticks = entry.ticks { keys.append((ticks, latest)) }
      if !entry.isHidden { latest = max(latest, entry.ticks ?? latest) }
    }
    return times.map { time in
      // Of the last two: a key frame may begin a refresh that is complete at the next one.
      let usable = keys.filter { $0.ticks < time && $0.latestBefore < time }.suffix(2)
      return usable.count == 2 ? usable.first?.ticks : nil
    }
  }

  private static func floor(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

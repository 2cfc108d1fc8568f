internal import CVStreamLibAV
package import VStreamCore

/// A named span of a file.
package struct Chapter: Hashable, Sendable {
  package let id: Int64
  package let start: Time
  package let end: Time
  package let metadata: [String: String]

  init(id: Int64, start: Time, end: Time, metadata: [String: String]) {
    self.id = id
    self.start = start
    self.end = end
    self.metadata = metadata
  }

  /// - Returns: `nil` if its time base is invalid.
  init?(_ chapter: AVChapter) {
    guard let base = Rational(chapter.time_base) else { return nil }
    self.init(
      id: chapter.id, start: Time(ticks: chapter.start, base: base), end: Time(ticks: chapter.end, base: base),
      metadata: [String: String](chapter.metadata))
  }

  /// The chapter with other tags.
  func settingMetadata(_ metadata: [String: String]) -> Chapter {
    Chapter(id: id, start: start, end: end, metadata: metadata)
  }

  /// The chapter moved back by some seconds and cut at time zero; `nil` if nothing of it is left.
  func shifted(back seconds: Double) -> Chapter? {
    let ticks = start.base.ticks(seconds: seconds)
    let last = end.rescaled(to: start.base).ticks.limitedDifference(ticks)
    guard last > 0 || seconds == 0 else { return nil }
    return Chapter(
      id: id,
      start: Time(ticks: seconds == 0 ? start.ticks : max(0, start.ticks.limitedDifference(ticks)), base: start.base),
      end: Time(ticks: last, base: start.base), metadata: metadata)
  }
}

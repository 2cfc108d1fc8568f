/// The part of an input that is wanted, in seconds of its own timeline.
struct Trim: Hashable, Sendable {
  /// Frames and packets from here on are taken.
  let start: Double
  /// Those from here on are not.
  let end: Double
  /// By how much the output's times are set back, so that it begins when the input does.
  let shift: Double

  /// - Parameters:
  ///   - first: when the input begins.
  ///   - skip: how much of its beginning is left out; `nil` for nothing.
  ///   - duration: how much is taken; `nil` for all.
  init(first: Double, skip: Double?, duration: Double?) {
    start = skip.map { first + $0 } ?? -.infinity
    end = duration.map { first + (skip ?? 0) + $0 } ?? .infinity
    shift = skip ?? 0
  }

  /// Times that are equal but for rounding count as equal.
  private static let tolerance = 1e-6

  func isAfterStart(_ seconds: Double) -> Bool { seconds > start + Self.tolerance }
  func isBefore(_ seconds: Double) -> Bool { seconds < start - Self.tolerance }
  func isAfter(_ seconds: Double) -> Bool { seconds >= end - Self.tolerance }
  func contains(_ seconds: Double) -> Bool { !isBefore(seconds) && !isAfter(seconds) }
}

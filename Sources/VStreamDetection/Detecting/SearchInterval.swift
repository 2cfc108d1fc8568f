/// The stream time between searches for new faces or people.
struct SearchInterval: Hashable, Sendable {
  let seconds: Double

  /// Times that differ by rounding count as equal.
  private static let tolerance = 1e-6

  /// Whether a search is due; also if time has jumped back.
  func isOver(since last: Double, at now: Double) -> Bool {
    let elapsed = now - last
    return elapsed < 0 || elapsed > seconds - Self.tolerance
  }
}

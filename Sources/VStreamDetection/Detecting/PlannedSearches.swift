/// The searches planned for the frames in flight, from the results of earlier frames; none in the first frames of a shot. At most two
/// frames are in flight.
struct PlannedSearches<Search> {
  private var planned: [[Search]] = [[], []]
  private var startedShot = 0
  private var finishedShot = 0

  /// Starts the next frame.
  ///
  /// - Returns: its searches, and whether it begins a shot.
  mutating func start(inShot shot: Int) -> (searches: [Search], isCut: Bool) {
    let isCut = shot != startedShot
    if isCut { (startedShot, planned) = (shot, planned.map { _ in [] }) }
    return (planned.isEmpty ? [] : planned.removeFirst(), isCut)
  }

  /// Finishes the frame longest in flight, before its results are known.
  ///
  /// - Returns: whether it begins a shot.
  mutating func finish(inShot shot: Int) -> Bool {
    defer { finishedShot = shot }
    return shot != finishedShot
  }

  /// Adds the searches planned from the results of the finished frame.
  mutating func add(_ searches: [Search]) { planned.append(finishedShot == startedShot ? searches : []) }

  mutating func replaceLast(_ searches: [Search]) {
    guard !planned.isEmpty else { return }
    planned.removeLast()
    add(searches)
  }
}

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

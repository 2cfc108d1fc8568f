/// Distributes the crops of a search over frames, so that each crop is searched once in an interval, or one frame later.
struct CropSchedule: Hashable, Sendable {
  /// Seconds.
  let interval: Double
  /// When each crop is to be searched, in seconds.
  private var dueAt: [Double] = []
  private var lastTime = -Double.infinity

  /// Seconds by which times may differ through rounding.
  private static let tolerance = 1e-6

  init(interval: Double) { self.interval = interval }

  /// The crops for the next frame, by their indices: all of them on the first, and where time goes back or advances by the
  /// interval or more.
  ///
  /// - Parameters:
  ///   - count: the number of all crops.
  ///   - seconds: the frame's time.
  mutating func crops(of count: Int, at seconds: Double) -> [Int] {
    let elapsed = seconds - lastTime
    guard count == dueAt.count, elapsed >= 0, elapsed < interval else { return restart(with: count, at: seconds) }
    lastTime = seconds
    let due = dueAt.indices.filter { dueAt[$0] <= seconds + Self.tolerance }
    for index in due { dueAt[index] += interval }
    return due
  }

  /// All crops; those after them are spread over the interval.
  mutating func restart(with count: Int, at seconds: Double) -> [Int] {
    lastTime = seconds
    dueAt = (0..<count).map { seconds + interval * Double($0 + 1) / Double(count) }
    return Array(0..<count)
  }

  /// A crop is searched that was not due: its next turn is an interval later.
  mutating func postpone(_ index: Int, at seconds: Double) { dueAt[index] = seconds + interval }
}

/// Distributes the crops of a search over frames, so that each crop is searched once in an interval, or one frame later.
struct CropSchedule: Hashable, Sendable {
  /// Seconds.
  let interval: Double
  private var count = 0
  /// Crops that are due; the fraction is carried over to the next frame.
  private var due = 0.0
  private var next = 0
  private var lastTime: Double?

  /// Fraction of a crop by which `due` may fall short through rounding.
  private static let tolerance = 1e-6

  init(interval: Double) { self.interval = interval }

  /// The crops for the next frame, by their indices: all of them on the first, and where time goes back or advances by the
  /// interval or more.
  ///
  /// - Parameters:
  ///   - count: the number of all crops.
  ///   - seconds: the frame's time.
  mutating func crops(of count: Int, at seconds: Double) -> [Int] {
    let elapsed = lastTime.map { seconds - $0 } ?? interval
    lastTime = seconds
    guard count == self.count, elapsed >= 0, elapsed < interval else {
      (self.count, next, due) = (count, 0, 0)
      return Array(0..<count)
    }
    due += Double(count) * elapsed / interval
    let taken = min(count, Int(due + Self.tolerance))
    due = max(0, due - Double(taken))
    defer { next = count == 0 ? 0 : (next + taken) % count }
    return (0..<taken).map { (next + $0) % count }
  }
}

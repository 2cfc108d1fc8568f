/// Lets a file come at the pace at which it is shown.
struct RealtimePacer {
  private var origin: (moment: Double, stream: Double)?

  /// The moment of the clock at which what is decoded at a time of the stream is due.
  ///
  /// The clock is set anew when the stream jumps, or the reader has fallen far behind.
  mutating func moment(of seconds: Double, now: Double) -> Double {
    guard let origin, case let wait = origin.moment + seconds - origin.stream - now, wait > -Self.latest,
      wait < Self.longestWait
    else {
      origin = (now, seconds)
      return now
    }
    return origin.moment + seconds - origin.stream
  }

  private static let longestWait = 600.0
  private static let latest = 10.0
}

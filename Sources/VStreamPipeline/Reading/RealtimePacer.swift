/// Maps stream times of a file to moments of the clock, so that the file arrives at the rate at which it is shown.
struct RealtimePacer {
  private var origin: (moment: Double, stream: Double)?

  /// Seconds beyond which a packet that is too early, or one that is too late, resets the mapping.
  private static let maximumWait = 600.0
  private static let maximumDelay = 10.0

  /// The moment of the clock at which a packet of a stream time is due.
  ///
  /// The mapping is reset where the stream's times jump, or where the reader has fallen far behind.
  mutating func moment(of seconds: Double, now: Double) -> Double {
    guard let origin, case let wait = origin.moment + seconds - origin.stream - now, wait > -Self.maximumDelay,
      wait < Self.maximumWait
    else {
      origin = (now, seconds)
      return now
    }
    return origin.moment + seconds - origin.stream
  }
}

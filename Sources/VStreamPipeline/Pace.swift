/// Lets a file come at the pace at which it is shown.
struct Pace {
  private var origin: (moment: Double, stream: Double)?

  /// The moment of the clock at which what is decoded at a time of the stream is due.
  ///
  /// A clock that the stream's times leave behind or run ahead of by more than `longestWait` is set anew: the stream jumped.
  mutating func moment(of seconds: Double, now: Double) -> Double {
    guard let origin, abs(origin.moment + seconds - origin.stream - now) < Self.longestWait else {
      origin = (now, seconds)
      return now
    }
    return origin.moment + seconds - origin.stream
  }

  private static let longestWait = 10.0
}

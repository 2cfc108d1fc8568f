/// Decides where an output in fragments is cut that has timed text and is not remuxed at the end.
///
/// libavformat, which ends each text with a packet of its own, cuts other outputs. Where that packet ends a fragment, the
/// packet of another stream that follows gets a wrong time.
struct FragmentCuts {
  /// Seconds of a fragment.
  static let interval = 0.5
  /// Seconds that the first fragment waits for streams that have not started: it describes them all.
  private let patience = 10.0

  private var start: Double?
  private var last: Double?

  /// Whether the fragment ends before a video packet that is decoded at `seconds`.
  ///
  /// - Parameter isStarted: whether all streams but the texts have packets.
  mutating func isDue(at seconds: Double, isStarted: Bool) -> Bool {
    guard let start, let last else {
      (start, last) = (seconds, seconds)
      return false
    }
    guard seconds - last >= Self.interval, isStarted || seconds - start >= patience else { return false }
    self.last = seconds
    return true
  }
}

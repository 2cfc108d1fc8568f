/// Which differences of time between two packets of a stream are neither pauses nor disorder. In seconds.
enum TimeJump {
  /// By how much a packet may be earlier than the last one.
  private static let backTolerance = 0.1
  /// By how much it may be later than the last one's end.
  static let maximumPause = 10.0

  /// - Parameter duration: of the packet before.
  static func isJump(to time: Double, after last: Double, duration: Double) -> Bool {
    time - last < -backTolerance || time - last - max(0, duration) > maximumPause
  }
}

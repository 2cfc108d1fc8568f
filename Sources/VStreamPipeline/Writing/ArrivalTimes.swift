/// The arrival times of packets in flight, by their stream times: codecs do not pass them on.
struct ArrivalTimes {
  /// By microseconds of stream time.
  private var arrivals: [Int64: Double] = [:]
  private var newest: Double?
  /// Codecs delay frames far less; older entries are of frames that they dropped.
  private static let maximumCount = 512

  mutating func note(_ arrival: Double, at seconds: Double) {
    arrivals[Self.key(seconds)] = arrival
    newest = arrival
    guard arrivals.count > Self.maximumCount else { return }
    let oldest = arrivals.sorted { $0.value < $1.value }.prefix(Self.maximumCount / 2)
    for (key, _) in oldest { arrivals[key] = nil }
  }

  /// Removes the arrival that was noted for a time; `nil` if there is none.
  mutating func take(at seconds: Double) -> Double? { arrivals.removeValue(forKey: Self.key(seconds)) }

  /// The latest arrival; `nil` before the first one.
  var latest: Double? { newest }

  private static func key(_ seconds: Double) -> Int64 {
    Int64(exactly: (min(max(seconds, -9e12), 9e12) * 1e6).rounded()) ?? 0
  }
}

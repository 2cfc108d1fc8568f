/// When what is on its way arrived, kept by its time in the stream: coders do not carry it through.
struct ArrivalTimes {
  /// By microseconds of stream time.
  private var arrivals: [Int64: Double] = [:]
  private var newest: Double?
  /// Coders hold back far less; what is older has been lost in them.
  private static let most = 512

  mutating func note(_ arrival: Double, at seconds: Double) {
    arrivals[Self.key(seconds)] = arrival
    newest = arrival
    guard arrivals.count > Self.most else { return }
    let oldest = arrivals.sorted { $0.value < $1.value }.prefix(Self.most / 2)
    for (key, _) in oldest { arrivals[key] = nil }
  }

  /// The arrival that was noted for a time, once; `nil` if none was.
  mutating func take(at seconds: Double) -> Double? { arrivals.removeValue(forKey: Self.key(seconds)) }

  /// The latest arrival of all; `nil` before the first.
  var latest: Double? { newest }

  private static func key(_ seconds: Double) -> Int64 {
    Int64(exactly: (min(max(seconds, -9e12), 9e12) * 1e6).rounded()) ?? 0
  }
}

internal import VStreamSystem

/// Durations, counted in classes so fine that a percentile is too long by at most 3.2 %; its size never changes.
public struct DurationHistogram: Hashable, Sendable {
  /// Each doubling of a duration is divided into so many classes.
  private static let classesPerDoubling = 32
  /// From a microsecond to 2^30 microseconds, about 18 minutes; what is outside counts at the ends.
  private static let doublings = 30

  private var classes = [Int](repeating: 0, count: classesPerDoubling * doublings + 1)
  public private(set) var count = 0
  /// Sum of all durations, in seconds.
  public private(set) var total = 0.0
  /// The longest, in seconds.
  public private(set) var longest = 0.0

  public init() {}

  /// - Parameter seconds: a duration; what is negative or not a number counts as 0.
  public mutating func add(_ seconds: Double) {
    let seconds = seconds > 0 && seconds.isFinite ? seconds : 0
    count += 1
    total += seconds
    longest = max(longest, seconds)
    classes[Self.index(of: seconds)] += 1
  }

  /// The duration that a share of all does not exceed; 0 if there are none.
  ///
  /// - Parameter share: 0…1.
  public func percentile(_ share: Double) -> Double {
    guard count > 0 else { return 0 }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for index in classes.indices {
      seen += classes[index]
      if seen >= rank { return min(Self.upperEnd(of: index), longest) }
    }
    return longest
  }

  private static func index(of seconds: Double) -> Int {
    let microseconds = seconds * 1e6
    guard microseconds > 1 else { return 0 }
    let exponent = min(Int(microseconds.exponent), doublings - 1)
    let within = microseconds / Double(sign: .plus, exponent: exponent, significand: 1) - 1
    return 1 + exponent * classesPerDoubling + min(Int(within * Double(classesPerDoubling)), classesPerDoubling - 1)
  }

  private static func upperEnd(of index: Int) -> Double {
    guard index > 0 else { return 1e-6 }
    let (exponent, part) = (index - 1).quotientAndRemainder(dividingBy: classesPerDoubling)
    let power = Double(sign: .plus, exponent: exponent, significand: 1)
    return power * (1 + Double(part + 1) / Double(classesPerDoubling)) * 1e-6
  }

  /// Adds all durations of another histogram.
  public mutating func merge(_ other: DurationHistogram) {
    for index in classes.indices { classes[index] += other.classes[index] }
    count += other.count
    total += other.total
    longest = max(longest, other.longest)
  }

  func addPercentiles(to json: inout TextBuffer, suffix: String) {
    json.add("p50\(suffix)", percentile(0.5) * 1000, places: 3)
    json.add("p95\(suffix)", percentile(0.95) * 1000, places: 3)
    json.add("p99\(suffix)", percentile(0.99) * 1000, places: 3)
    if suffix.isEmpty { json.add("max", longest * 1000, places: 3) }
  }
}

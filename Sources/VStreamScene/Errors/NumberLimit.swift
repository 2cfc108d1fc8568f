/// Which numbers a setting takes. NaN is none of them.
public struct NumberLimit: Sendable {
  private let problem: Message
  private let remedy: Message
  private let accepts: @Sendable (Double) -> Bool

  /// - Parameters:
  ///   - problem: continues a sentence that starts with the setting and its value.
  ///   - remedy: what to give instead.
  public init(_ problem: Message, remedy: Message, accepts: @escaping @Sendable (Double) -> Bool) {
    self.problem = problem
    self.remedy = remedy
    self.accepts = accepts
  }

  /// More than 0, at most 1.
  public static let score = NumberLimit("is not a score", remedy: "give more than 0, at most 1") { $0 > 0 && $0 <= 1 }
  /// More than 0, at most 1.
  public static let fraction = NumberLimit("is not a fraction", remedy: "give more than 0, at most 1") {
    $0 > 0 && $0 <= 1
  }
  /// Between 0 and 1.
  public static let overlap = NumberLimit("is not an overlap", remedy: "give more than 0 and less than 1") {
    $0 > 0 && $0 < 1
  }
  /// 0 seconds or more.
  public static let seconds = NumberLimit("is not a time", remedy: "give 0 seconds or more") { $0 >= 0 && $0 < 1e9 }
  /// More than 0 seconds.
  public static let duration = NumberLimit("is not a duration", remedy: "give more than 0 seconds") {
    $0 > 0 && $0 < 1e9
  }

  /// 0, which leaves the number open, or more.
  public static let threads = NumberLimit("is not a number of threads", remedy: "give 0 or more") { $0 >= 0 }

  /// 1 or more.
  ///
  /// - Parameter things: what is counted.
  public static func count(of things: String) -> NumberLimit {
    NumberLimit("is not a number of \(things)", remedy: "give 1 or more") { $0 >= 1 }
  }

  /// - Throws: `VStreamError.usage` if the setting does not take the value: `minimumScore 7.0: is not a score; give more than 0…`.
  public func check(_ value: Double, of setting: Setting) throws(VStreamError) {
    if !accepts(value) { throw error("\(value)", of: setting) }
  }

  /// - Throws: `VStreamError.usage` if the setting does not take the value.
  public func check(_ value: Int, of setting: Setting) throws(VStreamError) {
    if !accepts(Double(value)) { throw error("\(value)", of: setting) }
  }

  private func error(_ value: String, of setting: Setting) -> VStreamError {
    VStreamError(.usage, "\(setting, value): \(problem)", setting: setting, value: value, remedy: remedy)
  }
}

internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection

/// Parses the texts of options; `option` goes into the message of a text that is invalid.
enum OptionText {
  /// Parses seconds, `MINUTES:SECONDS` or `HOURS:MINUTES:SECONDS`; `nil` if the option is not given.
  static func time(_ option: String, _ text: String?) throws(VStreamError) -> Double? {
    guard let text else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 && $0 < 1e9 } ?? false }) else {
      throw usageError(option, text, "is not a time", remedy: "give seconds, for example 12.5, or 1:23:45.6")
    }
    return parts.reduce(0) { $0 * 60 + ($1 ?? 0) }
  }

  /// Parses a time like `time`, and requires more than 0.
  static func duration(_ option: String, _ text: String?) throws(VStreamError) -> Double? {
    guard let seconds = try time(option, text) else { return nil }
    guard seconds > 0 else {
      throw usageError(option, text ?? "", "is not a duration", remedy: "give more than 0 seconds")
    }
    return seconds
  }

  /// Parses a number of frames per second, or a ratio such as `30000/1001`; 23.976, 29.97 and 59.94 are those of NTSC.
  static func frameRate(_ option: String, _ text: String?) throws(VStreamError) -> Rational? {
    guard let text else { return nil }
    let known = ["23.976": (24_000, 1001), "23.98": (24_000, 1001), "29.97": (30_000, 1001), "59.94": (60_000, 1001)]
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    var ratio: (Int, Int)?
    if let found = known[text] {
      ratio = found
    } else if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
      ratio = (numerator, denominator)
    } else if parts.count == 1, let number = Double(text), number.isFinite, abs(number) < 1e6 {
      ratio = number == number.rounded() ? (Int(number), 1) : (Int((number * 1000).rounded()), 1000)
    }
    guard let (numerator, denominator) = ratio, (1...1_000_000).contains(numerator),
      (1...1_000_000).contains(denominator),
      (0.01...1000).contains(Double(numerator) / Double(denominator))
    else {
      throw usageError(option, text, "is not a frame rate", remedy: "give 0.01 to 1000, for example 25 or 30000/1001")
    }
    return Rational(Int32(numerator), Int32(denominator))
  }

  /// Requires 0 seconds or more.
  static func seconds(_ option: String, _ seconds: Double) throws(VStreamError) -> Double {
    guard seconds >= 0, seconds < 1e9 else {
      throw usageError(option, "\(seconds)", "is not a time", remedy: "give 0 seconds or more")
    }
    return seconds
  }

  /// Requires more than 0, at most 1.
  static func score(_ option: String, _ score: Double) throws(VStreamError) -> Double {
    guard score > 0, score <= 1 else {
      throw usageError(option, "\(score)", "is not a score", remedy: "give more than 0, at most 1")
    }
    return score
  }

  /// Parses one of the values of an enumeration.
  ///
  /// - Parameter problem: of an unknown value: `is not a mode`.
  static func value<Value: RawRepresentable<String> & CaseIterable>(
    _ option: String, _ text: String, _ problem: String
  ) throws(VStreamError) -> Value {
    if let value = Value(rawValue: text) { return value }
    let known = Value.allCases.map(\.rawValue)
    let last = known.count > 1 ? " or \(known[known.count - 1])" : ""
    let hint = Misspelling.suggestion(for: text, in: known).map { "\($0) " } ?? ""
    throw usageError(
      option, text, problem,
      remedy: "\(hint)use \(known.prefix(max(1, known.count - 1)).joined(separator: ", "))\(last)")
  }

  /// Splits `a, b,c`.
  static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { word in
      String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// A key and a value of options that take some.
  private static let examples = [
    "--metadata": "title=Lobby", "--encoder-option": "g=50", "--output-option": "hls_time=4",
  ]

  /// Splits `KEY=VALUE`, one for each time that the option is given.
  static func keysAndValues(
    _ option: String, _ texts: [String]
  ) throws(VStreamError) -> [(key: String, value: String)] {
    var result: [(key: String, value: String)] = []
    for text in texts {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw usageError(
          option, text, "is not KEY=VALUE", remedy: "write, for example, \(examples[option] ?? "framerate=30")")
      }
      result.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    }
    return result
  }
}

extension CompletionKind {
  /// Words that depend on the installation.
  static func words(_ words: @escaping @Sendable () -> [String]) -> CompletionKind { .custom { _, _, _ in words() } }

  /// The words of a list separated by commas, each behind the words typed so far.
  static func commaSeparated(_ words: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, typed in
      let done = typed.lastIndex(of: ",").map { typed[...$0] } ?? ""
      return words().map { done + $0 }
    }
  }

  static var models: CompletionKind { .words { ModelCatalogue.all.map(\.name) } }
}

/// The failures that many settings share, and their words. All have the code `usage`.
extension VStreamError {
  /// A value that the setting does not know: `'ultra' is not a preset of libx264 (--preset); use fast or slow`.
  ///
  /// - Parameters:
  ///   - expected: what the value should be, with its article: `a preset of libx264`.
  ///   - known: the values that it can have, to be listed; empty if there are too many.
  ///   - remedy: replaces the list of `known`.
  public static func unknownValue(
    _ value: String, of setting: Setting, expected: String, known: [String] = [], remedy: Message? = nil
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "'\(value)' is not \(expected) (\(setting))", setting: setting, value: value,
      remedy: remedy ?? (known.isEmpty ? "" : "use \(list(known))"))
    error.alternatives = known
    return error
  }

  /// A number outside what something takes: `--crf 60 is out of range for libx264; use 0 to 51`.
  ///
  /// - Parameter user: what takes the setting; empty if that is clear.
  public static func outOfRange(
    _ value: Double, of setting: Setting, limits: ClosedRange<Double>, for user: String = ""
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "\(setting, number(value)) is out of range\(user.isEmpty ? "" : " for \(user)")", setting: setting,
      value: number(value), remedy: "use \(number(limits.lowerBound)) to \(number(limits.upperBound))")
    error.limits = limits
    return error
  }

  /// A setting that something cannot follow: `ffv1 does not support --preset fast; omit --preset`.
  ///
  /// - Parameters:
  ///   - value: empty for a setting without a value.
  ///   - reason: why, if that helps.
  ///   - alternatives: the values that `user` supports, to be listed; with none of them the setting is to be omitted.
  public static func unsupported(
    _ setting: Setting, _ value: String, by user: String, reason: Message = "", alternatives: [String] = [],
    remedy: Message? = nil
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "\(user) does not support \(setting, value)\(reason.isEmpty ? "" : ": \(reason)" as Message)",
      setting: setting, value: value,
      remedy: remedy ?? (alternatives.isEmpty ? "omit \(setting)" : "use \(list(alternatives))"))
    error.alternatives = alternatives
    return error
  }

  /// Two settings of which only one can be used: `--crf 20 cannot be combined with --bitrate; omit one of them`.
  ///
  /// - Parameters:
  ///   - values: those of the two settings; empty for one without a value.
  ///   - reason: why, if that helps.
  public static func conflict(
    _ setting: Setting, _ value: String = "", with other: Setting, _ otherValue: String = "", reason: Message = "",
    remedy: Message = "omit one of them"
  ) -> VStreamError {
    var error = VStreamError(
      .usage,
      "\(setting, value) cannot be combined with \(other, otherValue)\(reason.isEmpty ? "" : ": \(reason)" as Message)",
      setting: setting, value: value, remedy: remedy)
    error.conflicting = other
    return error
  }

  /// More than one output: `one run writes one output, and 2 are given: a.mp4, b.mkv; write one, and copy…`.
  ///
  /// - Parameter what: what asks for several.
  public static func severalOutputs(_ what: Message, setting: Setting? = nil, value: String) -> VStreamError {
    VStreamError(
      .usage, "one run writes one output, and \(what)", setting: setting, value: value,
      remedy: "write one, and copy its streams to the others with 'ffmpeg -i OUTPUT -map 0 -c copy OTHER'")
  }

  /// `a, b or c`.
  private static func list(_ values: [String]) -> String {
    guard let last = values.last, values.count > 1 else { return values.first ?? "" }
    return "\(values.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// A number without the `.0` of whole ones.
  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}

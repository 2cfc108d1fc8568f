internal import VStreamScene

/// The arguments as the parser of options needs them.
enum ArgumentText {
  /// The letters of options with one hyphen.
  private static let letters: Set<Character> = ["o", "y", "h"]

  /// Attaches negative numbers to their options, which the parser would take for options, and refuses file names that it
  /// would take for options.
  ///
  /// - Throws: `VStreamError.usage` for a name such as `-phil.mp4`.
  static func prepared(_ arguments: [String]) throws(VStreamError) -> [String] {
    var prepared: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return prepared + arguments[index...] }
      if let option = prepared.last, isNegativeNumber(argument), option.hasPrefix("--"), !option.contains("=") {
        prepared[prepared.count - 1] = "\(option)=\(argument)"
        continue
      }
      let isShort = argument.count > 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
      if isShort, !argument.dropFirst().allSatisfy(letters.contains) {
        throw VStreamError(
          .usage, "'\(argument)' is not an option", value: argument,
          remedy: "write './\(argument)' for a file of that name")
      }
      prepared.append(argument)
    }
    return prepared
  }

  private static func isNegativeNumber(_ text: String) -> Bool { text.hasPrefix("-") && Double(text) != nil }
}

internal import ArgumentParser
internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// The arguments as the parser of options needs them.
enum ArgumentText {
  /// The letters of options with one hyphen.
  private static let letters: Set<Character> = ["o", "y", "h"]

  /// The arguments of the process, without its name.
  ///
  /// - Throws: `VStreamError.usage` for one that is not UTF-8, which no option and no name in the records can be.
  static func ofProcess() throws(VStreamError) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index] else { break }
      guard let text = String(validatingCString: bytes) else { throw notText(bytes) }
      arguments.append(text)
    }
    return arguments
  }

  private static func notText(_ bytes: UnsafePointer<CChar>) -> VStreamError {
    let shown = UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { byte in
      byte >= 0x20 && byte < 0x7F
        ? String(UnicodeScalar(UInt8(byte))) : "\\x" + String(UInt8(bitPattern: byte), radix: 16, uppercase: true)
    }.joined()
    return VStreamError(
      .usage, "the argument '\(shown)' is not UTF-8", value: shown,
      remedy: "rename the file, or give the name of a link to it (ln -s)")
  }

  /// Attaches negative numbers and the streams that `--map` excludes to their options, as the parser would take them for
  /// options, and refuses file names that it would take for options.
  ///
  /// - Throws: `VStreamError.usage` for a name such as `-phil.mp4`, and for two outputs.
  static func prepared(_ arguments: [String]) throws(VStreamError) -> [String] {
    try requireOneOutput(arguments)
    var prepared: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return prepared + arguments[index...] }
      let isExclusion = prepared.last == "--map" && argument.hasPrefix("-") && !argument.hasPrefix("--")
      if let option = prepared.last, isExclusion || isNegativeNumber(argument), option.hasPrefix("--"),
        !option.contains("=")
      {
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

  /// Of an option that is given twice the last value counts, but two outputs are meant as two.
  private static func requireOneOutput(_ arguments: [String]) throws(VStreamError) {
    let options = arguments.prefix { $0 != "--" }
    let names = options.indices.compactMap { index -> String? in
      if ["-o", "--output"].contains(options[index]) { return index + 1 < options.count ? options[index + 1] : "" }
      return options[index].hasPrefix("--output=") ? String(options[index].dropFirst("--output=".count)) : nil
    }
    guard names.count > 1 else { return }
    throw .severalOutputs("\(names.count) are given: \(names.joined(separator: ", "))", value: names[1])
  }

  /// The option parser's error, on one line; `nil` for a request of help.
  static func problem(_ error: any Error) -> String? {
    guard VStreamCommand.exitCode(for: error) != .success else { return nil }
    // Values that a message repeats may have line breaks of any kind.
    return VStreamCommand.message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func isNegativeNumber(_ text: String) -> Bool { text.hasPrefix("-") && Double(text) != nil }
}

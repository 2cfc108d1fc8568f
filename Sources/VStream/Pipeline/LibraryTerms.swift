internal import VStreamScene

/// Messages in the library's words: what they name as an option of the command `vstream` is named as the library has it, or
/// said to be the command's.
enum LibraryTerms {
  /// The library's names, by the command's.
  private static let names = [
    "classes": "classes", "object-model": "model", "records": "records", "overwrite": "overwritesOutput",
    "realtime": "isRealtime", "reconnect": "reconnectSeconds", "detect-every": "detectEvery", "mode": "mode",
  ]

  static func text(_ message: String) -> String {
    var text = ""
    var rest = message[...]
    while let dashes = rest.firstRange(of: "--") {
      text += rest[..<dashes.lowerBound]
      rest = rest[dashes.upperBound...]
      let option = String(rest.prefix { $0.isLowercase || $0 == "-" })
      guard !option.isEmpty, text.last.map({ " (".contains($0) }) ?? true else {
        text += "--"
        continue
      }
      text += names[option] ?? "the command's --\(option)"
      rest = rest.dropFirst(option.count)
      if rest.hasPrefix(" (-y)") { rest = rest.dropFirst(5) }
    }
    return text + rest
  }

  /// Runs `body`, whose errors are put in the library's words.
  static func run<R>(_ body: () throws(VStreamError) -> R) throws(VStreamError) -> R {
    do {
      return try body()
    } catch {
      throw VStreamError(error.code, Message(text(error.message)), remedy: Message(text(error.remedy)))
    }
  }
}

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard error.
enum Terminal {
  static let isInteractive = isatty(STDERR_FILENO) == 1

  /// Characters on a line.
  static var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Writes to standard error; what cannot be written is discarded.
  static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  static func printLine(_ text: String) { write("\(printable(text))\n") }

  /// A text with each control character but line breaks in the form `\x1b`: names of files, tags and models, which a
  /// message repeats, must not control the terminal.
  static func printable(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control, scalar != "\n" {
        let digits = String(scalar.value, radix: 16)
        shown += "\\x" + String(repeating: "0", count: max(0, 2 - digits.count)) + digits
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

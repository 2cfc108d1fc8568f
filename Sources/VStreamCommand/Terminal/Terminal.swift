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

  /// A text with U+FFFD for each control character but line breaks: names of files, tags and models, which a message
  /// repeats, must not control the terminal.
  static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control && scalar != "\n" ? "\u{FFFD}" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard error, and what else may be a terminal.
enum Terminal {
  static let isInteractive = isatty(STDERR_FILENO) == 1

  /// Characters on a line.
  static var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Whether an output is a terminal: standard output, or the path of one.
  static func isTerminal(_ output: String) -> Bool {
    if output == "-" { return isatty(STDOUT_FILENO) == 1 }
    let path = PathIdentity.canonicalPath(of: PathIdentity.resolvingLink(output))
    return path.hasPrefix("/dev/pts/") || path.hasPrefix("/dev/tty")
  }

  static func write(_ text: String) { StandardError.write(text) }

  /// Names of files and of tags that contain line breaks do not make lines of their own.
  static func printLine(_ text: String) {
    write("\(ShownLocation.inText(text).printable.replacing("\n", with: "\\x0a"))\n")
  }

  /// Prints lines to standard output, without what would control a terminal.
  static func printResult(_ text: String) { print(ShownLocation.inText(text).printable) }
}

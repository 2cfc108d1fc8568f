internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard error, and other possible terminals.
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

/// Exit codes, part of the command-line contract.
enum ExitStatus {
  static let success: Int32 = 0
  /// `--verify` or `--compare` found something.
  static let found: Int32 = 1
  static let usage: Int32 = 64
  static let missingDependency: Int32 = 69
  static let interrupted: Int32 = 130

  static func code(for error: VStreamError) -> Int32 { error.exitCode }
}

/// The text of `--version`.
enum Version {
  static let number = ProgramVersion.number

  /// vstream's, libav's and OpenVINO's versions, each on a line.
  static var text: String {
    (["vstream \(number)"] + LibAV.versions + ["OpenVINO \(OpenVINO.version ?? "not found")"]).joined(separator: "\n")
  }
}

/// The progress of a run on a file: `45 %  358 of 795 frames  130 fps  3 s left`.
struct ProgressLine {
  let progress: PipelineProgress

  var text: String {
    let framesOut = progress.counts.framesOut
    let rate = progress.elapsedSeconds > 0 ? Double(framesOut) / progress.elapsedSeconds : 0
    var parts: [String] = []
    if let expected = progress.framesExpected, expected > 0 {
      let percent = Int(min(100, 100 * Double(framesOut) / Double(expected)))
      parts = ["\(percent) %", "\(framesOut) of \(max(expected, framesOut)) frames"]
    } else {
      parts = ["\(framesOut) frames"]
    }
    parts.append("\(Int(clamping: rate)) fps")
    if let expected = progress.framesExpected, rate > 0, expected > framesOut {
      parts.append("\((Double(expected - framesOut) / rate).formatted(.duration)) left")
    }
    return parts.joined(separator: "  ")
  }
}

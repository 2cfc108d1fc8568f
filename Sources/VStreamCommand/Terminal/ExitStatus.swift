internal import VStreamScene

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

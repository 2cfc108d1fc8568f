import Testing
import VStreamTestSupport

/// Video that would be written to a terminal.
struct TerminalOutputTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: String
    let code: Int32
    let expected: String
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "standard output", arguments: "-o -", code: 64,
      expected: "-o -: is a terminal, which shows no video; pipe it to a program, for example '-o - | ffplay -'"),
    Row(name: "its device", arguments: "-o /dev/stdout", code: 64, expected: "-o /dev/stdout: is a terminal"),
    Row(name: "text", arguments: "-o - --output-format framemd5", code: 0, expected: "frame checksums"),
    Row(name: "a pipe", arguments: "-o - | wc -l", code: 0, expected: "frames in"),
  ]

  /// `script` runs a command with a terminal as its standard streams.
  @Test(arguments: rows)
  func `video is not written to a terminal`(row: Row) throws {
    let street = try ClipFolder(street: 2)
    let command = "set -o pipefail; '\(Program.vstreamPath)' in.avi --detect none \(row.arguments)"
    let result = try Program.run(
      "/usr/bin/env", ["SHELL=/bin/bash", "script", "-qec", command, "/dev/null"],
      folder: street.folder.path)
    #expect(result.status == row.code, "\(result.text)")
    #expect(result.text.contains(row.expected), "\(result.text)")
  }
}

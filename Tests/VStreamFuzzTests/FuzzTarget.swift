import VStreamCore
import VStreamMedia

@testable import VStreamCommand

/// A parser of untrusted bytes with the properties that hold for every input.
///
/// libFuzzer calls it with inputs of its own (`scripts/checks/fuzz`), and `SeedTests` with the committed ones.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// Of its folder of seeds and of its dictionary in `Fixtures`.
  let name: String
  /// Throws a `Finding` for a property that does not hold.
  let run: @Sendable ([UInt8]) throws -> Void

  var description: String { name }

  static let all: [FuzzTarget] = [
    .modelDescription, .records, .motText, .imageMetadata, .optionValues, .commandLines, .regionText,
  ]
}

/// A property that does not hold for an input.
struct Finding: Error, CustomStringConvertible {
  let description: String
}

/// - Throws: `Finding` if the condition is false.
func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
  if !condition { throw Finding(description: problem()) }
}

/// The result of a parser; `nil` if it rejects the input with one of the project's errors, whose message is one line.
///
/// - Throws: `Finding` for any other error, or another message.
func accepted<Value>(_ parse: () throws -> Value) throws -> Value? {
  do {
    return try parse()
  } catch let finding as Finding {
    throw finding
  } catch let error as VStreamError {
    try requireLine(error.description)
    try requireLine(error.commandText)
    return nil
  } catch {
    throw Finding(description: "the error is not a VStreamError: \(error)")
  }
}

/// - Throws: `Finding` if a message is empty or has several lines.
func requireLine(_ message: String) throws {
  try require(!message.isEmpty, "the message is empty")
  try require(
    !message.unicodeScalars.contains { $0.properties.isLineBreak }, "the message has several lines: \(message)")
}

extension Unicode.Scalar.Properties {
  /// Whether a terminal or an editor may start a new line here.
  fileprivate var isLineBreak: Bool {
    generalCategory == .lineSeparator || generalCategory == .paragraphSeparator
      || (generalCategory == .control && ["\n", "\u{B}", "\u{C}", "\r", "\u{85}"].contains(lowercaseMapping))
  }
}

extension VideoFrame {
  /// A frame to draw on.
  init(blank size: PixelSize) throws {
    guard let format = PixelFormat(name: "yuv420p") else { throw Finding(description: "FFmpeg has no yuv420p") }
    try self.init(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
  }
}

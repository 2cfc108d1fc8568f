import ArgumentParser
import Testing
import VStreamCore

@testable import VStreamCommand

/// The command's names of the settings that errors refer to.
struct OptionNameTests {
  /// The options that the parser knows, by its help.
  private static let options: Set<String> = {
    let help = [AnnotateCommand.self, GetModel.self].map { VStreamCommand.helpMessage(for: $0, columns: 200) }
    let words = help.joined(separator: " ").split { " ,\n".contains($0) }
    return Set(words.filter { $0.hasPrefix("--") }.map(String.init))
  }()

  @Test func `what the parser finds wrong is one line, whatever the value`() throws {
    let error = #expect(throws: (any Error).self) {
      _ = try VStreamCommand.parseAsRoot(["in.avi", "--threads", "a\r\nb\rc\u{2028}d"])
    }
    #expect(try ArgumentText.problem(#require(error)) == "The value 'a b c d' is invalid for '--threads <n>'")
    #expect(ArgumentText.problem(CleanExit.helpRequest()) == nil)
  }

  @Test(arguments: Setting.all)
  func `every setting is an option of the command`(setting: Setting) {
    #expect(Self.options.contains(OptionNames.option(for: setting)))
  }

  @Test(arguments: [
    (VStreamError.unknownValue("x", of: .codec, expected: "an encoder"), "'x' is not an encoder (--codec)"),
    (.outOfRange(60, of: .crf, limits: 0...51), "--crf 60 is out of range; use 0 to 51"),
    (
      .unsupported(.pixelFormat, "gray", by: "libx264"),
      "libx264 does not support --pixel-format gray; omit --pixel-format"
    ),
    (
      .conflict(.redact, with: .mode, "single-image"),
      "--redact cannot be combined with --mode single-image; omit one of them"
    ),
    (
      VStreamError(.cannotCreateOutput, "'a' exists", remedy: "\(.overwrite) replaces it"),
      "'a' exists; --overwrite (-y) replaces it"
    ),
    (
      VStreamError(.inputOutput, "lost", remedy: "see \(.timeout) and \(.reconnect)"),
      "lost; see --timeout and --reconnect"
    ),
    (VStreamError(.usage, "\(.realtime), \(.objectModel, "x")"), "--realtime, --object-model x"),
  ])
  func `an error's message names the command's options`(error: VStreamError, text: String) {
    #expect(error.commandText == text)
  }

  @Test func `a warning's message names the command's options`() {
    let warning: Message = "stream #1 is omitted (\(.keepUnredacted) keeps it)"
    #expect(warning.commandText == "stream #1 is omitted (--keep-unredacted keeps it)")
  }
}

import Testing
import VStreamCore

@testable import VStreamServe

/// What is wrong in a configuration, in which line, and what would be right.
struct ConfigurationFaultTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    /// The line of the fault; `nil` if it has none.
    let line: Int?
    /// What the message has to contain.
    let pieces: [String]

    init(_ name: String, _ text: String, line: Int?, _ pieces: String...) {
      testDescription = name
      self.text = text
      self.line = line
      self.pieces = pieces
    }
  }

  private static func camera(_ lines: String...) -> String {
    "cameras:\n  front:\n    source: rtsp://front/stream\n" + lines.map { "    \($0)\n" }.joined()
  }

  static let rows = [
    Row("nothing", "", line: nil, "is empty"),
    Row("a text", "hello\n", line: 1, "is one value"),
    Row("a list", "- a\n- b\n", line: 1, "is a list"),
    Row("not YAML", "cameras:\n  front: {source: rtsp://front\n", line: 3, "not YAML"),
    Row("a tab", "cameras:\n\tfront:\n", line: 2, "not YAML"),
    Row("an unknown key", "listen: 8480\ncamera:\n  a: 1\n", line: 2, "'camera'", "did you mean cameras?"),
    Row("an unknown key of a camera", camera("scource: x"), line: 4, "cameras.front.scource", "did you mean source?"),
    Row("a key that is there twice", camera("weight: 1", "weight: 2"), line: 4, "'weight' is there twice"),
    Row(
      "a camera that is there twice", "cameras:\n  a: {source: x}\n  a: {source: y}\n", line: 2, "'a' is there twice"),
    Row("no source", "cameras:\n  front:\n    weight: 1\n", line: 2, "cameras.front: has no source", "source:"),
    Row("an empty source", "cameras:\n  front:\n    source:\n", line: 3, "source: has no value"),
    Row("a camera that is a text", "cameras:\n  front: rtsp://front\n", line: 2, "is one value, not settings"),
    Row("cameras that are a list", "cameras:\n  - source: x\n", line: 1, "is a list, not settings"),
    Row("a name with a slash", "cameras:\n  a/b: {source: x}\n", line: 2, "'a/b' is not a camera's name"),
    Row("a name of dots", "cameras:\n  ..: {source: x}\n", line: 2, "'..' is not a camera's name"),
    Row("a number that is a text", camera("passes-per-second: five"), line: 4, "'five' is not a number", "0.1 to 200"),
    Row("a number that is too large", camera("weight: 1000"), line: 4, "1000 is out of range", "0.01 to 100"),
    Row("a negative number", camera("lost-after: -1"), line: 4, "out of range"),
    Row("a number that is not whole", camera("confirm-after: 1.5"), line: 4, "'1.5'", "1 to 1000"),
    Row("a number that is a list", camera("weight: [1, 2]"), line: 4, "is a list, not a text"),
    Row("a switch that is a number", camera("rest: 2"), line: 4, "'2' is neither true nor false", "give true or false"),
    Row("a score above 1", camera("min-score: 7"), line: 4, "out of range", "0.01 to 1"),
    Row("an unknown kind", camera("detect: [objects, face]"), line: 4, "'face' is not known", "faces"),
    Row("a class list that is a group", camera("classes: {person: 1}"), line: 4, "is a group of settings, not a list"),
    Row("an empty list", camera("classes: ''"), line: 4, "is empty"),
    Row("a zone of two corners", camera("zones:", "  door: 10%,20%;40%,20%"), line: 5, "is not a polygon", "three"),
    Row("a zone that is no points", camera("zones: {door: here}"), line: 4, "zones.door", "is not a polygon"),
    Row("a line of one point", camera("lines: {gate: '0,0;0,0'}"), line: 4, "is not a line", "two ends"),
    Row("zones without names", camera("zones: ['10%,20%;40%,20%;40%,90%']"), line: 4, "is a list, not settings"),
    Row("masks with names", camera("masks: {a: '0,0;1,0;1,1'}"), line: 4, "is a group of settings, not a list"),
    Row("a mask of two corners", camera("masks:", "  - 0%,0%;20%,0%"), line: 5, "is not a polygon", "three"),
    Row("an unknown redaction", camera("redact: pixels"), line: 4, "'pixels' is not known", "mosaic, blur, fill"),
    Row("records of another format", camera("records: a.csv"), line: 4, "JSON lines", ".jsonl"),
    Row("a variable that is not set", camera("object-model: ${NO_SUCH}"), line: 4, "no variable 'NO_SUCH'"),
    Row("a variable without its end", camera("object-model: ${USER"), line: 4, "has no '}'"),
    Row("a camera's setting as default", "defaults:\n  source: x\n", line: 2, "belongs to one camera"),
    Row(
      "a second source as default", "defaults:\n  detect-source: x\n", line: 2, "defaults.detect-source",
      "belongs to one camera"),
    Row("an unknown default", "defaults:\n  clases: [person]\n", line: 2, "defaults.clases", "did you mean classes?"),
    Row("an address that is none", "listen: everywhere\n", line: 1, "'everywhere' is not an address", "127.0.0.1:8480"),
    Row("a proxy that is a name", "trusted-proxies: [proxy]\n", line: 1, "'proxy' is neither", "127.0.0.1"),
    Row("a network that is none", "trusted-proxies:\n  - 10.0.0.0/x\n", line: 2, "'10.0.0.0/x' is neither"),
    Row("a port that is too large", "listen: [127.0.0.1:8480,\n  '0.0.0.0:70000']\n", line: 2, "is not an address"),
  ]

  @Test(arguments: rows) func `the message names the line and what would be right`(row: Row) throws {
    let source = ConfigurationText(name: "'c.yaml'", hasLines: true) { $0 == "USER" ? "me" : nil }
    let error = try #require(throws: VStreamError.self) { try ConfigurationReader.read(row.text, of: source) }
    #expect(error.code == .usage)
    let text = error.description
    let start = row.line.map { "'c.yaml', line \($0): " } ?? "'c.yaml' "
    #expect(text.hasPrefix(start), "\(text)")
    for piece in row.pieces { #expect(text.contains(piece), "\(piece) in: \(text)") }
    #expect(!error.remedy.isEmpty)
    #expect(!text.contains("\n"))
  }
}

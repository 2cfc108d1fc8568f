import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamServe

/// Whatever a configuration or a request contains: it is accepted, or refused by one line that names where.
struct HostileConfigurationTests {
  private static let source = ConfigurationText(name: "'c.yaml'", hasLines: true) { $0.isEmpty ? nil : "value" }

  /// - Returns: whether it was accepted.
  private static func read(_ text: String) -> Bool {
    do {
      let configuration = try ConfigurationReader.read(text, of: source)
      for camera in configuration.cameras {
        #expect(CameraName.isValid(camera.name) && !camera.settings.source.isEmpty)
      }
      return true
    } catch {
      #expect(error.code == .usage)
      #expect(!error.description.contains("\n") && error.description.hasPrefix("'c.yaml'"), "\(error)")
      return false
    }
  }

  private static let whole = """
    listen: [127.0.0.1:8480, "[::1]:9000"]
    defaults: {detect: [objects], classes: [person, car], passes-per-second: 5}
    cameras:
      front:
        source: rtsp://user:${PASSWORD}@front/stream
        zones: {door: "10%,20%;40%,20%;40%,90%"}
        masks: ["0%,0%;20%,0%;20%,10%"]
        redact: mosaic
        weight: 1
      yard: {source: rtsp://yard/stream, detect: none}
    """

  /// What has a meaning in YAML.
  private static let marks = Array("{}[]:,&*!|>'\"%@`\n\t-#$".utf8)

  @Test func `the configuration from which the others are made is accepted`() { #expect(Self.read(Self.whole)) }

  @Test(arguments: 0..<40) func `bytes that were replaced, removed and repeated`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<25 {
      var bytes = Array(Self.whole.utf8)
      for _ in 0..<1 + numbers.below(6) {
        let index = numbers.below(bytes.count)
        switch numbers.below(4) {
        case 0: bytes[index] = UInt8(numbers.below(256))
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 20)], at: index)
        default: bytes.insert(Self.marks[numbers.below(Self.marks.count)], at: index)
        }
      }
      _ = Self.read(String(decoding: bytes, as: UTF8.self))
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String

    init(_ name: String, _ text: String) {
      testDescription = name
      self.text = text
    }
  }

  static let rows = [
    Row("deeply nested lists", String(repeating: "[", count: 3000)),
    Row("deeply nested settings", String(repeating: "{a: ", count: 3000)),
    Row("an alias of nothing", "cameras: *a\n"),
    Row("an alias of itself", "cameras: &a {b: *a}\n"),
    Row(
      "aliases that multiply",
      "a: &a [x, x, x, x, x, x, x, x]\n"
        + (1...20).map { "b\($0): &b\($0) [*a, *a, *a, *a]\n" }.joined()),
    Row("a tag", "cameras: !!binary aGVsbG8=\n"),
    Row("another document", "cameras: {a: {source: x}}\n---\ncameras: {}\n"),
    Row("a number as key", "cameras: {1: {source: x}, [2]: {source: y}}\n"),
    Row("a null", "cameras: ~\n"),
    Row("control characters", "cameras: {a: {source: \"\\x00\\e[31m\"}, \"\\n\": {source: x}}\n"),
    Row("a text of a megabyte", "cameras: {a: {source: \(String(repeating: "x", count: 1 << 20))}}\n"),
    Row("a list of a hundred thousand", "listen: [\(String(repeating: "x,", count: 100_000))]\n"),
    Row("a merge key", "x: &x {source: y}\ncameras: {a: {<<: *x}}\n"),
  ]

  @Test(arguments: rows) func `structures`(row: Row) { #expect(!Self.read(row.text)) }

  @Test(arguments: 0..<20) func `targets of requests`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let pieces = [
      "/", "api", "v1", "cameras", "..", "%2e", "%2f", "%", "%00", "?", "&", "=", "token", "é", "\u{0}", "+", "//",
      "front",
    ]
    for _ in 0..<200 {
      let target = (0..<numbers.below(12)).map { _ in pieces[numbers.below(pieces.count)] }.joined()
      guard let request = WebRequest(method: "GET", target: target, headers: [], client: "") else { continue }
      #expect(target.hasPrefix("/"))
      #expect(!request.path.contains(""))
    }
  }
}

import Foundation
import Synchronization
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamServe

/// The server's messages.
struct ServeLogTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private static let text = "lost: 'rtsp://user:secret@host/stream?password=secret'\nmore \u{1B}[31m"

  @Test(arguments: LogFormat.allCases) func `messages are one line, without credentials`(format: LogFormat) throws {
    let lines = Lines()
    let log = ServeLog(format: format) { lines.add($0) }
    log.warn(Self.text, camera: "front")
    log.note("live")
    #expect(lines.all.count == 2)
    for line in lines.all {
      #expect(line.hasSuffix("\n") && line.filter(\.isNewline).count == 1)
      #expect(!line.contains("secret") && !line.contains("\u{1B}"))
    }
    guard format == .json else {
      #expect(lines.all[0].contains(" warning: front: lost: 'rtsp://user:…@host/stream"), "\(lines.all)")
      #expect(lines.all[1].hasSuffix(" live\n") && !lines.all[1].contains("info"))
      return
    }
    let value = try JSONValue(json: lines.all[0])
    #expect(value["level"]?.text == "warning" && value["camera"]?.text == "front")
    #expect(value["message"]?.text?.hasPrefix("lost: 'rtsp://user:…@host") == true)
    #expect(try JSONValue(json: lines.all[1])["camera"] == nil)
  }

  @Test(
    arguments: [
      ("warning: 3 packets are damaged", "warning: front: 3 packets are damaged"),
      ("a warning: x", "front: a warning: x"),
      ("warning:", "front: warning:"), ("reconnecting", "front: reconnecting"),
      ("warning: omit \(.pixelFormat)", "warning: front: omit pixel-format"),
    ] as [(Message, String)]) func `a run's warnings are warnings`(message: Message, shown: String) throws
  {
    let lines = Lines()
    ServeLog(format: .text) { lines.add($0) }.report(message, camera: "front")
    #expect(lines.all.first?.hasSuffix("Z \(shown)\n") == true, "\(lines.all)")
    let log = ServeLog(format: .json) { lines.add($0) }
    log.report(message, camera: "front")
    let isWarning = shown.hasPrefix("warning: ")
    #expect(try JSONValue(json: lines.all[1])["level"]?.text == (isWarning ? "warning" : "info"))
  }

  @Test(arguments: [
    (0, "1970-01-01", "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28", "2000-02-28T23:59:59Z"),
    (951_782_400, "2000-02-29", "2000-02-29T00:00:00Z"), (4_102_444_799, "2099-12-31", "2099-12-31T23:59:59Z"),
  ]) func `dates are those of UTC`(seconds: Int, date: String, text: String) {
    let time = UTCTime(secondsSince1970: seconds)
    #expect(time.date == date && time.text == text)
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// What is read of an input, and whether it was complete.
struct InputSourceTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=4", "-c:v", "mjpeg", "-q:v", "2", path,
    ])
  }

  private func source(_ state: RunState = RunState(), reconnecting seconds: Double = 0) throws -> InputSource {
    var configuration = PipelineConfiguration(input: MediaInput(path), fontPath: "", threads: 1)
    configuration.reconnectSeconds = seconds
    return InputSource(try MediaReader(configuration.input), configuration, state: state, timer: StageTimer())
  }

  /// Reads to the end, and returns the number of packets.
  private func readAll(_ source: inout InputSource) throws -> Int {
    var count = 0
    while true {
      switch try source.next() {
      case .packet: count += 1
      case .damaged: continue
      case .end: return count
      case .lost(let reason):
        Issue.record("lost: \(reason)")
        return count
      }
    }
  }

  @Test func `a complete file has all its packets, and nothing is missing`() throws {
    var source = try source()
    #expect(source.missingSeconds == nil, "nothing was read")
    #expect(try readAll(&source) == 40)
    #expect(abs(source.latest - 3.9) < 1e-9 && source.missingSeconds == 0)
  }

  @Test func `the missing end of a truncated file is measured`() throws {
    let whole = try Data(contentsOf: URL(filePath: path))
    try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
    var source = try source()
    let count = try readAll(&source)
    #expect((10..<30).contains(count))
    let missing = try #require(source.missingSeconds)
    #expect(abs(missing - (3.9 - source.latest)) < 1e-3 && missing > 1, "the last packet lasts 0.1 s")
  }

  @Test func `the end of a file is not a loss of the connection`() throws {
    var source = try source(reconnecting: 10)
    #expect(try readAll(&source) == 40)
  }
}

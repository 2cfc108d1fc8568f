import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Downloads from a local server that simulates failures.
struct FileDownloadTests {
  private let folder: TemporaryFolder
  private let bytes: Data
  private let hash: String

  init() throws {
    folder = try TemporaryFolder()
    var numbers = SeededNumbers(seed: 5)
    bytes = Data((0..<300_000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
    try bytes.write(to: URL(filePath: folder.file("served")))
    hash = try FileHash.sha256(of: folder.file("served"))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let behaviours: [String]
    /// Bytes left by an earlier run, and whether they belong to the file.
    var before = 0
    var isBeforeValid = true
    var isSized = true
    /// Bytes that it may have.
    var maximum = 1_000_000
    /// The ranges that the server receives requests for.
    let requested: [String]
    /// A part of the expected error message; `nil` if the download succeeds.
    var expected: String?
    /// Bytes left in the part file after a failure.
    var left = 0
  }

  static let rows = [
    Row(testDescription: "whole", behaviours: ["whole"], requested: ["bytes=0-"]),
    Row(
      testDescription: "whole, without a content length", behaviours: ["unsized"], isSized: false,
      requested: ["bytes=0-"]),
    Row(
      testDescription: "interrupted once, then resumed", behaviours: ["cut:100000", "whole"],
      requested: ["bytes=0-", "bytes=100000-"]),
    Row(
      testDescription: "interrupted repeatedly", behaviours: ["cut:100000", "cut:50000", "cut:1", "whole"],
      requested: ["bytes=0-", "bytes=100000-", "bytes=150000-", "bytes=150001-"]),
    Row(
      testDescription: "interrupted without progress", behaviours: ["cut:1000", "cut:0"],
      requested: ["bytes=0-", "bytes=1000-"],
      expected: "was cut off after 1.0 kB of 300.0 kB", left: 1000),
    Row(
      testDescription: "resumed from an earlier run", behaviours: ["whole"], before: 123_456,
      requested: ["bytes=123456-"]),
    Row(
      testDescription: "resumed where the server does not support ranges", behaviours: ["norange"], before: 123_456,
      requested: ["bytes=123456-", "bytes=0-"]),
    Row(
      testDescription: "complete from an earlier run", behaviours: ["404"], before: 300_000, requested: []),
    Row(
      testDescription: "a part of another file from an earlier run", behaviours: ["whole"], before: 1000,
      isBeforeValid: false, requested: ["bytes=1000-", "bytes=0-"]),
    Row(
      testDescription: "a part longer than the file from an earlier run", behaviours: ["whole"], before: 300_001,
      isBeforeValid: false, requested: ["bytes=300001-", "bytes=0-"]),
    Row(
      testDescription: "another file", behaviours: ["wrong"], requested: ["bytes=0-"],
      expected: "is not the expected file"),
    Row(
      testDescription: "larger than it may be", behaviours: ["whole"], maximum: 100_000, requested: ["bytes=0-"],
      expected: "is larger than 100.0 kB"),
    Row(
      testDescription: "larger than it may be, without a content length", behaviours: ["unsized"], isSized: false,
      maximum: 100_000, requested: ["bytes=0-"], expected: "is larger than 100.0 kB"),
    Row(testDescription: "not found", behaviours: ["404"], requested: ["bytes=0-"], expected: "(404)"),
    Row(
      testDescription: "removed since an earlier run", behaviours: ["404"], before: 1000,
      requested: ["bytes=1000-", "bytes=0-"],
      expected: "(404)", left: 1000),
    Row(testDescription: "a server error", behaviours: ["503"], requested: ["bytes=0-"], expected: "server failed"),
    Row(
      testDescription: "redirected", behaviours: ["to:/elsewhere", "whole"],
      requested: ["bytes=0-", "bytes=0-"]),
    Row(
      testDescription: "redirected and resumed", behaviours: ["to:/elsewhere", "whole"], before: 5000,
      requested: ["bytes=5000-", "bytes=5000-"]),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: rows)
  func `a file is downloaded completely, or an error gives the cause and a remedy`(row: Row) throws {
    let server = try FileServer(folder.file("served"), row.behaviours)
    let target = folder.file("model.onnx")
    if row.before > 0 {
      let beginning = row.isBeforeValid ? bytes.prefix(row.before) : Data(repeating: 7, count: row.before)
      try beginning.write(to: URL(filePath: target + ".part"))
    }
    let download = FileDownload(
      server.prefix + "model.onnx", to: target, sha256: hash, maximumBytes: row.maximum)
    var progress: [FileDownload.Progress] = []
    let error = failure { try download.run { progress.append($0) } }
    #expect(try server.requests(row.requested.count) == row.requested)
    let left = (try? Data(contentsOf: URL(filePath: target + ".part")))?.count ?? 0
    guard let expected = row.expected else {
      #expect(error == nil, "\(error?.description ?? "")")
      #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
      #expect(left == 0)
      if !row.requested.isEmpty {
        #expect(progress.last?.done == bytes.count && progress.last?.total == (row.isSized ? bytes.count : nil))
      }
      return
    }
    #expect(error?.message.contains(expected) == true, "\(error?.description ?? "")")
    #expect(error?.remedy.isEmpty == false)
    #expect(error?.message.contains(server.prefix) == true, "the location is named")
    #expect(left == row.left)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func `a file URL is copied like a download`() throws {
    let target = folder.file("model.onnx")
    try bytes.prefix(777).write(to: URL(filePath: target + ".part"))
    try FileDownload("file:" + folder.file("served"), to: target, sha256: hash).run()
    #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
  }

  @Test func `a server that does not answer is an error after the timeout`() throws {
    let server = try SilentServer()
    let caller = server.callerAfterBeginning(Data(), closes: false)
    var download = FileDownload("http://127.0.0.1:\(server.port)/a", to: folder.file("a"), sha256: hash)
    download.timeout = 0.2
    let error = failure { try download.run() }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("did not answer") == true, "\(error?.description ?? "")")
    withExtendedLifetime(caller) {}
  }

  @Test func `an interrupted download keeps the received bytes`() throws {
    let server = try FileServer(folder.file("served"))
    let interrupt = Interrupt()
    let target = folder.file("model.onnx")
    let error = failure {
      try FileDownload(server.prefix, to: target, sha256: hash).run(interrupt: interrupt) { progress in
        if progress.done > 0 { interrupt.trigger() }
      }
    }
    #expect(error?.code == .inputOutput)
    let left = try Data(contentsOf: URL(filePath: target + ".part"))
    #expect(!left.isEmpty && bytes.starts(with: left))
    #expect(try server.requests(1).count == 1, "and does not try again")
  }

  @Test func `a missing folder is an error that names the file`() throws {
    let server = try FileServer(folder.file("served"))
    let error = failure { try FileDownload(server.prefix, to: folder.file("no/model"), sha256: hash).run() }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("no/model.part") == true)
  }
}

import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamMedia

/// Files fetched from a server on this machine that breaks down in every way.
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
    /// Bytes that are there of an earlier run, and whether they are the file's.
    var before = 0
    var isBeforeRight = true
    var isSized = true
    /// What the server is asked for.
    let asked: [String]
    /// What is said of a failure; `nil` where the file comes.
    var says: String?
    /// What is left of a failure.
    var left = 0
  }

  static let rows = [
    Row(testDescription: "whole", behaviours: ["whole"], asked: ["bytes=0-"]),
    Row(
      testDescription: "whole, of a length that is not said", behaviours: ["unsized"], isSized: false,
      asked: ["bytes=0-"]),
    Row(
      testDescription: "cut off once, and gone on with", behaviours: ["cut:100000", "whole"],
      asked: ["bytes=0-", "bytes=100000-"]),
    Row(
      testDescription: "cut off again and again", behaviours: ["cut:100000", "cut:50000", "cut:1", "whole"],
      asked: ["bytes=0-", "bytes=100000-", "bytes=150000-", "bytes=150001-"]),
    Row(
      testDescription: "cut off for good", behaviours: ["cut:1000", "cut:0"], asked: ["bytes=0-", "bytes=1000-"],
      says: "was cut off after 1.0 kB of 300.0 kB", left: 1000),
    Row(
      testDescription: "gone on with from an earlier run", behaviours: ["whole"], before: 123_456,
      asked: ["bytes=123456-"]),
    Row(
      testDescription: "gone on with where the server knows no ranges", behaviours: ["norange"], before: 123_456,
      asked: ["bytes=123456-", "bytes=0-"]),
    Row(
      testDescription: "all there from an earlier run", behaviours: ["404"], before: 300_000, asked: []),
    Row(
      testDescription: "another file's beginning from an earlier run", behaviours: ["whole"], before: 1000,
      isBeforeRight: false, asked: ["bytes=1000-", "bytes=0-"]),
    Row(
      testDescription: "more than there is, from an earlier run", behaviours: ["whole"], before: 300_001,
      isBeforeRight: false, asked: ["bytes=300001-", "bytes=0-"]),
    Row(
      testDescription: "another file", behaviours: ["wrong"], asked: ["bytes=0-"],
      says: "is not the expected file"),
    Row(testDescription: "not there", behaviours: ["404"], asked: ["bytes=0-"], says: "(404)"),
    Row(
      testDescription: "not there any more", behaviours: ["404"], before: 1000, asked: ["bytes=1000-", "bytes=0-"],
      says: "(404)", left: 1000),
    Row(testDescription: "a server in trouble", behaviours: ["503"], asked: ["bytes=0-"], says: "server failed"),
    Row(
      testDescription: "moved to another place", behaviours: ["to:/elsewhere", "whole"],
      asked: ["bytes=0-", "bytes=0-"]),
    Row(
      testDescription: "moved, and gone on with", behaviours: ["to:/elsewhere", "whole"], before: 5000,
      asked: ["bytes=5000-", "bytes=5000-"]),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: rows)
  func `a file comes whole, or an error says why and what to do`(row: Row) throws {
    let server = try FileServer(folder.file("served"), row.behaviours)
    let target = folder.file("model.onnx")
    if row.before > 0 {
      let beginning = row.isBeforeRight ? bytes.prefix(row.before) : Data(repeating: 7, count: row.before)
      try beginning.write(to: URL(filePath: target + ".part"))
    }
    let download = FileDownload(server.prefix + "model.onnx", to: target, sha256: hash)
    var told: [FileDownload.Progress] = []
    let error = failure { try download.run { told.append($0) } }
    #expect(try server.requests(row.asked.count) == row.asked)
    let left = (try? Data(contentsOf: URL(filePath: target + ".part")))?.count ?? 0
    guard let says = row.says else {
      #expect(error == nil, "\(error?.description ?? "")")
      #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
      #expect(left == 0)
      if !row.asked.isEmpty {
        #expect(told.last?.done == bytes.count && told.last?.total == (row.isSized ? bytes.count : nil))
      }
      return
    }
    #expect(error?.message.contains(says) == true, "\(error?.description ?? "")")
    #expect(error?.remedy.isEmpty == false)
    #expect(error?.message.contains(server.prefix) == true, "it says where")
    #expect(left == row.left)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func `a copy in a folder is as good as a server`() throws {
    let target = folder.file("model.onnx")
    try bytes.prefix(777).write(to: URL(filePath: target + ".part"))
    try FileDownload("file:" + folder.file("served"), to: target, sha256: hash).run()
    #expect(try Data(contentsOf: URL(filePath: target)) == bytes)
  }

  @Test func `a server that says nothing is given up`() throws {
    let server = try SilentServer()
    let caller = server.callerAfterBeginning(Data(), closes: false)
    var download = FileDownload("http://127.0.0.1:\(server.port)/a", to: folder.file("a"), sha256: hash)
    download.timeout = 0.2
    let error = failure { try download.run() }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("did not answer") == true, "\(error?.description ?? "")")
    withExtendedLifetime(caller) {}
  }

  @Test func `one that is stopped keeps what has come`() throws {
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

  @Test func `a folder that is not there is said`() throws {
    let server = try FileServer(folder.file("served"))
    let error = failure { try FileDownload(server.prefix, to: folder.file("no/model"), sha256: hash).run() }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("no/model.part") == true)
  }
}

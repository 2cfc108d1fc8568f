import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

/// Part files, text files, locks and free space.
struct WritingTests {
  @Test func `a part file gets its name when it is committed`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try PartFile.write([1, 2, 3], for: path)
    #expect(folder.names == ["a.part"])
    try PartFile.commit(path)
    #expect(folder.names == ["a"])
    #expect(try ReadableFile.bytes(of: path) == [1, 2, 3])
  }

  @Test func `a commit replaces the file before it`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", "old")
    try PartFile.write(Array("new".utf8), for: path)
    #expect(try ReadableFile.bytes(of: path) == Array("old".utf8))
    try PartFile.commit(path)
    #expect(try ReadableFile.bytes(of: path) == Array("new".utf8))
  }

  @Test func `a commit that fails leaves nothing`() throws {
    let folder = try TemporaryFolder()
    try Folder.create(folder.file("a"))
    try PartFile.write([1], for: folder.file("a"))
    let error = #expect(throws: VStreamError.self) { try PartFile.commit(folder.file("a")) }
    #expect(error?.code == .inputOutput)
    #expect(folder.names == ["a"])
    #expect(throws: VStreamError.self) { try PartFile.write([1], for: folder.file("none/a")) }
  }

  @Test func `an incomplete file is set aside, a discarded one removed; other files are not touched`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", "x")
    PartFile.setAside(path)
    #expect(folder.names == ["a.part"])
    PartFile.setAside(path)
    PartFile.discard(path)
    PartFile.discard(path)
    #expect(folder.names == [])
    PartFile.remove(try folder.write("b", "x"))
    try Folder.create(folder.file("c"))
    PartFile.remove(folder.file("c"))
    PartFile.setAside(folder.file("c"))
    #expect(folder.names == ["c"])
  }

  @Test func `lines are in the file when it is closed, in their order`() throws {
    let folder = try TemporaryFolder()
    let file = try TextFile(creating: try folder.write("a", "what was there before"), overwrite: true)
    let long = String(repeating: "x", count: 70_000)
    try file.write(line: "one")
    try file.write(Array("two\n".utf8))
    try file.write(line: long)
    try file.close()
    try file.close()
    #expect(try ReadableFile.bytes(of: file.path) == Array("one\ntwo\n\(long)\n".utf8))
  }

  @Test func `flushed lines can be read while the file is open`() throws {
    let folder = try TemporaryFolder()
    let file = try TextFile(creating: folder.file("a"), overwrite: true)
    try file.write(line: "one")
    try file.flush()
    #expect(try ReadableFile.bytes(of: file.path) == Array("one\n".utf8))
    try file.close()
  }

  @Test(arguments: ["/nonexistent/a.jsonl", "/proc/none", "/"])
  func `a text file that cannot be created is named`(path: String) {
    let error = #expect(throws: VStreamError.self) { try TextFile(creating: path, overwrite: true) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("'\(path)'") == true)
  }

  struct Planted: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let open: @Sendable (String) throws -> Void
  }

  static let planted = [
    Planted(testDescription: "a text file") { try TextFile(creating: $0, overwrite: false).close() },
    Planted(testDescription: "a part file") { close(try NewFile.open($0)) },
    Planted(testDescription: "a part file that is locked") { _ = try FileLock($0) },
  ]

  @Test(arguments: planted, [true, false])
  func `a link at a file's name is not followed`(row: Planted, isDangling: Bool) throws {
    let folder = try TemporaryFolder()
    let other = try folder.write("other", "mine")
    if isDangling { try FileManager.default.removeItem(atPath: other) }
    try FileManager.default.createSymbolicLink(atPath: folder.file("a"), withDestinationPath: "other")
    let error = #expect(throws: VStreamError.self) { try row.open(folder.file("a")) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(folder.names == (isDangling ? ["a"] : ["a", "other"]))
    if !isDangling { #expect(try ReadableFile.bytes(of: other) == Array("mine".utf8)) }
  }

  @Test func `a hard link and a FIFO at a part file's name are refused`() throws {
    let folder = try TemporaryFolder()
    let other = try folder.write("other", "mine")
    try FileManager.default.linkItem(atPath: other, toPath: folder.file("a"))
    try #require(mkfifo(folder.file("b"), 0o600) == 0)
    for name in ["a", "b"] {
      let error = #expect(throws: VStreamError.self) { try NewFile.open(folder.file(name)) }
      #expect(error?.message.hasSuffix("is a link, or not a file of yours") == true, "\(error?.message ?? "")")
    }
    #expect(try ReadableFile.bytes(of: other) == Array("mine".utf8))
  }

  @Test func `a full device fails the write`() throws {
    let file = try TextFile(creating: "/dev/full", overwrite: true)
    try file.write(line: "x")
    let error = #expect(throws: VStreamError.self) { try file.close() }
    #expect(error?.code == .inputOutput)
  }

  @Test func `a locked file cannot be locked again until the lock is released`() throws {
    let folder = try TemporaryFolder()
    var lock: FileLock? = try FileLock(folder.file("a"))
    #expect(lock != nil)
    let error = #expect(throws: VStreamError.self) { try FileLock(folder.file("a")) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(throws: Never.self) { try FileLock(folder.file("b")) }
    lock = nil
    #expect(throws: Never.self) { try FileLock(folder.file("a")) }
  }

  @Test func `a file that cannot be created cannot be locked`() {
    let error = #expect(throws: VStreamError.self) { try FileLock("/nonexistent/a") }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message == "'/nonexistent/a' cannot be created: No such file or directory")
  }

  @Test func `free space is the file's size and its disk's space`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.part", String(repeating: "x", count: 1234))
    let space = FreeSpace(path)
    #expect(space.written == 1234)
    #expect(try #require(space.free) > 0)
    #expect(space.description.hasPrefix("1.2 kB written, ") && space.description.hasSuffix(" free"))
    #expect(space.isEnoughForAnother)
  }

  @Test func `a missing file has only free space, a missing folder neither`() throws {
    let folder = try TemporaryFolder()
    let missing = FreeSpace(folder.file("a.part"))
    #expect(missing.written == nil)
    #expect(missing.description.hasSuffix(" free") && !missing.description.contains("written"))
    #expect(FreeSpace("/no/such/folder/a.part").description == "")
    #expect(FreeSpace("/no/such/folder/a.part").isEnoughForAnother)
  }

  @Test(arguments: [(ENOSPC, true), (EDQUOT, true), (EACCES, false), (0, false)])
  func `an exhausted disk or quota is recognised by its error number`(number: Int32, isExhausted: Bool) {
    #expect(FreeSpace.isExhausted(number) == isExhausted)
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamSystem

struct ReadingTests {
  @Test(arguments: [0, 1, 4095, 4096, 262_143, 262_144, 262_145, 600_000])
  func `all bytes of a file are read, whatever its size`(size: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(bytes).write(to: URL(filePath: folder.file("a")))
    #expect(try ReadableFile.bytes(of: folder.file("a")) == bytes)
    #expect(try ReadableFile(folder.file("a")).size == size)
  }

  @Test func `a file whose size the system does not know is read to its end`() throws {
    // Files of the kernel have size 0.
    #expect(try ReadableFile.bytes(of: "/proc/self/status").count > 100)
  }

  @Test func `a file that grows is read to its new end`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", "one")
    let file = try ReadableFile(path)
    var bytes: [UInt8] = []
    #expect(try file.read(into: &bytes))
    #expect(try !file.read(into: &bytes))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("two".utf8))
    #expect(try file.read(into: &bytes))
    #expect(bytes == Array("onetwo".utf8))
  }

  @Test(arguments: [("missing", VStreamError.Code.inputNotFound), ("file/a", .inputNotFound), ("", .unreadableInput)])
  func `a file that cannot be read is named`(name: String, code: VStreamError.Code) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("file", "x")
    let path = name.isEmpty ? folder.path : folder.file(name)
    let error = #expect(throws: VStreamError.self) { try ReadableFile.bytes(of: path) }
    #expect(error?.code == code)
    #expect(error?.message.contains(path) == true)
  }

  @Test func `reading that fails before the end is an error`() throws {
    // The first page of a process's memory cannot be read.
    let error = #expect(throws: VStreamError.self) { try ReadableFile.bytes(of: "/proc/self/mem") }
    #expect(error?.code == .inputOutput)
  }

  @Test func `an optional file is missing without an error, but not unreadable without one`() throws {
    let folder = try TemporaryFolder()
    #expect(try Installation.contents(folder.file("missing")) == nil)
    #expect(try Installation.contents(folder.write("a", "x")) == [UInt8(ascii: "x")])
    let error = #expect(throws: VStreamError.self) { try Installation.contents(folder.path) }
    #expect(error?.code == .missingDependency)
  }

  @Test(arguments: [(0, 4, "0123"), (7, 3, "789"), (8, 5, "89"), (10, 3, ""), (99, 1, ""), (3, 0, "")])
  func `bytes from an offset on, as far as there are some`(offset: Int, count: Int, text: String) throws {
    let folder = try TemporaryFolder()
    let file = try ReadableFile(try folder.write("digits", "0123456789"))
    #expect(String(decoding: try file.bytes(count, at: offset), as: UTF8.self) == text)
    // The next bytes of the file are still its first ones.
    var all: [UInt8] = []
    _ = try file.read(into: &all)
    #expect(String(decoding: all, as: UTF8.self) == "0123456789")
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

/// Files to which whole pieces are appended.
struct AppendedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func contents(_ path: String) throws -> String {
    String(decoding: try ReadableFile.bytes(of: path), as: UTF8.self)
  }

  @Test func `pieces follow each other, and are there at once`() throws {
    let path = folder.file("a")
    let file = try AppendedFile(creating: path)
    for (piece, whole) in [("one ", "one "), ("", "one "), ("two", "one two")] {
      try file.write(Array(piece.utf8))
      #expect(try contents(path) == whole)
      #expect(file.byteCount == whole.utf8.count)
    }
    file.sync()
    file.close()
    file.close()
    #expect(try contents(path) == "one two" && !file.isDiskFull)
  }

  @Test func `a file that exists is refused, and stays`() throws {
    let path = try folder.write("a", "old")
    let error = #expect(throws: VStreamError.self) { try AppendedFile(creating: path) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(try contents(path) == "old")
  }
}

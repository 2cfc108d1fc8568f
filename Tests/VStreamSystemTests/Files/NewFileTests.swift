import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamSystem

#if canImport(Glibc)
  import Glibc
#endif

/// Files that a run creates beside files of others.
struct NewFileTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func contents(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }

  @Test func `an own file is emptied, or kept`() throws {
    let path = try folder.write("part", "earlier")
    close(try NewFile.open(path, existing: .kept))
    #expect(try contents("part") == "earlier")
    #expect(throws: VStreamError.self) { close(try NewFile.open(path, existing: .refused)) }
    #expect(try contents("part") == "earlier")
    close(try NewFile.open(path))
    #expect(try contents("part") == "")
  }

  @Test func `a file that does not exist is created`() throws {
    close(try NewFile.open(folder.file("part")))
    #expect(folder.names == ["part"])
  }

  @Test func `the message names the final file`() throws {
    let error = #expect(throws: VStreamError.self) {
      close(try NewFile.open(folder.file("missing/out.mp4.part"), for: "out.mp4"))
    }
    #expect(error?.message == "'out.mp4' cannot be created: No such file or directory")
  }
}

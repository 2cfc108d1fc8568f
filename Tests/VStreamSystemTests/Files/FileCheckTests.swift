import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

struct FileCheckTests {
  @Test func `an existing file may be created again only with overwrite`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", "x")
    let error = #expect(throws: VStreamError.self) { try FileCheck.requireCreatable(path, overwrite: false) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.description.contains(path) == true)
    #expect(throws: Never.self) { try FileCheck.requireCreatable(path, overwrite: true) }
    #expect(throws: Never.self) { try FileCheck.requireCreatable(folder.file("new"), overwrite: false) }
  }

  @Test(arguments: ["missing/a", "file/a"])
  func `a folder that is missing, or is a file, is named`(path: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("file", "x")
    let error = #expect(throws: VStreamError.self) {
      try FileCheck.requireCreatable(folder.file(path), overwrite: true)
    }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains(Path.folder(of: folder.file(path))) == true)
  }

  @Test func `a read-only file system is reported before anything is written`() throws {
    // The kernel's own files are read-only for root too.
    let error = #expect(throws: VStreamError.self) {
      try FileCheck.requireCreatable("/proc/self/none", overwrite: true)
    }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("not writable") == true)
  }

  @Test func `an unfinished file of an earlier run is not replaced unasked`() throws {
    let folder = try TemporaryFolder()
    let part = try folder.write("a.part", "x")
    let error = #expect(throws: VStreamError.self) { try FileCheck.requireNoPart(part, overwrite: false) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(throws: Never.self) { try FileCheck.requireNoPart(part, overwrite: true) }
    #expect(throws: Never.self) { try FileCheck.requireNoPart(folder.file("b.part"), overwrite: false) }
  }

  @Test func `special are devices, pipes and sockets; a folder is an error`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("a", "x")
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(try FileCheck.isSpecial("/dev/null"))
    #expect(try FileCheck.isSpecial(folder.file("pipe")))
    #expect(try !FileCheck.isSpecial(file))
    #expect(try !FileCheck.isSpecial(folder.file("missing")))
    let error = #expect(throws: VStreamError.self) { try FileCheck.isSpecial(folder.path) }
    #expect(error?.code == .cannotCreateOutput)
  }

  @Test func `kinds of files are distinguished, links followed on request`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("a", "four")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: file)
    try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(FileStatus(of: file)?.kind == .regular)
    #expect(FileStatus(of: file)?.size == 4)
    #expect(FileStatus(of: folder.file("link"))?.kind == .regular)
    #expect(FileStatus(of: folder.file("link"), followsLink: false)?.kind == .link)
    #expect(FileStatus(of: folder.path)?.kind == .folder)
    #expect(FileStatus(of: folder.file("pipe"))?.kind == .pipe)
    #expect(FileStatus(of: "/dev/null")?.kind == .characterDevice)
    #expect(FileStatus(of: folder.file("missing")) == nil)
    #expect(FileStatus(descriptor: -1) == nil)
    #expect(FileStatus.isRegularFile(file) && !FileStatus.isRegularFile(folder.path))
    #expect(FileCheck.isReadable(file) && !FileCheck.isReadable(folder.file("missing")))
  }
}

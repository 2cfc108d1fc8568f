import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

struct FolderTests {
  @Test func `a folder is created once, and may exist`() throws {
    let folder = try TemporaryFolder()
    try Folder.create(folder.file("a"))
    try Folder.create(folder.file("a"))
    #expect(FileStatus(of: folder.file("a"))?.kind == .folder)
    #expect(Folder.isWritable(folder.file("a")) && !Folder.isWritable(folder.file("b")))
  }

  @Test(arguments: [("a file of its name", "file"), ("no folder above", "none/a"), ("a file above", "file/a")])
  func `a folder that cannot be created is named`(why: String, name: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("file", "x")
    let error = #expect(throws: VStreamError.self) { try Folder.create(folder.file(name)) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains(folder.file(name)) == true)
  }

  @Test func `parents are created where they are missing`() throws {
    let folder = try TemporaryFolder()
    try Folder.createWithParents(folder.file("a/b/c"))
    try Folder.createWithParents(folder.file("a/b/d/"))
    #expect(try Folder.names(in: folder.file("a/b")).sorted() == [".", "..", "c", "d"])
  }

  @Test func `a parent that cannot be created is named`() {
    let error = #expect(throws: VStreamError.self) { try Folder.createWithParents("/proc/none/a") }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("/proc/none") == true)
  }

  @Test func `a missing folder and a file cannot be listed`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("file", "x")
    let missing = #expect(throws: VStreamError.self) { try Folder.names(in: folder.file("none")) }
    #expect(missing?.code == .inputNotFound)
    let other = #expect(throws: VStreamError.self) { try Folder.names(in: file) }
    #expect(other?.code == .unreadableInput)
  }
}

import Foundation
import Testing
import VStreamSystem
import VStreamTestSupport

struct PathIdentityTests {
  @Test func `links to one file are the same file, others are not`() throws {
    let folder = try TemporaryFolder()
    let (file, other) = (try folder.write("a", "x"), try folder.write("b", "x"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("symbolic"), withDestinationPath: file)
    try FileManager.default.linkItem(atPath: file, toPath: folder.file("hard"))
    for name in ["a", "symbolic", "hard", "./a"] {
      #expect(PathIdentity.isSameFile(file, folder.file(name)), "\(name)")
      #expect(PathIdentity.isSameLocation(file, folder.file(name)), "\(name)")
    }
    #expect(!PathIdentity.isSameFile(file, other))
    #expect(!PathIdentity.isSameFile(file, folder.file("missing")))
    #expect(!PathIdentity.isSameFile("/dev/null", "/dev/null"), "a device may be read and written")
  }

  @Test func `a location is the same by another folder name, even before the file exists`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: folder.file("real"))
    #expect(PathIdentity.isSameLocation(folder.file("real/new"), folder.file("link/new")))
    #expect(PathIdentity.isSameLocation(folder.file("real/new"), folder.file("real/../link/./new")))
    #expect(!PathIdentity.isSameLocation(folder.file("real/new"), folder.file("link/other")))
    #expect(PathIdentity.canonicalPath(of: "a").hasPrefix("/"))
    #expect(PathIdentity.canonicalPath(of: folder.file("none/a")) == folder.file("none/a"))
  }

  @Test func `a link is resolved to its file, anything else left as it is`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("a", "x")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "a")
    try FileManager.default.createSymbolicLink(atPath: folder.file("dangling"), withDestinationPath: "none")
    #expect(PathIdentity.resolvingLink(folder.file("link")) == PathIdentity.canonicalPath(of: file))
    for path in [file, folder.file("dangling"), folder.file("missing")] {
      #expect(PathIdentity.resolvingLink(path) == path)
    }
  }

  @Test(arguments: [("a/b/c.mp4", "a/b/", "c.mp4"), ("c.mp4", ".", "c.mp4"), ("/c", "/", "c"), ("a/", "a/", "")])
  func `a path has a folder and a name`(path: String, folder: String, name: String) {
    #expect(Path.folder(of: path) == folder)
    #expect(Path.name(of: path) == name)
  }

  @Test func `a version changes with what is written, and with what replaces it`() throws {
    let folder = try TemporaryFolder()
    #expect(FileVersion(of: folder.file("a")) == nil)
    let file = try folder.write("a", "one")
    let first = try #require(FileVersion(of: file))
    #expect(FileVersion(of: file) == first)
    _ = try folder.write("a", "longer")
    let second = try #require(FileVersion(of: file))
    #expect(second != first)
    let replacement = try folder.write("b", "longer")
    try #require(rename(replacement, file) == 0)
    #expect(FileVersion(of: file) != second)
  }
}

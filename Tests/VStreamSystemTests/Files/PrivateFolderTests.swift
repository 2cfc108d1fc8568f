import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamSystem

/// Folders and locks of this user's own.
struct PrivateFolderTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `a new folder is for its user alone`() throws {
    let path = folder.file("new")
    #expect(PrivateFolder.make(path) == path)
    #expect(try mode(path) == 0o700)
  }

  @Test(arguments: [0o755, 0o777, 0o1777]) func `a folder that others may read or write is closed to them`(mode: Int)
    throws
  {
    let path = folder.file("open")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    #expect(PrivateFolder.make(path) == path)
    #expect(try self.mode(path) == 0o700)
  }

  @Test func `a link to a folder is refused, and the folder is not changed`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("real"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file("real"))
    #expect(PrivateFolder.make(folder.file("link")) == nil)
    #expect(try mode(folder.file("real")) == 0o755)
  }

  @Test func `a file and a missing parent are refused`() throws {
    #expect(PrivateFolder.make(try folder.write("file", "text")) == nil)
    #expect(PrivateFolder.make(folder.file("missing/new")) == nil)
  }

  @Test func `readers share a lock, and a writer has it alone`() throws {
    let path = folder.file("lock")
    let (one, other) = (try #require(SharedLock(path)), try #require(SharedLock(path)))
    #expect(one.take(.shared) && other.take(.shared))
    #expect(!one.take(.exclusive))
    #expect(other.take(.exclusive))
    #expect(!one.take(.shared))
    #expect(other.take(.shared) && one.take(.shared))
  }

  @Test func `a lock is released with its value`() throws {
    let path = folder.file("lock")
    do {
      let first = try #require(SharedLock(path))
      #expect(first.take(.exclusive))
    }
    #expect(try #require(SharedLock(path)).take(.exclusive))
  }

  @Test func `a lock is no link`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("lock"), withDestinationPath: try folder.write("file", "text"))
    #expect(SharedLock(folder.file("lock")) == nil)
  }
}

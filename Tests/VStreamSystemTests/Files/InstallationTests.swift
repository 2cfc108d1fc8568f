import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamSystem

/// Paths of the installation. Tests that change the environment have a process of their own.
@Suite struct InstallationTests {
  @Test func `an empty environment variable counts as not set`() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_TEST", "", 1)
      #expect(Installation.environment("VSTREAM_TEST") == nil)
      setenv("VSTREAM_TEST", "a b", 1)
      #expect(Installation.environment("VSTREAM_TEST") == "a b")
      unsetenv("VSTREAM_TEST")
      #expect(Installation.environment("VSTREAM_TEST") == nil)
    }
  }

  @Test func `the cache is in the XDG folder, otherwise in the home folder`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      setenv("HOME", folder.path, 1)
      setenv("XDG_CACHE_HOME", folder.file("cache"), 1)
      #expect(Installation.cacheFolder() == folder.file("cache/vstream"))
      unsetenv("XDG_CACHE_HOME")
      #expect(Installation.cacheFolder() == folder.file(".cache/vstream"))
      #expect(folder.names == [".cache", "cache"])
    }
  }

  @Test func `a folder that cannot be created means no cache`() async {
    await #expect(processExitsWith: .success) {
      setenv("XDG_CACHE_HOME", "/proc/nowhere", 1)
      #expect(Installation.cacheFolder() == nil)
      unsetenv("XDG_CACHE_HOME")
      unsetenv("HOME")
      #expect(Installation.cacheFolder() == nil)
    }
  }

  @Test func `the program's folder is absolute and exists`() {
    #expect(Installation.programFolder.hasPrefix("/"))
    #expect(FileCheck.isReadable(Installation.programFolder))
  }

  @Test func `the dependency folder is the nearest one above`() throws {
    let folder = try TemporaryFolder()
    try Folder.createWithParents(folder.file("a/b/c"))
    try Folder.create(folder.file(".deps"))
    #expect(Installation.dependencyFolder(above: folder.file("a/b/c")) == folder.file(".deps"))
    try Folder.create(folder.file("a/.deps"))
    #expect(Installation.dependencyFolder(above: folder.file("a/b/c")) == folder.file("a/.deps"))
    #expect(Installation.dependencyFolder(above: folder.file("x")) == folder.file(".deps"))
    #expect(Installation.dependencyFolder(above: "/nonexistent/a") == nil)
  }

  @Test func `the checkout of the library is found from its sources`() throws {
    let found = try #require(Installation.dependencyFolder(above: #filePath))
    #expect(FileCheck.isReadable(Path.folder(of: found) + "Package.swift"))
  }
}

import Foundation
import Testing
import VStreamInference
import VStreamTestSupport

/// Where files are sought. Environments differ per test, so each has a process of its own.
@Suite struct InstallationTests {
  @Test func emptyVariablesAreNotSet() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_TEST", "", 1)
      #expect(Installation.environment("VSTREAM_TEST") == nil)
      setenv("VSTREAM_TEST", "a b", 1)
      #expect(Installation.environment("VSTREAM_TEST") == "a b")
      unsetenv("VSTREAM_TEST")
      #expect(Installation.environment("VSTREAM_TEST") == nil)
    }
  }

  @Test func cacheLiesWhereTheDesktopSaysOrAtHome() async {
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

  @Test func withoutAPlaceThereIsNoCache() async {
    await #expect(processExitsWith: .success) {
      setenv("XDG_CACHE_HOME", "/proc/nowhere", 1)
      #expect(Installation.cacheFolder() == nil)
      unsetenv("XDG_CACHE_HOME")
      unsetenv("HOME")
      #expect(Installation.cacheFolder() == nil)
    }
  }

  @Test func libraryIsSoughtOnlyWhereTheUserSays() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_OPENVINO", "/nowhere", 1)
      #expect(OpenVINO.version == nil)
    }
  }

  @Test func programsFolderHoldsTheProgram() {
    #expect(Installation.programFolder.hasPrefix("/"))
    #expect(Installation.exists(Installation.programFolder))
    #expect(!Installation.exists(Installation.programFolder + "/no such file"))
  }
}

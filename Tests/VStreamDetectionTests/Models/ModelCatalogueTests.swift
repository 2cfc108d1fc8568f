import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamDetection

/// Where models are searched for. Environments differ per test, so each has a process of its own.
@Suite struct ModelCatalogueTests {
  @Test func foldersAreSearchedInTheirOrder() async {
    await #expect(processExitsWith: .success) {
      unsetenv("VSTREAM_MODELS")
      let usual = ModelCatalogue.folders
      #expect(usual.first?.hasSuffix("/../share/vstream/models") == true)
      #expect(usual.last?.hasSuffix("/.deps/models") == true)
      setenv("VSTREAM_MODELS", "/of/the/user", 1)
      #expect(ModelCatalogue.folders == ["/of/the/user"] + usual)
    }
  }

  @Test func theUsersFolderComesFirst() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let model = ModelCatalogue.ssdMobileNetV2
      try Data().write(to: URL(filePath: folder.file(model.file)))
      setenv("VSTREAM_MODELS", folder.path, 1)
      #expect(try model.requirePath() == folder.file(model.file))
    }
  }

  @Test func aFolderWithoutTheModelIsPassedOver() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_MODELS", "/nowhere", 1)
      #expect(ModelCatalogue.ssdMobileNetV2.locate()?.hasSuffix("/.deps/models/ssd-mobilenet-v2.xml") == true)
    }
  }

  @Test func missingModelSaysWhereItWasSought() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      setenv("VSTREAM_MODELS", folder.path, 1)
      let model = KnownModel(
        name: "none", purpose: .objects, summary: "", file: "none.xml", licence: "", origin: "", sourceSHA256: "")
      #expect(model.locate() == nil)
      let error = #expect(throws: VStreamError.self) { try model.requirePath() }
      #expect(error?.code == .missingDependency)
      let folders = ModelCatalogue.folders.joined(separator: ", ")
      #expect(error?.message == "the model 'none' (none.xml) is not in \(folders)")
      #expect(error?.remedy == "scripts/bootstrap installs it, or set VSTREAM_MODELS to its folder")
    }
  }

  @Test func aNamedFolderThatCannotBeReadIsAnError() async {
    await #expect(processExitsWith: .success) {
      setenv("VSTREAM_MODELS", "/of/the/user", 1)
      let error = #expect(throws: VStreamError.self) { try ModelCatalogue.ssdMobileNetV2.requirePath() }
      #expect(error?.code == .missingDependency)
      #expect(error?.message == "'/of/the/user' of VSTREAM_MODELS cannot be read")
      #expect(error?.subject == "/of/the/user")
    }
  }

  @Test func namesAndFilesAreAllDifferent() {
    let all = ModelCatalogue.all
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(Set(all.map(\.file)).count == all.count)
    #expect(all.allSatisfy { $0.sourceSHA256.count == 64 && !$0.licence.isEmpty })
  }
}

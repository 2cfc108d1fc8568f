internal import ArgumentParser
internal import VStreamDetection
internal import VStreamScene

struct CheckModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check models: SHA-256 of the file, loading, shapes. Exit status 1 if a check fails.")

  @Argument(
    help: ArgumentHelp("Names or files. (default: all models that are present)", valueName: "name|path"),
    completion: .models)
  var models: [String] = []

  func run() throws {
    // Optional models may be missing.
    let present = ModelCatalogue.all.filter { $0.publisher == nil || $0.locate() != nil }.map(\.name)
    var isValid = true
    for name in models.isEmpty ? present : models {
      do throws(VStreamError) {
        let facts = try check(name)
        Terminal.printResult("\(name): valid")
        printFacts(facts)
      } catch {
        isValid = false
        Terminal.printResult("\(name): \(error.commandText)")
      }
    }
    if !isValid { throw ExitCode(ExitStatus.found) }
  }

  private func check(_ name: String) throws(VStreamError) -> [(name: String, value: String)] {
    guard let known = ModelCatalogue.all.first(where: { $0.name == name }) else {
      return try ModelCheck.describe(objectModel: name)
    }
    return try ModelCheck.check(known)
  }
}

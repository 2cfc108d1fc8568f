internal import ArgumentParser
internal import VStreamDetection

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "List the models: where they are, whose, and whether they are there.")

  func run() {
    for model in ModelCatalogue.all {
      print(
        """
        \(model.name) (\(model.purpose.rawValue)): \(model.summary)
          file      \(model.locate() ?? "missing: scripts/bootstrap gets it")
          licence   \(model.licence)
          origin    \(model.origin)
          SHA-256   \(model.sourceSHA256) (of the publisher's file)
        """)
    }
    print("searched: \(ModelCatalogue.folders.joined(separator: ", "))")
  }
}

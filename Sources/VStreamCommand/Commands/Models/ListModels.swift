internal import ArgumentParser
internal import VStreamDetection

struct ListModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the models: file, licence, origin, and whether the file is present.")

  func run() {
    for model in ModelCatalogue.all {
      print(
        """
        \(model.name) (\(model.purpose.rawValue)): \(model.summary)
          file      \(model.locate() ?? "missing: \(model.remedy)")
          licence   \(model.licence)
          origin    \(model.origin)
          SHA-256   \(model.sourceSHA256) (of the publisher's file)
        """)
    }
    print("searched: \(ModelCatalogue.folders.joined(separator: ", "))")
  }
}

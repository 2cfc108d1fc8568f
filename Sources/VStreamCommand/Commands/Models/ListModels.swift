internal import ArgumentParser
internal import VStreamDetection
internal import VStreamScene
internal import VStreamSystem

struct ListModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the models: file, licence, origin, whether the file is present, and which is the default.")

  func run() {
    let standard = Result { () throws(VStreamError) in try DefaultObjectModel.name() }
    let mark = { (name: String) in (try? standard.get()) == name ? ", default of --object-model" : "" }
    for model in ModelCatalogue.all {
      Terminal.printResult("\(model.name) (\(model.purpose.rawValue)\(mark(model.name))): \(model.summary)")
      var facts = [
        (name: "file", value: model.locate() ?? "missing: \(model.remedy)"), ("licence", model.licence),
        ("origin", model.origin), ("SHA-256", "\(model.sourceSHA256) (of the publisher's file)"),
      ]
      if let score = model.score { facts.append(("score", "\(score) starts a track")) }
      printFacts(facts)
    }
    for name in ModelCatalogue.fetchedObjectModels {
      Terminal.printResult("\(name) (objects\(mark(name))): a file of your own")
      printFacts([("file", (ModelCatalogue.fetchedFolder ?? "") + "/" + name)])
    }
    Terminal.printResult("searched: \(ModelCatalogue.folders.joined(separator: ", "))")
    if case .failure(let error) = standard { Terminal.printResult("default of --object-model: \(error.commandText)") }
  }
}

internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamSystem

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "Lists, checks, downloads, chooses and quantises models.",
    subcommands: [
      ListModels.self, DescribeModel.self, CheckModels.self, GetModel.self, UseModel.self, QuantiseModel.self,
    ],
    defaultSubcommand: ListModels.self)
}

/// Prints the facts of a model, the names in a column.
func printFacts(_ facts: [(name: String, value: String)]) {
  for (name, value) in facts {
    Terminal.printResult("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(value)")
  }
}

struct DescribeModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Describe an object model: its shapes, output layout, input, classes and score.")

  @Argument(
    help: ArgumentHelp("A model's name, or a file: ONNX, OpenVINO IR or TFLite.", valueName: "name|path"),
    completion: .models)
  var model: String

  func run() throws {
    let known = ModelCatalogue.all.first { $0.name == model }
    guard known == nil || known?.purpose == .objects else {
      printFacts(try known.map(ModelCheck.check) ?? [])
      return
    }
    let path = try known?.requirePath() ?? ModelCatalogue.locateObjectModel(model) ?? model
    printFacts(try ModelCheck.describe(objectModel: path, known: known))
  }
}

struct UseModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Make a model the default of --object-model, from now on.",
    discussion: """
      The choice is kept beside the fetched models, in $VSTREAM_MODELS, else in ~/.local/share/vstream/models. \
      'vstream models use \(ModelCatalogue.standardObjectModel.name)' goes back to the built-in default.
      """)

  @Argument(
    help: ArgumentHelp(
      "An object model's name ('vstream models' lists them), or the name of a file that 'vstream models get' fetched.",
      valueName: "name"), completion: .models)
  var model: String

  func run() throws {
    try DefaultObjectModel.choose(model)
    Terminal.printResult("\(model) is the default of --object-model")
  }
}

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

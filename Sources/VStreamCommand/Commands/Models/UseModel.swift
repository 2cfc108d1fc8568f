internal import ArgumentParser
internal import VStreamDetection
internal import VStreamScene

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

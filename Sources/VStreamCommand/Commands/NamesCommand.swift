internal import ArgumentParser
internal import VStreamDetection
internal import VStreamMedia

/// Prints names that the shells' completions offer, each on a line; not part of the command-line contract.
struct NamesCommand: ParsableCommand {
  enum List: String, ExpressibleByArgument, CaseIterable {
    case classes
    case encoders
    case models
    case objectModels = "object-models"
  }

  static let configuration = CommandConfiguration(
    commandName: "names", abstract: "Prints names for completions.", shouldDisplay: false)

  @Argument(help: "What to list.")
  var list: List

  func run() {
    for name in names { Terminal.printResult(name) }
  }

  private var names: [String] {
    switch list {
    case .classes: ClassList.coco.names
    case .encoders: VideoCodec.encoderNames
    case .models: ModelCatalogue.all.map(\.name)
    case .objectModels: ModelCatalogue.objectModels.map(\.name) + ModelCatalogue.fetchedObjectModels
    }
  }
}

internal import ArgumentParser
internal import VStreamDetection
internal import VStreamScene

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

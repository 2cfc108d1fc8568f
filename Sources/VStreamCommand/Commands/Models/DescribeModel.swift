internal import ArgumentParser
internal import VStreamDetection
internal import VStreamScene

struct DescribeModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Describe an object model: its shapes, output layout, input and classes.")

  @Argument(help: ArgumentHelp("A model's name, or a file: ONNX, OpenVINO IR or TFLite.", valueName: "name|path"))
  var model: String

  func run() throws {
    let known = ModelCatalogue.all.first { $0.name == model }
    guard known == nil || known?.purpose == .objects else {
      printFacts(try known.map(ModelCheck.check) ?? [])
      return
    }
    printFacts(try ModelCheck.describe(objectModel: known?.requirePath() ?? model))
  }
}

internal import VStreamInference
internal import VStreamScene

/// Makes the errors for a model that cannot be used, which name its shapes.
struct ObjectModelFault {
  let model: Model

  var descriptionPath: String { DetectorDescription.path(beside: model.path) }

  var layoutRemedy: String {
    #"name its layout in \#(descriptionPath): {"layout":"…"}, one of \#(OutputLayoutRegistry.names)"#
  }

  func error(_ problem: String, _ remedy: String) -> VStreamError {
    let shapes = { (ports: [Model.Port]) in
      ports.map { "\($0.name.isEmpty ? "" : "\($0.name) ")\($0.shape)" }.joined(separator: ", ")
    }
    return VStreamError(
      .missingDependency,
      "the model '\(model.path)' takes \(shapes(model.inputs)) and gives \(shapes(model.outputs)): \(problem)",
      subject: model.path, remedy: Message(remedy))
  }
}

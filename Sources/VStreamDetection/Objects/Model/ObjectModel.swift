package import VStreamCore
package import VStreamInference

/// A loaded object detector and how it is read. Immutable; shared by all stages that detect with it.
package struct ObjectModel: Sendable {
  package private(set) var model: Model
  let layout: any OutputLayout
  /// Whether the layout follows from the outputs' shapes and is not named by the description.
  let isLayoutRecognised: Bool
  package let labels: ClassList
  /// Size of the network's input.
  var size: PixelSize { format.size }
  let fit: DetectorDescription.Fit
  private(set) var format: TensorFormat
  /// Indices of the model's outputs in the layout's order.
  let outputs: [Int]
  /// Index of the input for the image.
  package let imageInput: Int
  /// The inputs that take the same values for every image.
  let constantInputs: [ImageInput.Constant]
  /// The size of a second input that parts of frames are searched with; `nil` if the network cannot have it.
  package let smallInput: PixelSize?
  private let labelIndices: [Int?]

  /// Loads a model, as the description in the file beside it says, if there is one, and as its shapes determine.
  ///
  /// - Throws: `VStreamError.missingDependency` if it cannot be read, or it is not clear how.
  package init(
    path: String, configuration: ModelConfiguration = ModelConfiguration(), description: DetectorDescription? = nil
  ) throws(VStreamError) {
    let beside = try DetectorDescription(beside: path)
    let description = description ?? beside ?? DetectorDescription()
    var model = try Model(path: path, configuration: configuration)
    let given = model.inputs.map(\.shape)
    let wanted = given.map { ImageInput.fixed($0, size: description.input?.size) }
    if wanted != given, given.count <= 3, wanted.joined().allSatisfy({ $0 > 0 }) {
      model = try Model(path: path, configuration: configuration, inputShapes: wanted)
    }
    try self.init(model, description: description)
  }

  init(_ model: Model, description: DetectorDescription) throws(VStreamError) {
    self.model = model
    let fault = ObjectModelFault(model: model)
    if let port = (model.inputs + model.outputs).first(where: { $0.element == .other }) {
      throw fault.error("the elements of \(port.label) are not supported", "export it with 32-bit floats")
    }
    let input = try ImageInput(of: model, fault)
    (imageInput, constantInputs) = (input.index, input.constants)
    let layout: any OutputLayout
    if let named = description.layout.flatMap(OutputLayoutRegistry.named) {
      (layout, isLayoutRecognised) = (named, false)
    } else {
      (layout, isLayoutRecognised) = (try Self.recognisedLayout(of: model, input.size, fault), true)
    }
    self.layout = layout
    guard let outputs = layout.arrangement(of: ModelOutputs(ports: model.outputs), input: input.size) else {
      throw fault.error("its outputs are not those of '\(layout.name)', \(layout.shapes)", fault.layoutRemedy)
    }
    self.outputs = outputs
    let classCount = layout.classCount(outputs.map { model.outputs[$0].shape })
    let preset = layout.inputPreset(classCount: classCount)
    guard preset != nil || description.input != nil else {
      throw fault.error(
        "it is not clear how its input is computed",
        "describe it in \(fault.descriptionPath), for example \(layout.descriptionExample(classCount: classCount))")
    }
    let pixels = (preset ?? InputPreset()).overridden(by: description.input)
    fit = pixels.fit
    format = pixels.format(size: input.size, layout: input.layout)
    try input.requireValues(of: format, model, fault)
    let classes = try ObjectClasses(description, layout, count: classCount, fault)
    (labels, labelIndices) = (classes.labels, classes.labelIndices)
    let small = layout.smallInput(own: input.size)
    smallInput = try small.flatMap { (size) throws(VStreamError) in
      try model.canReshape(to: Self.shapes(of: model, size)) ? size : nil
    }
  }

  /// The same network with an input of another size.
  ///
  /// - Throws: `VStreamError.missingDependency` if the network cannot have such an input.
  package func resized(to size: PixelSize, configuration: ModelConfiguration) throws(VStreamError) -> ObjectModel {
    var copy = self
    copy.format.size = size
    copy.model = try Model(
      path: model.path, configuration: configuration, inputShapes: Self.shapes(of: model, size))
    return copy
  }

  private static func shapes(of model: Model, _ size: PixelSize) -> [[Int]] {
    model.inputs.map { ImageInput.fixed($0.shape, size: [size.width, size.height]) }
  }

  /// The sizes of input with which it searches frames.
  var inputs: SearchInputs { SearchInputs(own: size, small: smallInput) }

  private static func recognisedLayout(
    of model: Model, _ size: PixelSize, _ fault: ObjectModelFault
  ) throws(VStreamError) -> any OutputLayout {
    let layouts = OutputLayoutRegistry.recognised(ModelOutputs(ports: model.outputs), input: size)
    guard let layout = layouts.first else {
      throw fault.error("the outputs are of no known layout", fault.layoutRemedy)
    }
    guard layouts.count == 1 else {
      throw fault.error("the layout may be \(layouts.map(\.name).joined(separator: " or "))", fault.layoutRemedy)
    }
    return layout
  }

  /// How it is read, as names and values.
  package var summary: [(name: String, value: String)] {
    let channels = { (values: SIMD3<Float>) in
      let all = [values.x, values.y, values.z].map { "\($0)" }
      return Set(all).count == 1 ? all[0] : "(\(all.joined(separator: ", ")))"
    }
    let shown = labels.names.prefix(5).joined(separator: ", ") + (labels.names.count > 5 ? ", …" : "")
    return [
      ("layout", "\(layout.name): \(layout.shapes)"),
      (
        "pixels",
        "\(format.order), each × \(channels(format.scale)) + \(channels(format.offset)), "
          + "fitted to \(size) by \(fit.rawValue)"
      ),
      ("classes", "\(labels.names.count): \(shown)"),
    ]
  }

  /// The index into `labels` of a class as the network numbers them; `nil` for a number that stands for no class.
  func labelIndex(ofClass number: Int) -> Int? { labelIndices.indices.contains(number) ? labelIndices[number] : nil }

  /// The error for outputs whose values show that they are of another layout than the recognised one.
  func misread(_ contradiction: String) -> VStreamError {
    let fault = ObjectModelFault(model: model)
    return fault.error("the layout is not '\(layout.name)', as \(contradiction)", fault.layoutRemedy)
  }
}

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

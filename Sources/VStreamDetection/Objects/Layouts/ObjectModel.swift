public import VStreamInference
public import VStreamScene

/// A network that finds objects, loaded, with how to read it. Immutable; shared by all who detect with it.
public struct ObjectModel: Sendable {
  public let model: Model
  public let layout: OutputLayout
  /// Whether the layout follows from the outputs' shapes, and was not named.
  let isLayoutRecognised: Bool
  public let labels: ClassList
  /// Of the network's input.
  let size: PixelSize
  let fit: DetectorDescription.Fit
  let format: TensorFormat
  /// Which of the model's outputs are the layout's, in its order.
  let outputs: [Int]
  /// The input that takes the picture, and the one that takes its size, if there is one.
  let imageInput: Int
  let sizeInput: Int?
  /// For each number that the network gives a class, the class's place in `labels`; `nil` where it stands for none.
  let places: [Int?]
  let hasNoObjectClass: Bool

  /// Loads a model. What it is follows from the description in the file beside it, if there is one, and from its shapes.
  ///
  /// - Throws: `VStreamError.missingDependency` if it cannot be read, or if it is not clear how to read it.
  public init(
    path: String, configuration: ModelConfiguration = ModelConfiguration(), description: DetectorDescription? = nil
  ) throws(VStreamError) {
    let beside = try DetectorDescription(beside: path)
    let description = description ?? beside ?? DetectorDescription()
    var model = try Model(path: path, configuration: configuration)
    let given = model.inputs.map(\.shape)
    let wanted = given.map { Self.fixed($0, size: description.input?.size) }
    if wanted != given, given.count <= 2, wanted.joined().allSatisfy({ $0 > 0 }) {
      model = try Model(path: path, configuration: configuration, inputShapes: wanted)
    }
    try self.init(model, description: description)
  }

  /// An input's shape with one picture at a time, and of a size in pixels if it is a picture and one is named.
  private static func fixed(_ shape: [Int], size: [Int]?) -> [Int] {
    var fixed = shape
    if let first = fixed.first, first < 0 { fixed[0] = 1 }
    guard shape.count == 4, let size else { return fixed }
    // Where the file leaves open even how many colours there are, they come first.
    if shape[1] == 3 || shape[1] < 0 && shape[3] < 0 {
      fixed.replaceSubrange(1..., with: [3, size[1], size[0]])
    } else if shape[3] == 3 {
      fixed.replaceSubrange(1...2, with: [size[1], size[0]])
    }
    return fixed
  }

  init(_ model: Model, description: DetectorDescription) throws(VStreamError) {
    self.model = model
    let faults = Faults(model: model)
    guard let image = model.inputs.firstIndex(where: { Self.imageSize($0.shape) != nil }),
      let (size, layoutInMemory) = Self.imageSize(model.inputs[image].shape)
    else {
      throw faults.make(
        "it takes no picture of a fixed size",
        model.inputs.contains { $0.shape.count == 4 && $0.shape.contains { $0 < 0 } }
          ? "name one in \(DetectorDescription.path(beside: model.path)): "
            + #"{"input":{"size":[640,640]}}, or export it with fixed sizes, [1,3,height,width]"#
          : "export it with fixed sizes, [1,3,height,width]")
    }
    let others = model.inputs.indices.filter { $0 != image }
    guard others.count <= 1, others.allSatisfy({ model.inputs[$0].shape == [1, 2] }) else {
      throw faults.make("it takes other things beside a picture and its size", "export it with the picture alone")
    }
    (imageInput, sizeInput, self.size) = (image, others.first, size)
    let layout = try Self.layout(of: model, size, description, faults)
    self.layout = layout
    isLayoutRecognised = description.layout == nil
    guard let outputs = Self.arranged(model.outputs, layout),
      layout.canRead(model.outputs[outputs[0]].shape, input: (size.width, size.height))
    else {
      throw faults.make("its outputs are not those of '\(layout.rawValue)', \(layout.shapes)", faults.remedy)
    }
    self.outputs = outputs
    let count = Self.classCount(outputs.map { model.outputs[$0].shape }, layout)
    let preset = InputPreset(layout, classCount: count)
    if preset == nil, description.input == nil {
      throw faults.make(
        "it is not clear what its input is made of",
        #"say it in \#(DetectorDescription.path(beside: model.path)), "#
          + #"for example {"layout":"\#(layout.rawValue)","input":{"mean":[0],"deviation":[255],"fit":"stretch"}}"#)
    }
    let input = InputPreset.merged(preset ?? InputPreset(), description.input)
    fit = input.fit
    format = TensorFormat(
      size: size, order: input.order, layout: layoutInMemory, outside: .level(input.padding),
      scale: 1 / input.deviation,
      offset: -input.mean / input.deviation)
    hasNoObjectClass = layout == .detr && count == 92
    (labels, places) = try Self.classes(description, layout, count: count, faults)
  }

  /// How it is read, line by line: what, and how.
  public var summary: [(name: String, value: String)] {
    let channels = { (numbers: SIMD3<Float>) in
      let all = [numbers.x, numbers.y, numbers.z].map { "\($0)" }
      return Set(all).count == 1 ? all[0] : "(\(all.joined(separator: ", ")))"
    }
    let shown = labels.names.prefix(5).joined(separator: ", ") + (labels.names.count > 5 ? ", …" : "")
    return [
      ("layout", "\(layout.rawValue): \(layout.shapes)"),
      (
        "pixels",
        "\(format.order), each × \(channels(format.scale)) + \(channels(format.offset)), "
          + "fitted to \(size) by \(fit.rawValue)"
      ),
      ("classes", "\(labels.names.count): \(shown)"),
    ]
  }

  /// The place in `labels` of a class as the network numbers them; `nil` for what is no class.
  func place(of number: Int) -> Int? { places.indices.contains(number) ? places[number] : nil }

  /// The error for a model whose outputs turn out to be of another layout than they were taken for.
  func misread(_ contradiction: String) -> VStreamError {
    let faults = Faults(model: model)
    return faults.make("that is not '\(layout.rawValue)', as \(contradiction)", faults.remedy)
  }

  /// Shapes and layouts as messages name them.
  private struct Faults {
    let model: Model
    var remedy: String {
      "say how to read it in \(DetectorDescription.path(beside: model.path)): "
        + #"{"layout":"…"}, one of "# + OutputLayout.allCases.map(\.rawValue).joined(separator: ", ")
    }

    func make(_ problem: String, _ remedy: String) -> VStreamError {
      let shapes = { (ports: [Model.Port]) in
        ports.map { "\($0.name.isEmpty ? "" : "\($0.name) ")\($0.shape)" }.joined(separator: ", ")
      }
      return VStreamError(
        .missingDependency,
        "the model '\(model.path)' takes \(shapes(model.inputs)) and gives \(shapes(model.outputs)): \(problem)",
        remedy: "\(remedy)")
    }
  }

  private static func imageSize(_ shape: [Int]) -> (size: PixelSize, layout: TensorFormat.Layout)? {
    guard shape.count == 4, shape[0] == 1, shape.allSatisfy({ $0 > 0 }) else { return nil }
    if shape[1] == 3 { return (PixelSize(width: shape[3], height: shape[2]), .planar) }
    if shape[3] == 3 { return (PixelSize(width: shape[2], height: shape[1]), .interleaved) }
    return nil
  }

  private static func layout(
    of model: Model, _ size: PixelSize, _ description: DetectorDescription, _ faults: Faults
  ) throws(VStreamError) -> OutputLayout {
    if let named = description.layout { return named }
    let known = OutputLayout.recognised(outputs: model.outputs.map(\.shape), input: (size.width, size.height))
    guard let only = known.first else { throw faults.make("that is no layout that is known here", faults.remedy) }
    guard known.count == 1 else {
      throw faults.make("that may be \(known.map(\.rawValue).joined(separator: " or "))", faults.remedy)
    }
    return only
  }

  /// The places of a layout's outputs among a model's, told apart by shapes and names.
  private static func arranged(_ ports: [Model.Port], _ layout: OutputLayout) -> [Int]? {
    let rank = { (wanted: Int) in ports.indices.filter { ports[$0].shape.count == wanted } }
    let named = { (words: [String], places: [Int]) in
      places.first { place in words.contains { ports[place].name.lowercased().contains($0) } }
    }
    switch layout {
    case .yolox, .yolov5, .yolov8, .yoloEndToEnd, .rtdetrJoined, .nanodet:
      return ports.count == 1 && ports[0].shape.count == 3 ? [0] : nil
    case .ssd:
      return ports.count == 1 && ports[0].shape.last == 7 ? [0] : nil
    case .ssdMobileNetV2:
      return ports.map(\.shape) == [[1, 1917, 4], [1, 1917, 80]] ? [0, 1] : nil
    case .detr:
      guard ports.count == 2, rank(3).count == 2 else { return nil }
      let fours = ports.indices.filter { ports[$0].shape.last == 4 }
      guard let boxes = fours.count == 1 ? fours.first : named(["box", "dets"], fours) else { return nil }
      return [boxes, 1 - boxes]
    case .rtdetr:
      guard let boxes = rank(3).first, rank(2).count == 2, ports.count == 3 else { return nil }
      let whole = rank(2).filter { [.int32, .int64].contains(ports[$0].element) }
      guard let labels = whole.count == 1 ? whole.first : named(["label"], rank(2)) else { return nil }
      return rank(2).first { $0 != labels }.map { [labels, boxes, $0] }
    case .tensorFlowSSD:
      guard let boxes = rank(3).first, let count = rank(1).first, rank(2).count == 2, ports.count == 4,
        let classes = named(["class"], rank(2))
      else { return nil }
      return rank(2).first { $0 != classes }.map { [boxes, classes, $0, count] }
    }
  }

  /// How many classes there are; `nil` where the outputs do not say.
  private static func classCount(_ shapes: [[Int]], _ layout: OutputLayout) -> Int? {
    switch layout {
    case .ssdMobileNetV2: 80
    case .yolox, .yolov5: shapes[0].last.map { $0 - 5 }
    case .yolov8: shapes[0][1] - 4
    case .rtdetrJoined: shapes[0].last.map { $0 - 4 }
    case .nanodet: shapes[0].last.map { $0 - 32 }
    case .detr: shapes[1].last
    case .yoloEndToEnd, .rtdetr, .ssd, .tensorFlowSSD: nil
    }
  }

  private static func classes(
    _ description: DetectorDescription, _ layout: OutputLayout, count: Int?, _ faults: Faults
  ) throws(VStreamError) -> (labels: ClassList, places: [Int?]) {
    let first = description.firstClass ?? ([.ssd, .tensorFlowSSD].contains(layout) ? 1 : 0)
    switch description.labels {
    case .names(let names):
      let counted = count.map { hasNone(layout, $0) ? $0 - 1 : $0 }
      if let counted, counted - first != names.count {
        throw faults.make(
          "it has \(counted - first) classes, and \(names.count) labels are named",
          "name as many in \(DetectorDescription.path(beside: faults.model.path))")
      }
      return (ClassList(names), [Int?](repeating: nil, count: first) + names.indices.map { $0 })
    case .list("coco"): return (.coco, [Int?](repeating: nil, count: first) + ClassList.coco.names.indices.map { $0 })
    case .list: return (.coco, ClassList.cocoLabelMap)
    case nil:
      switch (layout, count) {
      case (.tensorFlowSSD, _), (_, 91), (.detr, 92): return (.coco, ClassList.cocoLabelMap)
      case (_, 80): return (.coco, ClassList.coco.names.indices.map { $0 })
      case (_, let other?):
        let names = (0..<other).map { "class \($0)" }
        return (ClassList(names), names.indices.map { $0 })
      case (_, nil):
        throw faults.make(
          "which classes there are cannot be seen from that",
          "name them in \(DetectorDescription.path(beside: faults.model.path)): "
            + #"{"labels":"coco"}, "coco-91", or a list like ["cat","dog"]"#)
      }
    }
  }

  private static func hasNone(_ layout: OutputLayout, _ count: Int) -> Bool { layout == .detr && count == 92 }
}

/// What a network's input is made of, where nothing else is said.
private struct InputPreset {
  var order = TensorFormat.ChannelOrder.rgb
  var mean = SIMD3<Float>(repeating: 0)
  var deviation = SIMD3<Float>(repeating: 255)
  var fit = DetectorDescription.Fit.stretch
  /// The grey that networks of the YOLO family are trained with.
  var padding: Float = 114

  init() {}

  /// As each kind of network is trained and exported; `nil` where its users differ.
  init?(_ layout: OutputLayout, classCount: Int?) {
    let imageNet = (mean: SIMD3<Float>(123.675, 116.28, 103.53), deviation: SIMD3<Float>(58.395, 57.12, 57.375))
    switch layout {
    case .ssdMobileNetV2, .tensorFlowSSD: deviation = SIMD3(repeating: 1)
    case .yolox: (order, deviation, fit) = (.bgr, SIMD3(repeating: 1), .topLeft)
    case .yolov5, .yolov8, .yoloEndToEnd: fit = .center
    case .rtdetrJoined, .rtdetr: break
    case .detr:
      // RF-DETR and DETR count as COCO's paper does, RT-DETR of transformers has 80 classes and is not normalised.
      guard let classCount, [80, 91, 92].contains(classCount) else { return nil }
      if classCount != 80 { (mean, deviation) = imageNet }
    case .ssd: (order, deviation) = (.bgr, SIMD3(repeating: 1))
    case .nanodet:
      (order, mean, deviation) = (.bgr, SIMD3(103.53, 116.28, 123.675), SIMD3(57.375, 57.12, 58.395))
    }
  }

  static func merged(_ preset: InputPreset, _ input: DetectorDescription.Input?) -> InputPreset {
    var merged = preset
    if let order = input?.order { merged.order = order == "bgr" ? .bgr : .rgb }
    if let mean = input?.mean { merged.mean = channels(mean) }
    if let deviation = input?.deviation { merged.deviation = channels(deviation) }
    if let fit = input?.fit { merged.fit = fit }
    if let padding = input?.padding { merged.padding = padding }
    return merged
  }

  private static func channels(_ numbers: [Float]) -> SIMD3<Float> {
    numbers.count == 3 ? SIMD3(numbers[0], numbers[1], numbers[2]) : SIMD3(repeating: numbers[0])
  }
}

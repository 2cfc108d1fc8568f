package import VStreamCore
internal import VStreamInference
package import VStreamMedia

/// The network that classifies objects into categories, loaded once.
package struct CategoryModel: Sendable {
  let model: Model

  /// Loads it from the catalogue's folders.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  /// - Throws: `VStreamError.missingDependency` if it does not exist, cannot be read, or has other inputs or outputs than
  ///   expected.
  package init(device: String = "CPU") throws(VStreamError) {
    // An inference is short, and there is one at a time.
    let configuration = ModelConfiguration(device: device, threads: 1)
    try self.init(Model(path: try ModelCatalogue.efficientNetLite3.requirePath(), configuration: configuration))
  }

  init(_ model: Model) throws(VStreamError) {
    let known = ModelCatalogue.efficientNetLite3
    try model.require(known.inputs + known.outputs, "the category network", element: .uint8)
    self.model = model
  }
}

/// Determines the coarse category of an object: by its class, or by an inference on the object's region.
///
/// The network is EfficientNet-Lite3, trained on ImageNet's 1000 classes, whose scores are summed by category
/// (`CategoryTable`). One owner at a time.
package struct CategoryClassifier {
  private let request: InferenceRequest
  private var sampler: RegionSampler
  /// The network's input, as sampled; the network takes bytes.
  private var pixels: [Float]

  /// Margin around an object on each side, as a fraction of its longer side.
  private static let margin = 0.1
  /// Categories with lower scores are reported as unknown.
  private static let minimumScore = 0.3

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  package init(_ model: CategoryModel) throws(VStreamError) {
    request = try InferenceRequest(model.model)
    let shape = ModelCatalogue.efficientNetLite3.inputs[0]
    let size = PixelSize(width: shape[2], height: shape[1])
    sampler = RegionSampler(TensorFormat(size: size, order: .rgb, layout: .interleaved, scale: .one, offset: .zero))
    pixels = [Float](repeating: 0, count: shape.reduce(1, *))
  }

  /// The category of an object's class by the class's name, with the object's score; `nil` if it has none.
  package static func category(of object: DetectedObject) -> CategoryLabel? {
    let category = CategoryTable.category(ofClass: object.label)
    return category == .unknown ? nil : CategoryLabel(category, score: object.score)
  }

  /// The category that the network infers for a region of a frame.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  package mutating func category(of box: Box, in frame: VideoFrame, timer: any StepTimer) throws -> CategoryLabel {
    // A square around the box, so that the aspect ratio is kept.
    let side = max(box.width, box.height) * (1 + 2 * Self.margin)
    let square = Box(center: box.center, width: side, height: side)
    guard !square.isEmpty, square.clipped(to: frame.size) != nil else { return CategoryLabel(.unknown, score: 0) }
    try timer.sampling {
      var values = pixels
      pixels = []
      defer { pixels = values }
      var tensor = values.mutableSpan
      try sampler.sample(frame, region: RotatedBox(square), into: &tensor)
      try request.setInput(0, values)
    }
    return try timer.inferring {
      try request.infer()
      return Self.category(ofScores: try request.output(0).values)
    }
  }

  /// The category whose classes have the highest sum of scores.
  ///
  /// - Parameter scores: of ImageNet's 1000 classes; their sum may be any.
  static func category(ofScores scores: [Float]) -> CategoryLabel {
    var sums: [ObjectCategory: Double] = [:]
    for (score, category) in zip(scores, CategoryTable.ofImageNet) {
      sums[category, default: 0] += Double(max(0, score))
    }
    let total = sums.values.reduce(0, +)
    let best = ObjectCategory.allCases.max { sums[$0, default: 0] < sums[$1, default: 0] } ?? .unknown
    guard total > 0 else { return CategoryLabel(.unknown, score: 0) }
    let fraction = sums[best, default: 0] / total
    return fraction < minimumScore ? CategoryLabel(.unknown, score: fraction) : CategoryLabel(best, score: fraction)
  }
}

/// Remembers the categories of tracks, so that the category network runs once for each track, and again when it has grown.
///
/// One owner at a time.
package struct TrackCategoryCache: Sendable {
  private struct Entry {
    var label: CategoryLabel
    /// Class and box area of the object when it was classified.
    var className: String
    var area: Double
  }

  private var entries: [Int: Entry] = [:]

  /// An object is classified again when its area has grown by this factor: it then shows more detail.
  private static let growth = 2.0

  package init() {}

  /// The objects of a frame with their categories.
  ///
  /// - Parameters:
  ///   - isDetected: whether the objects were detected on this frame; predicted ones keep their categories.
  ///   - classify: infers the category of a region of the frame, for objects whose class does not determine it.
  /// - Throws: what `classify` throws.
  package mutating func categorise(
    _ objects: [DetectedObject], isDetected: Bool, classify: (Box) throws -> CategoryLabel
  ) rethrows -> [DetectedObject] {
    var categorised = objects
    for index in objects.indices { categorised[index].category = try label(of: objects[index], isDetected, classify) }
    return categorised
  }

  private mutating func label(
    of object: DetectedObject, _ isDetected: Bool, _ classify: (Box) throws -> CategoryLabel
  ) rethrows -> CategoryLabel {
    // A class is more reliable than an inference, and costs nothing.
    if let byClass = CategoryClassifier.category(of: object) { return byClass }
    let entry = object.id.flatMap { entries[$0] }
    if let entry, entry.className == object.label, object.box.area < Self.growth * entry.area || !isDetected {
      return entry.label
    }
    guard isDetected else { return entry?.label ?? CategoryLabel(.unknown, score: 0) }
    let label = try classify(object.box)
    if let id = object.id { entries[id] = Entry(label: label, className: object.label, area: object.box.area) }
    return label
  }

  /// Removes tracks that have ended.
  package mutating func forget(_ ids: [Int]) { for id in ids { entries[id] = nil } }
}

internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// The network that tells categories, loaded once.
public struct CategoryModel: Sendable {
  let model: Model

  /// Loads it from the catalogue's folders.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  /// - Throws: `VStreamError.missingDependency` if it is not there or cannot be read.
  public init(device: String = "CPU") throws(VStreamError) {
    // A look is short, and at one object at a time.
    let configuration = ModelConfiguration(device: device, threads: 1)
    model = try Model(path: try ModelCatalogue.efficientNetLite3.requirePath(), configuration: configuration)
  }
}

/// Tells which coarse category an object is of: by its class, and where that is of none, by a look at it.
///
/// The look is EfficientNet-Lite3's, trained on ImageNet's 1000 classes, whose scores are summed up by category
/// (`CategoryTable`). One owner at a time.
public struct CategoryClassifier {
  private let request: InferenceRequest
  private var sampler: RegionSampler
  private var pixels: [Float]

  /// So much of an object's own size is looked at around it on each side.
  private static let margin = 0.1
  /// Categories that the network is less sure of are not told.
  private static let minimumScore = 0.3

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  public init(_ model: CategoryModel) throws(VStreamError) {
    request = try InferenceRequest(model.model)
    let shape = ModelCatalogue.efficientNetLite3.inputs[0]
    let size = PixelSize(width: shape[2], height: shape[1])
    sampler = RegionSampler(TensorFormat(size: size, order: .rgb, layout: .interleaved, scale: .one, offset: .zero))
    pixels = [Float](repeating: 0, count: shape.reduce(1, *))
  }

  /// The category that a class is of by its name, with the score that the object has; `nil` if it is of none.
  public static func category(of object: DetectedObject) -> CategoryLabel? {
    let category = CategoryTable.category(ofClass: object.label)
    return category == .unknown ? nil : CategoryLabel(category, score: object.score)
  }

  /// The category of what is seen in a part of a frame.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  public mutating func category(of box: Box, in frame: VideoFrame, timer: any StepTimer) throws -> CategoryLabel {
    // A square that holds the box, so that nothing is out of shape.
    let side = max(box.width, box.height) * (1 + 2 * Self.margin)
    let square = Box(center: box.center, width: side, height: side)
    guard !square.isEmpty, square.clipped(to: frame.size) != nil else { return CategoryLabel(.unknown, score: 0) }
    try timer.sampling {
      var numbers = pixels
      pixels = []
      defer { pixels = numbers }
      var tensor = numbers.mutableSpan
      try sampler.sample(frame, region: square, into: &tensor)
      try request.setInput(0, numbers)
    }
    return try timer.inferring {
      try request.infer()
      return Self.category(ofScores: try request.output(0).0)
    }
  }

  /// The category whose classes have most of the scores together.
  ///
  /// - Parameter scores: of ImageNet's 1000 classes; they add up to whatever the network makes them.
  static func category(ofScores scores: [Float]) -> CategoryLabel {
    var sums: [ObjectCategory: Double] = [:]
    for (score, category) in zip(scores, CategoryTable.ofImageNet) {
      sums[category, default: 0] += Double(max(0, score))
    }
    let all = sums.values.reduce(0, +)
    let best = ObjectCategory.allCases.max { sums[$0, default: 0] < sums[$1, default: 0] } ?? .unknown
    guard all > 0 else { return CategoryLabel(.unknown, score: 0) }
    let share = sums[best, default: 0] / all
    return share < minimumScore ? CategoryLabel(.unknown, score: share) : CategoryLabel(best, score: share)
  }
}

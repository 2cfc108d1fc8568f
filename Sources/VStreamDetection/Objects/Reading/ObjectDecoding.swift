internal import VStreamCore
internal import VStreamInference

/// Reads objects from the outputs of one model.
protocol ObjectDecoding {
  /// The objects that the last run of a request reports, without IDs, best first.
  ///
  /// - Parameters:
  ///   - region: the part of the frame that the network's input shows, in pixels; it may reach past the frame's edges.
  ///   - frame: boxes are clipped to it.
  /// - Throws: `VStreamError` if the outputs cannot be read.
  func objects(in request: InferenceRequest, region: Box, frame: PixelSize) throws -> [DetectedObject]
}

/// Copies the outputs, has the layout read them, and maps boxes and classes to the frame and the model's labels.
struct RawDetectionDecoder: ObjectDecoding {
  private let model: ObjectModel
  private let layout: any RawDetectionLayout
  private let options: ObjectDetectionOptions

  /// Boxes of a class that overlap more than this are of one object.
  private static let maximumIoU = 0.6

  init(_ model: ObjectModel, layout: any RawDetectionLayout, options: ObjectDetectionOptions) {
    self.model = model
    self.layout = layout
    self.options = options
  }

  func objects(in request: InferenceRequest, region: Box, frame: PixelSize) throws -> [DetectedObject] {
    let tables = try model.outputs.map { index in
      let (values, shape) = try request.output(index)
      return OutputTable(shape: shape, values: values)
    }
    let minimumScore = Float(options.minimumScore)
    if model.isLayoutRecognised, let contradiction = layout.contradiction(in: tables, minimumScore: minimumScore) {
      throw model.misread(contradiction)
    }
    let raw = layout.read(tables, input: model.size, minimumScore: minimumScore)
    let objects = raw.compactMap { object($0, region, frame) }
    let maximumIoU = layout.suppressesDuplicates ? 1 : Self.maximumIoU
    return nonMaximumSuppression(objects, maximumIoU: maximumIoU, limit: ObjectDetectionStage.limit)
  }

  private func object(_ raw: RawDetection, _ region: Box, _ frame: PixelSize) -> DetectedObject? {
    guard let index = model.labelIndex(ofClass: raw.classIndex), options.classes?.contains(index) ?? true else {
      return nil
    }
    let scale = (x: region.width / Double(model.size.width), y: region.height / Double(model.size.height))
    let box = raw.box.scaled(x: scale.x, y: scale.y)
    let moved = Box(x: region.x + box.x, y: region.y + box.y, width: box.width, height: box.height)
    return moved.clipped(to: frame).map {
      DetectedObject(classIndex: index, label: model.labels.names[index], score: Double(raw.score), box: $0)
    }
  }
}

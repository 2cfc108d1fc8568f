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

/// An output's values, row by row: the last dimension of its shape is the length of a row.
struct OutputTable {
  let shape: [Int]
  let values: [Float]

  /// Rows of less than five values are skipped.
  func forEachRow(_ body: (ArraySlice<Float>) -> Void) {
    guard let length = shape.last, length > 4 else { return }
    for row in 0..<values.count / length { body(values[row * length..<(row + 1) * length]) }
  }

  /// Nothing, unless there is a row of more than five values for each cell.
  func forEachCell(of grid: CellGrid, _ body: (ArraySlice<Float>, CellGrid.Cell) -> Void) {
    guard let length = shape.last, length > 5, values.count == length * grid.count else { return }
    var next = 0
    grid.forEach { cell in
      body(values[next..<next + length], cell)
      next += length
    }
  }

  /// Boxes from rows of centre, size, objectness where there is one, and class scores.
  ///
  /// - Parameter scale: the input's pixels in one unit of the boxes.
  func centeredBoxes(
    hasObjectness: Bool, scale: (x: Double, y: Double), minimumScore: Float
  ) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    forEachRow { row in
      let start = row.startIndex
      let objectness = hasObjectness ? row[start + 4] : 1
      guard objectness >= minimumScore, let best = row.dropFirst(hasObjectness ? 5 : 4).best else { return }
      let box = Box(
        center: Point(x: Double(row[start]) * scale.x, y: Double(row[start + 1]) * scale.y),
        width: Double(row[start + 2]) * scale.x, height: Double(row[start + 3]) * scale.y)
      found.append(best.index, objectness * best.score, box)
    }
    return found.detections
  }
}

extension ArraySlice<Float> {
  /// The highest score and its index from 0.
  var best: (index: Int, score: Float)? {
    guard let index = indices.max(by: { self[$0] < self[$1] }) else { return nil }
    return (index - startIndex, self[index])
  }
}

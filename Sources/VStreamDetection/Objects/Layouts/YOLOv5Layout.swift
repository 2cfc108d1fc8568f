internal import VStreamCore

/// `[1,3·G,5+C]`: centre and size in the input's pixels, objectness, class scores.
struct YOLOv5Layout: RawDetectionLayout {
  let name = "yolov5"
  let shapes = "[1,3*cells,5+classes]"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard let (rows, columns) = outputs.table else { return .none }
    return rows == 3 * CellGrid(input).count && columns > 5 ? .definite : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard let (rows, columns) = outputs.table else { return nil }
    // Some have grids of other strides beside these.
    return rows >= 3 * CellGrid(input).count && columns > 5 ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] - 5 }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset(fit: .center) }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    outputs[0].centeredBoxes(hasObjectness: true, scale: (1, 1), minimumScore: minimumScore)
  }
}

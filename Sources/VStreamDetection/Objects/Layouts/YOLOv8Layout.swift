internal import VStreamCore

/// `[1,4+C,G]`, a column per box: centre and size in the input's pixels, class scores. YOLOv8, v9, v11, v12.
///
/// Source: Ultralytics' exports of networks without anchors.
struct YOLOv8Layout: RawDetectionLayout {
  let name = "yolov8"
  let shapes = "[1,4+classes,cells]"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard let (rows, columns) = outputs.table else { return .none }
    let cells = CellGrid(input).count
    // Some exports are transposed; 85 columns are then taken for the usual 80 classes of YOLOX.
    let isTransposed = rows == cells && columns > 5 && columns != 85
    return columns == cells && rows > 4 && rows < cells || isTransposed ? .definite : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard let (rows, columns) = outputs.table else { return nil }
    return columns >= CellGrid(input).count && rows > 4 ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][1] - 4 }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset(fit: .center) }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let table = outputs[0]
    let (rows, cells) = (table.shape[table.shape.count - 2], table.shape[table.shape.count - 1])
    guard rows > 4, cells > 0, table.values.count == rows * cells else { return [] }
    // Row by row, as the values lie in memory.
    var best = [Float](repeating: -.infinity, count: cells)
    var classes = [Int](repeating: 0, count: cells)
    for row in 4..<rows {
      for cell in 0..<cells where table.values[row * cells + cell] > best[cell] {
        best[cell] = table.values[row * cells + cell]
        classes[cell] = row - 4
      }
    }
    var found = RawDetectionList(minimumScore: minimumScore)
    for cell in 0..<cells where best[cell] >= minimumScore {
      let value = { (row: Int) in Double(table.values[row * cells + cell]) }
      let box = Box(center: Point(x: value(0), y: value(1)), width: value(2), height: value(3))
      found.append(classes[cell], best[cell], box)
    }
    return found.detections
  }
}

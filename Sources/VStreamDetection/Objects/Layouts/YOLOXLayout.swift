internal import VStreamCore
internal import VStreamInference

#if canImport(Glibc)
  internal import Glibc
#endif

/// `[1,G,5+C]`: centre relative to the cell, logarithm of the size, objectness, class scores.
///
/// Source: Z. Ge et al., "YOLOX: Exceeding YOLO Series in 2021", 2021.
struct YOLOXLayout: RawDetectionLayout {
  let name = "yolox"
  let shapes = "[1,cells,5+classes]"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard let (rows, columns) = outputs.table else { return .none }
    // 85 columns are 80 classes here and 53 of NanoDet-Plus, whose grid has a stride more.
    let isLikeNanoDet = rows == CellGrid(input, strides: CellGrid.four).count && columns == 85
    return rows == CellGrid(input).count && columns > 5 || isLikeNanoDet ? .definite : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard let (rows, columns) = outputs.table else { return nil }
    return rows == CellGrid(input).count && columns > 5 ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] - 5 }
  func inputPreset(classCount: Int?) -> InputPreset? {
    InputPreset(order: .bgr, deviation: SIMD3(repeating: 1), fit: .topLeft)
  }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    outputs[0].forEachCell(of: CellGrid(input)) { row, cell in
      let objectness = row[row.startIndex + 4]
      guard objectness >= minimumScore, let best = row.dropFirst(5).best else { return }
      let stride = Double(cell.stride)
      let center = Point(
        x: (Double(row[row.startIndex]) + Double(cell.column)) * stride,
        y: (Double(row[row.startIndex + 1]) + Double(cell.row)) * stride)
      let box = Box(
        center: center, width: exp(Double(row[row.startIndex + 2])) * stride,
        height: exp(Double(row[row.startIndex + 3])) * stride)
      found.append(best.index, objectness * best.score, box)
    }
    return found.detections
  }
}

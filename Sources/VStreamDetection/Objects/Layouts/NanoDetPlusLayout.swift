internal import VStreamCore
internal import VStreamInference

/// `[1,G',C+32]`, G' with stride 64 as well: class scores, and the distances to the four sides as distributions.
///
/// The centre of a cell is its top left corner, as NanoDet-Plus exports it.
struct NanoDetPlusLayout: RawDetectionLayout {
  let name = "nanodet-plus"
  let shapes = "[1,cells with stride 64,classes+32]"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    arrangement(of: outputs, input: input) == nil ? .none : .definite
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard let (rows, columns) = outputs.table else { return nil }
    let isMatch =
      rows == CellGrid(input, strides: CellGrid.four).count && columns > DistanceDistribution.valueCount
    return isMatch ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] - DistanceDistribution.valueCount }

  func inputPreset(classCount: Int?) -> InputPreset? {
    InputPreset(order: .bgr, mean: SIMD3(103.53, 116.28, 123.675), deviation: SIMD3(57.375, 57.12, 58.395))
  }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let classes = (outputs[0].shape.last ?? 0) - DistanceDistribution.valueCount
    guard classes > 0 else { return [] }
    var found = RawDetectionList(minimumScore: minimumScore)
    outputs[0].forEachCell(of: CellGrid(input, strides: CellGrid.four)) { row, cell in
      guard let best = row.prefix(classes).best, best.score >= minimumScore else { return }
      let corner = Point(x: Double(cell.column * cell.stride), y: Double(cell.row * cell.stride))
      let box = DistanceDistribution.box(around: corner, row.dropFirst(classes), stride: cell.stride)
      found.append(best.index, best.score, box)
    }
    return found.detections
  }
}

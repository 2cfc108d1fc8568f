internal import VStreamInference
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// `[1,G',C+32]`, G' with stride 64 as well: class scores, and the distances to the four sides as distributions over 8 bins.
///
/// Source: X. Li et al., "Generalized Focal Loss", 2020 (distances as distributions), as NanoDet-Plus exports it: the
/// centre of a cell is its top left corner.
struct NanoDetPlusLayout: RawDetectionLayout {
  let name = "nanodet-plus"
  let shapes = "[1,cells with stride 64,classes+32]"
  let suppressesDuplicates = false

  private static let binCount = 8

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    arrangement(of: outputs, input: input) == nil ? .none : .definite
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard let (rows, columns) = outputs.table else { return nil }
    return rows == CellGrid(input, strides: CellGrid.four).count && columns > 4 * Self.binCount ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] - 4 * Self.binCount }

  func inputPreset(classCount: Int?) -> InputPreset? {
    InputPreset(order: .bgr, mean: SIMD3(103.53, 116.28, 123.675), deviation: SIMD3(57.375, 57.12, 58.395))
  }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let classes = (outputs[0].shape.last ?? 0) - 4 * Self.binCount
    guard classes > 0 else { return [] }
    var found = RawDetectionList(minimumScore: minimumScore)
    outputs[0].forEachCell(of: CellGrid(input, strides: CellGrid.four)) { row, cell in
      guard let best = row.prefix(classes).best, best.score >= minimumScore else { return }
      let distances = (0..<4).map { side in
        Self.mean(ofBins: row.dropFirst(classes + Self.binCount * side).prefix(Self.binCount)) * Double(cell.stride)
      }
      let (x, y) = (Double(cell.column * cell.stride), Double(cell.row * cell.stride))
      let box = Box(
        left: x - distances[0], top: y - distances[1], right: x + distances[2], bottom: y + distances[3])
      found.append(best.index, best.score, box)
    }
    return found.detections
  }

  /// The mean of a distribution that is given by logits.
  private static func mean(ofBins bins: ArraySlice<Float>) -> Double {
    let highest = bins.max() ?? 0
    let weights = bins.map { exp(Double($0 - highest)) }
    return weights.enumerated().map { Double($0.offset) * $0.element }.reduce(0, +) / weights.reduce(0, +)
  }
}

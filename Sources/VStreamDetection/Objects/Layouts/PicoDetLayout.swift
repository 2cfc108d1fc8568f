internal import VStreamCore
internal import VStreamInference

/// For each of the strides 8, 16, 32 and 64: `[1,cells,C]` class scores, and `[1,cells,32]` the distances from a cell's
/// centre to the four sides as distributions. PicoDet as PaddleDetection exports it without post-processing.
///
/// Source: G. Yu et al., "PP-PicoDet: A Better Real-Time Object Detector on Mobile Devices", 2021.
struct PicoDetLayout: RawDetectionLayout {
  let name = "picodet"
  let shapes = "[1,cells,classes] and [1,cells,32] for each of 4 strides"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    arrangement(of: outputs, input: input) == nil ? .none : .definite
  }

  /// The scores of all strides, then the distances.
  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    // Exports of NanoDet with such names have the same shapes, and other cells and pixels.
    guard outputs.ranks == [Int](repeating: 3, count: 8),
      outputs.index(of: ["dis_pred"], among: Array(outputs.ports.indices)) == nil
    else { return nil }
    var (scores, distances): ([Int], [Int]) = ([], [])
    for stride in CellGrid.four {
      let cells = CellGrid(input, strides: [stride]).count
      let ofStride = outputs.ports.indices.filter { outputs.ports[$0].shape[1] == cells }
      // Of two outputs with 32 columns, which are 32 classes as well, the scores are first.
      guard ofStride.count == 2,
        let last = ofStride.last(where: { outputs.ports[$0].shape[2] == DistanceDistribution.valueCount }),
        let first = ofStride.first(where: { $0 != last })
      else { return nil }
      scores.append(first)
      distances.append(last)
    }
    let counts = Set(scores.map { outputs.ports[$0].shape[2] })
    return counts.count == 1 && counts.allSatisfy { $0 > 0 } ? scores + distances : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] }

  func inputPreset(classCount: Int?) -> InputPreset? { .imageNet }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    for (level, stride) in CellGrid.four.enumerated() {
      let grid = CellGrid(input, strides: [stride])
      let (scores, distances) = (outputs[level], outputs[level + CellGrid.four.count])
      let classes = scores.shape.last ?? 0
      guard classes > 0, scores.values.count == classes * grid.count,
        distances.values.count == DistanceDistribution.valueCount * grid.count
      else { continue }
      var index = 0
      grid.forEach { cell in
        defer { index += 1 }
        guard let best = scores.values[index * classes..<(index + 1) * classes].best, best.score >= minimumScore
        else { return }
        let row = distances.values.dropFirst(index * DistanceDistribution.valueCount)
        found.append(
          best.index, best.score, DistanceDistribution.box(around: cell.center, row, stride: cell.stride))
      }
    }
    return found.detections
  }
}

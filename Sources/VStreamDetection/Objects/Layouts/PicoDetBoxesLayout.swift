internal import VStreamCore
internal import VStreamInference

/// `[1,G',4]` corners in the input's pixels and `[1,C,G']` class scores, G' with stride 64 as well. PicoDet as PaddleDetection
/// exports it with post-processing and without NMS.
struct PicoDetBoxesLayout: RawDetectionLayout {
  let name = "picodet-boxes"
  let shapes = "[1,cells with stride 64,4] and [1,classes,cells]"
  let suppressesDuplicates = false

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    arrangement(of: outputs, input: input) == nil ? .none : .definite
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard outputs.ranks == [3, 3] else { return nil }
    let cells = CellGrid(input, strides: CellGrid.four).count
    let boxes = outputs.ports.indices.first { outputs.ports[$0].shape[1...] == [cells, 4] }
    return boxes.flatMap { outputs.ports[1 - $0].shape[2] == cells ? [$0, 1 - $0] : nil }
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[1][1] > 0 ? shapes[1][1] : nil }
  func inputPreset(classCount: Int?) -> InputPreset? { .imageNet }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let (boxes, scores) = (outputs[0].values, outputs[1].values)
    let count = boxes.count / 4
    guard count > 0, boxes.count == 4 * count, scores.count % count == 0 else { return [] }
    let classes = scores.count / count
    var found = RawDetectionList(minimumScore: minimumScore)
    for index in 0..<count {
      guard let best = (0..<classes).max(by: { scores[$0 * count + index] < scores[$1 * count + index] }) else { break }
      let value = { (column: Int) in Double(boxes[index * 4 + column]) }
      let box = Box(left: value(0), top: value(1), right: value(2), bottom: value(3))
      found.append(best, scores[best * count + index], box)
    }
    return found.detections
  }
}

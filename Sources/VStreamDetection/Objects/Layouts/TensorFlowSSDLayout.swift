internal import VStreamCore
internal import VStreamInference

/// `[1,K,4]` corners as fractions of the input, top first; `[1,K]` classes, `[1,K]` scores, `[1]` count. SSD of TensorFlow.
struct TensorFlowSSDLayout: RawDetectionLayout {
  let name = "ssd-tensorflow"
  let shapes = "[1,boxes,4], [1,boxes], [1,boxes], [1]"
  let suppressesDuplicates = true
  let firstClass = 1

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard outputs.ranks == [1, 2, 2, 3], let boxes = outputs.indices(ofRank: 3).first else { return .none }
    return outputs.ports[boxes].shape[2] == 4 ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    let others = outputs.indices(ofRank: 2)
    guard outputs.ranks == [1, 2, 2, 3], let boxes = outputs.indices(ofRank: 3).first,
      let count = outputs.indices(ofRank: 1).first, let classes = outputs.index(of: ["class"], among: others),
      let scores = others.first(where: { $0 != classes })
    else { return nil }
    return [boxes, classes, scores, count]
  }

  func classCount(_ shapes: [[Int]]) -> Int? { nil }
  func usesCOCOLabelMap(classCount: Int?) -> Bool { true }
  func inputPreset(classCount: Int?) -> InputPreset? { .unscaled }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let (boxes, classes, scores) = (outputs[0].values, outputs[1].values, outputs[2].values)
    guard boxes.count == 4 * scores.count, classes.count == scores.count else { return [] }
    let count = outputs[3].values.first.map { $0.isFinite ? Int(max(0, min($0, 1e6))) : 0 } ?? 0
    var found = RawDetectionList(minimumScore: minimumScore)
    for index in scores.indices.prefix(count) {
      let value = { (column: Int) in Double(boxes[index * 4 + column]) }
      let box = Box(
        left: value(1) * Double(input.width), top: value(0) * Double(input.height),
        right: value(3) * Double(input.width), bottom: value(2) * Double(input.height))
      found.append(classNumber: Double(classes[index]), scores[index], box)
    }
    return found.detections
  }
}

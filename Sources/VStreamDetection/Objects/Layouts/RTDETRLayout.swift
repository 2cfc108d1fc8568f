internal import VStreamCore
internal import VStreamInference

/// `[1,K]` labels, `[1,K,4]` corners in the input's pixels, `[1,K]` scores. RT-DETR and D-FINE as published.
///
/// Sources: Y. Zhao et al., "DETRs Beat YOLOs on Real-time Object Detection", 2024; Y. Peng et al., "D-FINE", 2024.
struct RTDETRLayout: RawDetectionLayout {
  let name = "rt-detr"
  let shapes = "labels [1,boxes], boxes [1,boxes,4], scores [1,boxes]"
  let suppressesDuplicates = true

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard outputs.ranks == [2, 2, 3], let boxes = outputs.indices(ofRank: 3).first else { return .none }
    return outputs.ports[boxes].shape[2] == 4 ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard outputs.ranks == [2, 2, 3], let boxes = outputs.indices(ofRank: 3).first else { return nil }
    let others = outputs.indices(ofRank: 2)
    let integers = others.filter { [.int32, .int64].contains(outputs.ports[$0].element) }
    let labels = integers.count == 1 ? integers.first : outputs.index(of: ["label"], among: others)
    guard let labels, let scores = others.first(where: { $0 != labels }) else { return nil }
    return [labels, boxes, scores]
  }

  func classCount(_ shapes: [[Int]]) -> Int? { nil }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset() }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let (labels, boxes, scores) = (outputs[0].values, outputs[1].values, outputs[2].values)
    guard labels.count == scores.count, boxes.count == 4 * scores.count else { return [] }
    var found = RawDetectionList(minimumScore: minimumScore)
    for index in scores.indices {
      let value = { (column: Int) in Double(boxes[index * 4 + column]) }
      let box = Box(left: value(0), top: value(1), right: value(2), bottom: value(3))
      found.append(classNumber: Double(labels[index]), scores[index], box)
    }
    return found.detections
  }
}

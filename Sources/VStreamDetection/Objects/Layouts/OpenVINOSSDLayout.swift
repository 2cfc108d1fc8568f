internal import VStreamCore
internal import VStreamInference

/// `[1,1,K,7]`: image, class, score, corners as fractions of the input. SSD by OpenVINO's `DetectionOutput`.
///
/// Source: W. Liu et al., "SSD: Single Shot MultiBox Detector", 2016.
struct OpenVINOSSDLayout: RawDetectionLayout {
  let name = "ssd"
  let shapes = "[1,1,boxes,7]"
  let suppressesDuplicates = true
  let firstClass = 1

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard outputs.ranks == [4] else { return .none }
    let shape = outputs.ports[0].shape
    return shape[3] == 7 && shape.prefix(2) == [1, 1] ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    outputs.ports.count == 1 && outputs.ports[0].shape.last == 7 ? [0] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { nil }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset(order: .bgr, deviation: SIMD3(repeating: 1)) }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    var hasEnded = false
    outputs[0].forEachRow { row in
      let value = { (index: Int) in Double(row[row.startIndex + index]) }
      // A negative image number ends the list.
      hasEnded = hasEnded || value(0) < 0
      guard !hasEnded else { return }
      let box = Box(
        left: value(3) * Double(input.width), top: value(4) * Double(input.height),
        right: value(5) * Double(input.width), bottom: value(6) * Double(input.height))
      found.append(classNumber: value(1), row[row.startIndex + 2], box)
    }
    return found.detections
  }
}

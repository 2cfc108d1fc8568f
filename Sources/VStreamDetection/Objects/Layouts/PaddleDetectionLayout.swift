internal import VStreamCore
internal import VStreamInference

/// `[K,6]`: class, score, corners in the input's pixels, without duplicates; `[1]` count. Detectors as PaddleDetection exports
/// them with NMS: PicoDet, PP-YOLOE, RT-DETR.
struct PaddleDetectionLayout: RawDetectionLayout {
  let name = "paddledetection"
  let shapes = "[boxes,6] and [1]"
  let suppressesDuplicates = true

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    arrangement(of: outputs, input: input) == nil ? .none : .plausible
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard outputs.ranks == [1, 2], let boxes = outputs.indices(ofRank: 2).first, outputs.ports[boxes].shape[1] == 6
    else { return nil }
    return [boxes, 1 - boxes]
  }

  func classCount(_ shapes: [[Int]]) -> Int? { nil }

  /// The publisher's models differ: ImageNet's mean and deviation, or pixels from 0 to 1.
  func inputPreset(classCount: Int?) -> InputPreset? { nil }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let count = outputs[1].values.first.map { $0.isFinite ? Int(max(0, min($0, 1e6))) : 0 } ?? 0
    var found = RawDetectionList(minimumScore: minimumScore)
    var index = 0
    outputs[0].forEachRow { row in
      defer { index += 1 }
      guard index < count else { return }
      let value = { (column: Int) in Double(row[row.startIndex + column]) }
      let box = Box(left: value(2), top: value(3), right: value(4), bottom: value(5))
      found.append(classNumber: value(0), row[row.startIndex + 1], box)
    }
    return found.detections
  }
}

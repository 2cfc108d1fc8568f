internal import VStreamCore
internal import VStreamInference

#if canImport(Glibc)
  internal import Glibc
#endif

/// `[1,K,4]` centre and size as fractions of the input, and `[1,K,C]` logits. DETR, RF-DETR, and RT-DETR of transformers.
///
/// Source: N. Carion et al., "End-to-End Object Detection with Transformers", 2020; its successors score each class
/// independently.
struct DETRLayout: RawDetectionLayout {
  let name = "detr"
  let shapes = "[1,boxes,4] and [1,boxes,classes]"
  let suppressesDuplicates = true

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard outputs.ranks == [3, 3] else { return .none }
    let shapes = outputs.ports.map(\.shape)
    let isMatch =
      shapes[0][1] == shapes[1][1] && shapes.contains { $0[2] == 4 }
      && shapes[0][1] <= OutputLayoutRegistry.maximumQueries
    return isMatch ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    guard outputs.ranks == [3, 3] else { return nil }
    let fours = outputs.ports.indices.filter { outputs.ports[$0].shape.last == 4 }
    // Four classes have logits of the same shape as the boxes.
    let boxes = fours.count == 1 ? fours.first : outputs.index(of: ["box", "dets"], among: fours)
    return boxes.map { [$0, 1 - $0] }
  }

  /// `nil` if the dimension is open.
  func classCount(_ shapes: [[Int]]) -> Int? { shapes[1].last.flatMap { $0 > 0 ? $0 : nil } }
  /// The original DETR has the 91 entries of COCO's label map and "no object".
  func hasNoObjectClass(classCount: Int) -> Bool { classCount == 92 }
  func usesCOCOLabelMap(classCount: Int?) -> Bool { classCount == 91 || classCount == 92 }

  func inputPreset(classCount: Int?) -> InputPreset? {
    switch classCount {
    // RT-DETR of transformers is not normalised; RF-DETR and DETR are, and use COCO's label map.
    case 80: InputPreset()
    case 91, 92: .imageNet
    default: nil
    }
  }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    let classes = outputs[1].shape.last ?? 0
    return read(
      boxes: outputs[0], logits: outputs[1], input: input, minimumScore: minimumScore,
      hasNoObjectClass: hasNoObjectClass(classCount: classes))
  }

  /// - Parameter hasNoObjectClass: whether scores are a distribution over all classes and a last one for no object.
  func read(
    boxes: OutputTable, logits: OutputTable, input: PixelSize, minimumScore: Float, hasNoObjectClass: Bool
  ) -> [RawDetection] {
    let classes = logits.shape.last ?? 0
    guard classes > 0, boxes.values.count / 4 == logits.values.count / classes else { return [] }
    var found = RawDetectionList(minimumScore: minimumScore)
    for index in 0..<boxes.values.count / 4 {
      let row = logits.values[index * classes..<(index + 1) * classes]
      guard let best = hasNoObjectClass ? Self.softmaxBest(row) : Self.sigmoidBest(row) else { continue }
      let value = { (column: Int) in Double(boxes.values[index * 4 + column]) }
      let box = Box(
        center: Point(x: value(0) * Double(input.width), y: value(1) * Double(input.height)),
        width: value(2) * Double(input.width), height: value(3) * Double(input.height))
      found.append(best.index, best.score, box)
    }
    return found.detections
  }

  /// The best class but the last, by its probability among all.
  private static func softmaxBest(_ logits: ArraySlice<Float>) -> (index: Int, score: Float)? {
    let highest = logits.max() ?? 0
    let sum = logits.reduce(0) { $0 + expf($1 - highest) }
    return logits.dropLast().best.map { ($0.index, expf($0.score - highest) / sum) }
  }

  private static func sigmoidBest(_ logits: ArraySlice<Float>) -> (index: Int, score: Float)? {
    logits.best.map { ($0.index, 1 / (1 + expf(-$0.score))) }
  }
}

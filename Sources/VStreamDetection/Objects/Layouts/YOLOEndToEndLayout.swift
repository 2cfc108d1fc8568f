internal import VStreamCore

/// `[1,K,6]`: corners in the input's pixels, score, class; without duplicates. YOLOv10, 26, and exports with NMS.
struct YOLOEndToEndLayout: RawDetectionLayout {
  let name = "yolo-end-to-end"
  let shapes = "[1,boxes,6]"
  let suppressesDuplicates = true

  /// How far the number of a class may be from an integer in a network of low precision.
  private static let roundingError: Float = 0.001

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard let (rows, columns) = outputs.table else { return .none }
    // The number of rows is open, and −1, where the network reports as many as it finds.
    return columns == 6 && rows <= OutputLayoutRegistry.maximumQueries ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? { outputs.table?.columns == 6 ? [0] : nil }
  func classCount(_ shapes: [[Int]]) -> Int? { nil }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset(fit: .center) }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    outputs[0].forEachRow { row in
      let value = { (index: Int) in Double(row[row.startIndex + index]) }
      let box = Box(left: value(0), top: value(1), right: value(2), bottom: value(3))
      found.append(classNumber: value(5), row[row.startIndex + 4], box)
    }
    return found.detections
  }

  /// Class numbers that are not integers are scores: those of RT-DETR with two classes, for example.
  func contradiction(in outputs: [OutputTable], minimumScore: Float) -> String? {
    var other: Float?
    outputs[0].forEachRow { row in
      let (score, number) = (row[row.startIndex + 4], row[row.startIndex + 5])
      guard score >= minimumScore, number.isFinite, abs(number - number.rounded()) > Self.roundingError else { return }
      other = other ?? number
    }
    return other.map { "a class has the number \($0)" }
  }
}

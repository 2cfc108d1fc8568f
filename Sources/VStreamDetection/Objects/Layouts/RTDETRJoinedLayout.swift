internal import VStreamCore

/// `[1,K,4+C]`: centre and size as fractions of the input, class scores. RT-DETR as Ultralytics exports it.
struct RTDETRJoinedLayout: RawDetectionLayout {
  let name = "rt-detr-joined"
  let shapes = "[1,boxes,4+classes]"
  let suppressesDuplicates = true

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    guard let (rows, columns) = outputs.table else { return .none }
    return columns > 6 && (1...OutputLayoutRegistry.maximumQueries).contains(rows) ? .plausible : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    outputs.table.flatMap { $0.columns > 4 ? [0] : nil }
  }

  func classCount(_ shapes: [[Int]]) -> Int? { shapes[0][2] - 4 }
  func inputPreset(classCount: Int?) -> InputPreset? { InputPreset() }

  func read(_ outputs: [OutputTable], input: PixelSize, minimumScore: Float) -> [RawDetection] {
    outputs[0].centeredBoxes(
      hasObjectness: false, scale: (Double(input.width), Double(input.height)), minimumScore: minimumScore)
  }
}

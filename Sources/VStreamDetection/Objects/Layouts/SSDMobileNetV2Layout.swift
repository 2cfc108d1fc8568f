internal import VStreamCore
internal import VStreamInference

/// The built-in model: `[1,1917,4]` encodings relative to anchors, `[1,1917,80]` scores, read by `SSDDecoder`.
struct SSDMobileNetV2Layout: OutputLayout {
  let name = "ssd-mobilenet-v2"
  let shapes = "[1,1917,4] and [1,1917,80]"
  let suppressesDuplicates = false

  private static let expected = [[1, 1917, 4], [1, 1917, 80]]

  func match(_ outputs: ModelOutputs, input: PixelSize) -> LayoutMatch {
    Set(outputs.ports.map(\.shape)) == Set(Self.expected) && outputs.ports.count == 2 ? .definite : .none
  }

  func arrangement(of outputs: ModelOutputs, input: PixelSize) -> [Int]? {
    outputs.ports.map(\.shape) == Self.expected ? [0, 1] : nil
  }

  func classCount(_ shapes: [[Int]]) -> Int? { 80 }
  func inputPreset(classCount: Int?) -> InputPreset? { .unscaled }

  func makeDecoder(for model: ObjectModel, options: ObjectDetectionOptions) -> any ObjectDecoding {
    AnchorBoxDecoder(options, input: model.size)
  }

  /// The network's maps lie in this input as in that of its training: each of its steps rounds the same way.
  func smallInput(own: PixelSize) -> PixelSize? {
    own == SSDDecoder.trainedInput ? PixelSize(width: 172, height: 172) : nil
  }
}

/// Lends the outputs to `SSDDecoder` without a copy.
private struct AnchorBoxDecoder: ObjectDecoding {
  private let decoder: SSDDecoder
  private let classes: Set<Int>?

  init(_ options: ObjectDetectionOptions, input: PixelSize) {
    decoder = SSDDecoder(input: input, minimumScore: options.minimumScore)
    classes = options.classes
  }

  func objects(in request: InferenceRequest, region: Box, frame: PixelSize) throws -> [DetectedObject] {
    try request.withOutput(0) { encodings, _ in
      try request.withOutput(1) { scores, _ in
        decoder.decode(encodings: encodings, scores: scores, region: region, frame: frame) { index in
          classes?.contains(index) ?? true
        }
      }
    }
  }
}

internal import VStreamMedia
internal import VStreamScene

/// The names of frames' image files: those of the input, if it is images, else those of the output.
struct FrameImages: Sendable {
  private let inputs: [String]
  private let timeBase: Rational
  /// `nil` if it has no file of the same pixels for each frame.
  private let output: OutputDestination?
  private var written = 0

  /// - Parameters:
  ///   - inputPaths: the image files of the input; empty for a video.
  ///   - timeBase: that of the input, in which two image files are one tick apart.
  ///   - output: `nil` for none.
  init(inputPaths: [String], timeBase: Rational, output: PipelineOutput?) {
    inputs = inputPaths.map { MediaInput($0).fileName }
    self.timeBase = timeBase
    // At another rate, frames are repeated and omitted; at another size, the records' boxes do not fit.
    let isSame = output?.encoder.frameRate == nil && output?.encoder.size == nil
    self.output = isSame ? output?.destination : nil
  }

  /// The name of the next frame that is released; `nil` if it is in no image file.
  mutating func next(at time: Time) -> String? {
    defer { written += 1 }
    if inputs.count == 1 { return inputs[0] }
    let index = Int((time.seconds / timeBase.value).rounded())
    return inputs.indices.contains(index) ? inputs[index] : output?.imageName(written)
  }
}

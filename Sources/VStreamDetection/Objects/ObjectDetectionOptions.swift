public import VStreamInference

/// What an object detection stage reports, and how it samples frames.
public struct ObjectDetectionOptions: Hashable, Sendable {
  /// The lowest score that is reported; a low score can only continue a track.
  public var minimumScore: Double
  /// Indices into the model's class list; `nil` for all classes.
  public var classes: Set<Int>?
  public var filter: TensorFormat.Filter
  /// Whether tiles of the frame are searched as well as the whole, for small objects; up to seven passes a frame.
  public var isTiled: Bool

  public init(
    minimumScore: Double = 0.1, classes: Set<Int>? = nil, filter: TensorFormat.Filter = .bilinear, isTiled: Bool = false
  ) {
    self.minimumScore = minimumScore
    self.classes = classes
    self.filter = filter
    self.isTiled = isTiled
  }
}

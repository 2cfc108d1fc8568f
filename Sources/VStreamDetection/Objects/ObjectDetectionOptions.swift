internal import VStreamCore
package import VStreamInference

/// The settings of an object detection stage.
package struct ObjectDetectionOptions: Hashable, Sendable {
  /// The lowest score that is reported; a low score can only continue a track.
  package var minimumScore: Double
  /// Indices into the model's class list; `nil` for all classes.
  package var classes: Set<Int>?
  package var filter: TensorFormat.Filter
  /// Whether tiles of the frame are searched as well as the whole, for small objects; up to seven passes a frame.
  package var isTiled: Bool
  /// Which frames are searched once more, with a margin around them; `nil` for none.
  package var margin: MarginRule?

  /// Objects that fill a network's input get low scores. So frames are searched again, with a margin around them, if
  /// something of these classes takes half of the width or height and has a lower score than this.
  package struct MarginRule: Hashable, Sendable {
    /// Indices into the model's class list.
    package var classes: Set<Int>
    /// 0…1.
    package var minimumScore: Double
    /// Whether all frames are searched again, whatever is in them.
    package var isAlways: Bool

    package init(classes: Set<Int>, minimumScore: Double, isAlways: Bool = false) {
      self.classes = classes
      self.minimumScore = minimumScore
      self.isAlways = isAlways
    }

    private static let largeFraction = 0.5

    /// Whether one of the classes is among detections of a frame as it is.
    func isFound(in found: [DetectedObject]) -> Bool {
      found.contains { classes.contains($0.classIndex) && $0.score >= minimumScore }
    }

    func applies(to found: [DetectedObject], in frame: PixelSize) -> Bool {
      isAlways || found.contains { $0.score < minimumScore && isLarge($0, in: frame) }
    }

    /// The used results of the search with a margin: it detects small objects less reliably.
    func counted(_ found: [DetectedObject], in frame: PixelSize) -> [DetectedObject] {
      isAlways ? found : found.filter { isLarge($0, in: frame) }
    }

    private func isLarge(_ object: DetectedObject, in frame: PixelSize) -> Bool {
      classes.contains(object.classIndex)
        && (object.box.width >= Self.largeFraction * Double(frame.width)
          || object.box.height >= Self.largeFraction * Double(frame.height))
    }
  }

  package init(
    minimumScore: Double = 0.1, classes: Set<Int>? = nil, filter: TensorFormat.Filter = .bilinear,
    isTiled: Bool = false,
    margin: MarginRule? = nil
  ) {
    self.minimumScore = minimumScore
    self.classes = classes
    self.filter = filter
    self.isTiled = isTiled
    self.margin = margin
  }
}

/// How much of the processor the detection of objects in a stream may use.
public enum DetectionAccuracy: String, Hashable, Sendable, CaseIterable {
  case fast
  case balanced
  case accurate

  /// The cost of searching a frame, on average, in runs of the network with its own size of input.
  package var passes: Double {
    switch self {
    case .fast: 0.33
    case .balanced: 1
    case .accurate: 2.7
    }
  }
}

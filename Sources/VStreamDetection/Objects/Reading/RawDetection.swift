internal import VStreamScene

/// A box that a network reports, in the pixels of its input.
struct RawDetection: Hashable, Sendable {
  /// As the network numbers them.
  var classIndex: Int
  /// 0…1.
  var score: Float
  var box: Box
}

/// Collects the valid detections of an output.
struct RawDetectionList {
  let minimumScore: Float
  private(set) var detections: [RawDetection] = []

  /// Scores up to this are 1 but for rounding; higher ones are invalid.
  private static let maximumScore: Float = 1.001
  /// Class numbers from this on are invalid.
  private static let classNumberLimit = 1e6

  init(minimumScore: Float) { self.minimumScore = minimumScore }

  /// Ignores lower scores and boxes without an area.
  mutating func append(_ classIndex: Int, _ score: Float, _ box: Box) {
    guard score >= minimumScore, score <= Self.maximumScore, !box.isEmpty else { return }
    detections.append(RawDetection(classIndex: classIndex, score: min(1, score), box: box))
  }

  /// The same for a class that is given as a floating-point number.
  mutating func append(classNumber: Double, _ score: Float, _ box: Box) {
    guard classNumber.rounded() >= 0, classNumber < Self.classNumberLimit else { return }
    append(Int(classNumber.rounded()), score, box)
  }
}

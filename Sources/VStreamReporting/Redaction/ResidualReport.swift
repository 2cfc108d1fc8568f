package import VStreamCore

/// A detection in a redacted video that is not sufficiently covered.
package struct Residual: Hashable, Sendable {
  /// Index of the output's frame, from 0.
  package var frame: Int
  /// Time of the frame in the output, in seconds.
  package var seconds: Double
  package var label: String
  package var score: Double
  package var box: Box
  /// The fraction of its box that was covered in that frame, 0…1.
  package var coveredFraction: Double

  package init(frame: Int, seconds: Double, label: String, score: Double, box: Box, coveredFraction: Double) {
    self.frame = frame
    self.seconds = seconds
    self.label = label
    self.score = score
    self.box = box
    self.coveredFraction = coveredFraction
  }
}

/// The result of verifying a redacted video.
package struct RedactionCheck: Hashable, Sendable {
  package var frames: Int
  /// The number of detections that are sufficiently covered.
  package var coveredHits: Int
  /// The visible detections, by ascending frame.
  package var residuals: [Residual]
  /// The other detections that are not covered: with low scores, in a single frame, or of a cover and its surroundings.
  package var weakHits: [Residual]

  package init(frames: Int, coveredHits: Int, residuals: [Residual] = [], weakHits: [Residual] = []) {
    self.frames = frames
    self.coveredHits = coveredHits
    self.residuals = residuals
    self.weakHits = weakHits
  }
}

/// Sorts the detections in a redacted video by whether they are covered.
///
/// Detectors may recognise a mosaic as the subject under it; this is a covered hit, not a residual.
package struct ResidualReport: Hashable, Sendable {
  /// Which scores of a kind of detection count. All are of 0…1.
  package struct Scores: Hashable, Sendable {
    /// The lowest of a residual.
    package var minimum: Double
    /// The lowest of a residual that is detected in no other frame nearby. A single image has no others.
    package var isolatedMinimum: Double

    package init(minimum: Double, isolatedMinimum: Double) {
      self.minimum = minimum
      self.isolatedMinimum = isolatedMinimum
    }
  }

  private var frames = 0
  private var coveredHits = 0
  /// A detection that is not sufficiently covered.
  private struct Uncovered: Hashable {
    let residual: Residual
    let scores: Scores
    /// Whether it may be of a cover and its surroundings.
    let isOfCover: Bool
  }

  /// By ascending frame.
  private var uncovered: [Uncovered] = []

  /// The minimum covered fraction of a covered detection's box.
  package static let minimumCoveredFraction = 0.8
  /// Seconds, or frames if that is more, between a detection and others that confirm it.
  private static let neighbourhood = 0.2
  private static let neighbouringFrames = 3
  /// The greatest distance between the centres of two detections of one subject, in sides of its box.
  private static let sameSubjectDistance = 1.5
  /// The greatest ratio between the sizes of its boxes.
  private static let sameSubjectRatio = 1.5
  /// A detection may be of a cover that contains its centre and at least this fraction of its box.
  private static let coverFraction = 0.5

  /// The criteria of detections that count, by kind; of other kinds all count.
  private let scores: [DetectionKind: Scores]

  package init(scores: [DetectionKind: Scores] = [:]) { self.scores = scores }

  /// The detections in the frames so far.
  package var check: RedactionCheck {
    var check = RedactionCheck(frames: frames, coveredHits: coveredHits)
    for (index, detection) in uncovered.enumerated() {
      if isResidual(index) {
        check.residuals.append(detection.residual)
      } else {
        check.weakHits.append(detection.residual)
      }
    }
    return check
  }

  /// Adds the detections of one frame, in frame order.
  ///
  /// - Parameters:
  ///   - covers: the covered ellipses of that frame.
  ///   - labels: the redacted labels, in lower case.
  package mutating func add(_ annotations: FrameAnnotations, covers: [Ellipse], labels: Set<String>) {
    frames += 1
    for kind in DetectionKind.allCases {
      let scores = scores[kind] ?? Scores(minimum: 0, isolatedMinimum: 0)
      for subject in annotations.found.redactionSubjects(of: kind) where labels.contains(subject.label.lowercased()) {
        let fraction = subject.box.coveredFraction(by: covers)
        guard fraction < Self.minimumCoveredFraction else {
          coveredHits += 1
          continue
        }
        let residual = Residual(
          frame: annotations.frame, seconds: annotations.time.seconds, label: subject.label, score: subject.score,
          box: subject.box, coveredFraction: fraction)
        let isOfCover =
          fraction >= Self.coverFraction && subject.score < scores.isolatedMinimum
          && covers.contains { $0.contains(subject.box.center) }
        uncovered.append(Uncovered(residual: residual, scores: scores, isOfCover: isOfCover))
      }
    }
  }

  private func isResidual(_ index: Int) -> Bool {
    let one = uncovered[index]
    guard one.residual.score >= one.scores.minimum, !one.isOfCover else { return false }
    return frames == 1 || one.residual.score >= one.scores.isolatedMinimum || isConfirmed(index)
  }

  /// Whether the same was detected in another frame nearby.
  private func isConfirmed(_ index: Int) -> Bool {
    let (residual, scores) = (uncovered[index].residual, uncovered[index].scores)
    func confirms(_ other: Int) -> Bool {
      let candidate = uncovered[other].residual
      return candidate.frame != residual.frame && candidate.label == residual.label && !uncovered[other].isOfCover
        && candidate.score >= scores.minimum && Self.isSame(candidate.box, residual.box)
    }
    func isNear(_ other: Int) -> Bool {
      let candidate = uncovered[other].residual
      return abs(candidate.seconds - residual.seconds) <= Self.neighbourhood
        || abs(candidate.frame - residual.frame) <= Self.neighbouringFrames
    }
    return uncovered[..<index].indices.reversed().prefix(while: isNear).contains(where: confirms)
      || uncovered[index...].indices.dropFirst().prefix(while: isNear).contains(where: confirms)
  }

  private static func isSame(_ one: Box, _ other: Box) -> Bool {
    let reach = sameSubjectDistance * max(one.width, one.height, other.width, other.height)
    let (x, y) = (one.center.x - other.center.x, one.center.y - other.center.y)
    let (size, otherSize) = (max(one.width, one.height), max(other.width, other.height))
    return x * x + y * y <= reach * reach && max(size, otherSize) <= sameSubjectRatio * min(size, otherSize)
  }
}

internal import VStreamScene

/// The tracks of a frame as records have them.
struct RecordedTracks: Hashable, Sendable {
  /// The number of the frame's line in the records, from 1.
  let line: Int
  let found: Observations

  /// Half of the last decimal that is recorded, of pixels and of scores, with a margin.
  private static let pixelTolerance = 0.0051
  private static let scoreTolerance = 0.000_051

  /// Whether observations have the recorded IDs, labels, scores and boxes. Kinds that only one of both has are not compared.
  func match(_ other: Observations) -> Bool {
    func match<Kind: Observation>(_ kind: Kind.Type) -> Bool {
      guard let recorded = found[kind], let made = other[kind] else { return true }
      return recorded.count == made.count && zip(recorded, made).allSatisfy { Self.match($0, $1) }
    }
    return DetectionKind.allCases.allSatisfy { match($0.observationType) }
  }

  private static func match(_ one: some Observation, _ other: some Observation) -> Bool {
    func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= pixelTolerance }
    return one.id == other.id && one.label == other.label && abs(one.score - other.score) <= scoreTolerance
      && isNear(one.box.x, other.box.x) && isNear(one.box.y, other.box.y) && isNear(one.box.width, other.box.width)
      && isNear(one.box.height, other.box.height)
  }
}

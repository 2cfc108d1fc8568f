internal import VStreamScene

/// The facts that every format can write of one observation, whatever its kind.
struct RecordEntry {
  let kind: DetectionKind
  /// `object`, `face` or `pose`.
  let kindName: String
  let id: Int?
  let label: String
  let score: Double
  let box: Box
  /// Whether it was not searched for on its frame.
  let isPredicted: Bool
  /// `nil` for kinds without categories, and unless categories were requested.
  let category: CategoryLabel?
  /// Empty for kinds without keypoints.
  let keypoints: [PoseLandmark]

  init<Kind: RecordedObservation>(_ observation: Kind) {
    kind = Kind.kind
    kindName = Kind.name
    id = observation.id
    label = observation.label
    score = observation.score
    box = observation.box
    isPredicted = observation.isPredicted
    category = observation.recordedCategory
    keypoints = observation.keypoints
  }
}

extension Observations {
  /// Calls `body` with each observation: objects, then faces, then poses.
  func forEachEntry(_ body: (RecordEntry) -> Void) {
    func visit(_ kind: (some RecordedObservation).Type) {
      for observation in self[kind] ?? [] { body(RecordEntry(observation)) }
    }
    for kind in DetectionKind.allCases { visit(kind.recordedType) }
  }
}

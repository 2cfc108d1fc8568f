internal import VStreamCore
internal import VStreamSystem

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
  /// The points for formats that have keypoints of people; empty for kinds without.
  let keypoints: [PoseLandmark]

  init<Kind: Observation>(_ observation: Kind) {
    kind = Kind.kind
    kindName = Kind.name
    id = observation.id
    label = observation.label
    score = observation.score
    box = observation.box
    isPredicted = observation.isPredicted
    category = (observation as? DetectedObject)?.category
    keypoints = (observation as? DetectedPose)?.landmarks ?? []
  }
}

extension Observations {
  /// Calls `body` with each observation: objects, then faces, then poses.
  func forEachEntry(_ body: (RecordEntry) -> Void) {
    func visit(_ kind: (some Observation).Type) {
      for observation in self[kind] ?? [] { body(RecordEntry(observation)) }
    }
    for kind in DetectionKind.allCases { visit(kind.observationType) }
  }
}

extension TextBuffer {
  /// Appends a member `[x,y,width,height]`, in pixels.
  mutating func addBox(_ key: String, _ box: Box) {
    addList(key) { list in box.forEachNumber { list.addNumber($0, places: 2) } }
  }
}

internal import VStreamScene

/// The arrays of one update. They are scratch memory, and not part of a tracker's value: all workspaces are equal.
struct TrackerWorkspace: Hashable, Sendable {
  /// The valid detections without duplicates of one object, by descending score; the order does not depend on the input's.
  var detections: [TrackObservation] = []
  /// The ranges of `detections` that may start a track, and that may only continue one.
  var strong = 0..<0
  var weak = 0..<0
  /// The prediction of each track, corrected for the camera's motion.
  var predictions: [TrackPrediction] = []
  /// The predictions of the confirmed tracks that were matched at the last update.
  var matchedPredictions: [TrackPrediction] = []
  var candidates: [Candidate] = []
  var association = Association()
  /// For each track whether a detection is assigned to it.
  var isMatched: [Bool] = []
  /// For each detection whether it is assigned to a track.
  var isTaken: [Bool] = []

  var isLarge: Bool { max(candidates.capacity, association.capacity) > 1 << 16 }

  static func == (one: TrackerWorkspace, other: TrackerWorkspace) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

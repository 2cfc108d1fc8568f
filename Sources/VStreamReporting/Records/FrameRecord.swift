public import VStreamScene

/// The record of one frame.
public struct FrameRecord: Hashable, Sendable {
  public var annotations: FrameAnnotations
  /// The detectors' own results for this frame; `nil` if they are not recorded, or were not ready in time.
  public var detections: Observations?
  /// Detections of earlier frames that became ready after those frames had left, since the last record.
  public var late: [TimedObservations] = []
  /// The track events of this frame.
  public var events: [TrackEvent] = []
  /// The region counts up to this frame; `nil` if nothing is counted.
  public var counts: RegionCounts?

  public init(_ annotations: FrameAnnotations) { self.annotations = annotations }
}

/// The facts that every format can write of one observation, whatever its kind.
struct RecordEntry {
  /// `object`, `face` or `pose`.
  let kind: String
  let id: Int?
  let label: String
  let score: Double
  let box: Box
  /// Empty unless the entry is a pose.
  let landmarks: [PoseLandmark]

  init(_ observation: some Observation, kind: String, landmarks: [PoseLandmark] = []) {
    self.kind = kind
    id = observation.id
    label = observation.label
    score = observation.score
    box = observation.box
    self.landmarks = landmarks
  }
}

extension Observations {
  /// Calls `body` with each observation: objects, then faces, then poses.
  func forEachEntry(_ body: (RecordEntry) -> Void) {
    for object in objects ?? [] { body(RecordEntry(object, kind: "object")) }
    for face in faces ?? [] { body(RecordEntry(face, kind: "face")) }
    for pose in poses ?? [] { body(RecordEntry(pose, kind: "pose", landmarks: pose.landmarks)) }
  }
}

public import VStreamScene

/// Gives the faces of one stream IDs that hold from frame to frame, under the contract of `Tracker`, which follows their
/// boxes.
public struct FaceTracker: Hashable, Sendable {
  private var tracker: Tracker
  /// The faces that the last update reported, by ID.
  private var last: [Int: DetectedFace] = [:]

  /// As objects, all faces are of one class.
  private static let label = "face"

  public init(_ options: TrackerOptions = TrackerOptions()) { tracker = Tracker(options) }

  public var options: TrackerOptions { tracker.options }

  /// What happened to faces at the last update.
  public var events: [TrackEvent] { tracker.events }

  /// Takes the faces of one frame and reports those with IDs.
  ///
  /// - Parameters:
  ///   - faces: without IDs, in any order.
  ///   - time: stream time in seconds, later than that of the last update.
  /// - Returns: faces with IDs, by rising ID.
  public mutating func update(_ faces: [DetectedFace], at time: Double) -> [DetectedFace] {
    let boxes = faces.map { DetectedObject(classIndex: 0, label: Self.label, score: $0.score, box: $0.box) }
    let tracked = tracker.update(boxes, at: time).compactMap { object -> DetectedFace? in
      guard let id = object.id, let source = tracker.source(of: id) else { return nil }
      var face = faces[source]
      face.id = id
      return face
    }
    last = Dictionary(tracked.map { ($0.id ?? 0, $0) }) { first, _ in first }
    return tracked
  }

  /// Ends all tracks with the stream, after which nothing is reported; `events` has their exits.
  public mutating func finish(at time: Double) {
    tracker.finish(at: time)
    last = [:]
  }

  /// The faces of the last update, moved to a later time with all their points. Changes nothing.
  public func faces(at time: Double) -> [DetectedFace] {
    tracker.tracks(at: time).compactMap { object in object.id.flatMap { last[$0]?.moved(to: object.box) } }
  }
}

public import VStreamScene

/// Something of one kind that is found with more than a box, and followed by one.
public protocol Observation: Hashable, Sendable {
  /// What it is called among things that are tracked.
  static var label: String { get }
  var id: Int? { get set }
  var score: Double { get }
  /// The box that it is followed by.
  var trackedBox: Box { get }

  /// The thing with all its points, carried along with that box.
  func moved(_ move: BoxMove) -> Self
}

extension DetectedFace: Observation {
  public static var label: String { "face" }
  public var trackedBox: Box { box }
  public func moved(_ move: BoxMove) -> DetectedFace { moved(to: move.to) }
}

/// Arms and legs are swung, and people stand close: poses are followed by their trunks.
extension DetectedPose: Observation {
  public static var label: String { "pose" }
  public var trackedBox: Box { trunk }
}

/// Gives the faces of one stream IDs that hold from frame to frame.
public typealias FaceTracker = ObservationTracker<DetectedFace>

/// Gives the poses of one stream IDs that hold from frame to frame.
public typealias PoseTracker = ObservationTracker<DetectedPose>

/// Gives things of one kind IDs that hold from frame to frame, under the contract of `Tracker`, which follows their boxes.
public struct ObservationTracker<Thing: Observation>: Hashable, Sendable {
  private var tracker: Tracker
  /// The things that the last update reported, by ID.
  private var last: [Int: Thing] = [:]

  public init(_ options: TrackerOptions = TrackerOptions()) { tracker = Tracker(options) }

  public var options: TrackerOptions { tracker.options }

  /// What happened to things at the last update.
  public var events: [TrackEvent] { tracker.events }

  /// Takes the things of one frame and reports those with IDs.
  ///
  /// - Parameters:
  ///   - things: without IDs, in any order.
  ///   - time: stream time in seconds, later than that of the last update.
  /// - Returns: things with IDs, by rising ID.
  public mutating func update(_ things: [Thing], at time: Double) -> [Thing] {
    let boxes = things.map { DetectedObject(classIndex: 0, label: Thing.label, score: $0.score, box: $0.trackedBox) }
    let tracked = tracker.update(boxes, at: time).compactMap { object -> Thing? in
      guard let id = object.id, let source = tracker.source(of: id) else { return nil }
      var thing = things[source]
      thing.id = id
      return thing
    }
    last = Dictionary(tracked.map { ($0.id ?? 0, $0) }) { first, _ in first }
    return tracked
  }

  /// Ends all tracks with the stream, after which nothing is reported; `events` has their exits.
  public mutating func finish(at time: Double) {
    tracker.finish(at: time)
    last = [:]
  }

  /// The things of the last update, moved to a later time with all their points. Changes nothing.
  public func things(at time: Double) -> [Thing] {
    tracker.tracks(at: time).compactMap { object in
      guard let thing = object.id.flatMap({ last[$0] }) else { return nil }
      return thing.moved(BoxMove(from: thing.trackedBox, to: object.box))
    }
  }
}

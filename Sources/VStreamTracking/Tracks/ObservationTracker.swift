package import VStreamCore

/// A tracker of one stream's observations of one kind.
package protocol ObservationTracking<Element>: Hashable, Sendable {
  associatedtype Element: KnownDetection

  init(_ options: TrackerOptions)

  var options: TrackerOptions { get }
  /// The track events of the last update.
  var events: [TrackEvent] { get }

  /// Associates the detections of one frame with tracks.
  ///
  /// - Parameters:
  ///   - detections: without IDs, in any order.
  ///   - search: where they were searched for; `nil` for the whole frame.
  ///   - time: stream time in seconds, later than that of the last update.
  /// - Returns: observations with IDs, by ascending ID.
  mutating func update(_ detections: [Element], searched search: FrameSearch?, at time: Double) -> [Element]

  /// Begins or resumes another shot. The tracks of other shots are lost, until their shot is resumed.
  mutating func change(toShot shot: Int)

  /// Notes that frames without known motion were not searched since the last update: tracks count as observed.
  ///
  /// - Parameters:
  ///   - time: stream time in seconds, not earlier than that of the last update.
  ///   - isStill: whether the object in a box has not moved meanwhile; others are predicted.
  mutating func idle(until time: Double, where isStill: (Box) -> Bool)

  /// Ends all tracks with the stream: nothing is reported any more; `events` has their exits.
  ///
  /// - Parameter time: stream time in seconds of the stream's end.
  mutating func finish(at time: Double)

  /// The observations of the last update, predicted for a later time, by ascending ID. Changes nothing.
  func predicted(at time: Double) -> [Element]
}

extension ObservationTracking {
  /// Associates the detections of a frame that was searched wholly with tracks.
  package mutating func update(_ detections: [Element], at time: Double) -> [Element] {
    update(detections, searched: nil, at: time)
  }
}

/// Gives the faces of one stream IDs that are stable from frame to frame.
package typealias FaceTracker = ObservationTracker<DetectedFace>

/// Gives the poses of one stream IDs that are stable from frame to frame.
package typealias PoseTracker = ObservationTracker<DetectedPose>

/// Gives observations that have more than a box (faces, poses) IDs that are stable from frame to frame.
///
/// A `Tracker` follows their tracked boxes, and its contract holds.
package struct ObservationTracker<Element: KnownDetection>: ObservationTracking {
  private var tracker: Tracker
  /// The observations that the last update reported, by ID.
  private var last: [Int: Element] = [:]

  package init(_ options: TrackerOptions = TrackerOptions()) {
    var options = options
    options.omitsDoubtful = false
    tracker = Tracker(options)
  }

  package var options: TrackerOptions { tracker.options }

  package var events: [TrackEvent] { tracker.events }

  package mutating func update(
    _ detections: [Element], searched search: FrameSearch?, at time: Double
  ) -> [Element] {
    let boxes = detections.map {
      DetectedObject(classIndex: 0, label: $0.label, score: $0.score, box: $0.trackedBox)
    }
    let tracked = tracker.update(boxes, searched: search, at: time).compactMap { object -> Element? in
      guard let id = object.id else { return nil }
      guard let source = tracker.source(of: id) else { return last[id]?.moved(to: object.box) }
      var observation = detections[source]
      observation.id = id
      return observation
    }
    last = Dictionary(tracked.map { ($0.id ?? 0, $0) }) { first, _ in first }
    return tracked
  }

  package mutating func idle(until time: Double, where isStill: (Box) -> Bool) {
    tracker.idle(until: time, where: isStill)
  }

  package mutating func change(toShot shot: Int) { tracker.change(toShot: shot) }

  package mutating func finish(at time: Double) {
    tracker.finish(at: time)
    last = [:]
  }

  package func predicted(at time: Double) -> [Element] {
    tracker.predicted(at: time).compactMap { object in
      object.id.flatMap { last[$0] }?.moved(to: object.box)
    }
  }
}

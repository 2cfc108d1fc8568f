internal import VStreamScene
internal import VStreamTracking

/// A stream's trackers, one for each kind of thing.
struct Trackers {
  private let kinds: Set<DetectionKind>
  private var objects: Tracker
  private var faces: FaceTracker
  private var poses: PoseTracker
  /// When what was tracked last was seen; `nil` before the first time.
  private(set) var lastSeen: Double?
  /// Seconds between the last two times.
  private var gap = 0.0
  /// What happened to tracks at the last update.
  private(set) var events: [TrackEvent] = []
  /// The IDs of objects and faces that came to their ends at the last update.
  private(set) var endedObjects: [Int] = []
  private(set) var endedFaces: [Int] = []
  /// IDs rise, so an ID above the greatest of its kind is new.
  private var greatestObject = 0
  private var greatestFace = 0
  private var greatestPose = 0

  init(_ options: TrackerOptions, kinds: Set<DetectionKind>) {
    self.kinds = kinds
    objects = Tracker(options)
    faces = FaceTracker(Self.sureOptions(options))
    poses = PoseTracker(Self.sureOptions(options))
  }

  /// What starts a track is for objects to say; a face or pose that is reported is sure enough.
  static func sureOptions(_ options: TrackerOptions) -> TrackerOptions {
    var options = options
    options.minimumScore = min(options.minimumScore, sureScore)
    return options
  }

  private static let sureScore = 0.5

  /// Takes what was found in a frame and gives it IDs; of a frame that is not later than the last, nothing is taken.
  mutating func update(_ found: Observations, at seconds: Double) -> Observations {
    (events, endedObjects, endedFaces) = ([], [], [])
    if let lastSeen, seconds <= lastSeen { return self.found(at: seconds) }
    gap = seconds - (lastSeen ?? seconds)
    lastSeen = seconds
    let tracked = Observations(
      objects: found.objects.map { objects.update($0, at: seconds) },
      faces: found.faces.map { faces.update($0, at: seconds) },
      poses: found.poses.map { poses.update($0, at: seconds) })
    let objectEvents = found.objects == nil ? [] : objects.events
    let faceEvents = found.faces == nil ? [] : faces.events
    let poseEvents = found.poses == nil ? [] : poses.events
    events = objectEvents + faceEvents + poseEvents
    endedObjects = objectEvents.filter { $0.kind == .exit }.map(\.id)
    endedFaces = faceEvents.filter { $0.kind == .exit }.map(\.id)
    return tracked
  }

  /// Ends all tracks with the stream.
  ///
  /// - Returns: their exits.
  mutating func finish(at seconds: Double) -> [TrackEvent] {
    objects.finish(at: seconds)
    faces.finish(at: seconds)
    poses.finish(at: seconds)
    return objects.events + faces.events + poses.events
  }

  /// What was seen last, moved to a time. Nothing is listed for longer than a track lives unseen, but where looks are
  /// farther apart than that, and go on.
  func found(at seconds: Double) -> Observations {
    let longest = max(objects.options.lostAfter, Self.gapsForgiven * gap)
    let isForgotten = seconds - (lastSeen ?? seconds) > longest + Self.timeTolerance
    func listed<Thing>(_ kind: DetectionKind, _ things: () -> [Thing]) -> [Thing]? {
      guard kinds.contains(kind) else { return nil }
      return isForgotten ? [] : things()
    }
    return Observations(
      objects: listed(.objects) { objects.predicted(at: seconds) },
      faces: listed(.faces) { faces.predicted(at: seconds) },
      poses: listed(.poses) { poses.predicted(at: seconds) })
  }

  private static let gapsForgiven = 1.5
  private static let timeTolerance = 1e-6

  /// The labels of what has an ID since this call for the first time.
  mutating func newLabels(in found: Observations) -> [String] {
    var new: [String] = []
    func take<Thing>(_ things: [Thing]?, _ greatest: inout Int, _ id: (Thing) -> Int?, _ label: (Thing) -> String) {
      let before = greatest
      for thing in things ?? [] {
        guard let id = id(thing), id > before else { continue }
        greatest = max(greatest, id)
        new.append(label(thing))
      }
    }
    take(found.objects, &greatestObject, \.id, \.label)
    take(found.faces, &greatestFace, \.id) { _ in DetectedFace.label }
    take(found.poses, &greatestPose, \.id) { _ in DetectedPose.label }
    return new
  }

  /// The labels of all that was found.
  static func labels(of found: Observations) -> [String] {
    (found.objects ?? []).map(\.label) + (found.faces ?? []).map { _ in DetectedFace.label }
      + (found.poses ?? []).map { _ in DetectedPose.label }
  }
}

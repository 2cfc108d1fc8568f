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
  private(set) var objectsGone: [Int] = []
  private(set) var facesGone: [Int] = []
  /// IDs rise, so an ID above this is new.
  private var greatestID: [DetectionKind: Int] = [:]

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
    (events, objectsGone, facesGone) = ([], [], [])
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
    objectsGone = objectEvents.filter { $0.kind == .exit }.map(\.id)
    facesGone = faceEvents.filter { $0.kind == .exit }.map(\.id)
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
      objects: listed(.objects) { objects.tracks(at: seconds) }, faces: listed(.faces) { faces.things(at: seconds) },
      poses: listed(.poses) { poses.things(at: seconds) })
  }

  private static let gapsForgiven = 1.5
  private static let timeTolerance = 1e-6

  /// The labels of what has an ID since this call for the first time.
  mutating func newLabels(in found: Observations) -> [String] {
    var new: [String] = []
    for (kind, things) in Self.things(of: found) {
      let greatest = greatestID[kind, default: 0]
      new += things.filter { ($0.id ?? 0) > greatest }.map(\.label)
      greatestID[kind] = max(greatest, things.compactMap(\.id).max() ?? 0)
    }
    return new
  }

  /// The labels of all that was found.
  static func labels(of found: Observations) -> [String] { things(of: found).flatMap { $0.things.map(\.label) } }

  private static func things(
    of found: Observations
  ) -> [(kind: DetectionKind, things: [(id: Int?, label: String)])] {
    [
      (.objects, (found.objects ?? []).map { ($0.id, $0.label) }),
      (.faces, (found.faces ?? []).map { ($0.id, DetectedFace.label) }),
      (.poses, (found.poses ?? []).map { ($0.id, DetectedPose.label) }),
    ]
  }
}

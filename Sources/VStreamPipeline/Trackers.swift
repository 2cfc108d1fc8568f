internal import VStreamScene
internal import VStreamTracking

/// A stream's trackers, one for each kind of thing.
struct Trackers {
  private let kinds: Set<DetectionKind>
  /// Whether what has not been looked for as long as a track lives is no longer listed.
  private let forgets: Bool
  private var objects: Tracker
  private var faces: FaceTracker
  /// When what was tracked last was seen; `nil` before the first time.
  private(set) var lastSeen: Double?
  /// What happened to tracks at the last update.
  private(set) var events: [TrackEvent] = []
  /// The IDs of objects and faces that came to their ends at the last update.
  private(set) var objectsGone: [Int] = []
  private(set) var facesGone: [Int] = []
  /// IDs rise, so an ID above this is new.
  private var greatestID: [DetectionKind: Int] = [:]

  /// What faces are counted as.
  static let faceLabel = "face"

  init(_ options: TrackerOptions, kinds: Set<DetectionKind>, forgets: Bool) {
    self.kinds = kinds
    self.forgets = forgets
    objects = Tracker(options)
    faces = FaceTracker(Self.faceOptions(options))
  }

  /// What starts a track is for objects to say; a face that is reported is sure enough.
  static func faceOptions(_ options: TrackerOptions) -> TrackerOptions {
    var options = options
    options.minimumScore = min(options.minimumScore, minimumFaceScore)
    return options
  }

  private static let minimumFaceScore = 0.5

  /// Takes what was found in a frame and gives it IDs; of a frame that is not later than the last, nothing is taken.
  mutating func update(_ found: Observations, at seconds: Double) -> Observations {
    (events, objectsGone, facesGone) = ([], [], [])
    if let lastSeen, seconds <= lastSeen { return self.found(at: seconds) }
    lastSeen = seconds
    let tracked = Observations(
      objects: found.objects.map { objects.update($0, at: seconds) },
      faces: found.faces.map { faces.update($0, at: seconds) })
    let objectEvents = found.objects == nil ? [] : objects.events
    let faceEvents = found.faces == nil ? [] : faces.events
    events = objectEvents + faceEvents
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
    return objects.events + faces.events
  }

  /// What was seen last, moved to a time.
  func found(at seconds: Double) -> Observations {
    let isForgotten = forgets && seconds - (lastSeen ?? seconds) > objects.options.lostAfter
    return Observations(
      objects: kinds.contains(.objects) ? isForgotten ? [] : objects.tracks(at: seconds) : nil,
      faces: kinds.contains(.faces) ? isForgotten ? [] : faces.faces(at: seconds) : nil)
  }

  /// The labels of what has an ID since this call for the first time.
  mutating func newLabels(in found: Observations) -> [String] {
    newLabels(.objects, (found.objects ?? []).map { ($0.id, $0.label) })
      + newLabels(.faces, (found.faces ?? []).map { ($0.id, Self.faceLabel) })
  }

  private mutating func newLabels(_ kind: DetectionKind, _ things: [(id: Int?, label: String)]) -> [String] {
    let greatest = greatestID[kind, default: 0]
    let new = things.filter { ($0.id ?? 0) > greatest }
    greatestID[kind] = max(greatest, new.compactMap(\.id).max() ?? 0)
    return new.map(\.label)
  }
}

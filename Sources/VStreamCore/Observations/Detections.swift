/// A kind of detections.
///
/// The kinds are listed in this file and nowhere else in this module: the properties of a kind are declared by its type,
/// which conforms to `Detection`.
public enum DetectionKind: String, Hashable, Sendable, CaseIterable {
  case objects
  case faces
  case poses

  /// The type of its observations.
  package var detectionType: any KnownDetection.Type {
    switch self {
    case .objects: DetectedObject.self
    case .faces: DetectedFace.self
    case .poses: DetectedPose.self
    }
  }

  /// The kind that a name selects for redaction: the kind of that name, or objects for a class.
  package init(redactionName name: String) {
    self = Self.allCases.first { $0.detectionType.redactionSelector == .kind(name) } ?? .objects
  }
}

/// The observations of one frame by kind; a list is `nil` if its kind was not detected.
public struct Detections: Hashable, Sendable, Codable {
  /// The objects; `nil` if they were not asked for.
  public var objects: [DetectedObject]?
  /// Where objects were searched for; `nil` for the whole frame.
  public var objectSearch: FrameSearch?
  /// The faces; `nil` if they were not asked for.
  public var faces: [DetectedFace]?
  /// The poses; `nil` if they were not asked for.
  public var poses: [DetectedPose]?
  /// Whether nothing moved in the frame, and nothing in it was new; `false` where that was not determined.
  package var isStill = false
  /// The number of the frame's shot in its stream.
  @usableFromInline package var shot = 0

  private enum CodingKeys: String, CodingKey { case objects, objectSearch, faces, poses }

  public init(
    objects: [DetectedObject]? = nil, objectSearch: FrameSearch? = nil, faces: [DetectedFace]? = nil,
    poses: [DetectedPose]? = nil
  ) {
    self.objects = objects
    self.objectSearch = objectSearch
    self.faces = faces
    self.poses = poses
  }
}

extension Detections {
  /// The observations of one kind; `nil` if that kind was not detected.
  package subscript<Kind: KnownDetection>(kind: Kind.Type) -> [Kind]? {
    get { self[keyPath: Kind.list] }
    set { self[keyPath: Kind.list] = newValue }
  }

  /// Whether a kind was asked for.
  package func includes(_ kind: DetectionKind) -> Bool {
    func includes(_ kind: (some KnownDetection).Type) -> Bool { self[kind] != nil }
    return includes(kind.detectionType)
  }

  /// The number of observations of all kinds.
  public var count: Int {
    func count(_ kind: (some KnownDetection).Type) -> Int { self[kind]?.count ?? 0 }
    return DetectionKind.allCases.reduce(0) { $0 + count($1.detectionType) }
  }

  /// The observations of all kinds, in the kinds' order: objects, then faces, then poses.
  public var all: [any Detection] {
    func all(_ kind: (some KnownDetection).Type) -> [any Detection] { self[kind] ?? [] }
    return DetectionKind.allCases.flatMap { all($0.detectionType) }
  }

  /// Runs of the object network on the frame, one for each region.
  package var objectPassCount: Int { objects == nil ? 0 : objectSearch?.regions.count ?? 1 }

  /// Whether a detector ran on the frame or on a part of it.
  package var wereSearchedFor: Bool {
    objects != nil && objectSearch?.regions.isEmpty != true || faces != nil || poses != nil
  }

  /// Replaces the lists of the kinds that another detection pass on the same frame provides.
  package mutating func merge(_ other: Detections) {
    func merge(_ kind: (some KnownDetection).Type) {
      if let found = other[kind] { self[kind] = found }
    }
    for kind in DetectionKind.allCases { merge(kind.detectionType) }
    shot = other.shot
    if other.objects != nil { (objectSearch, isStill) = (other.objectSearch, other.isStill) }
  }

  /// The observations in a frame that is `horizontal` times as wide and `vertical` times as high.
  package func scaled(x horizontal: Double, y vertical: Double) -> Detections {
    var scaled = Detections()
    (scaled.isStill, scaled.shot) = (isStill, shot)
    func scale(_ kind: (some KnownDetection).Type) {
      scaled[kind] = self[kind]?.map { $0.scaled(x: horizontal, y: vertical) }
    }
    for kind in DetectionKind.allCases { scale(kind.detectionType) }
    scaled.objectSearch = objectSearch?.scaled(x: horizontal, y: vertical)
    return scaled
  }

  /// The observations of a kind that may be redacted, as objects with the labels that select them for redaction.
  package func redactionSubjects(of kind: DetectionKind) -> [DetectedObject] {
    func subjects<Kind: KnownDetection>(_ kind: Kind.Type) -> [DetectedObject] {
      let found = self[kind] ?? []
      switch Kind.redactionSelector {
      case .none: return []
      case .kind(let name):
        return found.map { DetectedObject(classIndex: 0, label: name, score: $0.score, box: $0.box) }
      case .label:
        return found.map {
          $0 as? DetectedObject ?? DetectedObject(classIndex: 0, label: $0.label, score: $0.score, box: $0.box)
        }
      }
    }
    return subjects(kind.detectionType)
  }
}

/// Where a frame's annotations come from.
public enum AnnotationSource: String, Hashable, Sendable, Codable {
  /// Inference on this frame.
  case detected
  /// The tracker's prediction: inference was not run on this frame, or did not finish in time.
  case predicted
}

/// The observations of a frame that has already left the pipeline.
package struct TimedObservations: Hashable, Sendable {
  /// Of the frame.
  package var time: Time
  /// The detections in it.
  package var found: Detections

  package init(time: Time, found: Detections) {
    self.time = time
    self.found = found
  }
}

/// One frame's index, time and observations.
public struct FrameAnnotations: Hashable, Sendable {
  /// Index of the decoded frame in this run, from 0; dropped frames count.
  public var frame: Int
  /// The frame's time on the input's timeline.
  public var time: Time
  /// Whether detectors ran on this frame.
  public var source: AnnotationSource
  /// The observations, by kind.
  public var found: Detections
  /// The number of the frame's shot, from 0: cuts lie between shots. No ID goes on in another shot. A shot may go on after
  /// another one, as after a flash.
  public var shot: Int {
    get { found.shot }
    set { found.shot = newValue }
  }

  public init(frame: Int, time: Time, source: AnnotationSource, found: Detections = Detections()) {
    self.frame = frame
    self.time = time
    self.source = source
    self.found = found
  }
}

/// How the frames that a detector is given are related.
public enum DetectionMode: String, Hashable, Sendable, CaseIterable {
  /// Consecutive frames of one stream: detections are tracked from frame to frame and have IDs.
  case stream
  /// Independent images: detections are reported as they are, without IDs.
  case singleImage = "single-image"
}

/// The purpose of a detection.
package enum DetectionPurpose: Hashable, Sendable {
  case annotation
  /// Nothing may be missed.
  case redaction
  /// Detects residuals of a redaction.
  case verification
}

/// One object, face or pose that was detected in a frame, whatever its kind: `DetectedObject`, `DetectedFace`, `DetectedPose`.
///
/// IDs are positive, unique per stream and kind, never reused, and never set before the track is confirmed.
public protocol Detection: Hashable, Sendable, Codable {
  /// The kind that it belongs to.
  static var kind: DetectionKind { get }
  /// The track's ID; `nil` as a detector returns it, and in single images.
  var id: Int? { get set }
  /// The score of this frame's detection, 0…1; on a predicted frame that of the last detection.
  var score: Double { get }
  /// Pixels of the upright frame.
  var box: Box { get }
  /// Name of the class; the kind's name for kinds without classes.
  var label: String { get }
  /// Whether it was not searched for on its frame, so that its box is the tracker's prediction.
  var isPredicted: Bool { get }
}

/// The requirements of tracking, drawing and records on a kind.
package protocol KnownDetection: Detection {
  /// The noun for one observation: `object`, `face`, `pose`.
  static var name: String { get }
  /// The list of `Detections` that holds this kind.
  static var list: WritableKeyPath<Detections, [Self]?> { get }
  /// The selector of this kind for redaction.
  static var redactionSelector: RedactionSelector { get }
  /// Whether the detector reports confident detections only, so that a higher minimum score for objects does not apply.
  static var hasConfidentDetections: Bool { get }
  /// Whether the run's minimum score applies in single images; otherwise the detector's own threshold does.
  static var hasMinimumScore: Bool { get }

  /// The box that the tracker follows, in pixels of the upright frame; `box` unless a kind defines another.
  var trackedBox: Box { get }
  /// The number of its drawing colour: its ID with an offset, as IDs are unique per kind only.
  var colorNumber: Int { get }

  /// The observation with all its points moved and scaled so that `trackedBox` is at the given position.
  func moved(to trackedBox: Box) -> Self
  /// The observation in a frame that is `horizontal` times as wide and `vertical` times as high.
  func scaled(x horizontal: Double, y vertical: Double) -> Self
}

extension Detection {
  public var isPredicted: Bool { false }
}

extension KnownDetection {
  package static var hasConfidentDetections: Bool { true }
  package static var hasMinimumScore: Bool { true }
  package var trackedBox: Box { box }
}

extension Detections {
  /// The detections of one kind.
  package init<Found: Detection>(_ found: [Found]) {
    func list<Kind: KnownDetection>(_ kind: Kind.Type) -> [Kind]? { kind == Found.self ? found as? [Kind] : nil }
    self.init(
      objects: list(DetectedObject.self), faces: list(DetectedFace.self), poses: list(DetectedPose.self))
  }
}

/// The selector of the observations of a kind for redaction.
package enum RedactionSelector: Hashable, Sendable {
  /// The label of each.
  case label
  /// One name, for all of them.
  case kind(String)
  /// Nothing: they cannot be redacted.
  case none
}

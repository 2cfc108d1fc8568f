internal import VStreamCore
internal import VStreamTracking

/// Decides each frame's covered regions, from the resolutions up to that frame. Pure.
///
/// Before the first detection pass has ended, the whole frame is covered: nothing is known of it.
struct CoverageStep {
  private let labels: Set<String>
  private let isTracked: Bool
  private let newTrackers: [DetectionKind: CoverageTracker]
  private var trackers: [DetectionKind: CoverageTracker]
  private var hasDetections = false
  /// The shot of the last frame with detections.
  private var searchedShot = 0
  /// The lowest score of a face that is covered at once.
  private let faceScore: Double
  /// The labels of covered subjects.
  private(set) var coveredLabels: Set<String> = []

  /// - Parameters:
  ///   - labels: of the detections that are covered, in lower case.
  ///   - kinds: tracker options of each kind that is detected.
  init(labels: Set<String>, mode: DetectionMode, kinds: [DetectionKind: TrackerOptions]) {
    // A class of faces is faces.
    self.labels = labels.union(labels.contains(DetectedFace.redactionName) ? [DetectedFace.name] : [])
    isTracked = mode == .stream
    newTrackers = kinds.mapValues { CoverageTracker($0, isTracked: mode == .stream) }
    faceScore = kinds[.faces]?.minimumScore ?? 0
    trackers = newTrackers
  }

  /// - Returns: the frame's covered regions as far as they are known now.
  mutating func cover(_ resolution: ResolvedDetections, in size: PixelSize, at seconds: Double) -> [CoveredRegion] {
    for kind in DetectionKind.allCases { trackers[kind]?.frame = size }
    for late in resolution.late { _ = update(late.found, at: late.time.seconds) }
    if !isTracked { trackers = newTrackers }
    if resolution.found != nil || !resolution.late.isEmpty { hasDetections = true }
    guard hasDetections else { return [.whole(size, at: seconds)] }
    if let found = resolution.found { return update(found, at: seconds) }
    change(toShot: resolution.shot, at: seconds)
    // Nothing is known of the shot yet.
    guard resolution.shot == searchedShot else { return [.whole(size, at: seconds)] }
    return DetectionKind.allCases.flatMap { kind in
      Self.unique(trackers[kind]?.regions(at: seconds) ?? [], of: kind)
    }
  }

  private mutating func change(toShot shot: Int, at seconds: Double) {
    for kind in DetectionKind.allCases { trackers[kind]?.change(toShot: shot, at: seconds) }
  }

  /// The covered regions of the shot before, in the first frames of another one.
  func left(at seconds: Double) -> [CoveredRegion] {
    DetectionKind.allCases.flatMap { trackers[$0]?.leftRegions(at: seconds) ?? [] }
  }

  private mutating func update(_ found: Detections, at seconds: Double) -> [CoveredRegion] {
    change(toShot: found.shot, at: seconds)
    searchedShot = found.shot
    return DetectionKind.allCases.flatMap { kind -> [CoveredRegion] in
      var subjects = found.redactionSubjects(of: kind).filter { labels.contains($0.label.lowercased()) }
      coveredLabels.formUnion(subjects.map { $0.label.lowercased() })
      if kind == .faces, labels.contains(DetectedFace.redactionName), !labels.contains(Detections.person) {
        subjects += found.heads(withoutFacesOf: faceScore)
      }
      var tracked = trackers[kind]?.update(subjects, at: seconds)
      // IDs of images are not of the same subjects.
      if !isTracked { for index in tracked?.indices ?? 0..<0 { tracked?[index].id = nil } }
      return Self.unique(tracked ?? subjects.map { CoveredRegion(id: nil, $0.box, observedAt: seconds) }, of: kind)
    }
  }

  /// The regions with IDs that those of no other kind have.
  private static func unique(_ regions: [CoveredRegion], of kind: DetectionKind) -> [CoveredRegion] {
    let kinds = DetectionKind.allCases
    guard let offset = kinds.firstIndex(of: kind) else { return regions }
    return regions.map { region in
      var region = region
      region.id = region.id.map { $0 * kinds.count + ($0 < 0 ? -offset : offset) }
      return region
    }
  }
}

extension Detections {
  fileprivate static var person: String { "person" }
  /// The head's part of a person's box: fractions of its width and height.
  private static var headWidth: Double { 0.7 }
  private static var headHeight: Double { 0.3 }

  /// The head regions of persons without a detected face: turned away, too small, or missed.
  ///
  /// - Parameter score: the lowest of a face that counts; others may not be covered.
  fileprivate func heads(withoutFacesOf score: Double) -> [DetectedObject] {
    (objects ?? []).filter { $0.label.lowercased() == Self.person }.compactMap { person in
      let width = Self.headWidth * person.box.width
      let head = Box(
        x: person.box.center.x - width / 2, y: person.box.y, width: width,
        height: min(Self.headHeight * person.box.height, width))
      if faces?.contains(where: { $0.score >= score && head.contains($0.box.center) }) == true { return nil }
      return DetectedObject(classIndex: 0, label: DetectedFace.redactionName, score: person.score, box: head)
    }
  }
}

extension CoveredRegion {
  static func whole(_ size: PixelSize, at seconds: Double) -> CoveredRegion {
    CoveredRegion(id: nil, Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height)), observedAt: seconds)
  }
}

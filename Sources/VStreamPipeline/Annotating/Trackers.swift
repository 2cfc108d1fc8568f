internal import VStreamCore
internal import VStreamTracking

/// The trackers of one stream, one for each kind that is detected.
struct Trackers {
  private var trackers: [Member]
  /// The time of the last update; `nil` before the first one.
  private var lastUpdate: Double?
  /// The time of the last searched frame; `nil` before the first one.
  private(set) var lastSearch: Double?
  private var shot = 0
  /// The time of the last idle frame since the last update; `nil` if there is none.
  private var idleUntil: Double?
  /// The track events of the last update.
  private(set) var events: [TrackEvent] = []
  /// The IDs that ended at the last update.
  private(set) var ended: [DetectionKind: [Int]] = [:]
  /// IDs rise, so an ID above the highest one of its kind is new.
  private var highestIDs: [DetectionKind: Int] = [:]

  /// The tracker of a kind.
  private struct Member {
    let kind: DetectionKind
    var tracker: any ObservationTracking
    /// The time of the last frame with detection of the kind; `nil` before the first one.
    var lastUpdate: Double?
    /// Seconds between the last two of them.
    var updateGap = 0.0
  }

  /// Tracks are predicted for this many times the gap between updates, or for as long as a lost track is kept.
  private static let gapTolerance = 1.5
  private static let timeTolerance = 1e-6

  /// - Parameter options: of each kind that is detected.
  init(_ options: [DetectionKind: TrackerOptions]) {
    trackers = DetectionKind.allCases.compactMap { kind in
      options[kind].map { Member(kind: kind, tracker: Self.tracker(of: kind, $0)) }
    }
  }

  /// Objects are tracked as they are; of other kinds, a tracker of objects follows the boxes.
  private static func tracker(of kind: DetectionKind, _ options: TrackerOptions) -> any ObservationTracking {
    func make<Element: KnownDetection>(_ type: Element.Type) -> any ObservationTracking {
      ObservationTracker<Element>(options)
    }
    return kind == .objects ? Tracker(options) : make(kind.detectionType)
  }

  /// Associates the detections of a frame with tracks. A frame that is not later than the last one changes nothing.
  ///
  /// - Returns: observations with IDs; predicted ones for a frame that is not later, and of kinds that were not detected.
  mutating func update(_ found: Detections, at seconds: Double) -> Detections {
    (events, ended) = ([], [:])
    if let lastUpdate, seconds <= lastUpdate { return predicted(at: seconds, in: found.shot) }
    idle(until: seconds, isStill: found.isStill)
    if found.shot != shot {
      shot = found.shot
      for index in trackers.indices { trackers[index].tracker.change(toShot: shot) }
    }
    lastUpdate = seconds
    if found.wereSearchedFor { lastSearch = seconds }
    var tracked = Detections()
    for index in trackers.indices {
      let new = Self.update(&trackers[index].tracker, found, at: seconds, &tracked)
      guard let new else {
        predict(trackers[index], trackers[index].tracker, at: seconds, &tracked)
        continue
      }
      trackers[index].updateGap = seconds - (trackers[index].lastUpdate ?? seconds)
      trackers[index].lastUpdate = seconds
      events += new
      let exits = new.filter { $0.kind == .exit }
      if !exits.isEmpty { ended[trackers[index].kind] = exits.map(\.id) }
    }
    return tracked
  }

  /// Notes the idle frames before the one of the next update. Its result may come after idle frames that follow it.
  private mutating func idle(until seconds: Double, isStill: Bool) {
    guard let idleUntil else { return }
    for index in trackers.indices {
      trackers[index].tracker.idle(until: min(idleUntil, seconds)) { _ in isStill }
    }
    if idleUntil < seconds { self.idleUntil = nil }
  }

  /// - Returns: the track events; `nil` if the kind was not detected.
  private static func update<Tracker: ObservationTracking>(
    _ tracker: inout Tracker, _ found: Detections, at seconds: Double, _ tracked: inout Detections
  ) -> [TrackEvent]? {
    guard let detections = found[Tracker.Element.self] else { return nil }
    let search = Tracker.Element.kind == .objects ? found.objectSearch : nil
    tracked[Tracker.Element.self] = tracker.update(detections, searched: search, at: seconds)
    return tracker.events
  }

  /// The observations of an idle frame, without motion since the last update: their positions are kept.
  mutating func idle(at seconds: Double, in shot: Int) -> Detections {
    (events, ended) = ([], [:])
    guard shot == self.shot else { return predicted(at: seconds, in: shot) }
    idleUntil = seconds
    var observations = Detections()
    func keep<Tracker: ObservationTracking>(_ tracker: Tracker) {
      observations[Tracker.Element.self] = tracker.predicted(at: -.infinity)
    }
    for member in trackers { keep(member.tracker) }
    return observations
  }

  /// Ends all tracks with the stream.
  ///
  /// - Returns: their exits.
  mutating func finish(at seconds: Double) -> [TrackEvent] {
    var exits: [TrackEvent] = []
    for index in trackers.indices {
      trackers[index].tracker.finish(at: seconds)
      exits += trackers[index].tracker.events
    }
    return exits
  }

  /// The observations of the last update, predicted for a later time: for as long as a lost track is kept, or, where
  /// detection is less frequent than that, until the next detection is overdue.
  func predicted(at seconds: Double, in shot: Int) -> Detections {
    var observations = Detections()
    guard shot == self.shot else {
      func add<Tracker: ObservationTracking>(_: Tracker) { observations[Tracker.Element.self] = [] }
      for member in trackers { add(member.tracker) }
      return observations
    }
    for member in trackers { predict(member, member.tracker, at: seconds, &observations) }
    return observations
  }

  private func predict<Tracker: ObservationTracking>(
    _ member: Member, _ tracker: Tracker, at seconds: Double, _ observations: inout Detections
  ) {
    let longest = max(tracker.options.lostAfterSeconds, Self.gapTolerance * member.updateGap)
    let last = member.lastUpdate ?? seconds
    // Prediction starts after the idle frames.
    let elapsed = seconds - max(last, min(idleUntil ?? last, seconds))
    let isOutdated = elapsed > longest + Self.timeTolerance
    observations[Tracker.Element.self] = isOutdated ? [] : tracker.predicted(at: last + elapsed)
  }

  /// The labels of the observations whose IDs no earlier call was given.
  mutating func newLabels(in found: Detections) -> [String] {
    var labels: [String] = []
    for kind in trackers.map(\.kind) {
      highestIDs[kind] = Self.addNewLabels(of: kind.detectionType, in: found, above: highestIDs[kind] ?? 0, &labels)
    }
    return labels
  }

  /// - Returns: the highest ID up to now.
  private static func addNewLabels<Element: KnownDetection>(
    of type: Element.Type, in found: Detections, above highest: Int, _ labels: inout [String]
  ) -> Int {
    var newHighest = highest
    for observation in found[type] ?? [] {
      guard let id = observation.id, id > highest else { continue }
      newHighest = max(newHighest, id)
      labels.append(observation.label)
    }
    return newHighest
  }
}

extension Detections {
  /// The observations whose scores reach their kind's minimum, by descending score.
  func ranked(minimumScore: (DetectionKind) -> Double) -> Detections {
    var ranked = self
    func rank<Element: KnownDetection>(_ type: Element.Type) {
      let minimum = minimumScore(Element.kind)
      ranked[type] = self[type]?.filter { $0.score >= minimum }.sorted { $0.score > $1.score }
    }
    for kind in DetectionKind.allCases { rank(kind.detectionType) }
    return ranked
  }
}

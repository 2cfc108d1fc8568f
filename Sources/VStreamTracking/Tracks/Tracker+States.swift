internal import VStreamCore

/// The states of a track: tentative, confirmed, lost, removed.
extension Tracker {
  mutating func addEvent(_ kind: TrackEvent.Kind, _ track: Track, at time: Double) {
    guard let id = track.id else { return }
    events.append(TrackEvent(kind: kind, id: id, classIndex: track.classIndex, label: track.label, time: time))
  }

  /// Removes the tracks that have been lost for longer than `lostAfter`. Doubtful ones are remembered for longer, so that a
  /// pattern which is taken for an object from time to time gets no new ID each time.
  mutating func removeExpiredTracks(at time: Double) {
    tracks = unexpired(tracks, at: time)
    for (shot, hidden) in otherShots {
      let unexpired = unexpired(hidden, at: time)
      otherShots[shot] = unexpired.isEmpty ? nil : unexpired
    }
    events.sort { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  private mutating func unexpired(_ tracks: [Track], at time: Double) -> [Track] {
    guard tracks.contains(where: { isForgotten($0, at: time) }) else { return tracks }
    for track in tracks where isForgotten(track, at: time) { addEvent(.exit, track, at: exitTime(track)) }
    return tracks.filter { !isForgotten($0, at: time) }
  }

  private func isForgotten(_ track: Track, at time: Double) -> Bool {
    isExpired(track, at: time) && (!track.isDoubtful || time - track.lastMatch > Rule.doubtMemory)
  }

  mutating func loseOtherShots(at time: Double) {
    for (shot, hidden) in otherShots.sorted(by: { $0.key < $1.key }) {
      for (index, track) in hidden.enumerated() where track.lostSince == nil {
        otherShots[shot]?[index].lostSince = time
        addEvent(.lost, track, at: time)
      }
    }
  }

  /// The tracks that have not expired at a time.
  func activeTracks(at time: Double) -> [Track] { tracks.filter { !isExpired($0, at: time) } }

  /// When a track expires: `lostAfter` seconds after its last match, and not before it was noticed to be lost.
  func exitTime(_ track: Track) -> Double {
    max(track.lastMatch + options.lostAfterSeconds, track.lostSince ?? -.infinity)
  }

  func isExpired(_ track: Track, at time: Double) -> Bool {
    track.lostSince != nil && time - track.lastMatch > options.lostAfterSeconds + Rule.timeTolerance
  }

  /// Confirms, recovers and loses tracks, and removes unconfirmed ones that were missed.
  mutating func updateStates(_ work: TrackerWorkspace, searched search: FrameSearch?, at time: Double) {
    for index in tracks.indices {
      tracks[index].isMatched = work.isMatched[index]
      if search?.isOnWholeOnly(tracks[index].filter.box()) == true {
        tracks[index].wholeSearches.add(wasFound: tracks[index].isMatched)
      }
      let wasLost = tracks[index].lostSince != nil
      if tracks[index].isMatched {
        tracks[index].searchScale = search?.scale(of: tracks[index].last.box) ?? 0
        tracks[index].unobservedSince = nil
        updateDoubt(index, at: time)
        if tracks[index].isDoubtful {
          lose(index, at: time)
        } else if wasLost {
          tracks[index].lostSince = nil
          addEvent(.recovered, tracks[index], at: time)
        }
      } else if isMissed(tracks[index], by: search, at: time) {
        tracks[index].miss()
        lose(index, at: time)
      } else {
        tracks[index].unobservedSince = tracks[index].unobservedSince ?? time
      }
    }
    tracks.removeAll { $0.id == nil && $0.lostSince != nil }
    for index in tracks.indices { confirm(index, at: time) }
  }

  private mutating func lose(_ index: Int, at time: Double) {
    guard tracks[index].lostSince == nil else { return }
    tracks[index].lostSince = time
    addEvent(.lost, tracks[index], at: time)
  }

  /// Determines whether a matched track is probably no object.
  private mutating func updateDoubt(_ index: Int, at time: Double) {
    let track = tracks[index]
    guard options.omitsDoubtful, track.id != nil, time - track.firstMatch >= Rule.doubtDelay,
      !track.isDoubtful || track.matchesInRow >= options.confirmAfter
    else { return }
    tracks[index].isDoubtful = track.evidence.isDoubtful(
      minimumScore: options.minimumScore, wasDoubtful: track.isDoubtful)
  }

  /// Whether a track that was not matched was searched for, or has not been for too long.
  private func isMissed(_ track: Track, by search: FrameSearch?, at time: Double) -> Bool {
    guard let search, time - (track.unobservedSince ?? time) <= Self.unobservedTime + Rule.timeTolerance else {
      return true
    }
    guard let scale = search.scale(of: track.filter.box()) else { return false }
    return scale >= Rule.searchScale * track.searchScale
  }

  /// The classes of COCO that are neither people, vehicles nor animals.
  static let rareClasses = Set(COCOClasses.names[9...13] + COCOClasses.names[24...])

  /// Gives a track its ID once it has been matched often enough.
  private mutating func confirm(_ index: Int, at time: Double) {
    guard tracks[index].id == nil, tracks[index].matchCount >= options.confirmAfter else { return }
    if options.omitsDoubtful, tracks[index].wasDetected(as: Self.rareClasses),
      !tracks[index].evidence.confirmsRareClass(minimumScore: options.minimumScore)
    {
      return
    }
    tracks[index].id = nextID
    nextID += 1
    addEvent(.enter, tracks[index], at: tracks[index].firstMatch)
    addEvent(.confirm, tracks[index], at: time)
  }

  /// Starts a track for each unmatched detection, unless it belongs to an object that was matched.
  mutating func startTracks(
    _ detections: [DetectedObject], _ work: TrackerWorkspace, searched search: FrameSearch?, at time: Double
  ) {
    let old = tracks.indices
    for index in work.strong where !work.isTaken[index] {
      let detection = work.detections[index]
      guard
        !tracks[old].contains(where: { $0.id != nil && $0.isMatched && Self.isCovered(detection, by: $0.last) }),
        !tracks.contains(where: { $0.isMatched && Self.isDuplicate(detection, of: $0.last) })
      else { continue }
      var track = Track(detection, label: detections[detection.source].label, at: time)
      track.searchScale = search?.scale(of: detection.box) ?? 0
      tracks.append(track)
      confirm(tracks.count - 1, at: time)
    }
    removeExcessTracks(at: time)
  }

  private static func isDuplicate(_ one: TrackObservation, of other: TrackObservation) -> Bool {
    let isRelated = one.family != nil && one.family == other.family
    return one.box.iou(other.box) > (isRelated ? Rule.relatedIoU : Rule.duplicateIoU)
  }

  private static func isCovered(_ one: TrackObservation, by other: TrackObservation) -> Bool {
    one.classIndex == other.classIndex && one.box.overlap(other.box) > Rule.coveredFraction
  }

  /// Removes the tracks beyond `maximumTracks`, those with the oldest match first.
  private mutating func removeExcessTracks(at time: Double) {
    let excess = tracks.count - Self.maximumTracks
    guard excess > 0 else { return }
    let oldest = tracks.indices.sorted { (tracks[$0].lastMatch, $0) < (tracks[$1].lastMatch, $1) }.prefix(excess)
    for index in oldest { addEvent(.exit, tracks[index], at: time) }
    let removed = Set(oldest)
    tracks = tracks.indices.filter { !removed.contains($0) }.map { tracks[$0] }
  }
}

internal import VStreamScene

/// The states of a track: tentative, confirmed, lost, removed.
extension Tracker {
  mutating func addEvent(_ kind: TrackEvent.Kind, _ track: Track, at time: Double) {
    guard let id = track.id else { return }
    events.append(TrackEvent(kind: kind, id: id, classIndex: track.classIndex, label: track.label, time: time))
  }

  /// Removes the tracks that have been lost for longer than `lostAfter`.
  mutating func removeExpiredTracks(at time: Double) {
    guard tracks.contains(where: { isExpired($0, at: time) }) else { return }
    for track in tracks where isExpired(track, at: time) { addEvent(.exit, track, at: exitTime(track)) }
    events.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    tracks = tracks.filter { !isExpired($0, at: time) }
  }

  /// The tracks that have not expired at a time.
  func activeTracks(at time: Double) -> [Track] { tracks.filter { !isExpired($0, at: time) } }

  /// When a track expires: `lostAfter` seconds after its last match, and not before it was noticed to be lost.
  func exitTime(_ track: Track) -> Double {
    max(track.lastMatch + options.lostAfter, track.lostSince ?? -.infinity)
  }

  private func isExpired(_ track: Track, at time: Double) -> Bool {
    !track.isMatched && time - track.lastMatch > options.lostAfter + Rule.timeTolerance
  }

  /// Confirms, recovers and loses tracks, and removes those that were not matched before their confirmation.
  mutating func updateStates(_ work: TrackerWorkspace, at time: Double) {
    for index in tracks.indices {
      let wasMatched = tracks[index].isMatched
      tracks[index].isMatched = work.isMatched[index]
      guard tracks[index].isMatched != wasMatched, tracks[index].id != nil else { continue }
      tracks[index].lostSince = wasMatched ? time : nil
      addEvent(wasMatched ? .lost : .recovered, tracks[index], at: time)
    }
    tracks.removeAll { $0.id == nil && !$0.isMatched }
    for index in tracks.indices { confirm(index, at: time) }
  }

  /// Gives a track its ID once it has been matched often enough.
  private mutating func confirm(_ index: Int, at time: Double) {
    guard tracks[index].id == nil, tracks[index].matchCount >= options.confirmAfter else { return }
    tracks[index].id = nextID
    nextID += 1
    addEvent(.enter, tracks[index], at: tracks[index].firstMatch)
    addEvent(.confirm, tracks[index], at: time)
  }

  /// Starts a track for each unmatched detection, unless it belongs to an object that was matched.
  mutating func startTracks(_ detections: [DetectedObject], _ work: TrackerWorkspace, at time: Double) {
    let old = tracks.indices
    for index in work.strong where !work.isTaken[index] {
      let detection = work.detections[index]
      guard
        !tracks[old].contains(where: { $0.id != nil && $0.isMatched && Self.isCovered(detection, by: $0.last) }),
        !tracks.contains(where: { $0.isMatched && $0.last.box.iou(detection.box) > Rule.duplicateIoU })
      else { continue }
      tracks.append(Track(detection, label: detections[detection.source].label, at: time))
      confirm(tracks.count - 1, at: time)
    }
    removeExcessTracks(at: time)
  }

  private static func isCovered(_ one: TrackObservation, by other: TrackObservation) -> Bool {
    guard one.classIndex == other.classIndex, let common = one.box.intersection(other.box) else { return false }
    return common.area > Rule.coveredFraction * min(one.box.area, other.box.area)
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

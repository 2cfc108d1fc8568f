internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamTracking

/// A track of a camera, as the index has it. Times are seconds since 1970; boxes are pixels of the camera's upright frame.
struct IndexedTrack: Hashable, Sendable, Codable {
  /// Of all cameras; also the ID of the track's events.
  var id: Int64
  var camera: String
  /// `object`, `face` or `pose`.
  var kind: String
  var label: String
  /// The ID in the camera's records.
  var track: Int
  var first: Double
  var last: Double
  var hasEnded = false
  /// The best score, its time and its box.
  var score: Double
  var best: Double
  var x: Double
  var y: Double
  var width: Double
  var height: Double
  /// Zones that it was in, in the order of its entries.
  var zones: [String] = []
  /// Lines that it crossed: `gate:right`, `gate:left`.
  var crossings: [String] = []
  /// Whether it has not moved for a while.
  var isStationary = false

  /// A change that leaves as a message.
  enum Change: String, Hashable, Sendable {
    case begin
    case change
    case end
  }
}

/// Follows the tracks of a camera's run by its records. A value: its owner passes in the times.
struct TrackJournal {
  /// A track's present state; `change` is `nil` where only its figures are newer.
  struct Update: Hashable, Sendable {
    var track: IndexedTrack
    var change: IndexedTrack.Change?
    /// Whether this frame has its best box so far, for a picture.
    var isBest = false
  }

  private struct Key: Hashable {
    let kind: String
    let track: Int
  }

  private struct Entry {
    var track: IndexedTrack
    var counter: Counter
    /// The box from which it has not moved, and since when.
    var anchor: Box
    var anchoredAt: Double
    var storedAt: Double
    /// The score of the last picture.
    var picturedScore: Double
  }

  private let camera: String
  private let counted: CountedRegions
  /// Seconds without a frame after which a track has ended.
  private let endAfter: Double
  private let makeID: @Sendable () -> Int64
  private var entries: [Key: Entry] = [:]

  /// Seconds in which a stationary object has not moved.
  static let stationaryAfter = 10.0
  /// The overlap of boxes of an object that has not moved, as intersection over union.
  private static let stationaryIoU = 0.6
  /// Seconds between updates of a track's figures.
  private static let storeInterval = 10.0
  /// Tracks end later than the tracker forgets them.
  private static let endMargin = 0.5
  /// The gain in score that is worth another picture.
  private static let pictureGain = 0.05

  init(_ camera: String, _ settings: CameraConfiguration, makeID: @escaping @Sendable () -> Int64) {
    (self.camera, counted, self.makeID) = (camera, settings.counted, makeID)
    endAfter = settings.lostAfter + Self.endMargin
  }

  /// - Parameters:
  ///   - size: of the frames that the record refers to.
  ///   - now: seconds since 1970.
  mutating func add(_ record: FrameRecord, _ size: PixelSize, at now: Double) -> [Update] {
    var updates: [Update] = []
    for (kind, found) in record.annotations.found.tracked {
      guard let track = found.id else { continue }
      let key = Key(kind: kind, track: track)
      if var entry = entries[key] {
        updates += update(&entry, found, record.annotations.time.seconds, at: now)
        entries[key] = entry
      } else {
        var entry = begin(kind, track, found, size, at: now)
        count(&entry, found, record.annotations.time.seconds)
        entries[key] = entry
        updates.append(Update(track: entry.track, change: .begin, isBest: true))
      }
    }
    // Also where the clock was set back.
    let gone = entries.filter { abs(now - $0.value.track.last) > endAfter }
    return updates + end(gone)
  }

  /// The end of the run.
  mutating func finish() -> [Update] { end(entries) }

  private mutating func end(_ gone: [Key: Entry]) -> [Update] {
    for key in gone.keys { entries[key] = nil }
    return gone.values.sorted { $0.track.id < $1.track.id }.map { entry in
      var track = entry.track
      track.hasEnded = true
      return Update(track: track, change: .end)
    }
  }

  private func begin(_ kind: String, _ id: Int, _ found: any Detection, _ size: PixelSize, at now: Double) -> Entry {
    let box = found.box
    let track = IndexedTrack(
      id: makeID(), camera: camera, kind: kind, label: found.label, track: id, first: now, last: now,
      score: found.score, best: now, x: box.x, y: box.y, width: box.width, height: box.height)
    return Entry(
      track: track, counter: counted.counter(in: size), anchor: box, anchoredAt: now, storedAt: now,
      picturedScore: found.score)
  }

  private func update(_ entry: inout Entry, _ found: any Detection, _ time: Double, at now: Double) -> [Update] {
    let before = entry.track
    entry.track.last = now
    entry.track.label = found.label
    if !found.isPredicted, found.score > entry.track.score {
      let box = found.box
      (entry.track.score, entry.track.best) = (found.score, now)
      (entry.track.x, entry.track.y, entry.track.width, entry.track.height) = (box.x, box.y, box.width, box.height)
    }
    if found.box.iou(entry.anchor) < Self.stationaryIoU { (entry.anchor, entry.anchoredAt) = (found.box, now) }
    entry.track.isStationary = now - entry.anchoredAt >= Self.stationaryAfter
    count(&entry, found, time)
    let hasChanged =
      entry.track.zones != before.zones || entry.track.crossings != before.crossings
      || entry.track.isStationary != before.isStationary || entry.track.label != before.label
    let isBest = entry.track.best == now && entry.track.score >= entry.picturedScore + Self.pictureGain
    guard hasChanged || isBest || now - entry.storedAt >= Self.storeInterval else { return [] }
    entry.storedAt = now
    if isBest { entry.picturedScore = entry.track.score }
    return [Update(track: entry.track, change: hasChanged ? .change : nil, isBest: isBest)]
  }

  /// Notes the zones and the lines, each by the counter that counts for all.
  private func count(_ entry: inout Entry, _ found: any Detection, _ time: Double) {
    guard let object = found as? DetectedObject, !object.isPredicted else { return }
    entry.counter.update([object], at: time)
    let counts = entry.counter.counts
    for zone in counts.zones where !zone.entered.isEmpty && !entry.track.zones.contains(zone.name) {
      entry.track.zones.append(zone.name)
    }
    for line in counts.lines {
      for (side, counted) in [("right", line.toRight), ("left", line.toLeft)] {
        let crossing = "\(line.name):\(side)"
        if !counted.isEmpty, !entry.track.crossings.contains(crossing) { entry.track.crossings.append(crossing) }
      }
    }
  }
}

extension Detections {
  /// All of them, with the nouns of their kinds.
  fileprivate var tracked: [(kind: String, found: any Detection)] {
    (objects ?? []).map { (DetectedObject.name, $0) } + (faces ?? []).map { (DetectedFace.name, $0) }
      + (poses ?? []).map { (DetectedPose.name, $0) }
  }
}

internal import GRDB
internal import VStreamCore
internal import VStreamSystem

/// A query for tracks.
struct TrackFilter: Hashable, Sendable {
  var camera: String?
  var label: String?
  var zone: String?
  /// Seconds since 1970.
  var span = 0...Double.greatestFiniteMagnitude
  var limit = 100

  /// Seconds of tracks that are searched for apart, as they may start long before the span.
  private static let longSeconds = 3600

  /// The newest tracks that were there in the span, the newest first.
  func fetch(_ database: Database) throws -> [IndexedTrack] {
    let before = span.lowerBound - Double(Self.longSeconds)
    let usual = try fetch(database, from: before, to: span.upperBound, isLong: false)
    let long = try fetch(database, from: 0, to: before.nextDown, isLong: true)
    return Array((usual + long).sorted { ($0.first, $0.id) > ($1.first, $1.id) }.prefix(limit))
  }

  private func fetch(_ database: Database, from: Double, to: Double, isLong: Bool) throws -> [IndexedTrack] {
    guard to >= from else { return [] }
    // The index of long tracks is used only where it is named, and for the condition that it was made with.
    let tracks = isLong ? "tracks INDEXED BY longTracks" : "tracks"
    let table = zone == nil ? tracks : "\(tracks) JOIN trackZones ON tracks.id = trackZones.track"
    let first = zone == nil || isLong ? "tracks.first" : "trackZones.first"
    var conditions = ["\(first) >= :from", "\(first) <= :to", "tracks.last >= :lower"]
    if isLong { conditions.append("tracks.last - tracks.first > \(Self.longSeconds)") }
    if zone != nil { conditions.append("zone = :zone") }
    if camera != nil { conditions.append("\(zone == nil || isLong ? "tracks" : "trackZones").camera = :camera") }
    if label != nil { conditions.append("tracks.label = :label") }
    return try IndexedTrack.fetchAll(
      database,
      sql: """
        SELECT tracks.* FROM \(table) WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(first) DESC LIMIT :limit
        """,
      arguments: [
        "from": from, "to": to, "lower": span.lowerBound, "zone": zone, "camera": camera, "label": label,
        "limit": limit,
      ])
  }
}

/// The number of tracks by label that began in each part of a span.
struct TrackCounts: Hashable, Sendable {
  /// By label, then by the index of the part.
  var counts: [String: [Int: Int]] = [:]

  /// - Parameter seconds: of a part.
  init(_ database: Database, camera: String, in span: ClosedRange<Double>, every seconds: Double) throws {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT label, CAST((first - ?) / ? AS INTEGER) AS part, count(*) AS number FROM tracks
        WHERE camera = ? AND first BETWEEN ? AND ? GROUP BY 1, 2
        """, arguments: [span.lowerBound, seconds, camera, span.lowerBound, span.upperBound])
    for row in rows { counts[row["label"], default: [:]][row["part"]] = row["number"] }
  }
}

/// An event's message, with its place in the order of all.
struct IndexedEvent: Hashable, Sendable, Codable, FetchableRecord {
  var seq: Int64
  var message: String

  /// - Parameters:
  ///   - camera: `nil` for all.
  ///   - after: the last one that is known, after which they are wanted in their order; `nil` for the newest ones first.
  static func fetch(
    _ database: Database, camera: String?, after: Int64?, in span: ClosedRange<Double>, limit: Int
  ) throws -> [IndexedEvent] {
    // By the order of numbers or by an index of times: `+` keeps SQLite from the other one.
    let time = after == nil ? "time" : "+time", order = after == nil ? "time DESC, seq DESC" : "seq"
    var conditions = ["\(time) BETWEEN :from AND :to"]
    if after != nil { conditions.append("seq > :after") }
    if camera != nil { conditions.append("\(after == nil ? "" : "+")camera = :camera") }
    return try fetchAll(
      database,
      sql: """
        SELECT seq, message FROM events WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT :limit
        """,
      arguments: ["after": after, "from": span.lowerBound, "to": span.upperBound, "camera": camera, "limit": limit])
  }
}

/// The archive as JSON.
enum ArchiveJSON {
  /// The message about a track's change.
  static func event(_ track: IndexedTrack, _ change: IndexedTrack.Change) -> String {
    TextBuffer.json { json in
      json.add("id", Int(track.id))
      json.add("camera", track.camera)
      json.add("type", change.rawValue)
      addFigures(of: track, to: &json)
    }
  }

  static func tracks(_ tracks: [IndexedTrack]) -> String {
    TextBuffer.json { json in
      json.addList("tracks") { list in
        for track in tracks {
          list.addObject { json in
            json.add("id", Int(track.id))
            json.add("camera", track.camera)
            json.add("kind", track.kind)
            addFigures(of: track, to: &json)
            json.add("ended", track.hasEnded)
            json.add("best", track.best, places: 3)
            json.addList("box") { box in
              for value in [track.x, track.y, track.width, track.height] { box.addNumber(value, places: 1) }
            }
          }
        }
      }
    }
  }

  private static func addFigures(of track: IndexedTrack, to json: inout TextBuffer) {
    json.add("label", track.label)
    json.add("track", track.track)
    json.add("first", track.first, places: 3)
    json.add("last", track.last, places: 3)
    json.addList("zones") { zones in for zone in track.zones { zones.addText(zone) } }
    json.addList("crossings") { lines in for line in track.crossings { lines.addText(line) } }
    json.add("stationary", track.isStationary)
    json.add("score", track.score, places: 3)
  }

  static func events(_ events: [IndexedEvent]) -> String {
    TextBuffer.json { json in
      json.addList("events") { list in for event in events { list.addObject(withMembersOf: event) } }
    }
  }

  static func recordings(_ files: ArraySlice<RecordedFile>) -> String {
    TextBuffer.json { json in
      json.addList("recordings") { list in
        for file in files {
          list.addObject { json in
            json.add("camera", file.camera)
            json.add("name", file.name)
            json.add("start", file.start, places: 6)
            json.add("end", file.end, places: 6)
            json.add("bytes", file.bytes)
            json.add("event", file.hasEvent)
            json.add("open", file.isOpen)
          }
        }
      }
    }
  }

  /// The recorded spans of a camera, and the number of its tracks by label in each part of a span.
  static func timeline(_ files: [RecordedFile], _ tracks: TrackCounts) -> String {
    var spans: [(start: Double, end: Double)] = []
    for file in files {
      if let last = spans.last, file.start - last.end < joinedSeconds {
        spans[spans.count - 1].end = max(last.end, file.end)
      } else {
        spans.append((file.start, file.end))
      }
    }
    return TextBuffer.json { json in
      json.addList("recorded") { list in
        for span in spans {
          list.addList { pair in
            pair.addNumber(span.start, places: 3)
            pair.addNumber(span.end, places: 3)
          }
        }
      }
      json.addObject("tracks") { labels in
        for (label, parts) in tracks.counts.sorted(by: { $0.key < $1.key }) {
          labels.addObject(label) { json in
            for (part, count) in parts.sorted(by: { $0.key < $1.key }) { json.add("\(part)", count) }
          }
        }
      }
    }
  }

  /// Seconds between files that are shown as one span.
  private static let joinedSeconds = 2.0
}

extension TextBuffer {
  /// Adds the message of an event, with its place in the order before its members.
  fileprivate mutating func addObject(withMembersOf event: IndexedEvent) {
    addObject { json in
      json.add("seq", Int(event.seq))
      json.append(",")
      json.append(String(event.message.dropFirst().dropLast()))
    }
  }
}

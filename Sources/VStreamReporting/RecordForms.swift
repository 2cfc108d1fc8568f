internal import VStreamScene

/// How the records of a run are written down: what comes before the frames, for each of them, and after them.
protocol RecordForm {
  mutating func begin(_ header: RecordHeader) -> String
  mutating func text(of record: FrameRecord) -> String
  mutating func text(of events: [TrackEvent]) -> String
  mutating func text(of counts: RegionCounts) -> String
  mutating func end(_ counts: RunCounts) -> String
}

extension RecordForm {
  mutating func begin(_ header: RecordHeader) -> String { "" }
  mutating func text(of events: [TrackEvent]) -> String { "" }
  mutating func text(of counts: RegionCounts) -> String { "" }
  mutating func end(_ counts: RunCounts) -> String { "" }
}

/// One JSON object a line.
struct JSONLinesForm: RecordForm {
  mutating func begin(_ header: RecordHeader) -> String { JSONRecord.line(header) + "\n" }

  mutating func text(of record: FrameRecord) -> String {
    record.late.map { JSONRecord.line($0) + "\n" }.joined() + JSONRecord.line(record) + "\n" + text(of: record.events)
  }

  mutating func text(of events: [TrackEvent]) -> String { events.map { JSONRecord.line($0) + "\n" }.joined() }
  mutating func text(of counts: RegionCounts) -> String { JSONRecord.line(counts) + "\n" }

  mutating func end(_ counts: RunCounts) -> String { JSONRecord.line(counts) + "\n" }
}

/// MOTChallenge: objects, a line each.
struct MOTForm: RecordForm {
  mutating func text(of record: FrameRecord) -> String {
    var text = MOTText()
    for object in record.annotations.found.objects ?? [] { text.add(object, frame: record.annotations.frame + 1) }
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

/// A table with a line for each thing in each frame, and one of names on top (RFC 4180).
struct CSVForm: RecordForm {
  mutating func begin(_ header: RecordHeader) -> String {
    "frame,pts,source,kind,id,label,score,left,top,width,height\n"
  }

  mutating func text(of record: FrameRecord) -> String {
    let annotations = record.annotations
    let start = "\(annotations.frame),\(JSONText.number(annotations.time.seconds, places: 6)),\(annotations.source)"
    return annotations.found.entries.map { entry in
      let box = [entry.box.x, entry.box.y, entry.box.width, entry.box.height]
      let fields =
        [start, entry.kind, entry.id.map { "\($0)" } ?? "", Self.quoted(entry.label)]
        + [JSONText.number(entry.score, places: 4)] + box.map { JSONText.number($0, places: 2) }
      return fields.joined(separator: ",") + "\n"
    }.joined()
  }

  static func quoted(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}

/// A WebVTT file of metadata: for each frame a cue with what the JSON lines say of it, for players in browsers.
struct WebVTTForm: RecordForm {
  /// A cue that still lacks its end, which is the next one's beginning.
  private var open: (start: Double, text: String)?
  private var frameSeconds = 0.04

  mutating func begin(_ header: RecordHeader) -> String {
    if let rate = header.frameRate, rate.value > 0 { frameSeconds = 1 / rate.value }
    return "WEBVTT\n"
  }

  mutating func text(of record: FrameRecord) -> String {
    let start = max(0, record.annotations.time.seconds)
    defer { open = (start, JSONRecord.line(FrameRecord(record.annotations))) }
    return cue(until: start)
  }

  mutating func end(_ counts: RunCounts) -> String { cue(until: (open?.start ?? 0) + frameSeconds) }

  private func cue(until end: Double) -> String {
    guard let open else { return "" }
    // Two dashes and an arrow's head would end a cue's text, which JSON can say otherwise.
    let text = open.text.split(separator: "-->", omittingEmptySubsequences: false).joined(separator: "--\\u003e")
    return "\n\(Self.clock(open.start)) --> \(Self.clock(max(end, open.start + 0.001)))\n\(text)\n"
  }

  /// `01:02:03.456`.
  private static func clock(_ seconds: Double) -> String {
    let milliseconds = Int(clamping: (seconds * 1000).rounded())
    let parts = [milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60]
    return parts.map { padded($0, 2) }.joined(separator: ":") + "." + padded(milliseconds % 1000, 3)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// KITTI's tracking form: frame, ID, class, then what is not known as KITTI says so, the box's corners, and the score.
struct KITTIForm: RecordForm {
  mutating func text(of record: FrameRecord) -> String {
    record.annotations.found.entries.map { entry in
      let box = [entry.box.x, entry.box.y, entry.box.right, entry.box.bottom]
      // KITTI's columns are separated by blanks.
      let label = String(entry.label.map { $0.isWhitespace ? "_" : $0 })
      let fields =
        ["\(record.annotations.frame)", "\(entry.id ?? -1)", label, "-1", "-1", "-10"]
        + box.map { JSONText.number($0, places: 2) } + ["-1", "-1", "-1", "-1000", "-1000", "-1000", "-10"]
        + [JSONText.number(entry.score, places: 4)]
      return fields.joined(separator: " ") + "\n"
    }.joined()
  }
}

/// Something that was found, of whatever kind.
struct RecordEntry {
  let kind: String
  let id: Int?
  let label: String
  let score: Double
  let box: Box
  /// Of a pose.
  var landmarks: [PoseLandmark] = []
}

extension Observations {
  /// What was found, of whatever kind.
  var entries: [RecordEntry] {
    (objects ?? []).map { RecordEntry(kind: "object", id: $0.id, label: $0.label, score: $0.score, box: $0.box) }
      + (faces ?? []).map { RecordEntry(kind: "face", id: $0.id, label: "face", score: $0.score, box: $0.box) }
      + (poses ?? []).map {
        RecordEntry(kind: "pose", id: $0.id, label: "pose", score: $0.score, box: $0.box, landmarks: $0.landmarks)
      }
  }
}

internal import VStreamScene

/// How the records of a run are written down: what comes before the frames, for each of them, and after them.
protocol RecordEncoder {
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer)
  mutating func add(_ record: FrameRecord, to text: inout TextBuffer)
  mutating func add(_ events: [TrackEvent], to text: inout TextBuffer)
  mutating func add(_ counts: RegionCounts, to text: inout TextBuffer)
  mutating func end(_ counts: RunCounts, in text: inout TextBuffer)
}

extension RecordEncoder {
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {}
  mutating func add(_ events: [TrackEvent], to text: inout TextBuffer) {}
  mutating func add(_ counts: RegionCounts, to text: inout TextBuffer) {}
  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {}
}

/// One JSON object a line.
struct JSONLinesEncoder: RecordEncoder {
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    JSONRecord.add(header, to: &text)
    text.append("\n")
  }

  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    for late in record.late {
      JSONRecord.add(late, to: &text)
      text.append("\n")
    }
    JSONRecord.add(record, to: &text)
    text.append("\n")
    add(record.events, to: &text)
  }

  mutating func add(_ events: [TrackEvent], to text: inout TextBuffer) {
    for event in events {
      JSONRecord.add(event, to: &text)
      text.append("\n")
    }
  }

  mutating func add(_ counts: RegionCounts, to text: inout TextBuffer) {
    JSONRecord.add(counts, to: &text)
    text.append("\n")
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    JSONRecord.add(counts, to: &text)
    text.append("\n")
  }
}

/// MOTChallenge: objects, a line each.
struct MOTEncoder: RecordEncoder {
  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    for object in record.annotations.found.objects ?? [] {
      MOTText.add(object, frame: record.annotations.frame + 1, to: &text)
    }
  }
}

/// A table with a line for each thing in each frame, and one of names on top (RFC 4180).
struct CSVEncoder: RecordEncoder {
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    text.append("frame,pts,source,kind,id,label,score,left,top,width,height\n")
  }

  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    annotations.found.forEachEntry { entry in
      text.append(annotations.frame)
      text.append(",")
      text.append(annotations.time.seconds, places: 6)
      text.append(",")
      text.append(annotations.source.rawValue)
      text.append(",")
      text.append(entry.kind)
      text.append(",")
      if let id = entry.id { text.append(id) }
      text.append(",")
      text.append(Self.quoted(entry.label))
      text.append(",")
      text.append(entry.score, places: 4)
      text.append(",")
      text.append(entry.box, separator: ",")
      text.append("\n")
    }
  }

  static func quoted(_ text: String) -> String {
    // By scalars, as a carriage return and the line feed after it are one character.
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

/// A WebVTT file of metadata: for each frame a cue with what the JSON lines say of it, for players in browsers.
struct WebVTTEncoder: RecordEncoder {
  /// A cue that still lacks its end, which is the next one's beginning.
  private var open: (start: Double, text: String)?
  private var frameSeconds = 0.04

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    if let rate = header.frameRate, rate.value > 0 { frameSeconds = 1 / rate.value }
    text.append("WEBVTT\n")
  }

  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let start = max(0, record.annotations.time.seconds)
    addCue(until: start, to: &text)
    var line = TextBuffer()
    JSONRecord.add(FrameRecord(record.annotations), to: &line)
    open = (start, line.text)
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    addCue(until: (open?.start ?? 0) + frameSeconds, to: &text)
  }

  private func addCue(until end: Double, to text: inout TextBuffer) {
    guard let open else { return }
    text.append("\n")
    Self.addClock(open.start, to: &text)
    text.append(" --> ")
    Self.addClock(max(end, open.start + 0.001), to: &text)
    text.append("\n")
    // Two dashes and an arrow's head would end a cue's text, which JSON can say otherwise.
    text.append(open.text.split(separator: "-->", omittingEmptySubsequences: false).joined(separator: "--\\u003e"))
    text.append("\n")
  }

  /// `01:02:03.456`.
  private static func addClock(_ seconds: Double, to text: inout TextBuffer) {
    let milliseconds = UInt(clamping: Int(clamping: (seconds * 1000).rounded()))
    text.appendDigits(milliseconds / 3_600_000, atLeast: 2)
    text.append(":")
    text.appendDigits(milliseconds / 60_000 % 60, atLeast: 2)
    text.append(":")
    text.appendDigits(milliseconds / 1000 % 60, atLeast: 2)
    text.append(".")
    text.appendDigits(milliseconds % 1000, atLeast: 3)
  }
}

/// KITTI's tracking form: frame, ID, class, then what is not known as KITTI says so, the box's corners, and the score.
struct KITTIEncoder: RecordEncoder {
  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    record.annotations.found.forEachEntry { entry in
      text.append(record.annotations.frame)
      text.append(" ")
      text.append(entry.id ?? -1)
      text.append(" ")
      // KITTI's columns are separated by blanks.
      text.append(entry.label.contains(where: \.isWhitespace) ? Self.joined(entry.label) : entry.label)
      text.append(" -1 -1 -10")
      for corner in [entry.box.x, entry.box.y, entry.box.right, entry.box.bottom] {
        text.append(" ")
        text.append(corner, places: 2)
      }
      text.append(" -1 -1 -1 -1000 -1000 -1000 -10 ")
      text.append(entry.score, places: 4)
      text.append("\n")
    }
  }

  private static func joined(_ label: String) -> String { String(label.map { $0.isWhitespace ? "_" : $0 }) }
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
  /// Takes all that was found, of whatever kind.
  func forEachEntry(_ body: (RecordEntry) -> Void) {
    for object in objects ?? [] {
      body(RecordEntry(kind: "object", id: object.id, label: object.label, score: object.score, box: object.box))
    }
    for face in faces ?? [] {
      body(RecordEntry(kind: "face", id: face.id, label: "face", score: face.score, box: face.box))
    }
    for pose in poses ?? [] {
      body(
        RecordEntry(
          kind: "pose", id: pose.id, label: "pose", score: pose.score, box: pose.box, landmarks: pose.landmarks))
    }
  }
}

package import VStreamCore
internal import VStreamSystem

/// JSON lines: one object per line for the header, each frame, late detections, events, counts and the summary.
struct JSONLinesEncoder: RecordEncoder {
  static let format = RecordFormat(
    "JSON lines", fileNameEndings: [".jsonl"], contents: [.events, .detections])

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    JSONRecord.add(header, to: &text)
    text.append("\n")
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    for late in record.late {
      JSONRecord.add(late, to: &text)
      text.append("\n")
    }
    JSONRecord.add(record, to: &text)
    text.append("\n")
    encode(record.events, to: &text)
  }

  mutating func encode(_ events: [TrackEvent], to text: inout TextBuffer) {
    for event in events {
      JSONRecord.add(event, to: &text)
      text.append("\n")
    }
  }

  mutating func encode(_ counts: RegionCounts, to text: inout TextBuffer) {
    JSONRecord.add(counts, to: &text)
    text.append("\n")
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    JSONRecord.add(counts, to: &text)
    text.append("\n")
  }
}

/// Records as JSON lines, without a file; each line without its line feed.
package enum RecordText {
  package static func line(_ header: RecordHeader) -> String { text { JSONRecord.add(header, to: &$0) } }

  package static func line(_ record: FrameRecord) -> String { text { JSONRecord.add(record, to: &$0) } }

  package static func line(_ event: TrackEvent) -> String { text { JSONRecord.add(event, to: &$0) } }

  private static func text(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    body(&buffer)
    return buffer.text
  }
}

/// The JSON objects of a `.jsonl` file.
enum JSONRecord {
  static func add(_ header: RecordHeader, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "header")
      json.add("version", 1)
      json.add("program", ProgramVersion.name)
      json.addObject("input") { input in
        input.add("name", header.inputName)
        input.add("width", header.size.width)
        input.add("height", header.size.height)
        input.add("rotation", header.rotation)
        input.add("timeBase", header.timeBase.description)
        if let rate = header.frameRate { input.add("frameRate", rate.description) }
      }
      add("zones", header.zones, to: &json)
      add("lines", header.lines, to: &json)
      json.addObject("options") { options in
        for (name, value) in header.options { add(name, value, to: &options) }
      }
    }
  }

  /// Adds an option of a run.
  static func add(_ name: String, _ value: RecordHeader.OptionValue, to json: inout TextBuffer) {
    switch value {
    case .text(let text): json.add(name, text)
    case .number(let number): json.add(name, number, places: 6)
    case .integer(let number): json.add(name, number)
    case .list(let list): json.addList(name) { all in for text in list { all.addText(text) } }
    case .flag(let isSet): json.add(name, isSet)
    }
  }

  static func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    text.addObject { json in
      TextForm.add(membersOf: annotations, isPredicted: annotations.source == .predicted, to: &json)
      if let counts = record.counts { addCurrent(counts, to: &json) }
      if let detections = record.detections {
        json.addObject("detections") { TextForm.add(membersOf: detections, .exact, to: &$0) }
      }
    }
  }

  /// Adds detections that became ready after their frame had left.
  static func add(_ late: TimedObservations, to text: inout TextBuffer) {
    text.addObject { TextForm.add(membersOf: late, .exact, to: &$0) }
  }

  static func add(_ event: TrackEvent, to text: inout TextBuffer) {
    text.addObject { TextForm.add(membersOf: event, to: &$0) }
  }

  static func add(_ counts: RunCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "summary")
      counts.add(to: &json)
    }
  }
}

/// The JSON of zones and lines.
extension JSONRecord {
  /// Adds the points of each zone or line; nothing if there are none.
  static func add(_ key: String, _ regions: [RecordHeader.Region], to json: inout TextBuffer) {
    if regions.isEmpty { return }
    json.addObject(key) { all in
      for region in regions {
        all.addList(region.name) { points in
          for point in region.points {
            points.addList { pair in point.forEachNumber { pair.addNumber($0, places: 2) } }
          }
        }
      }
    }
  }

  /// Adds the counts of the whole run.
  static func add(_ counts: RegionCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "counts")
      if !counts.zones.isEmpty {
        json.addObject("zones") { zones in
          for zone in counts.zones {
            zones.addObject(zone.name) { members in
              add("entered", zone.entered, to: &members)
              add("dwellSeconds", zone.dwellSeconds, to: &members)
              add("longestDwellSeconds", zone.longestDwellSeconds, to: &members)
            }
          }
        }
      }
      addLines(of: counts, to: &json)
    }
  }

  /// Adds the objects inside each zone now, and the crossings so far.
  static func addCurrent(_ counts: RegionCounts, to json: inout TextBuffer) {
    if !counts.zones.isEmpty {
      json.addObject("zones") { zones in for zone in counts.zones { add(zone.name, zone.inside, to: &zones) } }
    }
    addLines(of: counts, to: &json)
  }

  private static func addLines(of counts: RegionCounts, to json: inout TextBuffer) {
    guard !counts.lines.isEmpty else { return }
    json.addObject("lines") { lines in
      for line in counts.lines {
        lines.addObject(line.name) { directions in
          add("toRight", line.toRight, to: &directions)
          add("toLeft", line.toLeft, to: &directions)
        }
      }
    }
  }

  private static func add(_ name: String, _ counts: [String: Int], to json: inout TextBuffer) {
    json.addObject(name) { all in
      for (label, count) in counts.sorted(by: { $0.key < $1.key }) { all.add(label, count) }
    }
  }

  private static func add(_ name: String, _ times: [String: Double], to json: inout TextBuffer) {
    json.addObject(name) { all in
      for (label, time) in times.sorted(by: { $0.key < $1.key }) { all.add(label, time, places: 3) }
    }
  }
}

/// The JSON Schema of the lines of `.jsonl` records: `records.schema.json` beside this file, which the build embeds.
package enum RecordSchema {
  package static var text: String { String(decoding: PackageResources.records_schema_json, as: UTF8.self) }
}

internal import VStreamScene
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

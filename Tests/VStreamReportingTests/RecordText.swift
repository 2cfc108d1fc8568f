import VStreamCore
import VStreamSystem

@testable import VStreamReporting

/// A number as records have it.
func recordNumber(_ value: Double, places: Int) -> String {
  var text = TextBuffer()
  text.append(value, places: places)
  return text.text
}

/// The line of a `.jsonl` file that a frame is written as, without its end.
func jsonLine(_ record: FrameRecord) -> String {
  var text = TextBuffer()
  JSONRecord.add(record, to: &text)
  return text.text
}

func jsonLine(_ header: RecordHeader) -> String {
  var text = TextBuffer()
  JSONRecord.add(header, to: &text)
  return text.text
}

extension RecordEncoder {
  /// What is written of a frame.
  mutating func text(of record: FrameRecord) -> String {
    var text = TextBuffer()
    encode(record, to: &text)
    return text.text
  }
}

internal import VStreamCore
internal import VStreamSystem

/// A WebVTT metadata file for video players in browsers: one cue per frame, with the JSON lines record as its text. The
/// cues' times are those of the output.
struct WebVTTEncoder: RecordEncoder {
  static let format = RecordFormat("WebVTT", fileNameEndings: [".vtt"])

  /// The last frame's cue, which ends when the next frame's begins.
  private var pendingCue: (start: Double, text: String)?
  private var frameSeconds = 0.04
  private var shift = 0.0

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    if let rate = header.frameRate, rate.value > 0 { frameSeconds = 1 / rate.value }
    shift = header.outputShift
    text.append("WEBVTT\n")
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    let start = max(0, record.annotations.time.seconds - shift)
    addPendingCue(until: start, to: &text)
    var line = TextBuffer()
    JSONRecord.add(FrameRecord(record.annotations), to: &line)
    pendingCue = (start, line.text)
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    addPendingCue(until: (pendingCue?.start ?? 0) + frameSeconds, to: &text)
  }

  private func addPendingCue(until end: Double, to text: inout TextBuffer) {
    guard let cue = pendingCue else { return }
    text.append("\n")
    Self.addTimestamp(cue.start, to: &text)
    text.append(" --> ")
    Self.addTimestamp(max(end, cue.start + 0.001), to: &text)
    text.append("\n")
    // "-->" would end the cue's text, so its ">" is escaped as JSON allows.
    // Bytes are compared, as ">" with a combining mark is another `Character`.
    let parts = Array(cue.text.utf8).split(separator: Array("-->".utf8), omittingEmptySubsequences: false)
    text.append(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "--\\u003e"))
    text.append("\n")
  }

  /// Adds a timestamp in the form `01:02:03.456`.
  private static func addTimestamp(_ seconds: Double, to text: inout TextBuffer) {
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

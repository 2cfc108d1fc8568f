internal import VStreamScene
internal import VStreamSystem

/// The encoder of one record format.
///
/// To add a format, add a file with its encoder to `Formats` and a line to `RecordFormatRegistry`.
protocol RecordEncoder: Sendable {
  static var format: RecordFormat { get }

  init()

  /// Called once, before the first frame.
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer)
  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer)
  /// Called with the track events that follow the last frame.
  mutating func encode(_ events: [TrackEvent], to text: inout TextBuffer)
  /// Called with the region counts of the whole run.
  mutating func encode(_ counts: RegionCounts, to text: inout TextBuffer)
  /// Called once, after everything else.
  mutating func end(_ counts: RunCounts, in text: inout TextBuffer)
}

/// A format that cannot hold a part writes nothing for it.
extension RecordEncoder {
  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {}
  mutating func encode(_ events: [TrackEvent], to text: inout TextBuffer) {}
  mutating func encode(_ counts: RegionCounts, to text: inout TextBuffer) {}
  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {}
}

package import VStreamCore
internal import VStreamSystem

/// The record formats: one file in `Formats` and one line here for each.
enum RecordFormatRegistry {
  static let encoders: [any RecordEncoder.Type] = [
    JSONLinesEncoder.self,
    MOTChallengeEncoder.self,
    CSVEncoder.self,
    WebVTTEncoder.self,
    COCOEncoder.self,
    KITTIEncoder.self,
    YOLOEncoder.self,
  ]
}

/// A format of record files. The formats are listed in `RecordFormatRegistry`.
package struct RecordFormat: Hashable, Sendable {
  /// The contents that some formats can hold besides the annotations of each frame.
  package struct Contents: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Track events.
    package static let events = Contents(rawValue: 1 << 0)
    /// The detectors' own results, from which tracking can be repeated.
    package static let detections = Contents(rawValue: 1 << 1)
  }

  /// For help and messages, for example `MOTChallenge`.
  package let name: String
  /// The file-name endings that select the format, in lower case, for example `.kitti.txt`; the first one is listed.
  package let fileNameEndings: [String]
  package let contents: Contents
  /// The kinds of observations that the format can hold.
  package let kinds: Set<DetectionKind>

  init(
    _ name: String, fileNameEndings: [String], contents: Contents = [],
    kinds: Set<DetectionKind> = Set(DetectionKind.allCases)
  ) {
    self.name = name
    self.fileNameEndings = fileNameEndings
    self.contents = contents
    self.kinds = kinds
  }

  /// All formats, in the help's order.
  package static var all: [RecordFormat] { RecordFormatRegistry.encoders.map { $0.format } }

  /// `.jsonl (JSON lines), .txt (MOTChallenge), …`.
  package static var list: String {
    all.map { "\($0.fileNameEndings[0]) (\($0.name))" }.joined(separator: ", ")
  }

  /// The format of a file name; `-`, for standard output, has JSON lines. Of several endings that match, the longest one decides: `.kitti.txt` before `.txt`.
  ///
  /// - Throws: `VStreamError.usage` if no format has a matching ending.
  package init(path: String) throws(VStreamError) { self = try RecordFormatRegistry.encoder(for: path).format }

  /// - Parameters:
  ///   - kinds: the detected or replayed kinds.
  ///   - path: of the file, for the message.
  /// - Throws: `VStreamError.usage` if it can hold none of it, and would be empty.
  package func requireHolds(_ kinds: Set<DetectionKind>, path: String) throws(VStreamError) {
    guard self.kinds.isDisjoint(with: kinds), self.kinds != Set(DetectionKind.allCases) else { return }
    let held = DetectionKind.allCases.filter(self.kinds.contains).map(\.rawValue).joined(separator: ", ")
    throw VStreamError(
      .usage, "\(.records, path): \(name) holds \(held) only, and the run has none", setting: .records, value: path,
      remedy: "detect \(held) as well, or write .jsonl, .csv or .json")
  }
}

extension RecordFormatRegistry {
  /// The path that stands for standard output.
  static let standardOutput = "-"

  /// - Throws: `VStreamError.usage` if no format has a matching ending.
  static func encoder(for path: String) throws(VStreamError) -> any RecordEncoder.Type {
    if path == standardOutput { return JSONLinesEncoder.self }
    let name = path.lowercased()
    func matchLength(_ encoder: any RecordEncoder.Type) -> Int {
      encoder.format.fileNameEndings.filter(name.hasSuffix).map(\.count).max() ?? 0
    }
    guard let encoder = encoders.max(by: { matchLength($0) < matchLength($1) }), matchLength(encoder) > 0 else {
      throw .unknownValue(
        path, of: .records, expected: "a file name that ends like a record format",
        remedy: "end it in one of \(RecordFormat.list)")
    }
    return encoder
  }
}

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

public import VStreamScene

/// A format of record files. The formats are listed in `RecordFormatRegistry`.
public struct RecordFormat: Hashable, Sendable {
  /// What some formats can hold besides the annotations of each frame.
  public struct Contents: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Track events.
    public static let events = Contents(rawValue: 1 << 0)
    /// The detectors' own results, from which tracking can be repeated.
    public static let detections = Contents(rawValue: 1 << 1)
  }

  /// For help and messages, for example `MOTChallenge`.
  public let name: String
  /// The file-name endings that select the format, in lower case, for example `.kitti.txt`; the first one is listed.
  public let fileNameEndings: [String]
  public let contents: Contents
  /// The kinds of observations that the format can hold.
  public let kinds: Set<DetectionKind>

  init(
    _ name: String, fileNameEndings: [String], contents: Contents = [],
    kinds: Set<DetectionKind> = Set(DetectionKind.allCases)
  ) {
    self.name = name
    self.fileNameEndings = fileNameEndings
    self.contents = contents
    self.kinds = kinds
  }

  /// All formats, in the order in which help lists them.
  public static var all: [RecordFormat] { RecordFormatRegistry.encoders.map { $0.format } }

  /// `.jsonl (JSON lines), .txt (MOTChallenge), …`.
  public static var list: String {
    all.map { "\($0.fileNameEndings[0]) (\($0.name))" }.joined(separator: ", ")
  }

  /// The format of a file name; `-`, for standard output, has JSON lines. Of several endings that match, the longest one decides: `.kitti.txt` before `.txt`.
  ///
  /// - Throws: `VStreamError.usage` if no format has a matching ending.
  public init(path: String) throws(VStreamError) { self = try RecordFormatRegistry.encoder(for: path).format }

  /// - Parameters:
  ///   - kinds: what is detected or replayed.
  ///   - path: of the file, for the message.
  /// - Throws: `VStreamError.usage` if it can hold none of it, and would be empty.
  public func requireHolds(_ kinds: Set<DetectionKind>, path: String) throws(VStreamError) {
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

internal import FoundationEssentials
internal import VStreamSystem

/// The options of a header, read back.
extension RecordHeader {
  /// The options that affect how detections become tracks. Other options affect what is detected, or what is written.
  private static let trackingNames: Set = [
    "mode", "maxObjects", "classes", "minScore", "lostAfter", "confirmAfter", "minIoU",
  ]

  private struct Line: Decodable {
    let options: [String: OptionValue]?
  }

  /// Whether an option affects how detections become tracks.
  static func affectsTracks(_ name: String) -> Bool { trackingNames.contains(name) }

  /// The options of a header's line; empty if they cannot be read.
  static func options(_ line: ArraySlice<UInt8>) -> [String: OptionValue] {
    (try? JSONDecoder().decode(Line.self, from: Data(line)))?.options ?? [:]
  }

  /// Options as they are read back: as JSON, numbers are rounded.
  static func readBack(_ options: [(name: String, value: OptionValue)]) -> [String: OptionValue] {
    var text = TextBuffer()
    text.addObject { json in
      json.addObject("options") { all in for (name, value) in options { JSONRecord.add(name, value, to: &all) } }
    }
    return Self.options(text.bytes[...])
  }
}

extension RecordReader {
  /// Whether a run with these options makes the same tracks of the recorded detections.
  package func tracks(as options: [(name: String, value: RecordHeader.OptionValue)]) -> Bool {
    RecordHeader.readBack(options).filter { RecordHeader.affectsTracks($0.key) } == trackingOptions
  }

  /// The options that another run has with other values, by their names in alphabetical order.
  package func options(differingFrom others: [(name: String, value: RecordHeader.OptionValue)]) -> [String] {
    let others = RecordHeader.readBack(others)
    return Set(options.keys).union(others.keys).filter { options[$0] != others[$0] }.sorted()
  }
}

extension RecordHeader.OptionValue: Decodable {
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try value.decode([String].self))
    }
  }
}

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

  /// The tracking options of a header's line; empty if they cannot be read.
  static func trackingOptions(_ line: ArraySlice<UInt8>) -> [String: OptionValue] {
    let options = (try? JSONDecoder().decode(Line.self, from: Data(line)))?.options ?? [:]
    return options.filter { trackingNames.contains($0.key) }
  }
}

extension RecordReader {
  /// Whether a run with these options makes the same tracks of the recorded detections.
  package func tracks(as options: [(name: String, value: RecordHeader.OptionValue)]) -> Bool {
    // As JSON, numbers of both are rounded alike.
    var text = TextBuffer()
    text.addObject { json in
      json.addObject("options") { all in for (name, value) in options { JSONRecord.add(name, value, to: &all) } }
    }
    return RecordHeader.trackingOptions(text.bytes[...]) == trackingOptions
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

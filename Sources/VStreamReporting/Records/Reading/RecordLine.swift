internal import FoundationEssentials
internal import VStreamCore

/// A line of records, as far as it is read back.
enum RecordLine: Decodable {
  case header(Header)
  case frame(FrameAnnotations, detections: Detections?, RegionCounts?)
  /// Detections of an earlier frame, which became ready late.
  case late(TimedObservations)
  case event(TrackEvent)
  case counts(RegionCounts?)
  case summary(corruptPackets: Int?)
  /// A type, or an event, that a later version adds.
  case other

  struct Header: Decodable {
    var version: Int?
    var input: Input?
    var options: Options?
  }

  struct Input: Decodable {
    var name: String?
    var rotation: Int?
    var width: Int
    var height: Int
    var timeBase: String
  }

  struct Options: Decodable {
    var detect: [String]?
    var recordDetections: Bool?
    var classes: [String]?
    var objectModel: String?
    var passes: Double?
    var accurate: Bool?
    var detectEvery: String?
    var minScore: Double?
  }

  struct Kind: Decodable {
    var type: String
    var event: String?
  }

  /// The members of lines that no other value has.
  private enum Key: CodingKey {
    case detections, corruptPackets
  }

  init(from decoder: any Decoder) throws {
    let kind = try Kind(from: decoder)
    let members = try decoder.container(keyedBy: Key.self)
    switch kind.type {
    case "header": self = .header(try Header(from: decoder))
    case "frame":
      self = .frame(
        try FrameAnnotations(from: decoder),
        detections: try members.decodeIfPresent(Detections.self, forKey: .detections),
        try RecordedCounts(from: decoder).counts)
    case "detections": self = .late(try TimedObservations(from: decoder))
    case "event":
      let isKnown = kind.event.map { TrackEvent.Kind(rawValue: $0) != nil } ?? true
      self = isKnown ? .event(try TrackEvent(from: decoder)) : .other
    case "counts": self = .counts(try RecordedCounts(from: decoder).counts)
    case "summary": self = .summary(corruptPackets: try? members.decode(Int.self, forKey: .corruptPackets))
    default: self = .other
    }
  }

  /// - Parameter context: of the header; `nil` for the header itself.
  init(json line: ArraySlice<UInt8>, _ context: RecordContext?) throws {
    let decoder = JSONDecoder()
    if let context, let key = CodingUserInfoKey.records { decoder.userInfo[key] = context }
    self = try decoder.decode(Self.self, from: Data(line))
  }

  /// The type that a line states; `nil` if it states none.
  static func type(json line: ArraySlice<UInt8>) -> String? {
    (try? JSONDecoder().decode(Kind.self, from: Data(line)))?.type
  }
}

/// The counts of zones and lines by name.
private struct RecordedCounts: Decodable {
  var zones: [String: Zone]?
  var lines: [String: Crossings]?

  /// `nil` if there are none.
  var counts: RegionCounts? {
    if zones == nil, lines == nil { return nil }
    return RegionCounts(
      zones: (zones ?? [:]).sorted { $0.key < $1.key }.map { name, zone in
        var zone = zone.counts
        zone.name = name
        return zone
      },
      lines: (lines ?? [:]).sorted { $0.key < $1.key }.map { name, crossings in
        var line = RegionCounts.AcrossLine(name: name)
        (line.toRight, line.toLeft) = (crossings.toRight, crossings.toLeft)
        return line
      })
  }

  /// The counts of a zone, by class: inside now, in the line of a frame, or of the whole run.
  struct Zone: Decodable {
    var counts = RegionCounts.InZone(name: "")

    private enum Key: CodingKey {
      case entered, dwellSeconds, longestDwellSeconds
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      // A class may be called `entered`, and has a number then.
      guard let entered = try? members.decode([String: Int].self, forKey: .entered) else {
        counts.inside = try [String: Int](from: decoder)
        return
      }
      counts.entered = entered
      counts.dwellSeconds = try members.decode([String: Double].self, forKey: .dwellSeconds)
      counts.longestDwellSeconds = try members.decode([String: Double].self, forKey: .longestDwellSeconds)
    }
  }

  /// The crossings of a line by class.
  struct Crossings: Decodable {
    let toRight: [String: Int]
    let toLeft: [String: Int]
  }
}

/// The problem of a line of records that cannot be decoded.
enum RecordDamage {
  /// The member and its problem: `objects[2].box does not have four numbers`.
  static func text(of error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: "\(member(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context)? where !context.codingPath.isEmpty: "\(member(context.codingPath)) is null"
    case .typeMismatch(let type, let context)? where !context.codingPath.isEmpty:
      "\(member(context.codingPath)) is not \(name(of: type))"
    case .dataCorrupted(let context)? where !context.codingPath.isEmpty:
      "\(member(context.codingPath)) \(context.underlyingError as? InvalidValue, default: "is not a valid value")"
    default: "it is not the JSON of a record"
    }
  }

  /// `objects[2].box`.
  private static func member(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { member, key in
      if let index = key.intValue {
        member += "[\(index)]"
      } else {
        member += member.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is Double.Type, is Int.Type, is Int64.Type: "a number"
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any Collection.Type where "\(type)".hasPrefix("Array"): "a list"
    default: "an object"
    }
  }
}

/// The names of the members of JSON objects.
enum JSONMembers {
  /// The first name that two members of one object in a JSON text have: decoders read either of them.
  ///
  /// - Parameter text: valid JSON; of other text the result has no meaning.
  static func repeated(in text: ArraySlice<UInt8>) -> String? {
    /// The names in each object that is open; `nil` for an array.
    var open: [Set<[UInt8]>?] = []
    var isNameNext = false
    var position = text.startIndex
    while position < text.endIndex {
      switch text[position] {
      case UInt8(ascii: "{"):
        open.append([])
        isNameNext = true
      case UInt8(ascii: "["):
        open.append(nil)
        isNameNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ","): isNameNext = open.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let end = endOfString(in: text, after: position)
        if isNameNext, let level = open.indices.last {
          let name = unescaped(text[position..<end])
          guard open[level]?.insert(name).inserted == true else { return String(decoding: name, as: UTF8.self) }
          isNameNext = false
        }
        position = end
        continue
      default: break
      }
      position += 1
    }
    return nil
  }

  /// The position behind the closing quotation mark.
  private static func endOfString(in text: ArraySlice<UInt8>, after quote: Int) -> Int {
    var position = quote + 1
    while position < text.endIndex, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, text.endIndex)
  }

  /// A string without its quotation marks and escapes.
  private static func unescaped(_ string: ArraySlice<UInt8>) -> [UInt8] {
    guard string.contains(UInt8(ascii: "\\")) else { return Array(string.dropFirst().dropLast()) }
    return (try? JSONDecoder().decode(String.self, from: Data(string))).map { Array($0.utf8) } ?? Array(string)
  }
}

internal import VStreamScene

/// A line of records, as far as it is read back.
struct RecordLine: Decodable {
  struct Members: Decodable {
    var type: String
    var version: Int?
    var input: Input?
    var options: Options?
    var frame: WholeNumber<Int>?
    var ticks: WholeNumber<Int64>?
    var source: AnnotationSource?
    var shot: WholeNumber<Int>?
    /// The detectors' own results.
    var detections: RecordedObservations?
    var zones: [String: RecordedZone]?
    var lines: [String: RecordedCrossings]?
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
    /// Of an event.
    var event: String?
  }

  let members: Members
  /// `nil` for lines of other types than frames and late detections.
  var found: RecordedObservations?
  /// `nil` for lines of other types.
  var event: TrackEvent?
  /// `nil` for lines of other types.
  var summary: Summary?

  /// The last line, as far as it is read back.
  struct Summary: Decodable {
    var corruptPackets: Int
  }

  init(from decoder: any Decoder) throws {
    let kind = try Kind(from: decoder)
    let type = kind.type
    switch type {
    case "header": members = try HeaderMembers(from: decoder).members
    case "frame", "detections":
      members = try Members(from: decoder)
      found = try RecordedObservations(from: decoder)
    case "event":
      members = Members(type: type)
      if let name = kind.event, TrackEvent.Kind(rawValue: name) == nil { return }
      event = try TrackEvent(from: decoder)
    case "counts": members = try Members(from: decoder)
    case "summary":
      members = Members(type: type)
      summary = try? Summary(from: decoder)
    // Of types and events that later versions add, nothing is read.
    default: members = Members(type: type)
    }
  }

  /// The members of a header, whose zones and lines are points.
  private struct HeaderMembers: Decodable {
    var type: String
    var version: Int?
    var input: Input?
    var options: Options?

    var members: Members { Members(type: type, version: version, input: input, options: options) }
  }
}

/// The lists of observations by kind, which a line holds itself and under `detections`.
struct RecordedObservations: Decodable {
  private let found: Observations
  private let searched: [FrameSearch.Region]?

  private enum Key: CodingKey {
    case searched
  }

  init(from decoder: any Decoder) throws {
    found = try Observations(from: decoder)
    searched = try decoder.container(keyedBy: Key.self).decodeIfPresent([FrameSearch.Region].self, forKey: .searched)
  }

  /// - Parameter frame: the recorded frames' size.
  func observations(in frame: PixelSize) -> Observations {
    var found = found
    found.objectSearch = searched.map { FrameSearch(frame: frame, regions: $0) }
    return found
  }
}

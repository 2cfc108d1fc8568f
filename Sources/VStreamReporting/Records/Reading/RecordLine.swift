internal import VStreamScene

/// A line of records, as far as it is read back.
struct RecordLine: Decodable {
  struct Members: Decodable {
    var type: String
    var version: Int?
    var input: Input?
    var options: Options?
    var ticks: Int64?
    var source: AnnotationSource?
    /// The detectors' own results.
    var detections: RecordedLists?
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
  }

  let members: Members
  /// `nil` for lines of other types.
  let found: RecordedLists?

  init(from decoder: any Decoder) throws {
    let type = try Kind(from: decoder).type
    // Of types that later versions add, nothing is read.
    let isKnown = ["header", "frame", "detections"].contains(type)
    members = isKnown ? try Members(from: decoder) : Members(type: type)
    found = isKnown ? try RecordedLists(from: decoder) : nil
  }
}

/// The lists of observations by kind, which a line holds itself and under `detections`.
struct RecordedLists: Decodable {
  /// A list for each kind that was recorded.
  private let lists: [any RecordedList]
  /// Where objects were searched for: left, top, width, height, scale.
  private let searched: [[Double]]?

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func read<Kind: RecordedObservation>(_ kind: Kind.Type) throws -> (any RecordedList)? {
      try container.decodeIfPresent([Kind.Members].self, forKey: Key(Kind.kind)).map(ListOfKind<Kind>.init)
    }
    searched = try container.decodeIfPresent([[Double]].self, forKey: Key(stringValue: "searched"))
    lists = try DetectionKind.allCases.compactMap { try read($0.recordedType) }
  }

  /// - Parameter frame: the recorded frames' size.
  /// - Throws: `DamagedRecord` if members have invalid values.
  func observations(in frame: PixelSize) throws(DamagedRecord) -> Observations {
    var observations = Observations()
    for list in lists { try list.add(to: &observations) }
    observations.objectSearch = try search(in: frame)
    return observations
  }

  private func search(in frame: PixelSize) throws(DamagedRecord) -> FrameSearch? {
    guard let searched else { return nil }
    var search = FrameSearch(frame: frame, regions: [])
    for (index, numbers) in searched.enumerated() {
      let field = "searched[\(index)]"
      guard numbers.count == 5, numbers[4] > 0 else {
        throw DamagedRecord(field, "does not have five numbers, the last above 0")
      }
      let box = try Box(recorded: Array(numbers.prefix(4)), field)
      search.regions.append(FrameSearch.Region(box: box, scale: numbers[4]))
    }
    return search
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ kind: DetectionKind) { stringValue = kind.rawValue }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The list of one kind, whichever it is.
private protocol RecordedList {
  func add(to observations: inout Observations) throws(DamagedRecord)
}

private struct ListOfKind<Kind: RecordedObservation>: RecordedList {
  let members: [Kind.Members]

  func add(to observations: inout Observations) throws(DamagedRecord) {
    var list: [Kind] = []
    for (index, members) in members.enumerated() {
      let observation = try DamagedRecord.inside("\(Kind.kind.rawValue)[\(index)]") { () throws(DamagedRecord) in
        try Kind(members)
      }
      list.append(observation)
    }
    observations[Kind.self] = list
  }
}

internal import VStreamScene

/// The counts of a zone: by class inside now, in the line of a frame, or those of the whole run.
enum RecordedZone: Decodable {
  case inside([String: Int])
  case total(RegionCounts.InZone)

  private enum Key: CodingKey {
    case entered, dwellSeconds, longestDwellSeconds
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    // A class may be called `entered`, and has a number then.
    guard let entered = try? members.decode([String: Int].self, forKey: .entered) else {
      self = .inside(try [String: Int](from: decoder))
      return
    }
    var zone = RegionCounts.InZone(name: "")
    zone.entered = entered
    zone.dwellSeconds = try members.decode([String: Double].self, forKey: .dwellSeconds)
    zone.longestDwellSeconds = try members.decode([String: Double].self, forKey: .longestDwellSeconds)
    self = .total(zone)
  }

  func counts(name: String) -> RegionCounts.InZone {
    var zone = RegionCounts.InZone(name: name)
    switch self {
    case .inside(let counts): zone.inside = counts
    case .total(let total):
      zone = total
      zone.name = name
    }
    return zone
  }
}

/// The crossings of a line by class.
struct RecordedCrossings: Decodable {
  let toRight: [String: Int]
  let toLeft: [String: Int]

  func counts(name: String) -> RegionCounts.AcrossLine {
    var line = RegionCounts.AcrossLine(name: name)
    (line.toRight, line.toLeft) = (toRight, toLeft)
    return line
  }
}

extension RecordLine.Members {
  /// The counts of zones and lines by name; `nil` if there are none.
  var counts: RegionCounts? {
    if zones == nil, lines == nil { return nil }
    return RegionCounts(
      zones: (zones ?? [:]).sorted { $0.key < $1.key }.map { $1.counts(name: $0) },
      lines: (lines ?? [:]).sorted { $0.key < $1.key }.map { $1.counts(name: $0) })
  }
}

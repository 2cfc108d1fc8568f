internal import VStreamScene
internal import VStreamSystem

/// The JSON of zones and lines.
extension JSONRecord {
  /// Adds the points of each zone or line; nothing if there are none.
  static func add(_ key: String, _ regions: [RecordHeader.Region], to json: inout TextBuffer) {
    if regions.isEmpty { return }
    json.addObject(key) { all in
      for region in regions {
        all.addList(region.name) { points in
          for point in region.points { Precision.rounded.add(point, to: &points) }
        }
      }
    }
  }

  /// Adds the counts of the whole run.
  static func add(_ counts: RegionCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "counts")
      if !counts.zones.isEmpty {
        json.addObject("zones") { zones in
          for zone in counts.zones {
            zones.addObject(zone.name) { members in
              add("entered", zone.entered, to: &members)
              add("dwellSeconds", zone.dwellSeconds, to: &members)
              add("longestDwellSeconds", zone.longestDwellSeconds, to: &members)
            }
          }
        }
      }
      addLines(of: counts, to: &json)
    }
  }

  /// Adds the objects inside each zone now, and the crossings so far.
  static func addCurrent(_ counts: RegionCounts, to json: inout TextBuffer) {
    if !counts.zones.isEmpty {
      json.addObject("zones") { zones in for zone in counts.zones { add(zone.name, zone.inside, to: &zones) } }
    }
    addLines(of: counts, to: &json)
  }

  private static func addLines(of counts: RegionCounts, to json: inout TextBuffer) {
    guard !counts.lines.isEmpty else { return }
    json.addObject("lines") { lines in
      for line in counts.lines {
        lines.addObject(line.name) { directions in
          add("toRight", line.toRight, to: &directions)
          add("toLeft", line.toLeft, to: &directions)
        }
      }
    }
  }

  private static func add(_ name: String, _ counts: [String: Int], to json: inout TextBuffer) {
    json.addObject(name) { all in
      for (label, count) in counts.sorted(by: { $0.key < $1.key }) { all.add(label, count) }
    }
  }

  private static func add(_ name: String, _ times: [String: Double], to json: inout TextBuffer) {
    json.addObject(name) { all in
      for (label, time) in times.sorted(by: { $0.key < $1.key }) { all.add(label, time, places: 3) }
    }
  }
}

internal import VStreamScene
internal import VStreamSystem

/// The JSON of observations.
extension JSONRecord {
  /// The precision of the numbers of observations.
  enum Precision {
    /// At most two decimals for pixels, and four for scores and angles.
    case rounded
    /// All digits, so that a tracker that reads them back gives the same result.
    case exact

    func addScore(_ key: String, _ value: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(value, places: 4, to: &json)
    }

    func addPixels(_ key: String, _ value: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(value, places: 2, to: &json)
    }

    func add(_ key: String, _ box: Box, to json: inout TextBuffer) {
      json.addKey(key)
      json.addList { list in
        addElement(box.x, to: &list)
        addElement(box.y, to: &list)
        addElement(box.width, to: &list)
        addElement(box.height, to: &list)
      }
    }

    func add(_ point: Point, to list: inout TextBuffer) {
      list.addList { list in
        addElement(point.x, to: &list)
        addElement(point.y, to: &list)
      }
    }

    private func addElement(_ pixels: Double, to list: inout TextBuffer) {
      list.separate()
      append(pixels, places: 2, to: &list)
    }

    private func append(_ value: Double, places: Int, to text: inout TextBuffer) {
      if self == .exact { text.appendExactly(value) } else { text.append(value, places: places) }
    }
  }

  /// Adds a list for each kind that was detected.
  ///
  /// - Parameter isPredicted: whether each entry is marked as predicted.
  static func add(
    _ observations: Observations, _ precision: Precision, isPredicted: Bool = false, to json: inout TextBuffer
  ) {
    func add<Kind: RecordedObservation>(_ kind: Kind.Type, to json: inout TextBuffer) {
      guard let list = observations[kind] else { return }
      json.addList(Kind.kind.rawValue) { all in
        for observation in list {
          all.addObject { json in
            if let id = observation.id { json.add("id", id) }
            observation.addMembers(precision, to: &json)
            if isPredicted || observation.isPredicted { json.add("predicted", true) }
          }
        }
      }
    }
    for kind in DetectionKind.allCases { add(kind.recordedType, to: &json) }
  }
}

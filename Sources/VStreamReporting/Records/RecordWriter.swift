public import VStreamScene

/// What records say of a run before its first frame.
public struct RecordHeader: Sendable {
  /// An option of the run that changes what is found.
  public enum OptionValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case integer(Int)
    case list([String])
    case flag(Bool)
  }

  /// The input's file name, without its folder.
  public var inputName: String
  /// Of the upright frame.
  public var size: PixelSize
  /// Clockwise degrees by which the input said that its frames are to be turned.
  public var rotation: Int
  public var timeBase: Rational
  public var frameRate: Rational?
  /// In the order in which they are to be listed.
  public var options: [(name: String, value: OptionValue)]

  public init(
    inputName: String, size: PixelSize, rotation: Int, timeBase: Rational, frameRate: Rational?,
    options: [(name: String, value: OptionValue)]
  ) {
    self.inputName = inputName
    self.size = size
    self.rotation = rotation
    self.timeBase = timeBase
    self.frameRate = frameRate
    self.options = options
  }
}

/// What the records of a run say of one frame.
public struct FrameRecord: Hashable, Sendable {
  public var annotations: FrameAnnotations
  /// What the detectors themselves found in it; `nil` if that is not to be recorded, or if none had looked in time.
  public var detections: Observations?
  /// What detectors found too late in earlier frames, that came since the last frame.
  public var late: [TimedObservations] = []
  /// What happened to tracks.
  public var events: [TrackEvent] = []
  /// What was counted up to this frame; `nil` where nothing is.
  public var counts: RegionCounts?

  public init(_ annotations: FrameAnnotations) { self.annotations = annotations }
}

/// A kind of file that a run's records are written to.
public enum RecordFormat: String, CaseIterable, Hashable, Sendable {
  case jsonLines = ".jsonl"
  case kitti = ".kitti.txt"
  case motChallenge = ".txt"
  case csv = ".csv"
  case webVTT = ".vtt"
  case coco = ".json"

  /// - Throws: `VStreamError.usage` for a file name that ends in none of the formats' names.
  public init(path: String) throws(VStreamError) {
    guard let format = Self.allCases.first(where: { path.lowercased().hasSuffix($0.rawValue) }) else {
      throw VStreamError(
        .usage, "the format of the records is not known by the name '\(path)' (\(.records))", setting: .records, value: path,
        remedy: "end it in .jsonl, .txt (MOTChallenge), .csv, .vtt, .json (COCO) or .kitti.txt")
    }
    self = format
  }

  fileprivate var form: any RecordEncoder {
    switch self {
    case .jsonLines: JSONLinesEncoder()
    case .motChallenge: MOTEncoder()
    case .csv: CSVEncoder()
    case .webVTT: WebVTTEncoder()
    case .coco: COCOEncoder()
    case .kitti: KITTIEncoder()
    }
  }
}

/// Writes a run's records to a file: header, frames in their order, summary.
///
/// One owner at a time. Same values, same bytes.
public struct RecordWriter {
  private var form: any RecordEncoder
  private let file: TextFile
  /// What is written next.
  private var text = TextBuffer()

  /// - Throws: `VStreamError`: `usage` for an unknown format, `cannotCreateOutput`.
  public init(path: String) throws(VStreamError) {
    form = try RecordFormat(path: path).form
    file = try TextFile(creating: path)
  }

  public mutating func write(_ header: RecordHeader) throws(VStreamError) {
    form.begin(header, in: &text)
    try writeText()
  }

  public mutating func write(_ record: FrameRecord) throws(VStreamError) {
    form.add(record, to: &text)
    try writeText()
  }

  /// Writes what happened to tracks, where the format has a place for it.
  public mutating func write(_ events: [TrackEvent]) throws(VStreamError) {
    form.add(events, to: &text)
    try writeText()
  }

  /// Writes what was counted in the whole run, where the format has a place for it.
  public mutating func write(_ counts: RegionCounts) throws(VStreamError) {
    form.add(counts, to: &text)
    try writeText()
  }

  /// Writes the summary and closes the file.
  public mutating func finish(_ counts: RunCounts) throws(VStreamError) {
    form.end(counts, in: &text)
    try writeText()
    try file.close()
  }

  private mutating func writeText() throws(VStreamError) {
    defer { text.removeAll() }
    try file.write(text.bytes)
  }
}

/// The lines of a `.jsonl` file, without their ends.
enum JSONRecord {
  static func add(_ header: RecordHeader, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "header")
      json.add("version", 1)
      json.addObject("input") { input in
        input.add("name", header.inputName)
        input.add("width", header.size.width)
        input.add("height", header.size.height)
        input.add("rotation", header.rotation)
        input.add("timeBase", header.timeBase.description)
        if let rate = header.frameRate { input.add("frameRate", rate.description) }
      }
      json.addObject("options") { options in
        for (name, value) in header.options { add(name, value, to: &options) }
      }
    }
  }

  static func add(_ name: String, _ value: RecordHeader.OptionValue, to json: inout TextBuffer) {
    switch value {
    case .text(let text): json.add(name, text)
    case .number(let number): json.add(name, number, places: 6)
    case .integer(let number): json.add(name, number)
    case .list(let list): json.addList(name) { all in for text in list { all.addText(text) } }
    case .flag(let isSet): json.add(name, isSet)
    }
  }

  static func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    text.addObject { json in
      json.add("type", "frame")
      json.add("frame", annotations.frame)
      json.add("pts", annotations.time.seconds, places: 6)
      json.add("ticks", Int(annotations.time.ticks))
      json.add("source", annotations.source.rawValue)
      add(annotations.found, .rounded, isPredicted: annotations.source == .predicted, to: &json)
      if let counts = record.counts { add(inside: counts, to: &json) }
      if let detections = record.detections {
        json.addObject("detections") { add(detections, .all, to: &$0) }
      }
    }
  }

  /// What was found in a frame that had left before.
  static func add(_ late: TimedObservations, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "detections")
      json.add("pts", late.time.seconds, places: 6)
      json.add("ticks", Int(late.time.ticks))
      add(late.found, .all, to: &json)
    }
  }

  static func add(_ event: TrackEvent, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "event")
      json.add("event", event.kind.rawValue)
      json.add("id", event.id)
      json.add("label", event.label)
      json.add("pts", event.time, places: 6)
    }
  }

  static func add(_ counts: RunCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "summary")
      counts.add(to: &json)
    }
  }
}

// MARK: - What is counted in zones and at lines

extension JSONRecord {
  /// What was counted in the whole run.
  static func add(_ counts: RegionCounts, to text: inout TextBuffer) {
    text.addObject { json in
      json.add("type", "counts")
      if !counts.zones.isEmpty {
        json.addObject("zones") { zones in
          for zone in counts.zones {
            zones.addObject(zone.name) { parts in
              add("entered", zone.entered, to: &parts)
              add("dwellSeconds", zone.dwellSeconds, to: &parts)
              add("longestDwellSeconds", zone.longestDwellSeconds, to: &parts)
            }
          }
        }
      }
      addLines(of: counts, to: &json)
    }
  }

  /// What was counted up to a frame.
  private static func add(inside counts: RegionCounts, to json: inout TextBuffer) {
    if !counts.zones.isEmpty {
      json.addObject("zones") { zones in for zone in counts.zones { add(zone.name, zone.inside, to: &zones) } }
    }
    addLines(of: counts, to: &json)
  }

  private static func addLines(of counts: RegionCounts, to json: inout TextBuffer) {
    guard !counts.lines.isEmpty else { return }
    json.addObject("lines") { lines in
      for line in counts.lines {
        lines.addObject(line.name) { ways in
          add("toRight", line.toRight, to: &ways)
          add("toLeft", line.toLeft, to: &ways)
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

// MARK: - What was found

extension JSONRecord {
  /// How exactly things are written down.
  private enum Digits {
    /// As the contract has it: pixels with 2 decimals, scores and angles with 4.
    case rounded
    /// To the last digit, so that a tracker makes the same of it when it is read back.
    case all

    func add(_ key: String, score: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(score, places: 4, to: &json)
    }

    func add(_ key: String, pixels: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(pixels, places: 2, to: &json)
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
      if self == .all { text.appendExactly(value) } else { text.append(value, places: places) }
    }
  }

  private static func add(
    _ found: Observations, _ digits: Digits, isPredicted: Bool = false, to json: inout TextBuffer
  ) {
    if let objects = found.objects {
      json.addList("objects") { all in for object in objects { add(object, digits, isPredicted, to: &all) } }
    }
    if let faces = found.faces {
      json.addList("faces") { all in for face in faces { add(face, digits, isPredicted, to: &all) } }
    }
    if let poses = found.poses {
      json.addList("poses") { all in for pose in poses { add(pose, digits, isPredicted, to: &all) } }
    }
  }

  private static func add(_ object: DetectedObject, _ digits: Digits, _ isPredicted: Bool, to list: inout TextBuffer) {
    list.addObject { json in
      if let id = object.id { json.add("id", id) }
      json.add("label", object.label)
      digits.add("score", score: object.score, to: &json)
      if let category = object.category {
        json.add("category", category.category.rawValue)
        digits.add("categoryScore", score: category.score, to: &json)
      }
      digits.add("box", object.box, to: &json)
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func add(_ face: DetectedFace, _ digits: Digits, _ isPredicted: Bool, to list: inout TextBuffer) {
    list.addObject { json in
      if let id = face.id { json.add("id", id) }
      digits.add("score", score: face.score, to: &json)
      digits.add("box", face.box, to: &json)
      if let angles = face.angles {
        json.addObject("angles") { all in
          digits.add("x", score: angles.x, to: &all)
          digits.add("y", score: angles.y, to: &all)
          digits.add("z", score: angles.z, to: &all)
        }
      }
      if let landmarks = face.landmarks {
        json.addObject("landmarks") { all in
          for landmark in landmarks {
            all.addKey(landmark.kind.rawValue)
            digits.add(landmark.position, to: &all)
          }
        }
      }
      if let contours = face.contours {
        json.addObject("contours") { all in
          for contour in contours {
            all.addList(contour.kind.rawValue) { points in
              for point in contour.points { digits.add(point, to: &points) }
            }
          }
        }
      }
      if let share = face.smiling { digits.add("smiling", score: share, to: &json) }
      if let share = face.leftEyeOpen { digits.add("leftEyeOpen", score: share, to: &json) }
      if let share = face.rightEyeOpen { digits.add("rightEyeOpen", score: share, to: &json) }
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func add(_ pose: DetectedPose, _ digits: Digits, _ isPredicted: Bool, to list: inout TextBuffer) {
    list.addObject { json in
      if let id = pose.id { json.add("id", id) }
      digits.add("score", score: pose.score, to: &json)
      digits.add("box", pose.box, to: &json)
      json.addList("landmarks") { all in for landmark in pose.landmarks { add(landmark, digits, to: &all) } }
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func add(_ landmark: PoseLandmark, _ digits: Digits, to list: inout TextBuffer) {
    list.addObject { json in
      json.add("type", landmark.kind.rawValue)
      digits.add("x", pixels: landmark.position.x, to: &json)
      digits.add("y", pixels: landmark.position.y, to: &json)
      digits.add("z", pixels: landmark.z, to: &json)
      digits.add("inFrameLikelihood", score: landmark.inFrameLikelihood, to: &json)
    }
  }
}

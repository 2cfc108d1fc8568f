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
        .usage, "the format of the records cannot be told from the name '\(path)' (--records)",
        remedy: "end it in .jsonl, .txt (MOTChallenge), .csv, .vtt, .json (COCO) or .kitti.txt")
    }
    self = format
  }

  fileprivate var form: any RecordForm {
    switch self {
    case .jsonLines: JSONLinesForm()
    case .motChallenge: MOTForm()
    case .csv: CSVForm()
    case .webVTT: WebVTTForm()
    case .coco: COCOForm()
    case .kitti: KITTIForm()
    }
  }
}

/// Writes a run's records to a file: header, frames in their order, summary.
///
/// One owner at a time. Same values, same bytes.
public struct RecordWriter {
  private var form: any RecordForm
  private let file: TextFile

  /// - Throws: `VStreamError`: `usage` for an unknown format, `cannotCreateOutput`.
  public init(path: String) throws(VStreamError) {
    form = try RecordFormat(path: path).form
    file = try TextFile(creating: path)
  }

  public mutating func write(_ header: RecordHeader) throws(VStreamError) {
    try file.write(Array(form.begin(header).utf8))
  }

  public mutating func write(_ record: FrameRecord) throws(VStreamError) {
    try file.write(Array(form.text(of: record).utf8))
  }

  /// Writes what happened to tracks, where the format has a place for it.
  public mutating func write(_ events: [TrackEvent]) throws(VStreamError) {
    try file.write(Array(form.text(of: events).utf8))
  }

  /// Writes what was counted in the whole run, where the format has a place for it.
  public mutating func write(_ counts: RegionCounts) throws(VStreamError) {
    try file.write(Array(form.text(of: counts).utf8))
  }

  /// Writes the summary and closes the file.
  public mutating func finish(_ counts: RunCounts) throws(VStreamError) {
    try file.write(Array(form.end(counts).utf8))
    try file.close()
  }
}

/// The lines of a `.jsonl` file.
enum JSONRecord {
  static func line(_ header: RecordHeader) -> String {
    JSONText.object { json in
      json.add("type", "header")
      json.add("version", 1)
      json.addRaw(
        "input",
        JSONText.object { input in
          input.add("name", header.inputName)
          input.add("width", header.size.width)
          input.add("height", header.size.height)
          input.add("rotation", header.rotation)
          input.add("timeBase", header.timeBase.description)
          if let rate = header.frameRate { input.add("frameRate", rate.description) }
        })
      json.addRaw(
        "options",
        JSONText.object { options in
          for (name, value) in header.options { add(name, value, to: &options) }
        })
    }
  }

  static func add(_ name: String, _ value: RecordHeader.OptionValue, to json: inout JSONText) {
    switch value {
    case .text(let text): json.add(name, text)
    case .number(let number): json.add(name, number, places: 6)
    case .integer(let number): json.add(name, number)
    case .list(let list): json.add(name, list: list.map(JSONText.quoted))
    case .flag(let isSet): json.add(name, isSet)
    }
  }

  static func line(_ record: FrameRecord) -> String {
    let annotations = record.annotations
    return JSONText.object { json in
      json.add("type", "frame")
      json.add("frame", annotations.frame)
      json.add("pts", annotations.time.seconds, places: 6)
      json.addRaw("ticks", "\(annotations.time.ticks)")
      json.add("source", annotations.source.rawValue)
      add(annotations.found, Digits.rounded, isPredicted: annotations.source == .predicted, to: &json)
      if let counts = record.counts { add(counts, to: &json) }
      if let detections = record.detections {
        json.addRaw("detections", JSONText.object { add(detections, Digits.all, to: &$0) })
      }
    }
  }

  /// What was found in a frame that had left before.
  static func line(_ late: TimedObservations) -> String {
    JSONText.object { json in
      json.add("type", "detections")
      json.add("pts", late.time.seconds, places: 6)
      json.addRaw("ticks", "\(late.time.ticks)")
      add(late.found, Digits.all, to: &json)
    }
  }

  private static func add(_ counts: RegionCounts, to json: inout JSONText) {
    if !counts.zones.isEmpty {
      json.addRaw("zones", members(counts.zones.map { ($0.name, numbers($0.inside)) }))
    }
    if !counts.lines.isEmpty {
      json.addRaw(
        "lines",
        members(
          counts.lines.map { line in
            (line.name, members([("toRight", numbers(line.toRight)), ("toLeft", numbers(line.toLeft))]))
          }))
    }
  }

  /// What was counted in the whole run.
  static func line(_ counts: RegionCounts) -> String {
    JSONText.object { json in
      json.add("type", "counts")
      if !counts.zones.isEmpty {
        json.addRaw(
          "zones",
          members(
            counts.zones.map { zone in
              let seconds = { (times: [String: Double]) in
                members(
                  times.sorted { $0.key < $1.key }.map { label, time in
                    (label, JSONText.number(time, places: 3))
                  })
              }
              let parts = [
                ("entered", numbers(zone.entered)), ("dwellSeconds", seconds(zone.dwellSeconds)),
                ("longestDwellSeconds", seconds(zone.longestDwellSeconds)),
              ]
              return (zone.name, members(parts))
            }))
      }
      add(RegionCounts(zones: [], lines: counts.lines), to: &json)
    }
  }

  /// An object of members that are JSON already, in their order.
  private static func members(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { "\(JSONText.quoted($0.name)):\($0.value)" }.joined(separator: ",") + "}"
  }

  private static func numbers(_ counts: [String: Int]) -> String {
    members(counts.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })
  }

  static func line(_ event: TrackEvent) -> String {
    JSONText.object { json in
      json.add("type", "event")
      json.add("event", event.kind.rawValue)
      json.add("id", event.id)
      json.add("label", event.label)
      json.add("pts", event.time, places: 6)
    }
  }

  /// How exactly things are written down.
  private enum Digits {
    /// As the contract has it: pixels with 2 decimals, scores and angles with 4.
    case rounded
    /// To the last digit, so that a tracker makes the same of it when it is read back.
    case all

    func pixels(_ value: Double) -> String { number(value, places: 2) }
    func score(_ value: Double) -> String { number(value, places: 4) }

    private func number(_ value: Double, places: Int) -> String {
      self == .all ? JSONText.exactly(value) : JSONText.number(value, places: places)
    }

    func pixels(_ box: Box) -> [String] { [box.x, box.y, box.width, box.height].map(pixels) }
    func pixels(_ point: Point) -> [String] { [point.x, point.y].map(pixels) }
  }

  private static func add(
    _ found: Observations, _ digits: Digits, isPredicted: Bool = false, to json: inout JSONText
  ) {
    if let objects = found.objects {
      json.add("objects", list: objects.map { text(of: $0, digits, isPredicted: isPredicted) })
    }
    if let faces = found.faces {
      json.add("faces", list: faces.map { text(of: $0, digits, isPredicted: isPredicted) })
    }
    if let poses = found.poses {
      json.add("poses", list: poses.map { text(of: $0, digits, isPredicted: isPredicted) })
    }
  }

  private static func text(of object: DetectedObject, _ digits: Digits, isPredicted: Bool) -> String {
    JSONText.object { json in
      if let id = object.id { json.add("id", id) }
      json.add("label", object.label)
      json.addRaw("score", digits.score(object.score))
      if let category = object.category {
        json.add("category", category.category.rawValue)
        json.addRaw("categoryScore", digits.score(category.score))
      }
      json.add("box", list: digits.pixels(object.box))
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func text(of face: DetectedFace, _ digits: Digits, isPredicted: Bool) -> String {
    JSONText.object { json in
      if let id = face.id { json.add("id", id) }
      json.addRaw("score", digits.score(face.score))
      json.add("box", list: digits.pixels(face.box))
      if let angles = face.angles {
        json.addRaw(
          "angles", members([("x", angles.x), ("y", angles.y), ("z", angles.z)].map { ($0, digits.score($1)) }))
      }
      if let landmarks = face.landmarks {
        json.addRaw(
          "landmarks",
          JSONText.object { all in
            for landmark in landmarks { all.add(landmark.kind.rawValue, list: digits.pixels(landmark.position)) }
          })
      }
      if let contours = face.contours {
        json.addRaw(
          "contours",
          JSONText.object { all in
            for contour in contours {
              all.add(
                contour.kind.rawValue, list: contour.points.map { "[\(digits.pixels($0).joined(separator: ","))]" })
            }
          })
      }
      let shares = [
        ("smiling", face.smiling), ("leftEyeOpen", face.leftEyeOpen), ("rightEyeOpen", face.rightEyeOpen),
      ]
      for case (let name, let share?) in shares { json.addRaw(name, digits.score(share)) }
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func text(of pose: DetectedPose, _ digits: Digits, isPredicted: Bool) -> String {
    JSONText.object { json in
      if let id = pose.id { json.add("id", id) }
      json.addRaw("score", digits.score(pose.score))
      json.add("box", list: digits.pixels(pose.box))
      json.add("landmarks", list: pose.landmarks.map { text(of: $0, digits) })
      if isPredicted { json.add("predicted", true) }
    }
  }

  private static func text(of landmark: PoseLandmark, _ digits: Digits) -> String {
    JSONText.object { json in
      json.add("type", landmark.kind.rawValue)
      json.addRaw("x", digits.pixels(landmark.position.x))
      json.addRaw("y", digits.pixels(landmark.position.y))
      json.addRaw("z", digits.pixels(landmark.z))
      json.addRaw("inFrameLikelihood", digits.score(landmark.inFrameLikelihood))
    }
  }

  static func line(_ counts: RunCounts) -> String {
    JSONText.object { json in
      json.add("type", "summary")
      counts.add(to: &json)
    }
  }
}

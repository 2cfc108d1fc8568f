internal import FoundationEssentials
public import VStreamScene

/// The records of an earlier run (`.jsonl`), read back frame by frame in their order.
///
/// One owner at a time. Holds a line at a time, however long the file is.
public struct RecordReader {
  /// What was known of a frame.
  public struct Frame: Hashable, Sendable {
    public var time: Time
    public var source: AnnotationSource
    /// As it was reported, with IDs. The classes' indices are places in `labels`.
    public var found: Observations
    /// What the detector itself found in it; `nil` if that is not recorded, or if it had not looked in time.
    public var detections: Observations?
    /// What the detector found too late in earlier frames, recorded before this one.
    public var late: [TimedObservations] = []
  }

  /// Of the upright frames that were looked at.
  public let size: PixelSize
  /// Whether the detectors' own findings are recorded (`--record-detections`).
  public let hasDetections: Bool
  /// What was looked for, as `--detect` names it.
  public let kinds: Set<String>
  /// The classes that were looked for; `nil` for all.
  public let classes: Set<String>?
  /// The names of classes, by their indices; grows with what is read.
  public private(set) var labels: [String]
  private let file: ReadableFile
  private let timeBase: Rational
  private var bytes: [UInt8] = []
  private var position = 0
  private var lineNumber = 0

  /// - Parameter labels: class names whose indices are known.
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if the file does not begin with a header of records.
  public init(path: String, labels: [String]) throws(VStreamError) {
    file = try ReadableFile(path)
    self.labels = labels
    let decoded = try Self.nextLine(of: file, &bytes, &position, &lineNumber).flatMap { try? Self.decode($0) }
    guard let header = decoded, header.type == "header", let input = header.input else {
      throw VStreamError(
        .unreadableInput, "'\(path)' does not hold records of vstream's", subject: path,
        remedy: "give a .jsonl file that \(.records) wrote")
    }
    guard header.version == 1 else {
      throw VStreamError(
        .unreadableInput, "'\(path)' holds records of version \(header.version ?? 0), of which nothing is known here",
        remedy: "take the vstream that wrote them, or a newer one")
    }
    let parts = input.timeBase.split(separator: "/").compactMap { Int32($0) }
    guard parts.count == 2, let base = Rational(parts[0], parts[1]), base.value > 0, input.width > 0, input.height > 0
    else { throw Self.fault(path, line: lineNumber, "the input's size or time base") }
    timeBase = base
    size = PixelSize(width: input.width, height: input.height)
    hasDetections = header.options?.recordDetections ?? false
    kinds = Set(header.options?.detect ?? [])
    classes = header.options?.classes.map { Set($0) }
  }

  /// The next frame; `nil` at the end.
  ///
  /// - Throws: `VStreamError`: `unreadableInput` for a line that is not a record, named by its number; `inputOutput`.
  public mutating func next() throws(VStreamError) -> Frame? {
    var late: [TimedObservations] = []
    while let line = try Self.nextLine(of: file, &bytes, &position, &lineNumber) {
      let record: RecordLine
      do {
        record = try Self.decode(line)
      } catch {
        // The last line of a run that was cut off.
        if isCutOff { return nil }
        throw Self.fault(file.path, line: lineNumber, "JSON of a record")
      }
      switch record.type {
      case "frame":
        guard let time = time(of: record), let source = record.source else {
          throw Self.fault(file.path, line: lineNumber, "a frame's ticks or source")
        }
        let found = try observations(record.found)
        let detections = try record.detections.map { found throws(VStreamError) in
          try observations(found)
        }
        return Frame(time: time, source: source, found: found, detections: detections, late: late)
      case "detections":
        guard let time = time(of: record) else { throw Self.fault(file.path, line: lineNumber, "ticks") }
        late.append(TimedObservations(time: time, found: try observations(record.found)))
      default: continue  // the summary, events, and what later versions add
      }
    }
    return nil
  }

  private func time(of record: RecordLine) -> Time? { record.ticks.map { Time(ticks: $0, base: timeBase) } }

  /// Whether the file's last line was read, and has no end.
  private var isCutOff: Bool { !bytes.isEmpty && position == bytes.count && bytes.last != Self.newline }

  private mutating func observations(_ recorded: RecordLine.Findings) throws(VStreamError) -> Observations {
    var found = Observations()
    found.objects = try recorded.objects?.map { object throws(VStreamError) in
      var detected = DetectedObject(
        id: object.id, classIndex: index(of: object.label), label: object.label, score: object.score,
        box: try box(object.box))
      // One that a later version knows is of none that is known here.
      detected.category = object.category.map { name in
        CategoryLabel(ObjectCategory(rawValue: name) ?? .unknown, score: object.categoryScore ?? 0)
      }
      return detected
    }
    found.faces = try recorded.faces?.map { face throws(VStreamError) in try self.face(face) }
    found.poses = try recorded.poses?.map { pose throws(VStreamError) in try self.pose(pose) }
    return found
  }

  private func face(_ recorded: RecordLine.Face) throws(VStreamError) -> DetectedFace {
    var face = DetectedFace(id: recorded.id, score: recorded.score, box: try box(recorded.box))
    face.angles = recorded.angles
    face.landmarks = try FaceLandmark.Kind.allCases.taken(from: recorded.landmarks) {
      kind, numbers throws(VStreamError) in
      FaceLandmark(kind, at: try point(numbers))
    }
    face.contours = try FaceContour.Kind.allCases.taken(from: recorded.contours) {
      kind, points throws(VStreamError) in
      FaceContour(kind, points: try points.map { numbers throws(VStreamError) in try point(numbers) })
    }
    (face.smiling, face.leftEyeOpen, face.rightEyeOpen) = (
      recorded.smiling, recorded.leftEyeOpen, recorded.rightEyeOpen
    )
    return face
  }

  private func pose(_ recorded: RecordLine.Pose) throws(VStreamError) -> DetectedPose {
    let landmarks = recorded.landmarks.compactMap { landmark in
      PoseLandmark.Kind(rawValue: landmark.type).map { kind in
        PoseLandmark(
          kind, at: Point(x: landmark.x, y: landmark.y), z: landmark.z, inFrameLikelihood: landmark.inFrameLikelihood)
      }
    }
    return DetectedPose(id: recorded.id, score: recorded.score, box: try box(recorded.box), landmarks: landmarks)
  }

  private func box(_ numbers: [Double]) throws(VStreamError) -> Box {
    guard numbers.count == 4 else { throw Self.fault(file.path, line: lineNumber, "a box of four numbers") }
    return Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  private func point(_ numbers: [Double]) throws(VStreamError) -> Point {
    guard numbers.count == 2 else { throw Self.fault(file.path, line: lineNumber, "a point of two numbers") }
    return Point(x: numbers[0], y: numbers[1])
  }

  private mutating func index(of label: String) -> Int {
    if let known = labels.firstIndex(of: label) { return known }
    labels.append(label)
    return labels.count - 1
  }

  private static func decode(_ line: ArraySlice<UInt8>) throws -> RecordLine {
    try JSONDecoder().decode(RecordLine.self, from: Data(line))
  }

  private static func fault(_ path: String, line: Int, _ what: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "line \(line) of '\(path)' is damaged: \(what) cannot be read", remedy: "record it anew")
  }

  private static let newline = UInt8(ascii: "\n")

  /// The next line that is not empty; `nil` at the end.
  private static func nextLine(
    of file: ReadableFile, _ bytes: inout [UInt8], _ position: inout Int, _ number: inout Int
  ) throws(VStreamError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = bytes[searched...].firstIndex(of: newline) {
        let line = bytes[position..<end]
        position = end + 1
        number += 1
        if !line.isEmpty { return line }
        searched = position
        continue
      }
      bytes.removeFirst(position)
      searched = bytes.count
      position = 0
      guard try !file.read(into: &bytes) else { continue }
      guard !bytes.isEmpty else { return nil }
      // A file that was cut off ends without one.
      number += 1
      position = bytes.count
      return bytes[...]
    }
  }
}

/// A line of records: what of it is read back.
private struct RecordLine: Decodable {
  struct Input: Decodable {
    var width: Int
    var height: Int
    var timeBase: String
  }

  struct Options: Decodable {
    var detect: [String]?
    var recordDetections: Bool?
    var classes: [String]?
  }

  struct Object: Decodable {
    var id: Int?
    var label: String
    var score: Double
    var box: [Double]
    var category: String?
    var categoryScore: Double?
  }

  struct Face: Decodable {
    var id: Int?
    var score: Double
    var box: [Double]
    var angles: HeadAngles?
    var landmarks: [String: [Double]]?
    var contours: [String: [[Double]]]?
    var smiling: Double?
    var leftEyeOpen: Double?
    var rightEyeOpen: Double?
  }

  struct Pose: Decodable {
    struct Landmark: Decodable {
      var type: String
      var x: Double
      var y: Double
      var z: Double
      var inFrameLikelihood: Double
    }

    var id: Int?
    var score: Double
    var box: [Double]
    var landmarks: [Landmark]
  }

  /// What was found, whether it stands in the line itself or in a part of it.
  struct Findings: Decodable {
    var objects: [Object]?
    var faces: [Face]?
    var poses: [Pose]?
  }

  var type: String
  var version: Int?
  var input: Input?
  var options: Options?
  var ticks: Int64?
  var source: AnnotationSource?
  var objects: [Object]?
  var faces: [Face]?
  var poses: [Pose]?
  var detections: Findings?

  var found: Findings { Findings(objects: objects, faces: faces, poses: poses) }
}

extension Array where Element: RawRepresentable<String> {
  /// What a table has under these names, in their order; `nil` if there is no table.
  fileprivate func taken<Value, Made>(
    from table: [String: Value]?, _ make: (Element, Value) throws(VStreamError) -> Made
  ) throws(VStreamError) -> [Made]? {
    guard let table else { return nil }
    var made: [Made] = []
    for name in self {
      if let value = table[name.rawValue] { made.append(try make(name, value)) }
    }
    return made
  }
}

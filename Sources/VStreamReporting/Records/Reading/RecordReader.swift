internal import FoundationEssentials
public import VStreamScene

/// Reads the records of an earlier run (`.jsonl`) back, frame by frame in their order.
///
/// Not thread-safe. Holds one line at a time, however large the file is.
public struct RecordReader {
  /// The recorded facts about one frame.
  public struct Frame: Hashable, Sendable {
    /// The number of its line, from 1.
    public var line: Int
    public var time: Time
    public var source: AnnotationSource
    /// The reported observations, with IDs. Class indices refer to `labels`.
    public var found: Observations
    /// The detectors' own results; `nil` if they were not recorded, or not ready in time.
    public var detections: Observations?
    /// Detections of earlier frames that became ready late, recorded before this frame.
    public var late: [TimedObservations] = []
  }

  /// The input's file name, without its folder; `nil` if it is not stated.
  public let inputName: String?
  /// Size of the upright frames.
  public let size: PixelSize
  /// The input's declared rotation, in clockwise degrees.
  public let rotation: Int
  /// Whether the detectors' own results are recorded.
  public let hasDetections: Bool
  /// The detected kinds, by the raw values of `DetectionKind`.
  public let kinds: Set<String>
  /// The detected classes; `nil` for all.
  public let classes: Set<String>?
  /// The object model's name, and the score that started a track; `nil` if no objects were detected.
  public let objectModel: String?
  public let minimumScore: Double?
  /// Runs of the object network for a frame, on average; `nil` if whole frames were searched.
  public let passes: Double?
  /// Whether tiles of whole frames were searched as well.
  public let isAccurate: Bool
  /// On which frames detectors were run, as the options of the run gave it: a number of frames, or `auto`; `nil` if it is not recorded.
  public let detectEvery: String?
  /// The options of the run that affect how detections become tracks, by their names.
  let trackingOptions: [String: RecordHeader.OptionValue]
  /// The names of classes by their indices; classes that are first seen while reading are appended.
  public private(set) var labels: [String]
  private var lines: LineReader
  private let timeBase: Rational
  /// Whether members that are repeated are an error.
  private let isStrict: Bool

  /// The longest side of frames.
  private static let longestSide = 65_536

  /// - Parameters:
  ///   - labels: the names of classes whose indices are fixed.
  ///   - isStrict: whether an object with two members of one name is damage; otherwise either is read.
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if the file does not start with a header of records.
  public init(path: String, labels: [String], isStrict: Bool = false) throws(VStreamError) {
    lines = try LineReader(path: path)
    self.labels = labels
    self.isStrict = isStrict
    let line = try lines.next()
    if isStrict, let line { try Self.requireUnique(line, in: lines) }
    var first: RecordLine.Members?
    if let line { first = try Self.header(line, in: lines) }
    guard let header = first, header.type == "header", let input = header.input else {
      throw VStreamError(
        .unreadableInput, "'\(path)' does not hold records of vstream", subject: path,
        remedy: "use a .jsonl file that \(.records) wrote")
    }
    guard header.version == 1 else {
      throw VStreamError(
        .unreadableInput, "'\(path)' holds records of version \(header.version ?? 0), which is not supported",
        subject: path,
        remedy: "use the version of vstream that wrote them, or a newer one")
    }
    let sides = 1...Self.longestSide
    for (side, length) in [("width", input.width), ("height", input.height)] where !sides.contains(length) {
      throw Self.damage(in: lines, "input.\(side) is not from 1 to \(Self.longestSide)")
    }
    guard let base = Self.timeBase(input.timeBase) else {
      throw Self.damage(in: lines, "input.timeBase is not a fraction such as 1/25")
    }
    timeBase = base
    inputName = input.name
    size = PixelSize(width: input.width, height: input.height)
    rotation = input.rotation ?? 0
    hasDetections = header.options?.recordDetections ?? false
    kinds = Set(header.options?.detect ?? [])
    classes = header.options?.classes.map { Set($0) }
    objectModel = header.options?.objectModel
    passes = header.options?.passes
    isAccurate = header.options?.accurate ?? false
    detectEvery = header.options?.detectEvery
    trackingOptions = line.map(RecordHeader.trackingOptions) ?? [:]
    minimumScore = header.options?.minScore.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
  }

  /// The members of the first line; `nil` if it is no header.
  ///
  /// - Throws: `VStreamError.unreadableInput` for a header whose members are damaged.
  private static func header(_ line: ArraySlice<UInt8>, in lines: LineReader) throws(VStreamError) -> RecordLine
    .Members?
  {
    do {
      return try RecordLine(json: line).members
    } catch {
      guard (try? RecordLine.Kind(json: line))?.type == "header" else { return nil }
      throw damage(in: lines, DamagedRecord(error).part)
    }
  }

  /// Parses `1/90000`; `nil` unless it is positive.
  private static func timeBase(_ text: String) -> Rational? {
    let parts = text.split(separator: "/").compactMap { Int32($0) }
    guard parts.count == 2, let base = Rational(parts[0], parts[1]), base.numerator > 0, base.denominator > 0
    else { return nil }
    return base
  }

  /// The next frame; `nil` at the end. An incomplete last line, as a run that was cut off leaves it, counts as the end.
  ///
  /// - Throws: `VStreamError`: `unreadableInput` with the number of a line that is not a record; `inputOutput`.
  public mutating func next() throws(VStreamError) -> Frame? {
    var late: [TimedObservations] = []
    while let line = try lines.next() {
      if isStrict { try Self.requireUnique(line, in: lines) }
      let record: RecordLine
      do {
        record = try RecordLine(json: line)
      } catch {
        if lines.isCutOff { return nil }
        throw Self.damage(in: lines, DamagedRecord(error).part)
      }
      switch record.members.type {
      case "frame": return try frame(record, late: late)
      case "detections":
        late.append(TimedObservations(time: try time(of: record), found: try observations(record.found)))
      default: continue  // Events, counts, the summary, and types that later versions add.
      }
    }
    return nil
  }

  private static func requireUnique(_ line: ArraySlice<UInt8>, in lines: LineReader) throws(VStreamError) {
    guard let name = JSONMembers.repeated(in: line) else { return }
    throw damage(in: lines, "\(name) is repeated")
  }

  private mutating func frame(_ record: RecordLine, late: [TimedObservations]) throws(VStreamError) -> Frame {
    let time = try time(of: record)
    guard let source = record.members.source else { throw Self.damage(in: lines, "source is missing") }
    let found = try observations(record.found)
    let detections = try record.members.detections.map { lists throws(VStreamError) in
      try observations(lists, inside: "detections.")
    }
    return Frame(
      line: lines.lineNumber, time: time, source: source, found: found, detections: detections, late: late)
  }

  private func time(of record: RecordLine) throws(VStreamError) -> Time {
    guard let ticks = record.members.ticks else { throw Self.damage(in: lines, "ticks is missing") }
    return Time(ticks: ticks, base: timeBase)
  }

  /// - Parameter outer: the path of the member that holds the lists, with a full stop.
  private mutating func observations(
    _ lists: RecordedLists?, inside outer: String = ""
  ) throws(VStreamError) -> Observations {
    do {
      var observations = try lists?.observations(in: size) ?? Observations()
      observations.objects = observations.objects?.map { object in
        var object = object
        object.classIndex = classIndex(of: object.label)
        return object
      }
      return observations
    } catch {
      throw Self.damage(in: lines, outer + error.part)
    }
  }

  private mutating func classIndex(of label: String) -> Int {
    if let known = labels.firstIndex(of: label) { return known }
    labels.append(label)
    return labels.count - 1
  }

  private static func damage(in lines: LineReader, _ part: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "line \(lines.lineNumber) of '\(lines.path)' is damaged: \(part)",
      subject: lines.path, remedy: "record it again")
  }
}

extension Decodable {
  fileprivate init(json line: ArraySlice<UInt8>) throws { self = try JSONDecoder().decode(Self.self, from: Data(line)) }
}

internal import FoundationEssentials
public import VStreamScene

/// Reads the records of an earlier run (`.jsonl`) back, frame by frame in their order.
///
/// Not thread-safe. Holds one line at a time, however large the file is.
public struct RecordReader {
  /// The recorded facts about one frame.
  public struct Frame: Hashable, Sendable {
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
    let first = line.flatMap { try? RecordLine($0).members }
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
    guard let base = Self.timeBase(input.timeBase), sides.contains(input.width), sides.contains(input.height) else {
      throw Self.damage(in: lines, "the input's size or time base is invalid")
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
    minimumScore = header.options?.minScore.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
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
        record = try RecordLine(line)
      } catch {
        if lines.isCutOff { return nil }
        throw Self.damage(in: lines, "it is not the JSON of a record")
      }
      switch record.members.type {
      case "frame": return try frame(record, late: late)
      case "detections":
        guard let time = time(of: record) else { throw Self.damage(in: lines, "it has no ticks") }
        late.append(TimedObservations(time: time, found: try observations(record.found)))
      default: continue  // Events, counts, the summary, and types that later versions add.
      }
    }
    return nil
  }

  private static func requireUnique(_ line: ArraySlice<UInt8>, in lines: LineReader) throws(VStreamError) {
    guard JSONMembers.areRepeated(in: line) else { return }
    throw damage(in: lines, "a member is repeated")
  }

  private mutating func frame(_ record: RecordLine, late: [TimedObservations]) throws(VStreamError) -> Frame {
    guard let time = time(of: record), let source = record.members.source else {
      throw Self.damage(in: lines, "a frame has no ticks or no source")
    }
    let found = try observations(record.found)
    let detections = try record.members.detections.map { lists throws(VStreamError) in try observations(lists) }
    return Frame(time: time, source: source, found: found, detections: detections, late: late)
  }

  private func time(of record: RecordLine) -> Time? {
    record.members.ticks.map { Time(ticks: $0, base: timeBase) }
  }

  private mutating func observations(_ lists: RecordedLists?) throws(VStreamError) -> Observations {
    do {
      var observations = try lists?.observations(in: size) ?? Observations()
      observations.objects = observations.objects?.map { object in
        var object = object
        object.classIndex = classIndex(of: object.label)
        return object
      }
      return observations
    } catch {
      throw Self.damage(in: lines, error.part)
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

extension RecordLine {
  fileprivate init(_ line: ArraySlice<UInt8>) throws {
    self = try JSONDecoder().decode(RecordLine.self, from: Data(line))
  }
}

public import VStreamCore
internal import VStreamSystem

/// Reads the records of an earlier run (`.jsonl`) back, frame by frame in their order.
///
/// Not thread-safe. Holds one line at a time, however large the file is.
public struct RecordReader {
  /// The recorded facts about one frame.
  public struct Frame: Hashable, Sendable {
    /// The number of its line, from 1.
    public var line: Int
    /// Index of the decoded frame in the recorded run, from 0.
    public var index: Int
    /// The frame's time in the input.
    public var time: Time
    /// Whether detectors ran on it.
    public var source: AnnotationSource
    /// The reported observations, with IDs. Class indices refer to `labels`.
    public var found: Detections
    /// The detectors' own results; `nil` if they were not recorded, or not ready in time.
    public var detections: Detections?
    /// Detections of earlier frames that became ready late, recorded before this frame.
    package var late: [TimedObservations] = []
    /// The objects inside each zone, and the crossings of each line so far, by name; `nil` if none were counted.
    public var counts: RegionCounts?

    /// The objects; empty if none were asked for.
    public var objects: [DetectedObject] { found.objects ?? [] }
    /// The faces; empty if none were asked for.
    public var faces: [DetectedFace] { found.faces ?? [] }
    /// The poses; empty if none were asked for.
    public var poses: [DetectedPose] { found.poses ?? [] }
    /// The frame as the run reported it.
    public var annotations: FrameAnnotations {
      FrameAnnotations(frame: index, time: time, source: source, found: found)
    }
  }

  /// A line of records.
  public enum Record: Hashable, Sendable {
    /// A frame, with the detections that became ready late before it.
    case frame(Frame)
    /// A change of a track; follows its frame.
    case event(TrackEvent)
    /// The counts of the whole run; follows the last frame.
    case counts(RegionCounts)
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
  package let classes: Set<String>?
  /// The object model's name; `nil` if no objects were detected.
  package let objectModel: String?
  /// The score that started a track of an object; `nil` if no objects were detected.
  package let minimumScore: Double?
  /// Runs of the object network for a frame, on average; `nil` if whole frames were searched.
  package let passes: Double?
  /// Whether tiles of whole frames were searched as well.
  package let isAccurate: Bool
  /// On which frames detectors were run, as the options of the run gave it: a number of frames, or `auto`; `nil` if it is not recorded.
  package let detectEvery: String?
  /// The options of the run that affect how detections become tracks, by their names.
  var trackingOptions: [String: RecordHeader.OptionValue] { options.filter { RecordHeader.affectsTracks($0.key) } }
  /// The options of the run that affect the records, by their names.
  let options: [String: RecordHeader.OptionValue]
  /// Damaged packets of the whole run, once its last line was read; `nil` before, and for a run that was cut off.
  public private(set) var corruptPackets: Int?
  /// The names of classes by their indices; classes that are first seen while reading are appended.
  public private(set) var labels: [String]
  private var lines: LineReader
  private let context: RecordContext
  /// Whether members that are repeated are an error.
  private let isStrict: Bool
  private var lastTicks: Int64?

  /// The longest side of frames.
  private static let longestSide = 65_536

  /// - Parameters:
  ///   - labels: the names of classes whose indices are fixed.
  ///   - isStrict: whether an object with two members of one name, and a frame that is not later than the one before, are
  ///     damage; otherwise they are read.
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if the file does not start with a header of records.
  package init(path: String, labels: [String], isStrict: Bool = false) throws(VStreamError) {
    lines = try LineReader(path: path)
    self.labels = labels
    self.isStrict = isStrict
    let line = try lines.next()
    if isStrict, let line { try Self.requireUnique(line, in: lines) }
    guard let line, let header = try Self.header(line, in: lines), let input = header.input else {
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
    guard let base = Rational(fraction: input.timeBase) else {
      throw Self.damage(in: lines, "input.timeBase is not a fraction such as 1/25")
    }
    inputName = input.name
    size = PixelSize(width: input.width, height: input.height)
    context = RecordContext(timeBase: base, size: size)
    rotation = input.rotation ?? 0
    hasDetections = header.options?.recordDetections ?? false
    kinds = Set(header.options?.detect ?? [])
    classes = header.options?.classes.map { Set($0) }
    objectModel = header.options?.objectModel
    passes = header.options?.passes
    isAccurate = header.options?.accurate ?? false
    detectEvery = header.options?.detectEvery
    options = RecordHeader.options(line)
    minimumScore = header.options?.minScore.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
  }

  /// The first line; `nil` if it is no header.
  ///
  /// - Throws: `VStreamError.unreadableInput` for a header whose members are damaged.
  private static func header(_ line: ArraySlice<UInt8>, in lines: LineReader) throws(VStreamError) -> RecordLine.Header?
  {
    do {
      guard case .header(let header) = try RecordLine(json: line, nil) else { return nil }
      return header
    } catch {
      guard RecordLine.type(json: line) == "header" else { return nil }
      throw damage(in: lines, RecordDamage.text(of: error))
    }
  }

  /// The next frame; `nil` at the end. An incomplete last line, as a run that was cut off leaves it, counts as the end.
  ///
  /// - Throws: `VStreamError`: `unreadableInput` with the number of a line that is not a record; `inputOutput`.
  public mutating func next() throws(VStreamError) -> Frame? {
    while let record = try nextRecord() {
      if case .frame(let frame) = record { return frame }
    }
    return nil
  }

  /// The next frame, event or counts, as `next` reads them.
  public mutating func nextRecord() throws(VStreamError) -> Record? {
    var late: [TimedObservations] = []
    while let line = try lines.next() {
      if isStrict { try Self.requireUnique(line, in: lines) }
      let record: RecordLine
      do {
        record = try RecordLine(json: line, context)
      } catch {
        if lines.isCutOff { return nil }
        throw Self.damage(in: lines, RecordDamage.text(of: error))
      }
      switch record {
      case .frame(let annotations, let detections, let counts):
        return .frame(try frame(annotations, detections, late, counts))
      case .late(let detections):
        late.append(TimedObservations(time: detections.time, found: indexed(detections.found)))
      case .event(let event): return .event(event)
      case .header: throw Self.damage(in: lines, "a second header, as of records of two runs")
      case .counts(let counts): if let counts { return .counts(counts) }
      case .summary(let packets): corruptPackets = packets
      case .other: continue
      }
    }
    return nil
  }

  private static func requireUnique(_ line: ArraySlice<UInt8>, in lines: LineReader) throws(VStreamError) {
    guard let name = JSONMembers.repeated(in: line) else { return }
    throw damage(in: lines, "\(name) is repeated")
  }

  private mutating func frame(
    _ annotations: FrameAnnotations, _ detections: Detections?, _ late: [TimedObservations], _ counts: RegionCounts?
  ) throws(VStreamError) -> Frame {
    let time = annotations.time
    if isStrict, let lastTicks, time.ticks <= lastTicks {
      throw Self.damage(in: lines, "the frame is not later than the one before (ticks)")
    }
    lastTicks = time.ticks
    let found = indexed(annotations.found)
    if let problem = found.invalidEntry { throw Self.damage(in: lines, problem) }
    var detections = detections
    detections?.shot = annotations.shot
    return Frame(
      line: lines.lineNumber, index: annotations.frame, time: time, source: annotations.source, found: found,
      detections: detections.map { indexed($0) }, late: late, counts: counts)
  }

  /// The observations with the class indices of their labels.
  private mutating func indexed(_ found: Detections) -> Detections {
    var indexed = found
    for index in (found.objects ?? []).indices {
      guard let label = found.objects?[index].label else { continue }
      indexed.objects?[index].classIndex = classIndex(of: label)
    }
    return indexed
  }

  private mutating func classIndex(of label: String) -> Int {
    if let known = labels.firstIndex(of: label) { return known }
    labels.append(label)
    return labels.count - 1
  }

  private static func damage(in lines: LineReader, _ part: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "line \(lines.lineNumber) of '\(lines.path)' is damaged: \(part)",
      subject: lines.path, remedy: "correct it, or record it again")
  }
}

extension Detections {
  /// The first entry that no run reports, and why: `objects[3].id is repeated`; `nil` if there is none.
  fileprivate var invalidEntry: String? {
    func invalid<Kind: KnownDetection>(_ kind: Kind.Type) -> String? {
      var ids: Set<Int> = []
      for (index, entry) in (self[kind] ?? []).enumerated() {
        let member = "\(Kind.kind.rawValue)[\(index)]"
        if let id = entry.id, id < 1 { return "\(member).id is not positive" }
        if let id = entry.id, !ids.insert(id).inserted { return "\(member).id is repeated" }
        if !(0...1).contains(entry.score) { return "\(member).score is not from 0 to 1" }
      }
      return nil
    }
    return DetectionKind.allCases.lazy.compactMap { invalid($0.detectionType) }.first
  }
}

/// Reads a file line by line. Holds one line at a time, however large the file is.
///
/// Not thread-safe.
struct LineReader {
  private let file: ReadableFile
  private var bytes: [UInt8] = []
  private var position = 0
  /// Number of the line that was read last, from 1; empty lines count.
  private(set) var lineNumber = 0

  private static let newline = UInt8(ascii: "\n")

  /// - Throws: `VStreamError.inputNotFound` or `unreadableInput`.
  init(path: String) throws(VStreamError) { file = try ReadableFile(path) }

  var path: String { file.path }

  /// Whether the last line that was read is the file's last and lacks its line feed, as in a file that was cut off.
  var isCutOff: Bool { !bytes.isEmpty && position == bytes.count && bytes.last != Self.newline }

  /// The next line that is not empty, without its line feed; `nil` at the end.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  mutating func next() throws(VStreamError) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = bytes[searched...].firstIndex(of: Self.newline) {
        let line = bytes[position..<end]
        position = end + 1
        lineNumber += 1
        if !line.isEmpty { return line }
        searched = position
        continue
      }
      bytes.removeFirst(position)
      searched = bytes.count
      position = 0
      guard try !file.read(into: &bytes) else { continue }
      guard !bytes.isEmpty else { return nil }
      lineNumber += 1
      position = bytes.count
      return bytes[...]
    }
  }
}

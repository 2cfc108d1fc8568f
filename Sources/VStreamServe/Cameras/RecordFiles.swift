internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// Writes the records of a camera's runs to files: a file for each run and each day, none of which replaces another.
///
/// One owner at a time. A failure ends the recording of the run, not the run.
struct RecordFiles {
  private let pattern: String
  private let camera: String
  private var header: RecordHeader?
  private var writer: RecordWriter?
  private var counts = RunCounts()
  /// Of the open file.
  private var date = ""
  private var lastFlush = 0.0

  /// Seconds after which others can read what was recorded.
  private static let flushInterval = 1.0
  /// Files of one day.
  private static let maximumNumber = 100_000

  init(_ pattern: String, camera: String) {
    self.pattern = pattern
    self.camera = camera
  }

  /// Begins the records of a run.
  mutating func begin(_ header: RecordHeader) { self.header = header }

  /// - Parameters:
  ///   - date: of today, as `UTCTime.date`.
  ///   - now: seconds of a clock that never goes back.
  /// - Throws: `VStreamError` if the file cannot be created or written; the recording has ended then.
  mutating func write(_ record: FrameRecord, on date: String, at now: Double) throws(VStreamError) {
    guard let header else { return }
    do throws(VStreamError) {
      if date != self.date { try open(header, on: date) }
      try writer?.write(record)
      count(record)
      if now - lastFlush >= Self.flushInterval {
        lastFlush = now
        try writer?.flush()
      }
    } catch {
      (self.header, writer) = (nil, nil)
      throw error
    }
  }

  /// Ends the records of the run with its summary.
  ///
  /// - Throws: `VStreamError.inputOutput`.
  mutating func finish() throws(VStreamError) {
    defer { (header, writer, date) = (nil, nil, "") }
    try writer?.finish(counts)
  }

  private mutating func open(_ header: RecordHeader, on date: String) throws(VStreamError) {
    try writer?.finish(counts)
    writer = nil
    counts = RunCounts()
    let path = try Self.unusedPath(pattern, camera: camera, date: date)
    try Folder.createWithParents(Path.folder(of: path))
    var opened = try RecordWriter(path: path, overwrite: false)
    try opened.write(header)
    writer = opened
    self.date = date
  }

  /// Frames that are recorded.
  private mutating func count(_ record: FrameRecord) {
    counts.framesIn += 1
    counts.framesOut += 1
    switch record.annotations.source {
    case .detected: counts.framesDetected += 1
    case .predicted: counts.framesPredicted += 1
    }
  }

  /// The path of a file that does not exist: of the pattern, or with a number before its ending.
  static func unusedPath(_ pattern: String, camera: String, date: String) throws(VStreamError) -> String {
    let path = pattern.replacing("{date}", with: date).replacing("{camera}", with: camera)
    let (stem, ending) = (path.dropLast(ending.count), ending)
    for number in 1...maximumNumber {
      let candidate = number == 1 ? path : "\(stem)-\(number)\(ending)"
      if !FileCheck.exists(candidate) { return candidate }
    }
    throw VStreamError(
      .cannotCreateOutput, "there are \(maximumNumber) files like '\(path)'", subject: path, remedy: "move them away")
  }

  private static let ending = ".jsonl"
}

internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// Writes the record files of a run: the header before the first frame, the run's counts at the end.
///
/// The files are created when the run's output is open, as a run whose output cannot be created writes nothing. Until then
/// records are held, at most those of the frames between the recorder and the output.
struct Recorder {
  private enum Item {
    case frame(FrameRecord)
    case exits([TrackEvent])
    case counts(RegionCounts)
  }

  private let paths: [String]
  private let recordsDetections: Bool
  private let recordsEvents: Bool
  private let overwrites: Bool
  /// Whether the files get their names when the run is complete.
  private let namesCompleteFiles: Bool
  /// Whether the run goes on when the reader of records on standard output has closed it.
  private let continuesWithoutReader: Bool
  private let isOutputOpen: () -> Bool
  private var header: RecordHeader?
  private var held: [Item] = []
  /// `nil` until the files are created.
  private var writers: [RecordWriter]?
  var hasStarted: Bool { header != nil }

  /// - Parameters:
  ///   - recordsDetections: whether detections are written as the detectors returned them.
  ///   - recordsEvents: whether track events are written.
  ///   - overwrites: whether files that exist are replaced.
  ///   - namesCompleteFiles: whether the files get their names when the run is complete.
  ///   - continuesWithoutReader: whether the run goes on when the reader of records on standard output has closed it.
  ///   - isOutputOpen: whether the output could be created; asked until it is.
  init(
    paths: [String], recordsDetections: Bool, recordsEvents: Bool, overwrites: Bool, namesCompleteFiles: Bool = false,
    continuesWithoutReader: Bool = false, isOutputOpen: @escaping () -> Bool = { true }
  ) {
    self.continuesWithoutReader = continuesWithoutReader
    self.overwrites = overwrites
    self.namesCompleteFiles = namesCompleteFiles
    self.paths = paths
    self.recordsDetections = recordsDetections
    self.recordsEvents = recordsEvents
    self.isOutputOpen = isOutputOpen
  }

  /// Sets the header, before the first frame, and creates the files if the output is open.
  mutating func start(_ header: RecordHeader) throws(VStreamError) {
    self.header = header
    try createFiles()
  }

  /// - Parameter resolution: `nil` if nothing is detected.
  mutating func write(_ record: FrameRecord, _ resolution: ResolvedDetections?) throws(VStreamError) {
    if paths.isEmpty { return }
    var record = record
    if !recordsEvents { record.events = [] }
    if recordsDetections, let resolution, resolution.recordedSource == nil {
      (record.detections, record.late) = (resolution.found, resolution.late)
    }
    try write(.frame(record))
  }

  /// Writes the end of the records: the exits of the tracks, and the final counts of zones and lines.
  mutating func finishFrames(_ exits: [TrackEvent], _ counts: RegionCounts?) throws(VStreamError) {
    guard hasStarted else { return }
    if recordsEvents { try write(.exits(exits)) }
    if let counts { try write(.counts(counts)) }
  }

  /// Closes the files with the counts of the run; if the output could not be created, there are none.
  ///
  /// - Parameter isComplete: whether the run has processed its input to the end.
  mutating func finish(_ counts: RunCounts, isComplete: Bool = true) throws(VStreamError) {
    try createFiles()
    try forEachWriter { writer throws(VStreamError) in try writer.finish(counts) }
    guard namesCompleteFiles, isComplete, writers != nil else { return }
    for path in paths where path != "-" { try PartFile.commit(path, overwrite: overwrites) }
  }

  private mutating func write(_ item: Item) throws(VStreamError) {
    try createFiles()
    if writers == nil { held.append(item) } else { try writeToAll(item) }
  }

  private mutating func writeToAll(_ item: Item) throws(VStreamError) {
    try forEachWriter { writer throws(VStreamError) in
      switch item {
      case .frame(let record): try writer.write(record)
      case .exits(let exits): try writer.write(exits)
      case .counts(let counts): try writer.write(counts)
      }
    }
  }

  /// Creates the files and writes held records, once the output is open.
  private mutating func createFiles() throws(VStreamError) {
    guard writers == nil, let header, isOutputOpen() else { return }
    writers = try paths.map { path throws(VStreamError) in
      let written = namesCompleteFiles && path != "-" ? PartFile.path(for: path) : path
      return try RecordWriter(path: path, writtenAs: written, overwrite: overwrites || written != path)
    }
    try forEachWriter { writer throws(VStreamError) in try writer.write(header) }
    for item in held { try writeToAll(item) }
    held = []
  }

  /// - Throws: the error of `body`, except that of a reader without which the run goes on.
  private mutating func forEachWriter(
    _ body: (inout RecordWriter) throws(VStreamError) -> Void
  ) throws(VStreamError) {
    guard var open = writers else { return }
    writers = []
    defer { writers = open }
    for index in open.indices.reversed() {
      do {
        try body(&open[index])
      } catch {
        guard error.code == .closedByReader, continuesWithoutReader else { throw error }
        open.remove(at: index)
      }
    }
  }
}

/// The names of frames' image files: the input's, if it is images, else the output's.
struct FrameImages: Sendable {
  private let inputs: [String]
  private let timeBase: Rational
  /// `nil` if it has no file of the same pixels for each frame.
  private let output: OutputDestination?
  private var written = 0

  /// - Parameters:
  ///   - inputPaths: the image files of the input; empty for a video.
  ///   - timeBase: the input's; two image files are one tick apart.
  ///   - output: `nil` for none.
  init(inputPaths: [String], timeBase: Rational, output: PipelineOutput?) {
    inputs = inputPaths.map { MediaInput($0).fileName }
    self.timeBase = timeBase
    // At another rate, frames are repeated and omitted; at another size, the records' boxes do not fit.
    let isSame = output?.encoder.frameRate == nil && output?.encoder.size == nil
    self.output = isSame ? output?.destination : nil
  }

  /// The name of the next frame that is released; `nil` if it is in no image file.
  mutating func next(at time: Time) -> String? {
    defer { written += 1 }
    if inputs.count == 1 { return inputs[0] }
    let index = Int((time.seconds / timeBase.value).rounded())
    return inputs.indices.contains(index) ? inputs[index] : output?.imageName(written)
  }
}

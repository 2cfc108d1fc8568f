internal import VStreamReporting
internal import VStreamScene

/// Writes the record files of a run: the header before the first frame, the run's counts at the end.
struct Recorder {
  private let paths: [String]
  private let recordsDetections: Bool
  private let recordsEvents: Bool
  private let overwrites: Bool
  /// Whether the run goes on when the reader of records on standard output has closed it.
  private let continuesWithoutReader: Bool
  private var writers: [RecordWriter] = []
  private(set) var hasStarted = false

  /// - Parameters:
  ///   - recordsDetections: whether detections are written as the detectors returned them.
  ///   - recordsEvents: whether track events are written.
  ///   - overwrites: whether files that exist are replaced.
  ///   - continuesWithoutReader: whether the run goes on when the reader of records on standard output has closed it.
  init(
    paths: [String], recordsDetections: Bool, recordsEvents: Bool, overwrites: Bool,
    continuesWithoutReader: Bool = false
  ) {
    self.continuesWithoutReader = continuesWithoutReader
    self.overwrites = overwrites
    self.paths = paths
    self.recordsDetections = recordsDetections
    self.recordsEvents = recordsEvents
  }

  /// Creates the files, before the first frame.
  mutating func start(_ header: RecordHeader) throws(VStreamError) {
    hasStarted = true
    writers = try paths.map { path throws(VStreamError) in try RecordWriter(path: path, overwrite: overwrites) }
    try forEachWriter { writer throws(VStreamError) in try writer.write(header) }
  }

  /// - Parameter imageName: of the frame's image file, if there is one.
  mutating func write(
    _ annotations: FrameAnnotations, _ annotation: Annotation, _ resolution: ResolvedDetections?,
    imageName: String? = nil
  ) throws(VStreamError) {
    var record = FrameRecord(annotations)
    record.imageName = imageName
    record.counts = annotation.counts
    if recordsEvents { record.events = annotation.events }
    if recordsDetections, let resolution, resolution.recordedSource == nil {
      (record.detections, record.late) = (resolution.found, resolution.late)
    }
    try forEachWriter { writer throws(VStreamError) in try writer.write(record) }
  }

  /// Writes what follows the last frame: the exits of the tracks, and the final counts of zones and lines.
  mutating func finishFrames(_ exits: [TrackEvent], _ counts: RegionCounts?) throws(VStreamError) {
    guard hasStarted else { return }
    if recordsEvents { try forEachWriter { writer throws(VStreamError) in try writer.write(exits) } }
    guard let counts else { return }
    try forEachWriter { writer throws(VStreamError) in try writer.write(counts) }
  }

  /// Closes the files with the counts of the run.
  mutating func finish(_ counts: RunCounts) throws(VStreamError) {
    try forEachWriter { writer throws(VStreamError) in try writer.finish(counts) }
  }

  /// - Throws: the error of `body`, except that of a reader without which the run goes on.
  private mutating func forEachWriter(
    _ body: (inout RecordWriter) throws(VStreamError) -> Void
  ) throws(VStreamError) {
    for index in writers.indices.reversed() {
      do {
        try body(&writers[index])
      } catch {
        guard error.code == .closedByReader, continuesWithoutReader else { throw error }
        writers.remove(at: index)
      }
    }
  }
}

internal import VStreamReporting
internal import VStreamScene

/// The files that a run's records are written to.
struct Records {
  private let paths: [String]
  private var writers: [RecordWriter] = []
  private(set) var haveBegun = false

  init(_ paths: [String]) { self.paths = paths }

  /// Makes the files, once, before the first frame.
  mutating func begin(_ header: RecordHeader) throws(VStreamError) {
    haveBegun = true
    writers = try paths.map { path throws(VStreamError) in try RecordWriter(path: path) }
    for writer in writers { try writer.write(header) }
  }

  func write(_ record: FrameRecord) throws(VStreamError) {
    for writer in writers { try writer.write(record) }
  }

  func write(_ events: [TrackEvent]) throws(VStreamError) {
    for writer in writers { try writer.write(events) }
  }

  func finish(_ counts: RunCounts) throws(VStreamError) {
    for writer in writers { try writer.finish(counts) }
  }
}

internal import VStreamReporting
internal import VStreamScene

/// The files that a run's records are written to.
struct Records {
  private let paths: [String]
  private var writers: [RecordWriter] = []
  private(set) var hasStarted = false

  init(_ paths: [String]) { self.paths = paths }

  /// Makes the files, once, before the first frame.
  mutating func begin(_ header: RecordHeader) throws(VStreamError) {
    hasStarted = true
    writers = try paths.map { path throws(VStreamError) in try RecordWriter(path: path) }
    for index in writers.indices { try writers[index].write(header) }
  }

  mutating func write(_ record: FrameRecord) throws(VStreamError) {
    for index in writers.indices { try writers[index].write(record) }
  }

  mutating func write(_ events: [TrackEvent]) throws(VStreamError) {
    for index in writers.indices { try writers[index].write(events) }
  }

  mutating func write(_ counts: RegionCounts) throws(VStreamError) {
    for index in writers.indices { try writers[index].write(counts) }
  }

  mutating func finish(_ counts: RunCounts) throws(VStreamError) {
    for index in writers.indices { try writers[index].finish(counts) }
  }
}

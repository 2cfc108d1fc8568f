package import VStreamCore
internal import VStreamSystem

/// Writes a run's records to a file: header, frames in their order, summary.
///
/// Not thread-safe. The same values give the same bytes.
package struct RecordWriter {
  private var encoder: any RecordEncoder
  private let file: TextFile
  /// Whether each line is written at once, for a program that reads them.
  private let isPipe: Bool
  /// Reused from call to call, so that its memory is allocated once.
  private var text = TextBuffer()

  /// Creates the file; the ending of its name determines the format. The path `-` is standard output, in JSON lines.
  ///
  /// - Parameters:
  ///   - written: the path of the file until it is complete and somebody renames it; `nil` for its own.
  ///   - overwrite: whether a file that exists is replaced.
  /// - Throws: `VStreamError`: `usage` for an unknown format, `cannotCreateOutput`.
  package init(path: String, writtenAs written: String? = nil, overwrite: Bool) throws(VStreamError) {
    encoder = try RecordFormatRegistry.encoder(for: path).init()
    isPipe = path == RecordFormatRegistry.standardOutput
    file = try TextFile(creating: written ?? path, overwrite: overwrite)
  }

  package mutating func write(_ header: RecordHeader) throws(VStreamError) {
    encoder.begin(header, in: &text)
    try writeText()
  }

  package mutating func write(_ record: FrameRecord) throws(VStreamError) {
    encoder.encode(record, to: &text)
    try writeText()
  }

  /// Writes track events that follow the last frame, if the format can hold them.
  package mutating func write(_ events: [TrackEvent]) throws(VStreamError) {
    encoder.encode(events, to: &text)
    try writeText()
  }

  /// Writes the region counts of the whole run, if the format can hold them.
  package mutating func write(_ counts: RegionCounts) throws(VStreamError) {
    encoder.encode(counts, to: &text)
    try writeText()
  }

  /// Writes the summary and closes the file.
  package mutating func finish(_ counts: RunCounts) throws(VStreamError) {
    encoder.end(counts, in: &text)
    try writeText()
    try file.close()
  }

  /// Writes the buffered text, so that others can read it.
  package func flush() throws(VStreamError) { try file.flush() }

  private mutating func writeText() throws(VStreamError) {
    defer { text.removeAll() }
    try file.write(text.bytes)
    if isPipe { try file.flush() }
  }
}

/// The facts that every format can write of one observation, whatever its kind.
struct RecordEntry {
  let kind: DetectionKind
  /// `object`, `face` or `pose`.
  let kindName: String
  let id: Int?
  let label: String
  let score: Double
  let box: Box
  /// Whether it was not searched for on its frame.
  let isPredicted: Bool
  /// `nil` for kinds without categories, and unless categories were requested.
  let category: CategoryLabel?
  /// The points for formats that have keypoints of people; empty for kinds without.
  let keypoints: [PoseLandmark]

  init<Kind: KnownDetection>(_ observation: Kind) {
    kind = Kind.kind
    kindName = Kind.name
    id = observation.id
    label = observation.label
    score = observation.score
    box = observation.box
    isPredicted = observation.isPredicted
    category = (observation as? DetectedObject)?.category
    keypoints = (observation as? DetectedPose)?.landmarks ?? []
  }
}

extension Detections {
  /// Calls `body` with each observation: objects, then faces, then poses.
  func forEachEntry(_ body: (RecordEntry) -> Void) {
    func visit(_ kind: (some KnownDetection).Type) {
      for observation in self[kind] ?? [] { body(RecordEntry(observation)) }
    }
    for kind in DetectionKind.allCases { visit(kind.detectionType) }
  }
}

extension TextBuffer {
  /// Appends a member `[x,y,width,height]`, in pixels.
  mutating func addBox(_ key: String, _ box: Box) {
    addList(key) { list in box.forEachNumber { list.addNumber($0, places: 2) } }
  }
}

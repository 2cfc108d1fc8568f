import VStreamCore
import VStreamMedia
import VStreamTracking

@testable import VStreamOverlay
@testable import VStreamPipeline
@testable import VStreamReporting
@testable import VStreamSystem

extension FuzzTarget {
  /// `.jsonl` records as `--from-records` reads them, up to the annotated and redacted frames and the new records.
  static let records = FuzzTarget(name: "records") { bytes in
    guard let recording = try Recording(bytes) else { return }
    try recording.requireRoundTrip()
    try recording.replay()
  }
}

/// Records that were read.
private struct Recording {
  let size: PixelSize
  let hasDetections: Bool
  let kinds: Set<String>
  /// The frames in front of the first line that is damaged.
  let frames: [RecordReader.Frame]

  private static let labels = ["person", "car"]

  /// - Returns: `nil` if the bytes are not records.
  init?(_ bytes: [UInt8]) throws {
    let read = try MemoryFile.with(bytes) { path in
      try accepted { try RecordReader(path: path, labels: Self.labels) }.map { ($0, try Self.frames($0)) }
    }
    guard let (reader, frames) = read else { return nil }
    (size, hasDetections, kinds, self.frames) = (reader.size, reader.hasDetections, reader.kinds, frames)
    try require(size.width > 0 && size.height > 0, "the size \(size) is invalid")
  }

  private static func frames(_ reader: RecordReader) throws -> [RecordReader.Frame] {
    var reader = reader
    var frames: [RecordReader.Frame] = []
    while let frame = try accepted({ try reader.next() }) ?? nil { frames.append(frame) }
    return frames
  }

  // MARK: - Written and read again

  /// The records of these frames.
  private var text: [UInt8] {
    var encoder = JSONLinesEncoder()
    var text = TextBuffer()
    encoder.begin(header, in: &text)
    for (index, frame) in frames.enumerated() {
      var record = FrameRecord(
        FrameAnnotations(frame: index, time: frame.time, source: frame.source, found: frame.found))
      record.detections = frame.detections
      record.late = frame.late
      encoder.encode(record, to: &text)
    }
    return text.bytes
  }

  private var header: RecordHeader {
    let base = frames.first?.time.base ?? .milliseconds
    return RecordHeader(
      inputName: "in.mkv", size: size, rotation: 0, timeBase: base, frameRate: nil,
      options: [("detect", .list(kinds.sorted())), ("recordDetections", .flag(hasDetections))])
  }

  func requireRoundTrip() throws {
    guard !frames.isEmpty else { return }
    let written = text
    let again = try Recording(written)
    guard let again else { throw Finding(description: "written again, they are no records: \(Self.shown(written))") }
    try require(again.frames.count == frames.count, "written again, frames are missing: \(Self.shown(written))")
    try require(
      again.frames.map(\.detections) == frames.map(\.detections) && again.frames.map(\.late) == frames.map(\.late),
      "detections are not read back exactly: \(Self.shown(written))")
    try require(again.text == written, "read and written again, they differ: \(Self.shown(written))")
  }

  private static func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - Replayed

  /// The video's own size, to which records of another size are scaled.
  private static let video = PixelSize(width: 64, height: 48)
  private static let maximumFrames = 32
  private static let maximumPainted = 4

  /// Annotates frames as a run would, paints on the first ones, and records them in every format.
  func replay() throws {
    var step = AnnotationStep(Self.options)
    var coverage = CoverageStep(
      labels: ["person", "faces"], mode: .stream, kinds: Self.options.kinds.mapValues(\.tracker))
    var encoders = RecordFormatRegistry.encoders.map { $0.init() }
    var painters = try Painters()
    var text = TextBuffer()
    for index in encoders.indices { encoders[index].begin(header, in: &text) }
    for (index, frame) in frames.prefix(Self.maximumFrames).enumerated() {
      let seconds = frame.time.seconds
      let resolution = resolution(of: frame)
      let annotation = step.annotate(resolution, at: seconds, in: Self.video)
      let covered = coverage.cover(resolution, in: Self.video, at: seconds)
      let annotations = FrameAnnotations(
        frame: index, time: frame.time, source: annotation.source, found: annotation.found)
      if index < Self.maximumPainted { try painters.paint(annotations, covered) }
      var record = FrameRecord(annotations)
      (record.detections, record.late, record.events) = (resolution.found, resolution.late, annotation.events)
      record.counts = annotation.counts
      for index in encoders.indices { encoders[index].encode(record, to: &text) }
    }
    _ = step.finish()
  }

  /// A frame's record in the pixels of the video, as `RecordReplay` resolves it.
  private func resolution(of frame: RecordReader.Frame) -> ResolvedDetections {
    let (x, y) = (Double(Self.video.width) / Double(size.width), Double(Self.video.height) / Double(size.height))
    guard hasDetections else {
      return ResolvedDetections(found: frame.found.scaled(x: x, y: y), recordedSource: frame.source)
    }
    let late = frame.late.map { TimedObservations(time: $0.time, found: $0.found.scaled(x: x, y: y)) }
    return ResolvedDetections(late: late, found: frame.detections?.scaled(x: x, y: y))
  }

  private static let options: AnnotationOptions = {
    let kind = AnnotationOptions.KindOptions(tracker: TrackerOptions(confirmAfter: 1), minimumScore: 0.5)
    var options = AnnotationOptions(
      mode: .stream, kinds: Dictionary(uniqueKeysWithValues: DetectionKind.allCases.map { ($0, kind) }),
      maximumObjects: 8)
    func corner(_ x: Double, _ y: Double) -> CountedRegions.Corner { .init(x: .fraction(x), y: .fraction(y)) }
    options.counted.zones = [.init(name: "zone", corners: [corner(0, 0), corner(1, 0), corner(0.5, 1)])]
    options.counted.lines = [.init(name: "line", corners: [corner(0, 0.5), corner(1, 0.5)])]
    return options
  }()
}

/// Everything that is drawn of a frame's records.
private struct Painters {
  private var overlay: OverlayPainter
  private var redaction = RedactionPainter(.mosaic)
  private let script = OverlayScript(OverlayOptions(), size: size)

  private static let size = PixelSize(width: 64, height: 48)

  init() throws { overlay = try OverlayPainter(OverlayOptions(), fontPath: LabelFont.path) }

  mutating func paint(_ annotations: FrameAnnotations, _ covered: [CoveredRegion]) throws {
    var frame = try VideoFrame(blank: Self.size)
    try redaction.redact(covered.map { RedactedEllipse($0.ellipse, extent: $0.extent) }, in: &frame)
    try overlay.draw(annotations, on: &frame)
    _ = script.lines(annotations)
  }
}

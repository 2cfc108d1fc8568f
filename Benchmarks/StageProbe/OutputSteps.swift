import VStreamCore
import VStreamMedia
import VStreamOverlay
import VStreamReporting

/// Writes to a frame with a second reference, which copies it once.
struct Copying: Step {
  static let expected = 1
  private let original: VideoFrame

  init() throws { original = try makeFrame { _ in grey } }

  mutating func run() throws -> Int {
    var copy = original
    try copy.withMutablePlanes { planes in planes.bases[0]?.storeBytes(of: 0, as: UInt8.self) }
    let corner = Point(x: 0, y: 0)
    return luma(copy, at: corner) == 0 && luma(original, at: corner) == grey ? 1 : 0
  }
}

/// Draws 10 boxes with labels on a uniquely referenced frame.
struct Drawing: Step {
  static let expected = 10
  private var frame: VideoFrame
  private var stage: OverlayPainter
  private let annotated = annotations(trackedObjects(10, columns: 5))

  init() throws {
    frame = try makeFrame { _ in grey }
    stage = try OverlayPainter(
      OverlayOptions(elements: [.boxes, .labels, .ids]), fontPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
  }

  /// - Returns: the number of boxes whose left edge is drawn.
  mutating func run() throws -> Int {
    try stage.draw(annotated, on: &frame)
    return (annotated.found.objects ?? []).count { luma(frame, at: Point(x: $0.box.x, y: $0.box.center.y)) != grey }
  }
}

/// Redacts three faces in a uniquely referenced frame.
struct Redaction: Step {
  static let expected = 3
  private var frame: VideoFrame
  private var stage = RedactionPainter(.mosaic)
  private let regions = (0..<Self.expected).map { index in
    let ellipse = Ellipse(
      center: Point(x: 130.5 + 240 * Double(index), y: 250.25), radiusX: 50 + 8 * Double(index), radiusY: 75)
    return RedactedEllipse(ellipse, extent: 150)
  }

  init() throws { frame = try makeFrame { UInt8(16 + $0 % 200) } }

  /// - Returns: the number of faces with equal neighbouring pixels at their centre.
  mutating func run() throws -> Int {
    try stage.redact(regions, in: &frame)
    return regions.count { region in
      let center = region.ellipse.center
      return luma(frame, at: center) == luma(frame, at: Point(x: center.x + 1, y: center.y))
    }
  }
}

/// Writes the record of a frame with 10 objects to `records.jsonl` in the current folder.
struct Records: Step {
  static let expected = 1
  private var writer: RecordWriter
  private let record = FrameRecord(annotations(trackedObjects(10, columns: 5)))

  init() throws { writer = try RecordWriter(path: "records.jsonl", overwrite: true) }

  mutating func run() throws -> Int {
    try writer.write(record)
    return 1
  }
}

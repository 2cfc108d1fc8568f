import VStreamMedia
import VStreamOverlay
import VStreamReporting
import VStreamScene

/// Writes to a frame that somebody else holds, which has it copied, once.
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

/// Draws 10 boxes with labels on a frame that nobody else holds.
struct Drawing: Step {
  static let expected = 10
  private var frame: VideoFrame
  private var stage: OverlayStage
  private let annotated = annotations(trackedObjects(10, columns: 5))

  init() throws {
    frame = try makeFrame { _ in grey }
    stage = try OverlayStage(
      OverlayOptions(elements: [.boxes, .labels, .ids]), fontPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
  }

  /// - Returns: how many boxes have a left side.
  mutating func run() throws -> Int {
    try stage.draw(annotated, on: &frame)
    return (annotated.found.objects ?? []).count { luma(frame, at: Point(x: $0.box.x, y: $0.box.center.y)) != grey }
  }
}

/// Redacts three faces of a frame that nobody else holds.
struct Redaction: Step {
  static let expected = 3
  private var frame: VideoFrame
  private var stage = RedactionStage(.mosaic)
  private let regions = (0..<Self.expected).map { index in
    let ellipse = Ellipse(
      center: Point(x: 130.5 + 240 * Double(index), y: 250.25), radiusX: 50 + 8 * Double(index), radiusY: 75)
    return RedactionRegion(ellipse, extent: 150)
  }

  init() throws { frame = try makeFrame { UInt8(16 + $0 % 200) } }

  /// - Returns: how many faces have neighbours alike amid them.
  mutating func run() throws -> Int {
    try stage.redact(regions, in: &frame)
    return regions.count { region in
      let center = region.ellipse.center
      return luma(frame, at: center) == luma(frame, at: Point(x: center.x + 1, y: center.y))
    }
  }
}

/// Writes what is known of a frame with 10 objects to `records.jsonl` in the current folder.
struct Records: Step {
  static let expected = 1
  private var writer: RecordWriter
  private let record = FrameRecord(annotations(trackedObjects(10, columns: 5)))

  init() throws { writer = try RecordWriter(path: "records.jsonl") }

  mutating func run() throws -> Int {
    try writer.write(record)
    return 1
  }
}

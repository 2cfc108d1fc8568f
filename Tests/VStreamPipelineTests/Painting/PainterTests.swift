import Testing
import VStreamCore
import VStreamMedia
import VStreamOverlay
import VStreamTracking

@testable import VStreamPipeline

/// What is painted on a frame.
struct PainterTests {
  private static let size = PixelSize(width: 64, height: 48)

  private func painter(_ redaction: RedactionOptions?, elements: Set<OverlayOptions.Element> = []) throws -> Painter {
    var configuration = PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1)
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { ScriptedDetector() } }]
    configuration.redaction = redaction
    configuration.overlay = OverlayOptions(elements: elements)
    configuration.output = PipelineOutput(
      destination: try OutputDestination("out.mkv", overwrite: true), codec: try VideoCodec(encoder: "ffv1"),
      encoder: EncoderSettings(codec: "ffv1"))
    return try Painter(configuration)
  }

  private func annotated(covered: [CoveredRegion]?, _ objects: [DetectedObject] = []) throws -> FrameJob {
    let gray = [UInt8](repeating: 200, count: Self.size.width * Self.size.height * 3)
    var job = Scripted.job(try VideoFrame(rgb: gray, size: Self.size))
    job.record.annotations.found = Detections(objects: objects)
    job.covered = covered
    return job
  }

  private func rgb(_ frame: VideoFrame) -> [UInt8] {
    frame.withPlanes { planes in
      guard let base = planes.bases[0] else { return [] }
      let stride = planes.strides[0]
      return (0..<Self.size.height).flatMap { y in
        (0..<3 * Self.size.width).map { base.load(fromByteOffset: y * stride + $0, as: UInt8.self) }
      }
    }
  }

  private static let fill = RedactionOptions(.fill, labels: ["person"])

  @Test func `a frame whose covered regions are not known is covered whole`() throws {
    var painter = try painter(Self.fill)
    var (whole, unknown) = (
      try annotated(covered: [.whole(Self.size, at: 0)]), try annotated(covered: nil)
    )
    try painter.paint(&whole)
    try painter.paint(&unknown)
    let untouched = try annotated(covered: [])
    #expect(rgb(unknown.frame) == rgb(whole.frame))
    let (covered, before) = (rgb(unknown.frame), rgb(untouched.frame))
    #expect(zip(covered, before).allSatisfy { $0 != $1 })
  }

  @Test func `covered regions are painted, and no other pixels`() throws {
    var painter = try painter(Self.fill)
    let region = CoveredRegion(id: 1, Box(x: 4, y: 4, width: 16, height: 16), observedAt: 0)
    var annotated = try annotated(covered: [region])
    let before = rgb(annotated.frame)
    try painter.paint(&annotated)
    let after = rgb(annotated.frame)
    func offset(_ x: Int, _ y: Int) -> Int { (y * Self.size.width + x) * 3 }
    #expect(after[offset(12, 12)] != before[offset(12, 12)])
    #expect(after[offset(60, 40)] == before[offset(60, 40)])
  }

  @Test func `without redaction a frame is not covered, and boxes are drawn`() throws {
    var painter = try painter(nil, elements: [.boxes])
    var object = DetectedObject(
      classIndex: 0, label: "person", score: 1, box: Box(x: 10, y: 10, width: 30, height: 30))
    object.id = 1
    var annotated = try annotated(covered: nil, [object])
    let before = rgb(annotated.frame)
    try painter.paint(&annotated)
    let after = rgb(annotated.frame)
    func offset(_ x: Int, _ y: Int) -> Int { (y * Self.size.width + x) * 3 }
    #expect((0..<3).contains { after[offset(10, 25) + $0] != before[offset(10, 25) + $0] }, "its left edge")
    #expect(after[offset(25, 25)] == before[offset(25, 25)], "its centre")
    #expect(after[offset(60, 44)] == before[offset(60, 44)], "outside")
  }

  @Test func `a run without output paints nothing`() throws {
    let painter = try Painter(PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1))
    #expect(!painter.isActive)
  }
}

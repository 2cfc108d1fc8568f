import Testing
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

struct GrainMeterTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// A source of FFmpeg, with filters.
    let source: String
    let isGrainy: Bool
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "grey", source: "color=gray:size=640x360", isGrainy: false),
    Row(name: "grey with grain", source: "color=gray:size=640x360,noise=c0s=40:c0f=t", isGrainy: true),
    Row(name: "grey with little noise", source: "color=gray:size=640x360,noise=c0s=8:c0f=t", isGrainy: false),
    Row(name: "a pattern with edges", source: "testsrc2=size=640x360", isGrainy: false),
    Row(name: "a pattern with grain", source: "testsrc2=size=640x360,noise=c0s=40:c0f=t", isGrainy: true),
    Row(name: "odd steps between the points", source: "color=gray:size=704x396,noise=c0s=40:c0f=t", isGrainy: true),
    Row(
      name: "10 bits", source: "color=gray:size=640x360,noise=c0s=40:c0f=t,format=yuv420p10", isGrainy: true),
    Row(name: "fewer pixels than points", source: "color=gray:size=32x18,noise=c0s=40:c0f=t", isGrainy: false),
  ]

  @Test(arguments: rows) func `grain is told from what is shown`(row: Row) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", row.source, "-frames:v", "1", "-c:v", "ffv1", folder.file("a.mkv")])
    let frame = try #require(try SampleFrames.read(path: folder.file("a.mkv"), at: [0]).first)
    var meter = GrainMeter()
    #expect(try meter.isGrainy(frame) == row.isGrainy)
  }

  @Test func `the sample videos are not grainy`() throws {
    var meter = GrainMeter()
    for frame in try SampleFrames.read("street.avi", at: [0, 400]) { #expect(try !meter.isGrainy(frame)) }
  }
}

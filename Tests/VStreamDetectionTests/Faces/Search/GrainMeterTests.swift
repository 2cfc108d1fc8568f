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
    Row(
      name: "between black borders", source: "color=gray:size=400x360,noise=c0s=40:c0f=t,pad=640:360:120:0",
      isGrainy: true),
    Row(name: "enlarged", source: "color=gray:size=384x216,noise=c0s=30:c0f=t,scale=640:360", isGrainy: true),
    Row(name: "dark", source: "color=0x303030:size=640x360,noise=c0s=40:c0f=t", isGrainy: true),
    Row(name: "black", source: "color=black:size=640x360", isGrainy: false),
    Row(name: "odd steps between the points", source: "color=gray:size=704x396,noise=c0s=40:c0f=t", isGrainy: true),
    Row(
      name: "10 bits", source: "color=gray:size=640x360,noise=c0s=40:c0f=t,format=yuv420p10", isGrainy: true),
    Row(name: "fewer pixels than points", source: "color=gray:size=32x18,noise=c0s=40:c0f=t", isGrainy: false),
  ]

  @Test(arguments: rows) func `a frame with grain is grainy, whatever it shows`(row: Row) throws {
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

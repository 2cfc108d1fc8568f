import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

struct FrameImagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var inputs: [String] = []
    var output: String?
    var options: [String: String] = [:]
    var rate: Rational?
    var size: OutputSize?
    /// The tick of each frame that is released, and the name of its file.
    var ticks: [Int64] = [0, 1, 3]
    let expected: [String?]
  }

  @Test(arguments: [
    Row(testDescription: "a video to a video", output: "out.mkv", expected: [nil, nil, nil]),
    Row(testDescription: "a video to nothing", expected: [nil, nil, nil]),
    Row(
      testDescription: "a folder, of which one image was damaged",
      inputs: ["in/a.png", "in/b.png", "in/c.png", "in/d.png"],
      expected: ["a.png", "b.png", "d.png"]),
    Row(
      testDescription: "a part of a folder", inputs: ["in/a.png", "in/b.png", "in/c.png", "in/d.png"], ticks: [2, 3],
      expected: ["c.png", "d.png"]),
    Row(testDescription: "a photo", inputs: ["in/photo.jpg"], output: "out.jpg", ticks: [7], expected: ["photo.jpg"]),
    Row(
      testDescription: "a video to numbered images", output: "f-%03d.png",
      expected: ["f-001.png", "f-002.png", "f-003.png"]),
    Row(
      testDescription: "numbers from 7 on", output: "f-%d.png", options: ["start_number": "7"],
      expected: ["f-7.png", "f-8.png", "f-9.png"]),
    Row(testDescription: "a frame of a video to one image", output: "one.png", ticks: [5], expected: ["one.png"]),
    Row(
      testDescription: "images at another rate", output: "f-%03d.png", rate: Rational(5, 1), expected: [nil, nil, nil]),
    Row(
      testDescription: "images of another size", output: "f-%03d.png", size: OutputSize("64x48"),
      expected: [nil, nil, nil]),
    Row(
      testDescription: "images to images", inputs: ["in/a.png", "in/b.png"], output: "f-%03d.png", ticks: [0, 1],
      expected: ["a.png", "b.png"]),
  ])
  func `frames are named by the files that show them`(row: Row) throws {
    let output = try row.output.map { name in
      var settings = EncoderSettings(codec: "png")
      (settings.frameRate, settings.size) = (row.rate, row.size)
      let options = row.options.map { (key: $0.key, value: $0.value) }
      return PipelineOutput(
        destination: try OutputDestination(folder.file(name), options: options, overwrite: true),
        codec: try VideoCodec(encoder: "png"), encoder: settings)
    }
    let base = try #require(Rational(1, 25))
    var images = FrameImages(inputPaths: row.inputs, timeBase: base, output: output)
    #expect(row.ticks.map { images.next(at: Time(ticks: $0, base: base)) } == row.expected)
  }
}

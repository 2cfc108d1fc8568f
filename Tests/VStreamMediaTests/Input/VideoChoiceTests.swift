import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Which of several videos is processed.
struct VideoChoiceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The sizes of the videos, and which of them are marked as default.
    let sizes: [String]
    let defaults: [Int]
    let chosen: Int
  }

  static let rows = [
    Row(testDescription: "the largest of all", sizes: ["32x32", "64x48", "48x48"], defaults: [], chosen: 1),
    Row(testDescription: "the default, though smaller", sizes: ["64x48", "32x32"], defaults: [1], chosen: 1),
    Row(
      testDescription: "the largest of two defaults", sizes: ["64x48", "32x32", "48x32"], defaults: [1, 2], chosen: 2),
    Row(testDescription: "the first of equals", sizes: ["48x32", "48x32"], defaults: [], chosen: 0),
  ]

  @Test(arguments: rows)
  func `the default video is chosen, else the largest`(row: Row) throws {
    let folder = try TemporaryFolder()
    let inputs = row.sizes.flatMap { Clip.video($0, seconds: "0.2") }
    let maps = row.sizes.indices.flatMap { ["-map", "\($0)"] }
    let dispositions = row.sizes.indices.flatMap { index in
      ["-disposition:v:\(index)", row.defaults.contains(index) ? "default" : "0"]
    }
    // Without this Matroska marks the first stream.
    let options = ["-c:v", "mpeg4", "-default_mode", "passthrough"]
    try Program.ffmpeg(inputs + maps + options + dispositions + [folder.file("in.mkv")])
    let reader = try MediaReader(MediaInput(folder.file("in.mkv")))
    #expect(reader.video.index == row.chosen)
    #expect(reader.streams.count == row.sizes.count)
  }

  @Test func `of a short video of many frames and a long one of few, either plays`() throws {
    let folder = try TemporaryFolder()
    let inputs = Clip.video("32x32", rate: "100", seconds: "0.2") + Clip.video("64x48", rate: "1", seconds: "2")
    try Program.ffmpeg(inputs + ["-map", "0", "-map", "1", "-c:v", "mpeg4", folder.file("in.mp4")])
    let reader = try MediaReader(MediaInput(folder.file("in.mp4")))
    #expect(reader.streams.map(\.frameCount) == [20, 2])
    #expect(reader.video.index == 0, "the default")
  }
}

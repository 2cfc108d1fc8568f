import Foundation
import Testing
import VStreamTestSupport

/// The file names in COCO's JSON.
struct RecordImagesTests {
  private let folder: TemporaryFolder

  /// With a video of four frames, and a folder of four numbered images.
  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    let test = ["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "4"]
    try Program.ffmpeg(test + [folder.file("in.mkv")])
    try Program.ffmpeg(test + ["-start_number", "8", folder.file("in/im%d.png")])
  }

  /// - Returns: the `file_name` of each image, in the order of the frames.
  private func fileNames(_ words: String) throws -> [String?] {
    let result = try Program.vstream(
      words.split(separator: " ").map(String.init) + ["--detect", "none", "--records", "r.json"], folder: folder.path)
    try #require(result.status == 0, "\(result.errors)")
    let coco = try JSON(String(contentsOfFile: folder.file("r.json"), encoding: .utf8))
    return coco["images"].list?.map(\.["file_name"].string) ?? []
  }

  @Test func `the images of a folder are named, in their order`() throws {
    #expect(try fileNames("in -o null") == ["im8.png", "im9.png", "im10.png", "im11.png"])
    #expect(folder.names.contains("r.json"))
  }

  @Test func `a part of numbered images is named`() throws {
    #expect(try fileNames("in/im%d.png -o null --input-option framerate=10 --start 0.2") == ["im10.png", "im11.png"])
  }

  @Test func `the images of the output are named, and exist`() throws {
    let names = try fileNames("in.mkv -o o-%03d.png --output-option start_number=5").compactMap(\.self)
    #expect(names == ["o-005.png", "o-006.png", "o-007.png", "o-008.png"])
    #expect(folder.names.filter { $0.hasPrefix("o-") } == names)
  }

  @Test func `a photo is named`() throws {
    #expect(try fileNames("in/im8.png -o null") == ["im8.png"])
  }

  @Test func `the frames of a video are numbered`() throws {
    #expect(try fileNames("in.mkv -o null") == ["in.mkv#0", "in.mkv#1", "in.mkv#2", "in.mkv#3"])
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Outputs of image files: one, or a numbered sequence.
struct ImageWriterTests {
  /// A clip of some frames in a folder.
  private static func clip(_ folder: TemporaryFolder, frames: Int) throws -> String {
    let path = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video("34x20") + ["-frames:v", "\(frames)", "-c:v", "ffv1", path])
    return path
  }

  @Test(arguments: [("png", "png"), ("jpg", "mjpeg"), ("webp", "libwebp"), ("bmp", "bmp")])
  func `each frame is a file with its number`(ending: String, encoder: String) throws {
    let folder = try TemporaryFolder()
    let input = try Self.clip(folder, frames: 3)
    try Transcoder(settings: EncoderSettings(codec: encoder)).run(input, to: folder.file("out-%03d.\(ending)"))
    #expect(folder.names == ["in.mkv"] + (1...3).map { "out-00\($0).\(ending)" })
    for number in 1...3 {
      let image = try Decoded(folder.file("out-00\(number).\(ending)"))
      #expect(image.frames.map(\.size) == [PixelSize(width: 34, height: 20)])
    }
  }

  @Test func `numbers start at start_number`() throws {
    let folder = try TemporaryFolder()
    let input = try Self.clip(folder, frames: 2)
    try Transcoder(settings: EncoderSettings(codec: "png"), options: [("start_number", "7")]).run(
      input, to: folder.file("%d.png"))
    #expect(folder.names == ["7.png", "8.png", "in.mkv"])
  }

  @Test func `a single image gets its name only when it is complete`() throws {
    let folder = try TemporaryFolder()
    let input = try Self.clip(folder, frames: 1)
    var namesBefore: [String] = []
    try Transcoder(settings: EncoderSettings(codec: "png"), onPacket: { _, _ in namesBefore = folder.names }).run(
      input, to: folder.file("out.png"))
    #expect(namesBefore == ["in.mkv", "out.png.part"])
    #expect(folder.names == ["in.mkv", "out.png"])
  }

  @Test func `a second frame for a single image is a usage error with a pattern`() throws {
    let folder = try TemporaryFolder()
    let input = try Self.clip(folder, frames: 2)
    let error = failure {
      try Transcoder(settings: EncoderSettings(codec: "png")).run(input, to: folder.file("out.png"))
    }
    #expect(error?.code == .usage)
    #expect(error?.remedy.contains("out-%05d.png") == true)
    #expect(!folder.names.contains("out.png"))
  }

  @Test func `an existing image of the sequence is replaced only with overwrite`() throws {
    let folder = try TemporaryFolder()
    let input = try Self.clip(folder, frames: 3)
    let mine = try folder.write("2.png", "mine")
    let error = failure {
      try Transcoder(settings: EncoderSettings(codec: "png")).run(input, to: folder.file("%d.png"))
    }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("2.png") == true)
    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
  }

  @Test func `streams that image files cannot hold are omitted with a reason`() throws {
    let folder = try TemporaryFolder()
    let input = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-frames:v", "1", "-c:v", "ffv1", input])
    let omitted = try Transcoder(settings: EncoderSettings(codec: "png")).run(input, to: folder.file("%d.png"))
    #expect(omitted.map(\.stream.kind) == [.audio])
    #expect(omitted.first?.reason.contains(".mkv") == true)
  }

  @Test(arguments: [("jpg", "mjpeg"), ("png", "png"), ("webp", "libwebp")])
  func `Exif of the input photo is kept, with an upright orientation`(ending: String, encoder: String) throws {
    let folder = try TemporaryFolder()
    let (plain, input) = (folder.file("plain.jpg"), folder.file("in.jpg"))
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x21", "-frames:v", "1", plain])
    let file = ImageMetadata(exif: ImageMetadataTests.exif(6)).embedded(
      in: try #require(ImageFiles.bytes(of: plain)), width: 34, height: 21)
    try Data(file).write(to: URL(filePath: input))
    try Transcoder(settings: EncoderSettings(codec: encoder)).run(input, to: folder.file("out.\(ending)"))
    let metadata = ImageMetadata(of: try #require(ImageFiles.bytes(of: folder.file("out.\(ending)"))))
    #expect(metadata.exif.count == ImageMetadataTests.exif(6).count)
    #expect(metadata.orientation == .upright)
  }

  @Test func `paths of images and of their part files belong to the output`() throws {
    let folder = try TemporaryFolder()
    let numbered = try OutputDestination(folder.file("a-%03d.png"), overwrite: false)
    for name in ["a-001.png", "a-999.png", "a-001.png.part", "./a-001.png"] {
      #expect(numbered.writes(to: folder.file(name)), "\(name)")
    }
    for name in ["a-1.png", "b-001.png", "a-001.jpg"] { #expect(!numbered.writes(to: folder.file(name)), "\(name)") }
    let single = try OutputDestination(folder.file("a.png"), overwrite: false)
    #expect(single.isSingleImage && !numbered.isSingleImage)
    #expect(single.writes(to: folder.file("a.png")) && !single.writes(to: folder.file("b.png")))
    #expect(try !OutputDestination(folder.file("a.mkv"), overwrite: false).writes(to: folder.file("a.mkv")))
  }

  @Test(arguments: [("start_number", "x"), ("start_number", "-1"), ("quality", "3")])
  func `an option other than a start number is a usage error`(key: String, value: String) throws {
    let folder = try TemporaryFolder()
    let error = failure {
      _ = try OutputDestination(folder.file("%d.png"), options: [(key, value)], overwrite: false)
    }
    #expect(error?.code == .usage)
    #expect(error?.setting == .outputOption)
    #expect(error?.value == "\(key)=\(value)")
  }
}

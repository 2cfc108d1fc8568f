import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// Streams besides the video that may contain images.
struct EmbeddedImagesTests {
  @Test func `other video, data and attachments may contain images; audio, subtitles and fonts do not`() throws {
    let folder = try TemporaryFolder()
    let (cover, font, notes) = (folder.file("cover.png"), folder.file("a.ttf"), folder.file("a.srt"))
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=32x32", "-frames:v", "1", cover])
    _ = try folder.write("a.ttf", "a font")
    _ = try folder.write("a.bin", "anything")
    try "1\n00:00:00,000 --> 00:00:01,000\nHello\n".write(toFile: notes, atomically: true, encoding: .utf8)
    let input = folder.file("in.mkv")
    try Program.ffmpeg(
      Clip.video() + Clip.tone() + [
        "-i", notes, "-map", "0", "-map", "1", "-map", "2", "-attach", font, "-metadata:s:t:0",
        "mimetype=application/x-truetype-font", "-attach", folder.file("a.bin"), "-metadata:s:t:1",
        "mimetype=application/octet-stream", "-c:v", "ffv1", input,
      ])
    let streams = try MediaReader(MediaInput(input)).streams
    let kinds = streams.map(\.kind)
    #expect(kinds.contains(.audio) && kinds.contains(.subtitle) && kinds.filter { $0 == .attachment }.count == 2)
    for stream in streams {
      let mimetype = stream.metadata["mimetype"] ?? ""
      let expected =
        switch stream.kind {
        case .audio, .subtitle: false
        case .attachment: !mimetype.contains("font")
        default: true
        }
      #expect(stream.mayContainImages == expected, "\(stream.kind) \(mimetype)")
    }
  }

  @Test func `a photo's thumbnail is found and removed, and its orientation is kept`() throws {
    let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 99, count: 20)
    let folder = try TemporaryFolder()
    let path = folder.file("a.jpg")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x21", "-frames:v", "1", path])
    var container = try MediaReader(MediaInput(path)).container
    #expect(!container.hasThumbnail)
    container.photo = ImageMetadata(exif: ImageMetadataTests.exif(note: [1, 2, 3, 4, 5], thumbnail: thumbnail))
    #expect(container.hasThumbnail)
    #expect(!container.withoutThumbnails.hasThumbnail)
    #expect(container.withoutThumbnails.photo?.orientation == .clockwise)
  }
}

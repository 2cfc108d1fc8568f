import CVStreamLibAV
import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// Streams besides the video that may contain images.
struct EmbeddedImagesTests {
  @Test func `other video, data and attachments may contain images; audio and subtitles do not`() throws {
    let folder = try TemporaryFolder()
    let (cover, font, notes) = (folder.file("cover.png"), folder.file("a.ttf"), folder.file("a.srt"))
    try FileManager.default.copyItem(atPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", toPath: font)
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=32x32", "-frames:v", "1", cover])
    _ = try folder.write("a.bin", "anything")
    try "1\n00:00:00,000 --> 00:00:01,000\nHello\n".write(toFile: notes, atomically: true, encoding: .utf8)
    let input = folder.file("in.mkv")
    try Program.ffmpeg(
      Clip.video() + Clip.tone() + [
        "-i", notes, "-map", "0", "-map", "1", "-map", "2", "-attach", font, "-metadata:s:t:0",
        "mimetype=application/x-truetype-font", "-attach", folder.file("a.bin"), "-metadata:s:t:1",
        "mimetype=application/octet-stream", "-attach", cover, "-metadata:s:t:2",
        "mimetype=application/x-truetype-font", "-c:v", "ffv1", input,
      ])
    let streams = try MediaReader(MediaInput(input)).streams
    let kinds = streams.map(\.kind)
    #expect(kinds.contains(.audio) && kinds.contains(.subtitle) && kinds.filter { $0 == .attachment }.count == 3)
    for stream in streams {
      let expected =
        switch stream.kind {
        case .audio, .subtitle: false
        default: true
        }
      #expect(stream.mayContainImages == expected, "\(stream.kind) \(stream.metadata)")
    }
  }

  @Test func `chapters' titles that are images are omitted`() throws {
    let folder = try TemporaryFolder()
    let image = String(repeating: "A", count: 3000)
    let chapter = "[CHAPTER]\nTIMEBASE=1/10\n"
    let text = ";FFMETADATA1\n\(chapter)START=0\nEND=1\ntitle=\(image)\n\(chapter)START=1\nEND=2\ntitle=a walk\n"
    let titles = try folder.write("a.txt", text)
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=34x20:d=0.2", "-i", titles, "-map_metadata", "1", "-map", "0",
      folder.file("a.mkv"),
    ])
    let container = try MediaReader(MediaInput(folder.file("a.mkv"))).container
    #expect(container.omissions(keepsImages: false, keepsDescription: false).images)
    let redacted = container.redacted(keepsImages: false, keepsDescription: false)
    #expect(redacted.chapters.map { $0.metadata["title"] } == [nil, "a walk"])
  }

  /// Two subtitles of images (PGS), without contents.
  static let imageSubtitles: [UInt8] = [0, 1].flatMap { second -> [UInt8] in
    let start = Array("PG".utf8) + [0, 1, 0x5F, UInt8(second), 0, 0, 0, 0]
    return start + [0x16, 0, 11, 0, 64, 0, 48, 0x10, 0, 0, 0x80, 0, 0, 0] + start + [0x80, 0, 0]
  }

  @Test func `subtitles that are images may show what is redacted`() throws {
    let folder = try TemporaryFolder()
    try Data(Self.imageSubtitles).write(to: URL(filePath: folder.file("a.sup")))
    try Program.ffmpeg(
      Clip.video() + ["-i", folder.file("a.sup"), "-map", "0", "-map", "1", "-c:v", "ffv1", "-c:s", "copy"]
        + [folder.file("a.mkv")])
    let streams = try MediaReader(MediaInput(folder.file("a.mkv"))).streams
    let subtitles = try #require(streams.first { $0.kind == .subtitle })
    #expect(subtitles.codecName == "hdmv_pgs_subtitle" && subtitles.mayContainImages)
  }

  @Test func `a photo's thumbnail is found and removed, and its orientation is kept`() throws {
    let thumbnail = [UInt8](repeating: 99, count: 20)
    let exif = TIFFBlock(
      [[TIFFEntry(0x0112, 3, [6])], [TIFFEntry(data: 0x0201, thumbnail), TIFFEntry(0x0202, 4, [20])]],
      isLittleEndian: true
    ).bytes
    let folder = try TemporaryFolder()
    let path = folder.file("a.jpg")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x21", "-frames:v", "1", path])
    var container = try MediaReader(MediaInput(path)).container
    #expect(container.omissions(keepsImages: false, keepsDescription: false) == ContainerInfo.Omissions())
    container.photo = ImageMetadata(exif: exif)
    #expect(container.omissions(keepsImages: false, keepsDescription: true).images)
    for keepsDescription in [false, true] {
      let redacted = container.redacted(keepsImages: false, keepsDescription: keepsDescription)
      #expect(!redacted.omissions(keepsImages: false, keepsDescription: false).images)
      #expect(redacted.photo?.orientation == .clockwise)
    }
  }

  @Test(arguments: [
    (["METADATA_BLOCK_PICTURE": "AAAA"], images: true, description: true),
    (["title": String(repeating: "A", count: 3000)], images: true, description: false),
    (["location": "+48.1374+011.5755/"], images: false, description: true),
    (["com.apple.quicktime.make": "a maker"], images: false, description: true),
    (["com.android.model": "a phone"], images: false, description: true),
    (["ARTIST": "a person"], images: false, description: true),
    (["IMEI": "49-015420-323751-8"], images: false, description: true),
    (["encoder": "Lavf59", "creation_time": "2026-01-01T00:00:00Z"], images: false, description: false),
    (["title": "a walk"], images: false, description: false),
    ([String(repeating: "title-AAAA", count: 9): "a"], images: true, description: false),
    (
      ["title": String(repeating: "Ein Spaziergang durch die Altstadt. ", count: 20)], images: false,
      description: false
    ),
  ])
  func `tags with images, and tags about places and devices, are omitted`(
    tags: [String: String], images: Bool, description: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.mkv")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x20:d=0.2", path])
    let container = try MediaReader(MediaInput(path)).container.mappingMetadata { _ in tags }
    let omissions = container.omissions(keepsImages: false, keepsDescription: false)
    #expect(omissions.images == images && omissions.description == description)
    #expect(
      container.redacted(keepsImages: false, keepsDescription: false).metadata == (images || description ? [:] : tags))
    #expect(container.redacted(keepsImages: false, keepsDescription: true).metadata == (images ? [:] : tags))
    #expect(container.redacted(keepsImages: true, keepsDescription: true).metadata == tags)
    let kept = container.redacted(keepsImages: true, keepsDescription: false).metadata
    #expect(kept == (description && !images ? [:] : tags))
  }

  @Test func `what is beside a packet's bytes is removed, but for what decoders of sound need`() throws {
    let av = try Packet.allocate(copying: [1, 2, 3])
    let kinds = [
      AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, AV_PKT_DATA_SKIP_SAMPLES, AV_PKT_DATA_WEBVTT_IDENTIFIER,
    ]
    for kind in kinds { try #require(av_packet_new_side_data(av, kind, 10)).update(repeating: 7, count: 10) }
    let packet = Packet(takingOwnershipOf: av, timeBase: .milliseconds)
    let left = try packet.withoutSideData()
    #expect(left.bytes.map { $0 } == [1, 2, 3])
    #expect(left.av.pointee.side_data_elems == 1)
    let data = try #require(av_packet_get_side_data(left.av, AV_PKT_DATA_SKIP_SAMPLES, nil))
    #expect(Array(UnsafeBufferPointer(start: data, count: 10)) == Array(repeating: 7, count: 10))
    #expect(packet.av.pointee.side_data_elems == 3, "the packet itself stays as it is")
  }
}

import CVStreamLibAV
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The codecs and streams that containers hold, and what an input's container specifies.
struct ContainerTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let format: String
    let codec: String
    let holds: Bool
    var testDescription: String { "\(codec) in \(format)" }
  }

  static let rows = [
    Row(format: "mp4", codec: "h264", holds: true), Row(format: "mp4", codec: "aac", holds: true),
    Row(format: "mp4", codec: "ffvhuff", holds: false), Row(format: "matroska", codec: "ffv1", holds: true),
    Row(format: "webm", codec: "vp9", holds: true), Row(format: "webm", codec: "h264", holds: false),
    Row(format: "mpegts", codec: "h264", holds: true), Row(format: "mpegts", codec: "ffv1", holds: false),
    Row(format: "mpegts", codec: "mjpeg", holds: false), Row(format: "hls", codec: "hevc", holds: true),
    Row(format: "rtsp", codec: "h264", holds: true), Row(format: "rtsp", codec: "ffv1", holds: false),
    Row(format: "rtsp", codec: "mjpeg", holds: true),
  ]

  @Test(arguments: rows)
  func `a container holds the codecs that players of it read`(row: Row) throws {
    let codec = try #require(avcodec_descriptor_get_by_name(row.codec)?.pointee.id)
    let format = try #require(av_guess_format(row.format, nil, nil))
    #expect(Container.holds(codec, format: format) == row.holds)
  }

  private static func streams(_ name: String, _ options: [String]) throws -> [StreamInfo] {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(options + [folder.file(name)])
    return try MediaReader(MediaInput(folder.file(name))).streams
  }

  @Test func `a stream is held where its header can be written, and another container is suggested elsewhere`() throws {
    let streams = try Self.streams(
      "in.mkv", Clip.video("32x32") + Clip.tone() + ["-c:v", "ffvhuff", "-c:a", "wmav2"])
    let (mp4, mkv) = (
      try #require(av_guess_format("mp4", nil, nil)), try #require(av_guess_format("matroska", nil, nil))
    )
    for stream in streams {
      #expect(!Container.canHold(stream, format: mp4), "\(stream.label)")
      #expect(Container.canHold(stream, format: mkv), "\(stream.label)")
      #expect(Container.alternative(for: stream) == ".mkv")
    }
  }

  @Test func `a video that a container cannot hold is an error with a suggestion`() throws {
    let video = try #require(try Self.streams("in.mkv", Clip.video("32x32") + ["-c:v", "ffvhuff"]).first)
    let mp4 = try #require(av_guess_format("mp4", nil, nil))
    let error = failure { try Container.requireHoldsCopy(of: video, format: mp4) }
    #expect(error?.code == .usage)
    #expect(error?.message == "mp4 cannot hold the video as it is (ffvhuff)")
    #expect(error?.remedy == "write an .mkv")
  }

  @Test func `a rotated video is copied only where its orientation can be stored`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + ["-c:v", "libx264", folder.file("a.mp4")])
    try Program.ffmpeg(Program.rotating(folder.file("a.mp4"), by: 90) + [folder.file("b.mp4")])
    let video = try MediaReader(MediaInput(folder.file("b.mp4"))).video
    #expect(video.orientation == .counterClockwise)
    let (mp4, mkv) = (
      try #require(av_guess_format("mp4", nil, nil)), try #require(av_guess_format("matroska", nil, nil))
    )
    #expect(failure { try Container.requireHoldsCopy(of: video, format: mp4) } == nil)
    let error = failure { try Container.requireHoldsCopy(of: video, format: mkv) }
    #expect(error?.message.contains("rotated by 270°") == true, "\(error?.message ?? "")")
  }

  struct Shift: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let span: (Int64, Int64)
    let back: Double
    let expected: (Int64, Int64)?
  }

  static let shifts = [
    Shift(testDescription: "not at all", span: (1000, 2000), back: 0, expected: (1000, 2000)),
    Shift(testDescription: "back", span: (1000, 2000), back: 0.5, expected: (500, 1500)),
    Shift(testDescription: "cut at zero", span: (1000, 2000), back: 1.5, expected: (0, 500)),
    Shift(testDescription: "up to its end", span: (1000, 2000), back: 2, expected: nil),
    Shift(testDescription: "forward", span: (1000, 2000), back: -1, expected: (2000, 3000)),
    Shift(testDescription: "before zero, not shifted", span: (-500, -100), back: 0, expected: (-500, -100)),
  ]

  @Test(arguments: shifts)
  func `a chapter is moved with the video`(row: Shift) {
    func time(_ ticks: Int64) -> Time { Time(ticks: ticks, base: .milliseconds) }
    let chapter = Chapter(id: 7, start: time(row.span.0), end: time(row.span.1), metadata: ["title": "One"])
    let moved = chapter.shifted(back: row.back)
    #expect(moved?.start == row.expected.map { time($0.0) })
    #expect(moved?.end == row.expected.map { time($0.1) })
    #expect(moved.map { $0.id == 7 && $0.metadata == ["title": "One"] } != false)
  }

  @Test func `chapters, tags, covers and timecodes of an input are found`() throws {
    let folder = try TemporaryFolder()
    let chapters = """
      ;FFMETADATA1
      title=A walk
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=400
      title=Out
      [CHAPTER]
      TIMEBASE=1/1000
      START=400
      END=1000
      title=Back
      """
    try chapters.write(toFile: folder.file("chapters.txt"), atomically: true, encoding: .utf8)
    try Program.ffmpeg(Clip.video("16x16") + ["-frames:v", "1", folder.file("cover.png")])
    try Program.ffmpeg(
      Clip.video("32x32") + ["-i", folder.file("chapters.txt"), "-i", folder.file("cover.png")]
        + ["-map", "0", "-map", "2", "-map_metadata", "1", "-map_chapters", "1", "-c:v:0", "libx264", "-c:v:1", "copy"]
        + ["-disposition:v:1", "attached_pic", "-timecode", "01:00:00:00", folder.file("in.mp4")])
    let reader = try MediaReader(MediaInput(folder.file("in.mp4")))
    #expect(reader.container.chapters.map { $0.metadata["title"] } == ["Out", "Back"])
    #expect(reader.container.chapters.map(\.start.seconds) == [0, 0.4])
    #expect(reader.container.metadata["title"] == "A walk")
    #expect(reader.container.statedDurationSeconds == 1)
    #expect(reader.video.attachedPicture == nil)
    #expect(reader.video.frameCount == 10)
    let cover = try #require(reader.streams.first { $0.attachedPicture != nil })
    #expect(cover.codecName == "png")
    #expect(cover.attachedPicture == ImageFiles.bytes(of: folder.file("cover.png")))
    #expect(reader.streams.contains { $0.isInternal && $0.kind == .data })
  }

  @Test func `a duration that is estimated from the bit rate is not exact`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + ["-c:v", "mpeg4", "-f", "m4v", folder.file("in.m4v")])
    let container = try MediaReader(MediaInput(folder.file("in.m4v"), format: "m4v")).container
    #expect(container.statedDurationSeconds == nil)
    #expect(!container.isLive, "a file without a duration is a file")
  }
}

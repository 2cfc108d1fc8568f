import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// A file has a part name until it is complete.
struct MediaWriterTests {
  @Test(arguments: ["mp4", "mov", "mkv"])
  func `a part file can be played, and gets its name only when it is complete`(ending: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.\(ending)"))
    try Program.ffmpeg(Clip.video(rate: "20", seconds: "4") + ["-c:v", "ffv1", input])
    var namesBefore: [String] = []
    var framesBefore = 0
    // An encoder without delay, so that the written frames are known.
    let encoder = EncoderSettings(codec: "mpeg4", bitRate: 500_000)
    try Transcoder(
      settings: encoder,
      onPacket: { count, _ in
        guard count == 60 else { return }
        namesBefore = folder.names
        framesBefore = try Probe(folder.file("out.\(ending).part")).frameTimes().count
      }
    ).run(input, to: output)

    #expect(namesBefore == ["in.mkv", "out.\(ending).part"])
    #expect(framesBefore >= 40, "all but the last second of 3")
    #expect(folder.names == ["in.mkv", "out.\(ending)"])
    #expect(try Probe(output).frameTimes().count == 80)
  }

  @Test(arguments: ["mp4", "mov"])
  func `a finished file starts with its index and is not fragmented`(ending: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.\(ending)"))
    try Program.ffmpeg(Clip.video(seconds: "2") + ["-c:v", "ffv1", input])
    try Transcoder().run(input, to: output)
    let bytes = try Data(contentsOf: URL(filePath: output))
    let index = try #require(bytes.firstRange(of: Data("moov".utf8)))
    let media = try #require(bytes.firstRange(of: Data("mdat".utf8)))
    #expect(index.lowerBound < media.lowerBound)
    #expect(bytes.firstRange(of: Data("moof".utf8)) == nil)
  }

  /// The process used to crash here: the context of a writer whose header failed was closed twice.
  @Test(arguments: [
    (file: "out.webm", expected: "webm cannot hold h264"), (file: "out.mp3", expected: "holds no video"),
    (file: "out.ogv", expected: "ogv holds theora or vp8"), (file: "out.ts", expected: "mpegts cannot hold ffv1"),
  ])
  func `a container that cannot hold the video is an error that leaves no file`(file: String, expected: String) throws {
    let folder = try TemporaryFolder()
    let input = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video() + ["-c:v", "ffv1", input])
    let settings = file == "out.ts" ? EncoderSettings(codec: "ffv1") : EncoderSettings(preset: "ultrafast")
    let error = failure { try Transcoder(settings: settings).run(input, to: folder.file(file)) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains(expected) == true)
    #expect(folder.names == ["in.mkv"])
  }

  @Test func `a folder removed during the run is an error, not a crash`() throws {
    let folder = try TemporaryFolder()
    let input = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video() + ["-c:v", "ffv1", input])
    let reader = try MediaReader(MediaInput(input))
    let removed = folder.file("gone")
    try FileManager.default.createDirectory(atPath: removed, withIntermediateDirectories: false)
    let destination = try OutputDestination(removed + "/out.mp4", overwrite: false)
    try FileManager.default.removeItem(atPath: removed)
    let first = try #require(try Decoded(input).frames.first)
    let encoder = try VideoEncoder(
      VideoCodec(encoder: "mpeg4"), settings: EncoderSettings(codec: "mpeg4"), first: first, frameRate: nil,
      rules: destination.rules)
    let error = failure {
      _ = try MediaWriter(
        destination, video: encoder, first: first, source: reader.video, copying: [], container: reader.container)
    }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("out.mp4") == true)
  }
}

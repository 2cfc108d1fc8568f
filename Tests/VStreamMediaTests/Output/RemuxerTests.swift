import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The last step of an MP4 or MOV file: from fragments to an index at the start.
struct RemuxerTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let ending: String
    /// FFmpeg's options for the input's streams.
    let options: [String]
    var testDescription: String { "\(name), \(ending)" }
  }

  static let rows = ["mp4", "mov"].flatMap { ending in
    [
      Row(name: "constant rate", ending: ending, options: ["-c:v", "libx264"]),
      Row(
        name: "B-frames", ending: ending, options: ["-c:v", "libx264", "-bf", "3", "-x264-params", "b-adapt=0"]),
      Row(
        name: "variable rate", ending: ending,
        options: ["-vf", "select=not(mod(n\\,3))+not(mod(n\\,7))", "-fps_mode", "vfr", "-c:v", "libx264"]),
    ]
  }

  /// The boxes at the top level of an MP4 file, in their order. Source: ISO/IEC 14496-12, 4.2.
  static func boxes(_ path: String) throws -> [String] {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var names: [String] = []
    var offset = 0
    while offset + 8 <= bytes.count {
      let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      names.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
      guard size >= 8 else { break }
      offset += size
    }
    return names
  }

  @Test(arguments: rows)
  func `a finished file has its index first, and the times and durations of the input`(_ row: Row) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.\(row.ending)"), folder.file("out.\(row.ending)"))
    try Program.ffmpeg(Clip.video(seconds: "1.2") + row.options + [input])
    try Transcoder(settings: EncoderSettings(preset: "fast")).run(input, to: output)
    let boxes = try Self.boxes(output)
    let (index, media) = (try #require(boxes.firstIndex(of: "moov")), try #require(boxes.firstIndex(of: "mdat")))
    #expect(index < media)
    #expect(!boxes.contains("moof"))
    let (before, after) = (try Probe(input).frameTimes(), try Probe(output).frameTimes())
    #expect(before.count == after.count)
    for (one, other) in zip(before, after) { #expect(abs(one - other) < 0.0006) }
    #expect(abs(try #require(Probe(output).duration) - #require(Probe(input).duration)) < 0.05)
    #expect(folder.names == ["in.\(row.ending)", "out.\(row.ending)"])
  }

  @Test func `audio, chapters, a cover image and metadata are in the finished file`() throws {
    let folder = try TemporaryFolder()
    let (plain, cover, chapters) = (folder.file("plain.mp4"), folder.file("cover.png"), folder.file("chapters.txt"))
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=32x32", "-frames:v", "1", cover])
    try ";FFMETADATA1\ntitle=A title\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=5\ntitle=One\n".write(
      toFile: chapters, atomically: true, encoding: .utf8)
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-c:v", "libx264", "-c:a", "aac", plain])
    let input = folder.file("in.mp4")
    try Program.ffmpeg([
      "-i", plain, "-i", cover, "-i", chapters, "-map", "0", "-map", "1", "-map_metadata", "2", "-c", "copy",
      "-disposition:v:1", "attached_pic", input,
    ])
    try Transcoder(copiesCovers: true).run(input, to: folder.file("out.mp4"))
    let contents = try Probe(folder.file("out.mp4"))
    #expect(contents.audio.map(\.codec_name) == ["aac"])
    #expect(contents.streams.filter { $0.codec_type == "video" }.map(\.codec_name) == ["h264", "png"])
    #expect(contents.formatTags["title"] == "A title")
    let shown = try Program.run("/usr/bin/env", ["ffprobe", "-v", "error", "-show_chapters", folder.file("out.mp4")])
    #expect(shown.text.contains("TAG:title=One"))
  }

  @Test func `a file that cannot be read is an error, and no file is left`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("broken.mp4", "not media")
    let destination = try OutputDestination(folder.file("out.mp4"), overwrite: false)
    let owner = try OutputContext(destination, interrupt: nil)
    let error = failure {
      try Remuxer.remux(
        path, to: folder.file("copy.mp4"), as: folder.file("copy.mp4"), like: owner.av, videoPackets: 1, ends: [:],
        lastShown: nil, texts: [],
        chapters: [],
        coverImages: [])
    }
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains("broken.mp4") == true)
    #expect(folder.names == ["broken.mp4"])
  }
}

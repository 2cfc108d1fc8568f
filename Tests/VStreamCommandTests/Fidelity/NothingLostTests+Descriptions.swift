import Foundation
import Testing
import VStreamTestSupport

/// What describes the streams: tags, chapters, timecodes, alpha channels, codec tags.
extension NothingLostTests {
  private static let tags =
    "-metadata title=T -metadata mycustom=zap -metadata com.apple.quicktime.make=Maker -movflags use_metadata_tags"
  private static let chapters = "-i chapters.txt -map_metadata 1 -map 0 -c copy"
  private static let transparent =
    "-f lavfi -i color=red@0.5:size=64x48:rate=10:duration=1,format=yuva420p -c:v libvpx-vp9 -auto-alt-ref 0 in.webm"

  private static func hasTags(
    _ output: String, _ expected: [String: String?]
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let found = try Probe(folder.file(output)).formatTags
      let tags = [String: String](found.map { ($0.key.lowercased(), $0.value) }) { $1 }
      for (key, value) in expected { #expect(tags[key] == value, "\(key): \(tags)") }
    }
  }

  /// Checks the alpha of the first pixel, as libvpx decodes it.
  private static func hasAlpha(_ output: String, _ expected: UInt8) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let decode = "-c:v libvpx-vp9 -i \(output) -frames:v 1 -pix_fmt rgba -f rawvideo pixels.raw"
      try Program.ffmpeg(FidelityRun.words(decode), folder: folder.path)
      let pixels = try Data(contentsOf: URL(filePath: folder.file("pixels.raw")))
      let alpha = try #require(pixels.dropFirst(3).first)
      #expect(abs(Int(alpha) - Int(expected)) <= 3, "\(alpha)")
    }
  }

  private static func hasTimecode(
    _ output: String, _ expected: String
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let timecode = try Probe(folder.file(output)).video?.tags?["timecode"]
      #expect(timecode == expected)
    }
  }

  private static func hasCodecTag(
    _ output: String, _ expected: String
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let tag = try Probe(folder.file(output)).video?.codec_tag_string
      #expect(tag == expected)
    }
  }

  private static func hasNoAlphaTag(_ output: String) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let tags = try Probe(folder.file(output)).video?.tags ?? [:]
      #expect(!tags.keys.contains { $0.lowercased() == "alpha_mode" }, "\(tags)")
    }
  }

  static let descriptions = [
    Row(
      name: "VP9's alpha channel", make: [transparent], arguments: "in.webm -o out.webm",
      unexpected: ["warning"], check: hasAlpha("out.webm", 127)),
    Row(
      name: "VP9's alpha channel into H.264", make: [transparent], arguments: "in.webm -o out.mkv",
      expected: ["libx264 does not support yuva420p"], check: hasNoAlphaTag("out.mkv")),
    Row(
      name: "VP9 without its alpha channel", make: [transparent],
      arguments: "in.webm -o out.webm --pixel-format yuv420p",
      check: hasNoAlphaTag("out.webm")),
    Row(
      name: "QuickTime's and other tags, MOV to MP4", make: ["\(both) \(tags) in.mov"], arguments: "in.mov -o out.mp4",
      unexpected: ["warning"],
      check: hasTags("out.mp4", ["title": "T", "mycustom": "zap", "com.apple.quicktime.make": "Maker"])),
    Row(
      name: "QuickTime's and other tags, MOV to MOV", make: ["\(both) \(tags) in.mov"], arguments: "in.mov -o out.mov",
      check: hasTags("out.mov", ["title": "T", "mycustom": "zap", "com.apple.quicktime.make": "Maker"])),
    Row(
      name: "tags that AVI cannot hold", make: ["\(both) \(tags) in.mov"],
      arguments: "in.mov -o out.avi --codec mpeg4",
      expected: ["tags omitted, as avi cannot hold them: com.apple.quicktime.make, mycustom; an .mkv output can"],
      check: hasTags("out.avi", ["title": "T"])),
    Row(
      name: "chapters into a transport stream", make: ["\(both) one.mkv", "-i one.mkv \(chapters) in.mkv"],
      arguments: "in.mkv -o out.ts", expected: ["the 2 chapters are omitted, as mpegts cannot hold chapters"],
      check: { _ in }),
    Row(
      name: "chapters into AVI", make: ["\(both) one.mkv", "-i one.mkv \(chapters) in.mkv"],
      arguments: "in.mkv -o out.avi --codec mpeg4",
      expected: ["the 2 chapters are omitted, as avi cannot hold chapters"],
      check: { _ in }),
    Row(
      name: "a timecode, from the second second", make: ["\(both) -r 25 -timecode 01:00:00:00 in.mov"],
      arguments: "in.mov -o out.mov --start 1", check: hasTimecode("out.mov", "01:00:01:00")),
    Row(
      name: "a timecode of the whole", make: ["\(both) -r 25 -timecode 01:00:00:00 in.mov"],
      arguments: "in.mov -o out.mov", check: hasTimecode("out.mov", "01:00:00:00")),
    Row(
      name: "tags of the user's", make: ["\(both) -metadata title=Old -metadata comment=Old in.mkv"],
      arguments: "in.mkv -o out.mkv --metadata title=New --metadata comment= --metadata place=Yard",
      check: hasTags("out.mkv", ["title": "New", "comment": nil, "place": "Yard"])),
    Row(
      name: "HEVC in MP4 for Apple's players", make: ["\(video) -pix_fmt yuv420p in.mp4"],
      arguments: "in.mp4 -o out.mp4 --codec hevc",
      check: hasCodecTag("out.mp4", "hvc1")),
    Row(
      name: "copied HEVC in MP4 for Apple's players",
      make: ["\(video) -pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params log-level=error in.mkv"],
      arguments: "in.mkv -o out.mp4 --overlay-track ass", detect: "objects",
      check: hasCodecTag("out.mp4", "hvc1")),
    Row(
      name: "120 frames per second in GIF",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=120:duration=1 -c:v libx264 in.mp4"], arguments: "in.mp4 -o out.gif",
      expected: ["70 frames are omitted: players show at most 50 in a second of gif"],
      check: { folder in
        let times = try Probe(folder.file("out.gif")).frameTimes()
        #expect(times.count == 50)
        #expect((0.97...1).contains(times.last ?? 0), "\(times.last ?? 0)")
      }),
  ]
}

import Foundation
import Testing
import VStreamTestSupport

/// Streams that a container cannot hold as they are, and what a user chooses of the streams and their form.
extension NothingLostTests {
  private static let pcm = "\(video) \(sound) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a pcm_s16le in.mov"
  private static let cued = "\(video) -i cues.srt -c:v libx264 -c:s srt in.mkv"
  private static let tones =
    "\(video) \(sound) \(sound) -map 0 -map 1 -map 2 -c:v libx264 -c:a aac -metadata:s:a:1 language=deu in.mkv"

  /// Checks the codecs of the streams, in their order.
  private static func hasCodecs(
    _ output: String, _ expected: [String]
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let codecs = try Probe(folder.file(output)).streams.map { $0.codec_name ?? "" }
      #expect(codecs == expected)
    }
  }

  /// Checks the audio's codec, and that it lasts as long as the video and starts with it.
  private static func hasSound(_ output: String, _ codec: String) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let probe = try Probe(folder.file(output))
      #expect(probe.audio.map(\.codec_name) == [codec])
      let times = try probe.frameTimes("a:0")
      let start = try probe.frameTimes("v:0").first ?? 0
      #expect(abs((times.first ?? -1) - start) < 0.05, "\(times.first ?? -1), \(start)")
      #expect((1.9...2.1).contains((times.last ?? 0) - start), "\(times.last ?? 0)")
    }
  }

  /// Checks the subtitles' texts and times, as FFmpeg converts them to SubRip.
  private static func hasCues(_ output: String, _ expected: [String]) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      try Program.ffmpeg(FidelityRun.words("-i \(output) -map 0:s found.srt"), folder: folder.path)
      let text = try String(contentsOfFile: folder.file("found.srt"), encoding: .utf8).replacing("\r\n", with: "\n")
      for line in expected { #expect(text.contains(line), "\(text)") }
    }
  }

  /// Checks that there is one video of a width and pixel aspect.
  private static func hasShape(
    _ output: String, _ width: Int, _ aspect: String
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let videos = try Probe(folder.file(output)).streams.filter { $0.codec_type == "video" }
      #expect(videos.map(\.width) == [width])
      #expect(videos.map(\.sample_aspect_ratio) == [aspect])
    }
  }

  static let conversions = [
    Row(
      name: "PCM into MP4", make: [pcm], arguments: "in.mov -o out.mp4",
      expected: Program.mp4HoldsPCM
        ? [] : ["stream #1 (audio, pcm_s16le) is encoded as aac: mp4 cannot hold it as it is (an .mkv output can)"],
      check: hasSound("out.mp4", Program.mp4HoldsPCM ? "pcm_s16le" : "aac")),
    Row(
      name: "PCM into a transport stream", make: [pcm], arguments: "in.mov -o out.ts", expected: ["is encoded as aac"],
      check: hasSound("out.ts", "aac")),
    Row(
      name: "AAC into WebM", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.webm --codec libvpx",
      expected: ["is encoded as opus"], check: hasSound("out.webm", "opus")),
    Row(
      name: "AAC into MXF, which holds PCM of 48 kHz",
      make: ["\(video) -f lavfi -i sine=sample_rate=44100:duration=2 -c:v libx264 -c:a aac in.mp4"],
      arguments: "in.mp4 -o out.mxf --codec mpeg2video --fps 25", expected: ["is encoded as pcm_s16le"],
      check: hasCodecs("out.mxf", ["mpeg2video", "pcm_s16le"])),
    Row(
      name: "PCM into HLS", make: [pcm], arguments: "in.mov -o out.m3u8", expected: ["is encoded as aac"],
      check: hasFrames("out.m3u8", "a:0", 90...100)),
    Row(
      name: "WMA into MP4 by copying only", make: ["\(video) \(sound) -c:v libx264 -c:a wmav2 in.mkv"],
      arguments: "in.mkv -o out.mp4 --audio copy", status: 64,
      expected: ["mp4 cannot hold stream #1 (audio, wmav2) as it is (--audio copy); omit --audio"],
      check: { folder in #expect(!folder.names.contains { $0.hasPrefix("out") }) }),
    Row(
      name: "subtitles into MP4, two at a time", make: [cued], arguments: "in.mkv -o out.mp4",
      expected: ["stream #1 (subtitle, subrip) is encoded as mov_text"],
      unexpected: ["fragmented"],
      check: hasCues(
        "out.mp4", ["00:00:00,100 --> 00:00:00,500\nOne\nTwo", "00:00:00,500 --> 00:00:01,000\nOne"])),
    Row(
      name: "subtitles into WebM", make: [cued], arguments: "in.mkv -o out.webm --codec libvpx",
      expected: ["is encoded as webvtt"],
      check: hasCues(
        "out.webm", ["00:00:00,100 --> 00:00:01,000\nOne", "00:00:00,100 --> 00:00:00,500\nTwo"])),
    Row(
      name: "subtitles of MP4 into Matroska", make: [cued, "-i in.mkv -c copy -c:s mov_text in.mp4"],
      arguments: "in.mp4 -o out.mkv", expected: ["stream #1 (subtitle, mov_text) is encoded as ass"],
      check: hasCues("out.mkv", ["Two"])),
    Row(
      name: "AV1 into MOV", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mov --codec libsvtav1 --scale 128x96",
      status: 64, expected: ["mov cannot hold av1 (--codec)", "write an .mkv, or use another codec"],
      check: { folder in #expect(!folder.names.contains { $0.hasPrefix("out") }) }),
    Row(
      name: "WebP into Matroska", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mkv --codec libwebp", status: 64,
      expected: ["matroska cannot hold webp (--codec)"],
      check: { folder in #expect(!folder.names.contains { $0.hasPrefix("out") }) }),
  ]

  static let choices = [
    Row(
      name: "streams in the order of the map", make: [tones],
      arguments: "in.mkv -o out.mkv --map 0:a:m:language:deu --map v --map a:0",
      check: { folder in
        let streams = try Probe(folder.file("out.mkv")).streams
        #expect(streams.map(\.codec_type) == ["video", "audio", "audio"])
        #expect(streams.map { $0.tags?["language"] } == [nil, "deu", nil])
      }),
    Row(
      name: "all streams but one", make: [tones], arguments: "in.mkv -o out.mkv --map -a:0",
      check: hasCodecs("out.mkv", ["h264", "aac"])),
    Row(
      name: "the second video",
      make: ["\(video) -f lavfi -i testsrc2=size=32x32:duration=1 -map 0 -map 1 -c:v libx264 -pix_fmt yuv420p in.mkv"],
      arguments: "in.mkv -o out.mkv --map 0:v:1",
      check: hasShape("out.mkv", 32, "1:1")),
    Row(
      name: "streams that may be missing", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mkv --map v --map s?",
      check: hasCodecs("out.mkv", ["h264"])),
    Row(
      name: "options of the encoder", make: ["\(both) in.mp4"],
      arguments: "in.mp4 -o out.mp4 --encoder-option g=5 --encoder-option profile=baseline",
      check: { folder in
        let text = try Program.run(
          "/usr/bin/env",
          FidelityRun.words("ffprobe -v error -select_streams v -show_entries packet=flags -of csv=p=0 out.mp4"),
          folder: folder.path
        ).text
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("K") }.count == 4, "\(text)")
      }),
    Row(
      name: "parameters of x265 beside ours", make: ["\(video) -pix_fmt yuv420p in.mp4"],
      arguments: "in.mp4 -o out.mkv --codec h265 --preset ultrafast --encoder-option x265-params=keyint=5",
      unexpected: ["x265 [info]"], check: hasCodecs("out.mkv", ["hevc"])),
    Row(
      name: "another size and rate", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mp4 --scale 128x-1 --fps 25",
      check: { folder in
        let probe = try Probe(folder.file("out.mp4"))
        #expect(probe.video?.width == 128 && probe.video?.height == 96)
        #expect(probe.video?.avg_frame_rate == "25/1")
        let times = try probe.frameTimes()
        #expect(times == (0..<50).map { Double($0) / 25 })
      }),
    Row(
      name: "another shape keeps the picture's", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mp4 --scale 64x64",
      check: hasShape("out.mp4", 64, "4:3")),
    Row(
      name: "irregular times into AVI, at a constant rate",
      make: ["\(video) -vf select='not(eq(mod(n,7),3))' -fps_mode vfr -c:v libx264 in.mkv"],
      arguments: "in.mkv -o out.avi --codec mpeg4 --fps 10", check: hasFrames("out.avi", "v:0", 20...20)),
    Row(
      name: "MXF of sound that ends before the video",
      make: ["-f lavfi -i testsrc2=d=2 -f lavfi -i sine=d=0.5:r=48000 -s 64x48 -c:v mpeg2video -c:a pcm_s16le in.mkv"],
      arguments: "in.mkv -o out.mxf --codec mpeg2video", check: hasFrames("out.mxf", "v:0", 50...50)),
  ]
}

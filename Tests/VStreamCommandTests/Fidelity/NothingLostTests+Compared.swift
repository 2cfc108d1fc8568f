import Foundation
import Testing
import VStreamTestSupport

/// What scripts/checks/compare-with-ffmpeg found.
extension NothingLostTests {
  static func lasts(_ output: String, _ expected: Double) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let duration = try #require(Probe(folder.file(output)).duration)
      #expect(abs(duration - expected) < 0.005, "\(duration)")
    }
  }

  /// Checks a member that ffprobe prints of a stream's description, its first packet or its first frame.
  static func has(
    _ output: String, _ stream: String, _ entry: String, _ expected: String
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let found = try Program.run(
        "/usr/bin/env",
        [
          "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", entry, "-of", "csv=p=0",
          folder.file(output),
        ])
      #expect(found.text.split(whereSeparator: \.isNewline).first?.hasPrefix(expected) == true, "\(found.text)")
    }
  }

  /// Checks that the first subtitles, as SubRip, contain a line.
  static func showsText(_ output: String, _ line: String) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let text = try Program.run(
        "/usr/bin/env", ["ffmpeg", "-v", "error", "-i", folder.file(output), "-map", "s:0", "-f", "srt", "-"]
      ).text
      #expect(text.contains(line), "\(text)")
    }
  }

  static let compared = [
    Row(
      name: "a second video from --start on", make: ["\(video) \(video) -map 0 -map 1 -c:v mpeg4 -g 8 in.mkv"],
      arguments: "in.mkv -o out.mkv --start 1", check: has("out.mkv", "v:1", "packet=flags", "K")),
    Row(
      name: "--start before the first frame of an FLV",
      make: ["\(sound) -itsoffset 0.5 \(video) -map 0 -map 1 -c:v libx264 -c:a libmp3lame in.flv"],
      arguments: "in.flv -o out.mkv --start 0.2", check: hasFrames("out.mkv", "v:0", 20...20)),
    Row(
      name: "script subtitles in a program stream", make: ["\(video) -i cues.srt -c:v libx264 -c:s ass in.mkv"],
      arguments: "in.mkv -o out.mpg --codec mpeg4", expected: ["is omitted: mpeg cannot hold ass; an .mkv output can"],
      check: { folder in
        let kinds = try Probe(folder.file("out.mpg")).streams.map(\.codec_type)
        #expect(kinds == ["video"])
      }),
    Row(
      name: "FLAC in AVI", make: ["\(video) \(sound) -c:v libx264 -c:a flac in.mkv"], arguments: "in.mkv -o out.avi",
      expected: ["is encoded as mp3: avi cannot hold it as it is"], check: { _ in }),
    Row(
      name: "Windows Media Audio in NUT", make: ["\(video) \(sound) -c:v libx264 -c:a wmav2 in.mkv"],
      arguments: "in.mkv -o out.nut", expected: ["is encoded as vorbis: nut cannot hold it as it is"],
      check: { _ in }),
    Row(
      name: "MP2 of an AVI in NUT", make: ["\(video) \(sound) -c:v mpeg4 -c:a mp2 -ar 44100 -b:a 64k in.avi"],
      arguments: "in.avi -o out.nut",
      check: { folder in
        try keeps("in.avi", "out.nut", "a:0")(folder)
        try hasFrames("out.nut", "v:0", 20...20)(folder)
      }),
    Row(
      name: "PCM in MXF",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 \(sound) -c:v libx264 -c:a pcm_s16le in.mkv"],
      arguments: "in.mkv -o out.mxf --codec mpeg2video", unexpected: ["omitted"],
      check: { folder in
        let found = try Probe(folder.file("out.mxf")).streams.map(\.codec_name)
        #expect(found == ["mpeg2video", "pcm_s16le"])
      }),
    Row(
      name: "a rate that AVI rounded, for MPEG-2",
      make: ["-f lavfi -i testsrc2=size=64x48:rate=2997/125:duration=2 -c:v mpeg4 in.avi"],
      arguments: "in.avi -o out.ts --codec mpeg2video", check: hasFrames("out.ts", "v:0", 48...48)),
    Row(
      name: "the last packet of sound without a duration", make: ["\(video) \(sound) -c:v libx264 -c:a alac in.mov"],
      arguments: "in.mov -o out.mp4", check: keeps("in.mov", "out.mp4", "a:0")),
    Row(
      name: "the duration of a GIF's last frame", make: ["\(video) in.gif"], arguments: "in.gif -o out.mp4",
      check: lasts("out.mp4", 2)),
    Row(
      name: "the duration of a GIF's last frame, without B-frames", make: ["\(video) in.gif"],
      arguments: "in.gif -o out.mp4 --preset ultrafast", check: lasts("out.mp4", 2)),
    Row(
      name: "a pixel shape that the codec rounds", make: ["\(video) -aspect 784:801 -c:v libx264 in.mkv"],
      arguments: "in.mkv -o out.mkv --codec mpeg4",
      check: { folder in
        let before = try Probe(folder.file("in.mkv")).video?.sample_aspect_ratio
        let found = try Probe(folder.file("out.mkv")).video?.sample_aspect_ratio
        #expect(found == before)
      }),
    Row(
      name: "timed text of a fragmented file",
      make: [
        "\(video) -i long.srt -c:v libx264 -bf 0 -c:s mov_text whole.mp4",
        "-i whole.mp4 -map 0 -c copy -movflags +frag_keyframe+empty_moov in.mp4",
      ],
      arguments: "in.mp4 -o out.mp4",
      check: showsText("out.mp4", "00:00:00,100 --> 00:00:09,000")),
    Row(
      name: "that frames are progressive", make: ["\(video) -c:v libx264 in.mkv"],
      arguments: "in.mkv -o out.mkv --codec mpeg4", check: has("out.mkv", "v:0", "stream=field_order", "progressive")),
    Row(
      name: "times that the codec stores", make: ["\(video) -c:v libx264 -output_ts_offset 40000 in.mkv"],
      arguments: "in.mkv -o out.m4v",
      check: { folder in
        let first = try first("out.m4v", "v:0", in: folder)
        #expect((first ?? 0) < 1)
      }),
    Row(
      name: "a pixel shape that only the container states",
      make: ["\(video) -vf setsar=4/3 -c:v prores_ks in.mov"], arguments: "in.mov -o out.mov --codec prores_ks",
      check: has("out.mov", "v:0", "stream=sample_aspect_ratio", "4:3")),
    Row(
      name: "a pixel shape that only the container states, of a copy",
      make: ["\(video) -vf setsar=4/3 -c:v prores_ks in.mov"],
      arguments: "in.mov -o out.mov --overlay-track ass", detect: "objects",
      check: has("out.mov", "v:0", "stream=sample_aspect_ratio", "4:3")),
    Row(
      name: "full range of 10 bits in AVI, which does not state it",
      make: [
        "-f lavfi -i color=white:size=64x48:rate=10:duration=1,format=yuv420p10le,scale=out_range=pc -color_range pc "
          + "-c:v ffv1 in.mkv"
      ],
      arguments: "in.mkv -o out.avi --codec ffv1", check: hasBrightness("out.avi", 235 * 4)),
    Row(
      name: "full range in ProRes, whose decoders do not read it",
      make: [
        "-f lavfi -i color=white:size=64x48:rate=10:duration=1,format=yuv422p10le,scale=out_range=pc -color_range pc "
          + "-c:v ffv1 in.mkv"
      ],
      arguments: "in.mkv -o out.mkv --codec prores_ks", check: hasBrightness("out.mkv", 235 * 4)),
    Row(
      name: "frames that Theora repeats, into a constant rate",
      make: ["\(video) -vf select='not(eq(mod(n,7),3))' -fps_mode vfr -c:v libtheora in.ogv"],
      arguments: "in.ogv -o out.avi --codec mpeg4", status: 64,
      expected: ["AVI supports a constant frame rate only, and the input's varies"], check: { _ in }),
    Row(
      name: "the delay of an encoder of audio in NUT", make: ["\(video) \(sound) -c:v libx264 -c:a alac in.mov"],
      arguments: "in.mov -o out.nut", expected: ["is encoded as vorbis: nut cannot hold it as it is"],
      check: { folder in
        let first = try first("out.nut", "a:0", in: folder)
        #expect((first ?? 1) < 0.03)
      }),
    Row(
      name: "sound that a decoder returns only at the end",
      make: ["\(video) \(sound) -c:v wmv2 -c:a wmav2 in.wmv"], arguments: "in.wmv -o out.mp4",
      unexpected: ["out of order"],
      check: { folder in
        let times = try Probe(folder.file("out.mp4")).packets("a:0").compactMap(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.01 }, "\(times.suffix(4))")
      }),
  ]

  /// Checks the mean luma of the first frame, in units of its samples.
  private static func hasBrightness(_ output: String, _ expected: Double) -> @Sendable (TemporaryFolder) throws -> Void
  {
    { folder in
      let found = try Program.run(
        "/usr/bin/env",
        FidelityRun.words(
          "ffprobe -v error -f lavfi -i movie=\(folder.file(output)),signalstats -show_entries frame_tags=lavfi.signalstats.YAVG "
            + "-read_intervals %+#1 -of csv=p=0"))
      let mean = Double(found.text.split(whereSeparator: \.isNewline).first ?? "")
      #expect(abs((mean ?? 0) - expected) < 4, "\(found.text)")
    }
  }

  /// The file's size at the best and at the worst quality.
  @Test(arguments: ["mpeg4", "mpeg2video", "mjpeg", "flv", "wmv2"])
  func `the quality reaches encoders with libav's own quantiser`(codec: String) throws {
    let folder = try TemporaryFolder()
    let make = "-f lavfi -i testsrc2=size=128x96:rate=25:duration=1 -c:v libx264 in.mkv"
    try Program.ffmpeg(FidelityRun.words(make), folder: folder.path)
    let sizes = try ["2", "31"].map { quality in
      let arguments = "in.mkv -o \(quality).mkv --detect none --codec \(codec) --crf \(quality)"
      #expect(try Program.vstream(FidelityRun.words(arguments), folder: folder.path).status == 0)
      return try Data(contentsOf: URL(filePath: folder.file("\(quality).mkv"))).count
    }
    #expect(sizes[1] * 3 < sizes[0] * 2, "\(sizes)")
  }
}

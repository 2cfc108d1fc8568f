import Foundation
import Testing
import VStreamTestSupport

/// Streams, times and shapes that are easily lost on the way through containers with other rules.
struct NothingLostTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// FFmpeg's arguments that make the inputs, one run each.
    let make: [String]
    let arguments: String
    var detect = "none"
    var status: Int32 = 0
    /// What standard error must and must not contain.
    var expected: [String] = []
    var unexpected: [String] = []
    let check: @Sendable (TemporaryFolder) throws -> Void
    var testDescription: String { name }
  }

  static let video = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=2"
  static let sound = "-f lavfi -i sine=sample_rate=48000:duration=2"
  static let both = "\(video) \(sound) -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac"

  static func packetCount(_ name: String, _ stream: String, in folder: TemporaryFolder) throws -> Int {
    try Probe(folder.file(name)).packets(stream).count
  }

  static func first(_ name: String, _ stream: String, in folder: TemporaryFolder) throws -> Double? {
    try Probe(folder.file(name)).packets(stream).compactMap(\.time).min()
  }

  /// Checks that a stream has as many packets as in the input.
  static func keeps(_ input: String, _ output: String, _ stream: String)
    -> @Sendable (TemporaryFolder) throws -> Void
  {
    { folder in
      let count = try packetCount(input, stream, in: folder)
      #expect(count > 0)
      #expect(try packetCount(output, stream, in: folder) == count)
    }
  }

  static func hasFrames(
    _ output: String, _ stream: String, _ expected: ClosedRange<Int>
  ) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let count = try Probe(folder.file(output)).frameTimes(stream).count
      #expect(expected.contains(count), "\(count)")
    }
  }

  static func hasSize(_ output: String, _ expected: Int) -> @Sendable (TemporaryFolder) throws -> Void {
    { folder in
      let size = try Data(contentsOf: URL(filePath: folder.file(output))).count
      #expect(size == expected)
    }
  }

  static let copies = [
    Row(
      name: "cues that start together", make: ["\(video) -i cues.srt -c:v libx264 -c:s ass in.mkv"],
      arguments: "in.mkv -o out.mkv", unexpected: ["out of order"], check: keeps("in.mkv", "out.mkv", "s:0")),
    Row(
      name: "cues that start together, copied video", make: ["\(video) -i cues.srt -c:v libx264 -c:s srt in.mkv"],
      arguments: "in.mkv -o out.mkv --overlay-track ass", detect: "objects", unexpected: ["out of order"],
      check: keeps("in.mkv", "out.mkv", "s:0")),
    Row(
      name: "audio packets shorter than a millisecond",
      make: ["\(video) \(sound) -c:v libx264 -c:a truehd -strict -2 in.mkv"],
      arguments: "in.mkv -o out.mkv", unexpected: ["out of order"], check: keeps("in.mkv", "out.mkv", "a:0")),
    Row(
      name: "AAC of a transport stream in HLS", make: ["\(both) in.ts"], arguments: "in.ts -o out.m3u8",
      check: { folder in
        let count = try Probe(folder.file("in.ts")).frameTimes("a:0").count
        #expect(count > 80)
        #expect(try Probe(folder.file("out.m3u8")).frameTimes("a:0").count == count)
      }),
    Row(
      name: "AAC of a transport stream in segments", make: ["\(both) in.ts"],
      arguments: "in.ts -o s%d.ts --output-format segment",
      check: hasFrames("s0.ts", "a:0", 81...100)),
    Row(
      name: "raw frames alone", make: ["\(both) in.mp4"],
      arguments: "in.mp4 -o out.raw --output-format rawvideo --codec rawvideo --pixel-format bgr24",
      expected: ["is omitted: rawvideo cannot hold"],
      check: hasSize("out.raw", 20 * 64 * 48 * 3)),
    Row(
      name: "raw frames by the name's ending", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.yuv",
      expected: ["is omitted: rawvideo cannot hold"],
      check: hasSize("out.yuv", 20 * 64 * 48 * 3 / 2)),
    Row(
      name: "a second sound in FLV",
      make: ["\(video) \(sound) \(sound) -map 0 -map 1 -map 2 -c:v libx264 -c:a aac in.mkv"],
      arguments: "in.mkv -o out.flv",
      expected: Program.ffmpegVersion < 8 ? ["cannot hold it beside the other streams; .mkv can"] : [],
      check: keeps("in.mkv", "out.flv", "a:0")),
    Row(
      name: "MPEG-4 in FLV", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.flv --codec mpeg4", status: 64,
      expected: ["flv cannot hold mpeg4"], check: { folder in #expect(!folder.names.contains { $0.hasPrefix("out") }) }),
    Row(
      name: "Theora in Matroska", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mkv --codec libtheora",
      check: hasFrames("out.mkv", "v:0", 20...20)),
    Row(
      name: "square pixels by the container",
      make: [
        "\(video) -c:v libx264 -bsf:v h264_metadata=sample_aspect_ratio=27/64 wide.mp4",
        "-i wide.mp4 -c copy -aspect 4:3 in.mp4",
      ],
      arguments: "in.mp4 -o out.mp4",
      check: { folder in
        let before = try Probe(folder.file("in.mp4")).video?.sample_aspect_ratio
        #expect(try Probe(folder.file("out.mp4")).video?.sample_aspect_ratio == before)
      }),
  ]

  static let times =
    ["out.mp4", "out.mkv", "out.avi"].map { output in
      Row(
        name: "a transport stream from 40,000 s to \(output)", make: ["\(both) -bf 0 -output_ts_offset 40000 in.ts"],
        arguments: "in.ts -o \(output) --records r.jsonl" + (output == "out.avi" ? " --codec mpeg4" : ""),
        check: { folder in
          let (video, sound) = (try first(output, "v:0", in: folder), try first(output, "a:0", in: folder))
          #expect(
            (0..<0.3).contains(video ?? -1) && (-0.1..<0.3).contains(sound ?? -1), "\(video ?? -1), \(sound ?? -1)")
          let records = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
          #expect((records.frames.first?["pts"].double ?? 0) > 40_000, "records have the input's times")
        })
    } + [
      Row(
        name: "with --keep-start", make: ["\(both) -output_ts_offset 50 in.ts"],
        arguments: "in.ts -o out.mkv --keep-start",
        check: { folder in
          let start = try first("out.mkv", "v:0", in: folder)
          #expect((start ?? 0) > 50)
        }),
      Row(
        name: "with --keep-start, in AVI", make: ["\(both) -output_ts_offset 50 in.ts"],
        arguments: "in.ts -o out.avi --codec mpeg4 --keep-start",
        expected: ["--keep-start has no effect: avi starts at 0; an .mkv output can start later"],
        check: { folder in
          let start = try first("out.avi", "v:0", in: folder)
          #expect((start ?? 50) < 1)
        }),
      Row(
        name: "WebVTT of a part", make: ["\(both) in.mp4"], arguments: "in.mp4 -o out.mp4 --start 1 --records r.vtt",
        check: { folder in
          let text = try String(contentsOfFile: folder.file("r.vtt"), encoding: .utf8)
          #expect(text.contains("\n00:00:00.000 --> "), "\(text.prefix(80))")
        }),
      Row(
        name: "a gap of 20 hours",
        make: ["\(video) -vf setpts='if(gte(N,10),PTS+72000/TB,PTS)' -fps_mode vfr -c:v libx264 in.mkv"],
        arguments: "in.mkv -o out.mkv",
        check: { folder in
          let last = try Probe(folder.file("out.mkv")).packets("v:0").compactMap(\.time).max()
          #expect((last ?? 0) > 72_000)
        }),
      Row(
        name: "a gap of 2 hours in sound that is encoded",
        make: [
          "\(video) \(sound) -c:v libx264 -c:a wmav2 one.mkv",
          "-i one.mkv -c copy -bsf:a setts=ts=TS+7200000*gt(N\\,10) in.mkv",
        ],
        arguments: "in.mkv -o out.mp4",
        check: { folder in
          let times = try Probe(folder.file("out.mp4")).packets("a:0").compactMap(\.time)
          #expect(times.count < 200, "the gap is not filled")
          #expect(times.count(where: { $0 > 7200 }) > 20 && times.count(where: { $0 < 2 }) > 10, "\(times)")
        }),
      Row(
        name: "a gap of 14 hours of sound in MP4, which cannot hold it",
        make: ["\(both) one.mkv", "-i one.mkv -c copy -bsf:a setts=ts=TS+50000000*gt(N\\,40) in.mkv"],
        arguments: "in.mkv -o out.mp4", status: 74,
        expected: ["a gap of 13 h 53 min in stream 1", "write an .mkv file"],
        check: { folder in
          let packets = try Probe(folder.file("out.mp4.part")).packets("a:0")
          #expect(packets.count >= 40)
        }),
      Row(
        name: "a gap of 8 hours of 90,000 ticks a second in MP4, which cannot hold it",
        make: ["\(video) -vf setpts='if(gte(N,10),PTS+30000/TB,PTS)' -fps_mode vfr -c:v libx264 -bf 0 in.ts"],
        arguments: "in.ts -o out.mp4", status: 74, expected: ["a gap of 8 h 20 min in stream 0", "write an .mkv file"],
        check: { folder in
          let packets = try Probe(folder.file("out.mp4.part")).packets("v:0")
          #expect(!packets.isEmpty)
        }),
      Row(
        name: "a gap after the first packet of copied video in MP4, which cannot hold it",
        make: ["\(video) -vf setpts='if(gte(N,1),PTS+200000/TB,PTS)' -fps_mode vfr -c:v libx264 -bf 0 in.mkv"],
        arguments: "in.mkv -o out.mp4 --overlay-track ass", detect: "faces", status: 74,
        expected: ["in stream 0", "what was written plays: 'out.mp4.part'"],
        check: hasFrames("out.mp4.part", "v:0", 1...1)),
      Row(
        name: "irregular times in MXF",
        make: ["\(video) -vf setpts='if(gte(N,10),PTS+5/TB,PTS)' -fps_mode vfr -c:v libx264 in.mkv"],
        arguments: "in.mkv -o out.mxf --codec mpeg2video", status: 64, expected: ["constant frame rate only"],
        check: { _ in }),
    ]

  static let endings = [
    Row(
      name: "a last frame of 3 seconds",
      make: [
        "\(video) -vf setpts='if(eq(N,19),PTS+3/TB,PTS)' -fps_mode vfr -c:v libx264 -bf 0 one.mkv",
        "-i one.mkv -c copy -t 5 in.mp4",
      ],
      arguments: "in.mp4 -o out.mkv --strict", unexpected: ["truncated"], check: { _ in }),
    Row(
      name: "joined transport streams whose clock steps back",
      make: [
        "\(both) -output_ts_offset 90000 one.ts", "\(both) -output_ts_offset 10 two.ts",
        "-i concat:one.ts|two.ts -c copy -copyts -f mpegts in.ts",
      ],
      arguments: "in.ts -o out.mkv --strict", unexpected: ["truncated"], check: { _ in }),
    Row(
      name: "a subtitle that ends after the video", make: ["\(video) -i long.srt -c:v libx264 -c:s srt in.mkv"],
      arguments: "in.mkv -o out.mkv --strict", unexpected: ["truncated"], check: { _ in }),
  ]

  @Test(arguments: copies + times + endings + descriptions + conversions + choices + compared + parts)
  func `nothing is lost`(row: Row) throws {
    let folder = try TemporaryFolder()
    let cues = "1\n00:00:00,100 --> 00:00:01,000\nOne\n\n2\n00:00:00,100 --> 00:00:00,500\nTwo\n"
    try cues.write(toFile: folder.file("cues.srt"), atomically: true, encoding: .utf8)
    let long = "1\n00:00:00,100 --> 00:00:09,000\nOne\n"
    try long.write(toFile: folder.file("long.srt"), atomically: true, encoding: .utf8)
    let chapters = [(0, "one"), (1000, "two")].map { start, title in
      "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(start)\nEND=\(start + 1000)\ntitle=\(title)\n"
    }
    try (";FFMETADATA1\n" + chapters.joined())
      .write(toFile: folder.file("chapters.txt"), atomically: true, encoding: .utf8)
    for make in row.make { try Program.ffmpeg(FidelityRun.words(make), folder: folder.path) }
    let result = try Program.vstream(
      FidelityRun.words(row.arguments) + ["--detect", row.detect], folder: folder.path)
    #expect(result.status == row.status, "\(result.errors)")
    for text in row.expected { #expect(result.errors.contains(text), "\(result.errors)") }
    for text in row.unexpected { #expect(!result.errors.contains(text), "\(result.errors)") }
    if result.status == row.status { try row.check(folder) }
  }

  @Test func `records go on when the reader of standard output goes away`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 -preset ultrafast in.mkv"), folder: folder.path)
    let script = "\"$0\" in.mkv -o - --codec rawvideo --detect none --records r.jsonl | head -c 1000 > /dev/null"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath], folder: folder.path)
    #expect(result.errors == "")
    let run = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    #expect(run.frames.count == 20)
  }

  /// A slow detector would drop frames of a live source.
  @Test(arguments: ["whole", "norange", "unsized"])
  func `a file from a server is complete`(behaviour: String) throws {
    let folder = try TemporaryFolder()
    let make = "-stream_loop 4 -i \(Checkout.sample("street.avi")) -frames:v 120 -c:v libx264 -preset ultrafast in.ts"
    try Program.ffmpeg(FidelityRun.words(make), folder: folder.path)
    let server = try FileServer(folder.file("in.ts"), [behaviour])
    let statistics = folder.file("s.json")
    let result = try Program.vstream(
      [server.prefix + "in.ts", "-o", "out.mkv", "--stats", statistics, "--reconnect", "0"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let counts = try JSON(String(contentsOfFile: statistics, encoding: .utf8))
    #expect(counts["framesOut"].int == 120 && counts["framesDropped"].int == 0)
    #expect(counts["framesPredicted"].int == 0, "the detector ran on each frame")
  }

  @Test(arguments: [
    ("-phil.mp4 -o z.mp4", "'-phil.mp4' is not an option; write './-phil.mp4'"),
    ("in.mp4 -o z.mp4 --crf -1", "--crf -1 is out of range"),
    ("in.mp4 -o z.mp4 --start -1", "--start -1: is not a time"),
  ])
  func `names and numbers that begin with a hyphen are reported as such`(arguments: String, expected: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.both) in.mp4"), folder: folder.path)
    let result = try Program.vstream(FidelityRun.words(arguments) + ["--detect", "none"], folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains(expected), "\(result.errors)")
  }

  @Test func `a name of 255 bytes is written, and a dangling link is not replaced unasked`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.both) in.mp4"), folder: folder.path)
    let name = String(repeating: "n", count: 251) + ".mp4"
    let long = try Program.vstream(["in.mp4", "-o", name, "--detect", "none"], folder: folder.path)
    #expect(long.status == 0, "\(long.errors)")
    #expect(folder.names == ["in.mp4", name])
    try FileManager.default.createSymbolicLink(atPath: folder.file("l.mp4"), withDestinationPath: "nowhere.mp4")
    let link = try Program.vstream(["in.mp4", "-o", "l.mp4", "--detect", "none"], folder: folder.path)
    #expect(link.status == 73)
    #expect(link.errors.contains("is a link to a file that does not exist"), "\(link.errors)")
  }

  @Test(arguments: ["out.mp4", "out.mkv", "out.mxf"])
  func `a file that appears during the run stays, and what was written plays`(output: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 in.mp4"), folder: folder.path)
    // The other file appears once the run has begun, and the run ends once it is there: its input is a pipe.
    let script = """
      mkfifo in.fifo
      '\(Program.vstreamPath)' in.fifo -o \(output) --codec mpeg2video --detect none --late wait &
      exec 3> in.fifo
      ffmpeg -v error -i in.mp4 -c copy -f mpegts - > in.ts
      cat in.ts >&3
      while ! [ -e \(output).part ]; do :; done
      echo mine > \(output)
      exec 3>&-
      wait $!
      """
    let result = try Program.run("/bin/sh", ["-c", script], folder: folder.path)
    #expect(result.status == 73, "\(result.errors)")
    #expect(result.errors.hasSuffix("by another program during the run; what was written plays: '\(output).part'\n"))
    #expect(try String(contentsOfFile: folder.file(output), encoding: .utf8) == "mine\n")
    #expect(try Probe(folder.file("\(output).part")).frameTimes().count == 20)
  }
}

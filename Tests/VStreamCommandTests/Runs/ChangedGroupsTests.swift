import Foundation
import Testing
import VStreamTestSupport

/// `--encode changed`: groups of pictures in which nothing is painted are copied.
struct ChangedGroupsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Frames with an object, in a clip of 200 frames and groups of 25.
  private static let painted = 65..<80

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var encoder: [String] = ["-g", "25"]
    var input = "in.mp4"
    var output = "out.mp4"
    var rotation = 0
    /// Frames of the output that are the input's own, of 200.
    var copied = 150
    /// Frames before an open group, of which some are encoded with the group before it.
    var leading = 0
    /// What is said where everything is encoded.
    var warning: String?
    var testDescription: String { name }
  }

  private static func x265(_ parameters: String = "open-gop=1") -> [String] {
    ["-c:v", "libx265", "-x265-params", "log-level=error:keyint=25:min-keyint=25:\(parameters)"]
  }

  private static let rows = [
    Row(name: "MP4 with B-frames", encoder: ["-g", "25", "-bf", "3"]),
    Row(name: "without B-frames", encoder: ["-g", "25", "-bf", "0"]),
    Row(name: "references among B-frames", encoder: ["-g", "25", "-bf", "8", "-x264-params", "b-adapt=0"]),
    Row(name: "Baseline", encoder: ["-g", "25", "-profile:v", "baseline"]),
    Row(
      name: "10 bits, HDR",
      encoder: [
        "-g", "25", "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace",
        "bt2020nc",
      ]),
    Row(name: "4:4:4", encoder: ["-g", "25", "-pix_fmt", "yuv444p"]),
    Row(name: "four slices", encoder: ["-g", "25", "-x264-params", "slices=4"]),
    Row(name: "sets of number 15", encoder: ["-g", "25", "-x264-params", "sps-id=15"]),
    Row(name: "nearly lossless", encoder: ["-g", "25", "-profile:v", "high", "-crf", "2"]),
    Row(name: "MKV to MP4", input: "in.mkv"),
    Row(name: "MP4 to MKV", output: "out.mkv"),
    Row(name: "MPEG-TS", input: "in.ts", output: "out.ts"),
    Row(name: "MPEG-TS to MP4", input: "in.ts"),
    Row(name: "MP4 to MPEG-TS", output: "out.ts"),
    Row(
      name: "MOV, a late start", encoder: ["-g", "25", "-output_ts_offset", "3"], input: "in.mkv", output: "out.mov"),
    Row(name: "fragments", encoder: ["-g", "25", "-movflags", "+frag_keyframe+empty_moov"]),
    Row(
      name: "open groups, of which one follows the first", encoder: ["-g", "25", "-x264-params", "open-gop=1"],
      copied: 0),
    Row(name: "AVI", input: "in.avi", output: "out.mkv", copied: 0, warning: "packets have no presentation times"),
    Row(name: "HEVC, open groups", encoder: x265(), leading: 8),
    Row(name: "HEVC, closed groups", encoder: x265("open-gop=0")),
    Row(name: "HEVC without B-frames", encoder: x265("bframes=0"), input: "in.mov"),
    Row(name: "HEVC, MPEG-TS", encoder: x265(), input: "in.ts", output: "out.ts", leading: 8),
    Row(name: "HEVC, MPEG-TS to MP4", encoder: x265(), input: "in.ts", leading: 8),
    Row(
      name: "HEVC, 10 bits, MKV", encoder: x265() + ["-pix_fmt", "yuv420p10le"], input: "in.mkv", output: "out.mkv",
      leading: 8),
    Row(
      name: "MPEG-2, open groups", encoder: ["-c:v", "mpeg2video", "-g", "25", "-bf", "2"], input: "in.ts",
      output: "out.ts", leading: 4),
    Row(name: "MPEG-2 without B-frames", encoder: ["-c:v", "mpeg2video", "-g", "25", "-bf", "0"], output: "out.mkv"),
    Row(
      name: "VP9", encoder: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "25"],
      input: "in.webm", output: "out.webm"),
    Row(
      name: "VP8", encoder: ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "25"], input: "in.webm",
      output: "out.webm"),
    Row(name: "AV1", encoder: ["-c:v", "libsvtav1", "-preset", "12", "-g", "25"]),
    Row(
      name: "motion JPEG", encoder: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], input: "in.avi", output: "out.avi",
      copied: 186),
    Row(
      name: "ProRes", encoder: ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le"], input: "in.mov", output: "out.mov",
      copied: 186),
    Row(name: "rotated", rotation: 90),
    Row(
      name: "pictures with an orientation of their own",
      encoder: ["-g", "25", "-bsf:v", "h264_metadata=display_orientation=insert:rotate=180"], copied: 0,
      warning: "the pictures are rotated, each by itself"),
    Row(name: "rotated HEVC", encoder: x265(), rotation: 180, leading: 8),
    Row(
      name: "FFV1 with range coder and 24 slices, each frame a key frame",
      encoder: ["-c:v", "ffv1", "-level", "3", "-g", "1", "-coder", "1", "-context", "1", "-slices", "24"],
      input: "in.mkv",
      output: "out.mkv", copied: 186),
    Row(
      name: "FFV1 of 10 bits with intervals of 25 frames",
      encoder: ["-c:v", "ffv1", "-level", "3", "-g", "25", "-pix_fmt", "yuv422p10le"], input: "in.avi",
      output: "out.mkv",
      copied: 186),
    Row(
      name: "FFV1 without a header", encoder: ["-c:v", "ffv1", "-level", "1"], input: "in.mkv", output: "out.mkv",
      copied: 186, warning: "ffv1 can write no header beside or like the input's"),
    Row(
      name: "MPEG-4", encoder: ["-c:v", "mpeg4"], copied: 0, warning: "of mpeg4, groups are not copied"),
    Row(
      name: "interlaced", encoder: ["-g", "25", "-flags", "+ildct+ilme"], copied: 0, warning: "the video is interlaced"),
    Row(name: "NUT", output: "out.nut", copied: 0, warning: "nut stores no decoding times before 0"),
    Row(
      name: "another encoder", output: "out.webm", copied: 0,
      warning: "libvpx-vp9 is not the encoder of the input's codec"),
  ]

  private func makeInput(_ row: Row) throws {
    let sound = ["avi": "mp3", "webm": "libopus"][row.input.split(separator: ".").last ?? ""] ?? "aac"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=8", "-f", "lavfi", "-i", "sine=d=8", "-pix_fmt", "yuv420p"]
        + ["-c:v", "libx264", "-c:a", sound, "-shortest"] + row.encoder + [folder.file(row.input)])
    guard row.rotation != 0 else { return }
    try Program.ffmpeg(Program.rotating(folder.file(row.input), by: row.rotation) + [folder.file("turned.mp4")])
    try FileManager.default.removeItem(atPath: folder.file(row.input))
    try FileManager.default.moveItem(atPath: folder.file("turned.mp4"), toPath: folder.file(row.input))
  }

  /// Records of the input with an object on some frames.
  private func makeRecords(_ input: String, painted: Range<Int> = painted) throws {
    let path = folder.file("r.jsonl")
    let run = try Program.vstream([folder.file(input), "-o", "null", "--detect", "none", "--records", path])
    #expect(run.status == 0, "\(run.errors)")
    let found = #""label":"person","score":0.9,"box":[20,20,30,40]}]"#
    let object = #","objects":[{"id":1,\#(found),"detections":{"objects":[{\#(found)}}"#
    let nothing = #","objects":[],"detections":{"objects":[]}}"#
    var number = 0
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line -> String in
      if line.contains(#""type":"header""#) {
        return String(line).replacing(
          #""detect":[]"#, with: #""detect":["objects"],"minScore":0.5,"recordDetections":true"#)
      }
      guard line.contains(#""type":"frame""#) else { return String(line) }
      defer { number += 1 }
      return line.dropLast() + (painted.contains(number) ? object : nothing)
    }
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func run(_ row: Row, _ options: [String] = []) throws -> ProgramResult {
    try Program.vstream(
      [
        folder.file(row.input), "-o", folder.file(row.output), "--from-records", folder.file("r.jsonl"), "--encode",
        "changed",
      ] + options)
  }

  /// The checksums of the decoded frames.
  private func frames(_ name: String) throws -> [String] {
    let text = try Program.ffmpeg(
      ["-i", folder.file(name), "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
    ).text
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0.split(separator: ",").last ?? "") }
  }

  @Test(arguments: rows)
  func `only groups with painted frames are encoded, and the others are the input's to the bit`(row: Row) throws {
    try makeInput(row)
    try makeRecords(row.input)
    let result = try run(row)
    #expect(result.status == 0, "\(result.errors)")
    #expect(row.warning.map(result.errors.contains) ?? !result.errors.contains("warning"), "\(result.errors)")
    let (before, after) = (try frames(row.input), try frames(row.output))
    #expect(after.count == 200)
    let copied = zip(before, after).count { $0 == $1 }
    #expect((row.copied - row.leading...row.copied).contains(copied), "\(copied)")
    // The first one confirms its track.
    #expect(Self.painted.dropFirst().allSatisfy { before[$0] != after[$0] })
    let (input, output) = (try Probe(folder.file(row.input)), try Probe(folder.file(row.output)))
    let times = zip(try input.frameTimes(), try output.frameTimes()).map { $1 - $0 }
    // WebM and MKV count milliseconds.
    #expect((times.max() ?? 1) - (times.min() ?? 0) < 0.0021)
    guard row.warning == nil else { return }
    // No reader complains at a seam.
    let reading = try Program.run(
      "/usr/bin/env", ["ffmpeg", "-v", "warning", "-nostdin", "-i", folder.file(row.output), "-f", "null", "-"])
    #expect(reading.errors == "")
  }

  @Test func `a part of the input begins and ends within groups, which are encoded`() throws {
    let row = Row(name: "")
    try makeInput(row)
    try makeRecords(row.input)
    #expect(try run(row, ["--start", "1.5", "--duration", "4"]).status == 0)
    let (before, after) = (try frames("in.mp4"), try frames("out.mp4"))
    // Of frames 38 to 137, those of groups 50 to 74 and 125 on are not whole or painted; 75 to 99 too.
    #expect(after.count == 100)
    #expect(after.indices.filter { after[$0] == before[$0 + 37] || after[$0] == before[$0 + 38] }.count == 25)
  }

  /// The bytes of the video's packets, by their numbers.
  private func packets(_ name: String) throws -> [Data] {
    let raw = folder.file("raw-\(name).h264")
    try Program.ffmpeg(["-i", folder.file(name), "-map", "0:v", "-c", "copy", "-f", "h264", raw])
    let text = try Program.run(
      "/usr/bin/env",
      [
        "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=size,pos", "-of", "csv=p=0",
        folder.file(name),
      ]
    ).text
    let bytes = try Data(contentsOf: URL(filePath: folder.file(name)))
    return text.split(separator: "\n").compactMap { line in
      let numbers = line.split(separator: ",").compactMap { Int($0) }
      return numbers.count == 2 ? bytes[numbers[1]..<numbers[1] + numbers[0]] : nil
    }
  }

  @Test func `nothing of a redacted group's packets is in the output, and copied packets have the input's bytes`()
    throws
  {
    let row = Row(name: "")
    try makeInput(row)
    try makeRecords(row.input)
    let result = try run(row, ["--redact", "fill", "--redact-what", "person", "--look-back", "0.2"])
    #expect(result.status == 0, "\(result.errors)")
    // The cover begins 0.2 s before frame 70, in the group from 50 on, and may last beyond 80.
    let frames = zip(try frames("in.mp4"), try frames("out.mp4")).map { $0 == $1 }
    #expect(frames.prefix(50).allSatisfy(\.self) && frames[50..<100].allSatisfy { !$0 })
    let output = try Data(contentsOf: URL(filePath: folder.file("out.mp4")))
    let (before, after) = (try packets("in.mp4"), Set(try packets("out.mp4")))
    #expect(before.count == 200)
    for (number, packet) in before.enumerated() where packet.count > 128 {
      let isCopied = number < 50 || number >= 125
      guard isCopied || (50..<100).contains(number) else { continue }
      #expect(after.contains(packet) == isCopied, "packet \(number)")
      if !isCopied { #expect(output.range(of: packet.dropFirst(packet.count / 2)) == nil, "packet \(number)") }
    }
  }

  /// Of each codec and form of packets one.
  @Test(arguments: [
    Row(name: "H.264"), Row(name: "H.264, MP4 to MPEG-TS", output: "out.ts"),
    Row(name: "HEVC, MPEG-TS to MP4", encoder: x265(), input: "in.ts"),
    Row(name: "HEVC, MP4 to MPEG-TS", encoder: x265(), output: "out.ts"),
    Row(name: "AV1, MP4 to MKV", encoder: ["-c:v", "libsvtav1", "-preset", "12", "-g", "25"], output: "out.mkv"),
    Row(
      name: "ProRes", encoder: ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le"], input: "in.mov", output: "out.mkv"),
  ])
  func `a receipt says which groups are copied, and their packets are verified`(row: Row) throws {
    try makeInput(row)
    try makeRecords(row.input)
    let receipt = folder.file("receipt.json")
    let result = try run(row, ["--redact", "fill", "--redact-what", "person", "--receipt", receipt])
    // Something like a person is found in the test pattern, so that the status is 1.
    #expect(result.status < 2 && !result.errors.contains("cannot be verified"), "\(result.errors)")
    let text = try String(contentsOfFile: receipt, encoding: .utf8)
    #expect(
      text.contains(##""groups":[{"frame":0,"frames":"##) && text.contains(##""copied":false},{"frame":"##), "\(text)")
  }

  @Test func `user data in packets is not copied where something is redacted`() throws {
    let row = Row(name: "")
    try makeInput(row)
    try Program.ffmpeg([
      "-i", folder.file("in.mp4"), "-c", "copy", "-bsf:v",
      "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+at51.5north", folder.file("told.mp4"),
    ])
    let told = Row(name: "", input: "told.mp4")
    try makeRecords(told.input)
    #expect(try run(told, ["--redact", "fill", "--redact-what", "person"]).status == 0)
    let output = try Data(contentsOf: URL(filePath: folder.file("out.mp4")))
    #expect(output.range(of: Data("at51.5north".utf8)) == nil)
  }

  /// The times in seconds, sizes and checksums of the packets of sound, and the time of the first frame.
  private func sound(_ name: String) throws -> (packets: [(time: Double, size: Int, hash: Substring)], start: Double) {
    let entries = "packet=pts_time,size,data_hash"
    let text = try Program.run(
      "/usr/bin/env",
      [
        "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", entries, "-show_data_hash", "MD5", "-of",
        "csv=p=0", folder.file(name),
      ]
    ).text
    // Of a packet with side data, the checksum is on the next line.
    let lines = text.replacing(",\n,", with: ",").split(separator: "\n")
    let packets = lines.compactMap { line -> (time: Double, size: Int, hash: Substring)? in
      let parts = line.split(separator: ",")
      guard parts.count >= 3, let time = Double(parts[0]), let size = Int(parts[1]) else { return nil }
      return (time, size, parts[2])
    }
    return (packets, try Probe(folder.file(name)).frameTimes().first ?? 0)
  }

  @Test(arguments: [
    Row(name: "MP4", encoder: ["-g", "25", "-bf", "3"]), Row(name: "MP4 to MKV", output: "out.mkv"),
    Row(name: "HEVC, open groups", encoder: x265()), Row(name: "HEVC to MKV", encoder: x265(), output: "out.mkv"),
    Row(
      name: "VP9", encoder: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "25"],
      input: "in.webm", output: "out.webm"),
  ])
  func `sound is the input's, packet by packet, and in time at every seam`(row: Row) throws {
    try makeInput(row)
    try makeRecords(row.input)
    #expect(try run(row).status == 0)
    let (before, after) = (try sound(row.input), try sound(row.output))
    #expect(before.packets.count > 100 && after.packets.map(\.hash) == before.packets.map(\.hash))
    let delays = zip(before.packets, after.packets).map { ($1.time - after.start) - ($0.time - before.start) }
    #expect(delays.allSatisfy { abs($0) < 0.0021 }, "\(delays)")
  }

  @Test(arguments: ["out.mp4", "out.mkv"])
  func `the first group of a Matroska file, whose first packets have no decoding times, keeps its times`(
    output: String
  ) throws {
    let row = Row(name: "", encoder: ["-g", "25", "-bf", "3"], input: "in.mkv", output: output)
    try makeInput(row)
    try makeRecords(row.input, painted: 0..<3)
    let result = try run(row)
    #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    let (input, written) = (try Probe(folder.file(row.input)), try Probe(folder.file(output)))
    let times = zip(try input.frameTimes(), try written.frameTimes()).map { $1 - $0 }
    #expect(times.count == 200 && (times.max() ?? 1) - (times.min() ?? 0) < 0.0021)
  }

  @Test func `of frames with the time of the one before, in a group or at its start, none is lost`() throws {
    let row = Row(
      name: "",
      encoder: ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "25"]
        + ["-bsf:v", "setts=ts=if(eq(mod(N\\,40)\\,10)\\,PREV_OUTPTS\\,TS)"], input: "in.webm", output: "out.webm")
    try makeInput(row)
    try makeRecords(row.input)
    let result = try run(row)
    #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    let (before, after) = (try frames(row.input), try frames(row.output))
    #expect(after.count == 200)
    // Five of eight groups have such a frame.
    #expect(zip(before, after).count { $0 == $1 } == 75)
  }

  @Test func `of a live input groups are copied, until it comes back with other parameters`() throws {
    for (name, preset) in [("a.mp4", "ultrafast"), ("b.mp4", "medium")] {
      try Program.ffmpeg(
        [
          "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=60", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
          preset,
        ]
          + ["-g", "25", "-bf", "0", folder.file(name)])
    }
    let first = try RTSPServer(folder.file("a.mp4"))
    let program = try RunningProgram(
      [first.url, "-o", folder.file("out.mp4"), "--detect", "none", "--encode", "changed", "--reconnect", "60"]
        + ["--stats-every", "0.2"])
    func written() -> Int { RunningProgram.lastCount("framesOut", in: program.errors) }
    #expect(program.waitUntil { _ in written() >= 60 }, "\(program.errors.suffix(2000))")
    first.killNow()
    let second = try RTSPServer(folder.file("b.mp4"), port: first.port)
    #expect(program.waitUntil { $0.contains("was reconnected") }, "\(program.errors.suffix(2000))")
    let before = written()
    #expect(program.waitUntil { _ in written() >= before + 60 }, "\(program.errors.suffix(2000))")
    program.send(SIGINT)
    #expect(program.wait() == 130, "\(program.errors.suffix(2000))")
    second.killNow()
    let (sent, other) = (Set(try frames("a.mp4")), Set(try frames("b.mp4")))
    let received = try frames("out.mp4")
    #expect(received.count >= 120)
    // A group with a frame that came too late is encoded.
    #expect(received.count(where: sent.contains) >= 25)
    #expect(received.suffix(50).allSatisfy { !sent.contains($0) && !other.contains($0) })
  }

  /// The frames after the step get times between those of others, which must not be taken for them.
  @Test(arguments: [80, 120], [102..<110, 124..<130])
  func `where times step back, the frames are covered that are covered when everything is encoded`(
    milliseconds: Int, painted: Range<Int>
  ) throws {
    let row = Row(name: "", input: "in.mkv", output: "out.mkv")
    let step = "setts=pts=if(lt(N\\,100)\\,PTS+\(milliseconds)\\,PTS):dts=DTS"
    try Program.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=8", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25", "-bf",
        "0",
      ]
        + ["-bsf:v", step, folder.file(row.input)])
    try makeRecords(row.input, painted: painted)
    let redact = ["--redact", "fill", "--redact-what", "person", "--look-back", "0", "--lost-after", "0.1"]
    let result = try run(row, redact)
    #expect(result.status == 0 && !result.errors.contains("missing"), "\(result.errors)")
    let all = try Program.vstream(
      [folder.file(row.input), "-o", folder.file("all.mkv"), "--from-records", folder.file("r.jsonl")] + redact)
    #expect(all.status == 0, "\(all.errors)")
    /// The mean of a square within the person, by frame.
    func levels(_ name: String) throws -> [Int] {
      let pixels = try Program.run(
        "/usr/bin/env",
        [
          "ffmpeg", "-v", "error", "-i", folder.file(name), "-fps_mode", "passthrough", "-vf",
          "crop=8:8:30:36,format=gray",
        ]
          + ["-f", "rawvideo", "-"]
      ).output
      return stride(from: 0, to: pixels.count, by: 64).map { start in
        pixels[start..<min(start + 64, pixels.count)].reduce(0) { $0 + Int($1) } / 64
      }
    }
    let (changed, encoded) = (try levels(row.output), try levels("all.mkv"))
    #expect(changed.count == 200 && encoded.count == 200)
    #expect(zip(changed, encoded).allSatisfy { abs($0 - $1) < 12 }, "\(zip(changed, encoded).map { $0 - $1 })")
  }

  @Test func `groups of another size than the first are encoded in that of the first`() throws {
    let row = Row(name: "", input: "in.ts", output: "out.ts")
    for size in ["160x96", "96x96"] {
      try Program.ffmpeg(
        [
          "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25",
          "-bf", "0",
        ]
          + [folder.file("\(size).h264")])
    }
    let both = try ["160x96", "96x96"].map { try Data(contentsOf: URL(filePath: folder.file("\($0).h264"))) }
    try both.reduce(Data(), +).write(to: URL(filePath: folder.file("both.h264")))
    try Program.ffmpeg(
      [
        "-framerate", "25", "-i", folder.file("both.h264"), "-c", "copy", "-bsf:v", "setts=ts=N/25/TB",
        folder.file(row.input),
      ])
    try makeRecords(row.input)
    let result = try run(row)
    #expect(result.status == 0, "\(result.errors)")
    let (before, after) = (try frames(row.input), try frames(row.output))
    #expect(after.count == 200)
    // Of the first four groups two are painted.
    #expect(zip(before, after).count { $0 == $1 } == 50)
    let sizes = try Program.run(
      "/usr/bin/env",
      [
        "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=width", "-of", "csv=p=0",
        folder.file(row.output),
      ])
    #expect(Set(sizes.text.split(whereSeparator: { !$0.isNumber })) == ["160"])
  }

  @Test func `a group of more than two minutes is encoded, so that its packets take no memory`() throws {
    let row = Row(name: "", input: "in.mkv", output: "out.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=50:d=64", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
      "ultrafast", "-g", "9999", folder.file("in.mkv"),
    ])
    try makeRecords(row.input, painted: 0..<0)
    let result = try run(row)
    #expect(
      result.status == 0 && result.errors.contains("0 groups of pictures are copied, 1 encoded"), "\(result.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 3200)
  }

  /// Only frames before a key frame, which depend on the group before, are painted.
  @Test(arguments: ["out.mp4", "out.mkv", "out.ts"])
  func `of an open group that is copied, the frames before its key frame are encoded alone`(output: String) throws {
    let row = Row(name: "", encoder: Self.x265("open-gop=1:bframes=4:b-adapt=0:scenecut=0"), output: output)
    try makeInput(row)
    try makeRecords(row.input, painted: 71..<75)
    #expect(try run(row).status == 0)
    let (before, after) = (try frames(row.input), try frames(output))
    #expect(after.count == 200 && zip(before, after).count { $0 != $1 } < 10 && before[73] != after[73])
    let (input, written) = (try Probe(folder.file(row.input)), try Probe(folder.file(output)))
    let times = zip(try input.frameTimes(), try written.frameTimes()).map { $1 - $0 }
    #expect((times.max() ?? 1) - (times.min() ?? 0) < 0.0021)
    let reading = try Program.run(
      "/usr/bin/env", ["ffmpeg", "-v", "warning", "-nostdin", "-i", folder.file(output), "-f", "null", "-"])
    #expect(reading.errors == "")
  }

  @Test func `another codec that is requested encodes everything, and without one it is the input's`() throws {
    let row = Row(name: "", encoder: Self.x265(), output: "out.mkv")
    try makeInput(row)
    try makeRecords(row.input)
    let result = try run(row, ["--codec", "libx264"])
    #expect(result.status == 0 && result.errors.contains("libx264 is not the encoder of the input's codec"))
    #expect(try Probe(folder.file("out.mkv")).streams.first?.codec_name == "h264")
    #expect(try run(row, ["-y"]).status == 0)
    #expect(try Probe(folder.file("out.mkv")).streams.first?.codec_name == "hevc")
  }

  @Test(arguments: [["--scale", "80x48"], ["--fps", "10"], ["--pixel-format", "yuv422p"]])
  func `what changes every frame is said, and everything is encoded`(options: [String]) throws {
    let row = Row(name: "")
    try makeInput(row)
    try makeRecords(row.input)
    let result = try run(row, options)
    #expect(result.status == 0 && result.errors.contains("everything is encoded (--encode changed): \(options[0])"))
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// Packets as fragmented MP4 in memory.
struct FragmentWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: String, _ options: [String]) throws -> String {
    let path = folder.file(name)
    try Program.ffmpeg(Clip.video("96x64", rate: "10", seconds: "3") + options + ["-pix_fmt", "yuv420p", path])
    return path
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    let options: [String]
  }

  static let h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10"]
  static let rows = [
    Row(testDescription: "from MP4", name: "a.mp4", options: h264 + ["-bf", "0"]),
    Row(testDescription: "with B-frames", name: "b.mp4", options: h264 + ["-bf", "2"]),
    Row(testDescription: "from a transport stream", name: "c.ts", options: h264 + ["-bf", "0"]),
    Row(testDescription: "from Matroska, in milliseconds", name: "d.mkv", options: h264 + ["-bf", "0"]),
    Row(testDescription: "from FLV", name: "e.flv", options: h264 + ["-bf", "0"]),
    Row(
      testDescription: "from a file that does not start at 0", name: "f.ts",
      options: h264 + ["-output_ts_offset", "500"]),
  ]

  @Test(arguments: ["libx265", "mjpeg", "libsvtav1"]) func `other codecs are recorded, and not played`(codec: String)
    throws
  {
    let path = try clip(
      "a.mkv", ["-c:v", codec] + (codec == "libx265" ? ["-x265-params", "log-level=error:bframes=0"] : []))
    let reader = try MediaReader(MediaInput(path))
    #expect(throws: VStreamError.self) { try FragmentWriter(reader.video) }
    let writer = try FragmentWriter(reader.video, isPlayed: false)
    var file = writer.initialization
    var count = 0
    while case .packet(let packet) = try reader.next() {
      file += try #require(try writer.fragment(packet))
      count += 1
    }
    let out = folder.file("out.mp4")
    try Data(file).write(to: URL(filePath: out))
    #expect(try Decoded(out).frames.count == 30 && count == 30)
  }

  @Test(arguments: rows) func `each packet is a fragment, with its own time`(row: Row) throws {
    let reader = try MediaReader(MediaInput(clip(row.name, row.options)))
    #expect(FragmentWriter.canWrite(reader.video))
    let writer = try FragmentWriter(reader.video)
    #expect(writer.mimeType.contains(/^video\/mp4; codecs="avc1\.[0-9a-f]{6}"$/), "\(writer.mimeType)")
    #expect(writer.initialization.dropFirst(4).starts(with: "ftyp".utf8))
    var file = writer.initialization
    var times: [Double] = []
    while case .packet(let packet) = try reader.next() {
      // The start of a stream with B-frames is decoded before 0.
      guard let bytes = try writer.fragment(packet), packet.isKey || !times.isEmpty else { continue }
      #expect(bytes.dropFirst(4).starts(with: "moof".utf8))
      file += bytes
      times.append(try #require(packet.presentationTime).seconds)
    }
    let path = folder.file("out.mp4")
    try Data(file).write(to: URL(filePath: path))
    let found = try Probe(path).frameTimes()
    #expect(found.count == times.count && times.count == (row.name == "b.mp4" ? 20 : 30))
    for (one, other) in zip(found, times.sorted()) { #expect(abs(one - other) < 0.001, "\(one) for \(other)") }
    // They decode to the same images.
    let decoded = try Decoded(path)
    #expect(decoded.damagedPackets == 0 && decoded.frames.count == times.count)
  }

  @Test func `sound is a second track, with its own times`() throws {
    let path = folder.file("sound.mp4")
    try Program.ffmpeg(
      Clip.video("96x64", rate: "10", seconds: "3") + ["-f", "lavfi", "-i", "sine=duration=3", "-c:a", "aac"]
        + Self.h264 + ["-bf", "0", "-pix_fmt", "yuv420p", path])
    let reader = try MediaReader(MediaInput(path))
    let sound = try #require(reader.sound)
    #expect(FragmentWriter.canWrite(sound: sound))
    let writer = try FragmentWriter(reader.video, sound: sound)
    #expect(writer.mimeType.contains(/^video\/mp4; codecs="avc1\.[0-9a-f]{6}, mp4a\.40\.2"$/), "\(writer.mimeType)")
    var file = writer.initialization
    var times: [Int: [Double]] = [:]
    while case .packet(let packet) = try reader.next() {
      guard let bytes = try writer.fragment(packet) else { continue }
      file += bytes
      times[packet.streamIndex, default: []].append(try #require(packet.presentationTime).seconds)
    }
    let out = folder.file("out.mp4")
    try Data(file).write(to: URL(filePath: out))
    let probe = try Probe(out)
    #expect(probe.streams.map(\.codec_name) == ["h264", "aac"])
    for (stream, index) in [("v:0", reader.video.index), ("a:0", sound.index)] {
      let (found, expected) = (try probe.packets(stream).compactMap(\.time), try #require(times[index]))
      #expect(found.count == expected.count && found.count >= 30, "\(stream)")
      for (one, other) in zip(found, expected) { #expect(abs(one - other) < 0.001, "\(one) for \(other)") }
    }
    // A stream that is neither of the two.
    let silent = try FragmentWriter(reader.video)
    let again = try MediaReader(MediaInput(path))
    var kinds: [Bool] = []
    while case .packet(let packet) = try again.next() {
      if packet.streamIndex == sound.index { kinds.append(try silent.fragment(packet) == nil) }
    }
    #expect(kinds.count >= 100 && kinds.allSatisfy { $0 })
  }

  @Test func `sound that browsers do not play, or that has no parameters, is not written`() throws {
    for (codec, name) in [("pcm_alaw", "a.mkv"), ("mp3", "b.mp4"), ("aac", "c.ts")] {
      let path = folder.file(name)
      try Program.ffmpeg(
        Clip.video("96x64", rate: "10", seconds: "1") + ["-f", "lavfi", "-i", "sine=duration=1", "-c:a", codec]
          + Self.h264 + ["-pix_fmt", "yuv420p", path])
      #expect(!FragmentWriter.canWrite(sound: try #require(MediaReader(MediaInput(path)).sound)), "\(name)")
    }
  }

  @Test func `a packet that is not later than the one before is omitted`() throws {
    let reader = try MediaReader(MediaInput(clip("a.mp4", Self.h264 + ["-bf", "0"])))
    let writer = try FragmentWriter(reader.video)
    guard case .packet(let first) = try reader.next(), case .packet(let second) = try reader.next() else { return }
    #expect(try writer.fragment(first) != nil)
    #expect(try writer.fragment(second) != nil)
    #expect(try writer.fragment(first) == nil)
    #expect(try writer.fragment(second) == nil)
  }

  @Test(arguments: [("mpeg4", "a.mp4"), ("mjpeg", "b.mkv")])
  func `codecs that browsers do not play are not written`(codec: String, name: String) throws {
    let reader = try MediaReader(MediaInput(clip(name, ["-c:v", codec])))
    #expect(!FragmentWriter.canWrite(reader.video))
    #expect(throws: VStreamError.self) { try FragmentWriter(reader.video) }
  }

  @Test func `the packets of an encoder keep their frames' times`() throws {
    let frames = try Decoded(clip("a.mp4", Self.h264 + ["-bf", "0"])).frames
    var rules = ContainerRules()
    rules.hasGlobalHeader = true
    let encoder = try VideoEncoder(
      VideoCodec(encoder: "libx264"), settings: EncoderSettings(preset: "ultrafast", isLowDelay: true),
      first: frames[0], frameRate: Rational(10, 1), rules: rules)
    let writer = try FragmentWriter(encoder, frameRate: Rational(10, 1))
    var file = writer.initialization
    for frame in frames {
      let packets = try encoder.encode(frame)
      // Each frame's packet leaves at once.
      #expect(packets.count == 1)
      for packet in packets { file += try writer.fragment(packet) ?? [] }
    }
    let path = folder.file("out.mp4")
    try Data(file).write(to: URL(filePath: path))
    let found = try Probe(path).frameTimes()
    #expect(found.count == frames.count)
    for (one, frame) in zip(found, frames) { #expect(abs(one - frame.time.seconds) < 0.001) }
  }
}

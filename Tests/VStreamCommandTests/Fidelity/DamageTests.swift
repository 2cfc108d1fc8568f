import Foundation
import Testing
import VStreamTestSupport

/// Files with one known defect each: the command neither crashes nor hangs, and reports the result. Random damage is for
/// scripts/checks/damaged-inputs.
struct DamageTests {
  /// A file with one defect.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let video: String
    /// FFmpeg's options that damage the streams while copying them.
    var copying: [String] = []
    var change: @Sendable (inout Data) throws -> Void = { _ in }
    var status: Int32 = 0
    var frames = SmallVideo.frames...SmallVideo.frames
    var counts = 0...Int.max
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "the first keyframe is missing", video: "h264-aac.ts", copying: ["-bsf:v", "noise=drop=lt(n\\,1)"],
      frames: 38...49),
    Case(
      name: "all keyframes but the last are missing", video: "h264-aac.ts",
      copying: ["-bsf:v", "noise=drop=lt(n\\,48)*not(mod(n\\,12))"], frames: 1...46),
    Case(
      name: "an MP4 is truncated before its index", video: "h264-aac.mp4", change: { $0 = $0.prefix($0.count * 3 / 4) },
      status: 65),
    Case(
      name: "a fragmented MP4 is truncated", video: "fragmented.mp4", change: { $0 = $0.prefix($0.count * 3 / 4) },
      frames: 24...49),
    Case(
      name: "a Matroska file's cues are missing", video: "h264-flac-srt.mkv",
      change: { try overwrite(Data([0x1C, 0x53, 0xBB, 0x6B]), with: Data(count: 4), in: &$0) }, counts: 0...0),
    Case(
      name: "a Matroska file's seek head is invalid", video: "h264-flac-srt.mkv",
      change: { try overwrite(Data([0x11, 0x4D, 0x9B, 0x74]), with: Data([0x11, 0x4D, 0x9B, 0x75]), in: &$0) }),
    Case(
      name: "an AVI file's index is missing", video: "mpeg4-mp3.avi",
      change: { try overwrite(Data("idx1".utf8), with: Data("junk".utf8), in: &$0) }),
    Case(name: "a packet is empty", video: "mpeg4-mp3.avi", change: emptyPacket, frames: 49...50),
    Case(name: "all audio packets are damaged", video: "h264-aac.mp4", copying: ["-bsf:a", "noise=amount=3"]),
  ]

  /// Overwrites the last occurrence of `old`.
  private static func overwrite(_ old: Data, with new: Data, in bytes: inout Data) throws {
    bytes.replaceSubrange(try #require(bytes.range(of: old, options: .backwards)), with: new)
  }

  /// Empties the last chunk of a frame; its bytes become a chunk of junk.
  private static let emptyPacket: @Sendable (inout Data) throws -> Void = { bytes in
    let index = try #require(bytes.range(of: Data("idx1".utf8), options: .backwards)).lowerBound
    let chunk = try #require(bytes.range(of: Data("00dc".utf8), options: .backwards, in: 0..<index)).lowerBound
    func littleEndian(_ number: Int) -> Data { Data((0..<4).map { UInt8(number >> (8 * $0) & 255) }) }
    let size = (0..<4).reduce(0) { $0 | Int(bytes[chunk + 4 + $1]) << (8 * $1) }
    try #require(size > 8)
    bytes.replaceSubrange(chunk + 4..<chunk + 16, with: littleEndian(0) + Data("JUNK".utf8) + littleEndian(size - 8))
  }

  @Test(arguments: cases)
  func `a file with one defect is decoded, or refused`(row: Case) throws {
    let folder = try TemporaryFolder()
    let video = try #require(SmallVideo.all.first { $0.name == row.video })
    var path = try video.make(in: folder)
    if !row.copying.isEmpty {
      let copied = folder.file("damaged-\(row.video)")
      try Program.ffmpeg(["-i", path, "-c", "copy"] + row.copying + [copied])
      path = copied
    }
    var bytes = try Data(contentsOf: URL(filePath: path))
    try row.change(&bytes)
    try bytes.write(to: URL(filePath: folder.file("in-\(row.video)")))
    let arguments = ["in-\(row.video)", "-o", "out.mkv", "--detect", "none", "--stats", "s.json"]
    let result = try run(arguments, in: folder, row.name)
    #expect(result.status == row.status, "\(result.errors)")
    guard row.status == 0 else {
      #expect(oneLine(result.errors) && result.errors.hasPrefix("vstream: "), "\(result.errors)")
      #expect(!folder.names.contains { $0.hasPrefix("out.mkv") })
      return
    }
    let statistics = try JSON(try String(contentsOfFile: folder.file("s.json"), encoding: .utf8))
    let frames = try Probe(folder.file("out.mkv")).frameTimes().count
    #expect(row.frames.contains(frames), "\(frames) frames")
    #expect(statistics["framesOut"].int == frames)
    #expect(row.counts.contains(try #require(statistics["corruptPackets"].int)), "\(result.errors)")
  }

  /// Runs the command, which must exit in time with a valid exit code.
  private func run(_ arguments: [String], in folder: TemporaryFolder, _ damage: String) throws -> ProgramResult {
    let result = try Program.vstream(arguments, folder: folder.path)
    #expect(result.signal == nil, "\(damage): ended by a signal, or hung and was killed: \(result.errors)")
    #expect(!result.errors.contains("Fatal error"), "\(damage): \(result.errors)")
    return result
  }
}

/// A video of 50 frames, with the other streams that are usual in its container, made by FFmpeg.
private struct SmallVideo {
  let name: String
  let options: [String]
  static let frames = 50

  static let all = [
    SmallVideo(name: "h264-aac.mp4", options: ["-c:v", "libx264", "-c:a", "aac"]),
    SmallVideo(
      name: "fragmented.mp4",
      options: ["-c:v", "libx264", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
    SmallVideo(
      name: "h264-flac-srt.mkv", options: ["-c:v", "libx264", "-c:a", "flac", "-map", "2", "-c:s", "srt"]),
    SmallVideo(name: "mpeg4-mp3.avi", options: ["-c:v", "mpeg4", "-c:a", "libmp3lame"]),
    SmallVideo(name: "h264-aac.ts", options: ["-c:v", "libx264", "-c:a", "aac"]),
  ]

  /// Creates the file: the same bytes with the same version of FFmpeg.
  func make(in folder: TemporaryFolder) throws -> String {
    let subtitles = folder.file("subtitles.srt")
    try Data("1\n00:00:00,200 --> 00:00:00,900\nFirst\n\n2\n00:00:01,200 --> 00:00:01,900\nSecond\n".utf8)
      .write(to: URL(filePath: subtitles))
    let inputs = [
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=2", "-f", "lavfi", "-i", "sine=duration=2", "-i",
      subtitles, "-map", "0", "-map", "1",
    ]
    let same = ["-g", "12", "-threads", "1", "-pix_fmt", "yuv420p"]
    let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]
    let path = folder.file(name)
    try Program.ffmpeg(inputs + same + exact + options + [path])
    return path
  }
}

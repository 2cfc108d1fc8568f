import Foundation
import Testing
import VStreamTestSupport

/// Damaged files: the command neither crashes nor hangs, and reports the result.
@Suite(SmallVideos())
struct DamageTests {
  /// A damaged file, identified by its seed.
  struct Row: CustomTestStringConvertible, Sendable {
    let seed: Int
    var video: SmallVideo { SmallVideo.all[seed % SmallVideo.all.count] }
    var mutation: Mutation { Mutation.allCases[seed / SmallVideo.all.count % Mutation.allCases.count] }
    var testDescription: String { "seed \(seed): \(video.name), \(mutation)" }

    /// The command's arguments.
    var options: [String] {
      switch seed / 10 % 5 {
      case 0: ["-o", "null", "--detect", "none"]
      case 1: ["-o", "out.mp4", "--detect", "none"]
      case 2 where seed % 3 == 0: ["-o", "out.mkv", "--detect-every", "10"]
      default: ["-o", "out.mkv", "--detect", "none"]
      }
    }

    /// Writes the damaged file.
    ///
    /// - Returns: a description of the damage.
    func make(_ path: String) throws -> String {
      var bytes = try #require(SmallVideos.made[video])
      var numbers = SeededNumbers(seed: UInt64(seed))
      let done = mutation.apply(to: &bytes, &numbers)
      try bytes.write(to: URL(filePath: path))
      return "seed \(seed): \(video.name), \(done)"
    }
  }

  @Test(arguments: (0..<200).map(Row.init))
  func `a damaged file is decoded as far as possible, or refused`(row: Row) throws {
    let folder = try TemporaryFolder()
    let damage = try row.make(folder.file(row.video.name))
    let result = try run([row.video.name, "--stats", "s.json"] + row.options, in: folder, damage)
    switch result.status {
    case 0: try checkDone(row, folder, result, damage)
    case 65: try checkRefused(row, folder, result, damage)
    default: Issue.record("\(damage): exit code \(result.status): \(result.errors)")
    }
  }

  @Test(arguments: (0..<200).filter { $0 / 10 % 5 == 0 }.map(Row.init))
  func `with --strict, damage is an error after all decodable frames are written`(row: Row) throws {
    let folder = try TemporaryFolder()
    let damage = try row.make(folder.file(row.video.name))
    let arguments = [row.video.name, "--detect", "none", "-o", "out.mkv", "--strict", "--stats", "s.json"]
    let result = try run(arguments, in: folder, damage)
    guard let text = try? String(contentsOfFile: folder.file("s.json"), encoding: .utf8) else {
      return try checkRefused(row, folder, result, damage)
    }
    let statistics = try JSON(text)
    let damaged = try #require(statistics["corruptPackets"].int)
    #expect(result.status == (damaged > 0 ? 65 : 0), "\(damage): \(result.errors)")
    let last = result.errors.split(separator: "\n").last ?? ""
    #expect(
      damaged == 0 || last.contains("is damaged: \(damaged) packet\(damaged == 1 ? "" : "s") (--strict)"),
      "\(damage): \(result.errors)")
    let frames = try Probe(folder.file("out.mkv")).frameTimes().count
    #expect(frames == statistics["framesOut"].int, "\(damage)")
  }

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
    var bytes = try #require(SmallVideos.made[video])
    if !row.copying.isEmpty {
      try bytes.write(to: URL(filePath: folder.file("whole-\(row.video)")))
      let copied = folder.file("damaged-\(row.video)")
      try Program.ffmpeg(["-i", folder.file("whole-\(row.video)"), "-c", "copy"] + row.copying + [copied])
      bytes = try Data(contentsOf: URL(filePath: copied))
    }
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

  /// Checks that the output has all frames that the summary counts.
  private func checkDone(_ row: Row, _ folder: TemporaryFolder, _ result: ProgramResult, _ damage: String) throws {
    let statistics = try JSON(try String(contentsOfFile: folder.file("s.json"), encoding: .utf8))
    let frames = try #require(statistics["framesOut"].int)
    #expect(frames > 0, "\(damage)")
    let said = result.errors.split(separator: "\n")
    #expect(said.dropLast().allSatisfy { $0.hasPrefix("vstream: ") }, "\(damage): \(result.errors)")
    let isNoticed = said.count > 1 || statistics["corruptPackets"].int ?? 0 > 0
    #expect(
      frames >= SmallVideo.frames || isNoticed || row.video.losesSilently,
      "\(damage): \(frames) frames, and not a word: \(result.errors)")
    let output = row.options[1]
    guard output != "null" else { return }
    #expect(folder.names == [row.video.name, output, "s.json"].sorted(), "\(damage)")
    #expect(try Probe(folder.file(output)).frameTimes().count == frames, "\(damage)")
  }

  /// Checks that the error gives a cause, that no file is left, and that FFmpeg's command decodes no frame either.
  private func checkRefused(_ row: Row, _ folder: TemporaryFolder, _ result: ProgramResult, _ damage: String) throws {
    // Damage may look like a second video, of which a line states that it is not processed.
    let lines = result.errors.split(separator: "\n")
    #expect(
      (1...2).contains(lines.count) && lines.allSatisfy { $0.hasPrefix("vstream: ") }, "\(damage): \(result.errors)")
    #expect(folder.names == [row.video.name], "\(damage)")
    let times = try? Probe(folder.file(row.video.name)).frameTimes()
    #expect(times?.isEmpty != false, "\(damage): \(times?.count ?? 0) frames can be decoded: \(result.errors)")
  }
}

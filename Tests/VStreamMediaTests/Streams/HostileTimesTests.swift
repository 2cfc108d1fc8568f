import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Times of damaged or hostile files, up to the limits of 64 bits.
struct HostileTimesTests {
  static let extremes: [Int64] = [.min + 1, .min + 2, -1 << 62, -1, 0, 1, 1 << 62, .max - 1, .max]

  @Test(arguments: extremes, extremes)
  func `sums and differences saturate, and are never the value of an unset time`(a: Int64, b: Int64) {
    let (sum, difference) = (Double(a) + Double(b), Double(a) - Double(b))
    #expect(abs(Double(a.limitedSum(b)) - max(-9.3e18, min(9.3e18, sum))) < 1e17)
    #expect(abs(Double(a.limitedDifference(b)) - max(-9.3e18, min(9.3e18, difference))) < 1e17)
    #expect(a.limitedSum(b) != .min)
    #expect(a.limitedDifference(b) != .min)
    #expect(a.limitedDifference(.min) != .min)
  }

  @Test(arguments: ["out.mkv", "out.mp4", "out.nut", "out.ts"], [0, -1e15, 1e15])
  func `packets of a copied stream with any times are written or refused`(name: String, shift: Double) throws {
    let folder = try TemporaryFolder()
    let input = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-c:v", "ffv1", "-c:a", "aac", input])
    let reader = try MediaReader(MediaInput(input))
    let sound = try #require(reader.streams.first { $0.kind == .audio })
    let first = try #require(try Decoded(input).frames.first)
    let destination = try OutputDestination(folder.file(name), overwrite: false)
    let encoder = try VideoEncoder(
      VideoCodec(encoder: "mpeg4"), settings: EncoderSettings(codec: "mpeg4"), first: first, frameRate: nil,
      rules: destination.rules)
    let media = try destination.open(
      video: encoder, first: first, source: reader.video, copying: [sound], container: reader.container, shift: shift)
    for time in Self.extremes + Self.extremes.reversed() {
      let packet = try Packet(
        imageFile: [1, 2, 3, 4], metadata: ImageMetadata(), stream: sound.index, ticks: time, timeBase: sound.timeBase)
      packet.av.pointee.duration = time
      let error = failure { try media.writeCopy(packet) }
      #expect(error == nil || error?.code == .inputOutput)
    }
    media.discard()
    #expect(folder.names == ["in.mkv"])
  }

  @Test(arguments: extremes, [-1e15, 0, 1e15])
  func `a chapter of any times is moved or dropped`(ticks: Int64, seconds: Double) {
    let time = Time(ticks: ticks, base: .milliseconds)
    let moved = Chapter(id: 1, start: time, end: time, metadata: [:]).shifted(back: seconds)
    #expect(moved.map { $0.start.ticks >= 0 || seconds == 0 } != false)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The bytes before the time in a file, and how many more to skip.
    let mark: [UInt8]
    let skip: Int
    let file: String
    let make: [String]
  }

  static let rows = [
    Row(
      testDescription: "fragments", mark: Array("tfdt".utf8), skip: 4, file: "in.mp4",
      make: ["-movflags", "+frag_keyframe+empty_moov", "-g", "5"]),
    Row(testDescription: "clusters", mark: [0x1F, 0x43, 0xB6, 0x75], skip: 0, file: "in.mkv", make: []),
  ]

  @Test(arguments: rows, extremes)
  func `files with extreme times are read to their end`(row: Row, time: Int64) throws {
    let folder = try TemporaryFolder()
    let input = folder.file(row.file)
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-c:v", "mpeg4", "-c:a", "aac"] + row.make + [input])
    var bytes = try Data(contentsOf: URL(filePath: input))
    let found = try #require(bytes.range(of: Data(row.mark)))
    let written = Data((0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) })
    if row.file == "in.mkv" {
      // A cluster's size in eight bytes, then its time, in eight bytes as well; the rest does not matter.
      let cluster = Data(row.mark) + [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xE7, 0x88] + written
      let block = try #require(bytes.range(of: Data([0xA3]), in: found.upperBound..<bytes.endIndex))
      bytes = bytes[..<found.lowerBound] + cluster + bytes[block.lowerBound...]
    } else {
      // In version 1 the time has eight bytes.
      bytes.replaceSubrange(found.upperBound + 4..<found.upperBound + 12, with: written)
    }
    try bytes.write(to: URL(filePath: input))
    let result = try Program.vstream([input, "-o", folder.file("out.mkv"), "--detect", "none"])
    #expect(result.signal == nil, "\(result.errors)")
    #expect([0, 65].contains(result.status), "\(result.errors)")
  }
}

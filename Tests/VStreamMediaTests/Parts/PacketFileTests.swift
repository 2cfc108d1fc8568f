import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

struct PacketFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Encodes twenty frames to a file.
  ///
  /// - Returns: the packets' times and sizes, as the encoder returned them.
  private func write(_ path: String, isComplete: Bool = true, overwrite: Bool = false) throws -> [[Int64]] {
    let clip = folder.file("clip.mkv")
    try Program.ffmpeg(Clip.video(seconds: "2") + ["-c:v", "ffv1", clip])
    let frames = try Decoded(clip).frames
    let first = try #require(frames.first)
    let codec = try VideoCodec(encoder: "libx264")
    var settings = EncoderSettings(preset: "veryfast")
    settings.options = [("bf", "2")]
    var rules = ContainerRules()
    rules.hasGlobalHeader = true
    let encoder = try VideoEncoder(codec, settings: settings, first: first, frameRate: Rational(10, 1), rules: rules)
    let writer = try PacketFileWriter(path, of: try Self.origin(clip), video: encoder, overwrite: overwrite)
    var facts: [[Int64]] = []
    func write(_ packets: [Packet]) throws {
      for packet in packets {
        facts.append(Self.facts(packet))
        try writer.writeVideo(packet)
        try writer.writeCopy(packet)
      }
    }
    for frame in frames { try write(try encoder.encode(frame)) }
    try write(try encoder.finish())
    #expect(try writer.finish(isComplete: isComplete) == nil)
    return facts
  }

  private static func origin(_ clip: String) throws -> PacketFile.Origin {
    PacketFile.Origin(input: try InputIdentity(of: MediaInput(clip)), part: 3, isRedacted: true)
  }

  private static func facts(_ packet: Packet) -> [Int64] {
    let av = packet.av.pointee
    return [av.pts, av.dts, av.duration, Int64(av.flags), Int64(av.size)] + packet.bytes.map(Int64.init)
  }

  @Test func `packets are read as they were written`() throws {
    let path = folder.file("a.packets")
    let written = try write(path)
    var reader = try PacketFileReader(path)
    #expect(reader.header.origin == (try Self.origin(folder.file("clip.mkv"))))
    #expect(!reader.header.extradata.isEmpty)
    #expect(reader.header.timeBase == Rational(1, 1000))
    var read: [[Int64]] = []
    while let packet = try reader.next() { read.append(Self.facts(packet)) }
    #expect(read == written)
    #expect(read.count == 20)
    #expect(try reader.next() == nil)
  }

  @Test func `a file has its name only when it is complete`() throws {
    let path = folder.file("a.packets")
    _ = try write(path, isComplete: false)
    #expect(folder.names == ["a.packets.part", "clip.mkv"])
    _ = try write(path)
    #expect(folder.names == ["a.packets", "clip.mkv"])
    #expect(throws: VStreamError.self) { try write(path) }
    _ = try write(path, overwrite: true)
  }

  struct Cut: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Bytes that are left, from the end if negative.
    let bytes: Int
  }

  static let cuts = [
    Cut(testDescription: "nothing", bytes: 0), Cut(testDescription: "within the first line", bytes: 9),
    Cut(testDescription: "within the header", bytes: 30), Cut(testDescription: "within the last packet", bytes: -3),
  ]

  @Test(arguments: cuts)
  func `a file that is cut off is damaged`(cut: Cut) throws {
    let path = folder.file("a.packets")
    _ = try write(path)
    let whole = try Data(contentsOf: URL(filePath: path))
    let left = cut.bytes >= 0 ? whole.prefix(cut.bytes) : whole.dropLast(-cut.bytes)
    try left.write(to: URL(filePath: path))
    let error = #expect(throws: VStreamError.self) {
      var reader = try PacketFileReader(path)
      while try reader.next() != nil {}
    }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("does not hold the packets of a part, or is cut off") == true)
  }

  @Test func `a packet with another decoding time has the same contents`() throws {
    let path = folder.file("a.packets")
    _ = try write(path)
    var reader = try PacketFileReader(path)
    let packet = try #require(try reader.next())
    let moved = try packet.decoded(at: -77)
    #expect(moved.decodingTime?.ticks == -77)
    #expect(moved.presentationTime == packet.presentationTime)
    #expect(moved.bytes == packet.bytes)
  }
}

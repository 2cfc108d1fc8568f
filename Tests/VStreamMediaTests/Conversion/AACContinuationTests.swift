import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// AAC whose packets state their parameters, as in MPEG-TS.
struct AACContinuationTests {
  private static func packets(
    rate: String, channels: String, in folder: TemporaryFolder
  ) throws -> (stream: StreamInfo, packets: [Packet]) {
    let path = folder.file("\(rate)-\(channels).ts")
    try Program.ffmpeg(
      Clip.video() + Clip.tone() + ["-c:v", "libx264", "-c:a", "aac", "-ar", rate, "-ac", channels, path])
    let reader = try MediaReader(MediaInput(path))
    let stream = try #require(reader.sound)
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex == stream.index { packets.append(packet) }
    }
    return (stream, packets)
  }

  /// The bytes of an ADTS header that state profile, sample rate and channels.
  private static func parameters(_ packet: Packet) -> [UInt8] {
    let bytes = packet.bytes
    return [bytes[2], bytes[3] & 0xC0]
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rate: String
    let channels: String
    let isEncoded: Bool
  }

  @Test(arguments: [
    Row(testDescription: "the same parameters", rate: "48000", channels: "1", isEncoded: false),
    Row(testDescription: "another sample rate", rate: "44100", channels: "1", isEncoded: true),
    Row(testDescription: "other channels", rate: "48000", channels: "2", isEncoded: true),
  ])
  func `packets of other parameters are encoded with those of the first`(row: Row) throws {
    let folder = try TemporaryFolder()
    let first = try Self.packets(rate: "48000", channels: "1", in: folder)
    let second = try Self.packets(rate: row.rate, channels: row.channels, in: folder)
    #expect(AACContinuation.isNeeded(for: first.stream))
    let context = try OutputContext(OutputDestination(folder.file("out.ts"), overwrite: true), interrupt: nil)
    let format = try #require(UnsafePointer(context.av.pointee.oformat))
    let converter = AACContinuation(first.stream, rules: AudioRules(of: format))
    var written: [Packet] = []
    for packet in first.packets + second.packets + first.packets { written += try converter.convert(packet) }
    written += try converter.finish()
    let copied = first.packets + (row.isEncoded ? [] : second.packets) + first.packets
    #expect(copied.allSatisfy { packet in written.contains { $0 === packet } })
    #expect(Set(written.map(Self.parameters)) == [Self.parameters(try #require(first.packets.first))])
    #expect((converter.problem != nil) == row.isEncoded)
    let seconds = written.reduce(0) { $0 + $1.durationSeconds }
    #expect(abs(seconds - 3) < 0.3, "\(seconds) s")
    #expect(written.allSatisfy { $0.streamIndex == first.stream.index })
  }

  @Test func `AAC with its parameters in the header is only copied`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mp4")
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-c:v", "libx264", "-c:a", "aac", path])
    #expect(!AACContinuation.isNeeded(for: try #require(MediaReader(MediaInput(path)).sound)))
  }
}

import CVStreamLibAV
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// AAC of transport streams in other containers.
struct BitstreamFilterTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let file: String
    let codec: String
    let container: String
    let isNeeded: Bool
    var testDescription: String { "\(codec) of \(file) in \(container)" }
  }

  static let rows = [
    Row(file: "a.ts", codec: "aac", container: "mp4", isNeeded: true),
    Row(file: "a.ts", codec: "aac", container: "matroska", isNeeded: true),
    Row(file: "a.ts", codec: "aac", container: "mpegts", isNeeded: false),
    Row(file: "a.mp4", codec: "aac", container: "matroska", isNeeded: false),
    Row(file: "a.ts", codec: "mp2", container: "matroska", isNeeded: false),
  ]

  @Test(arguments: rows)
  func `packets lose their ADTS header where the container has its content`(row: Row) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(row.file)
    try Program.ffmpeg(Clip.video("32x32") + Clip.tone() + ["-c:v", "mpeg4", "-c:a", row.codec, path])
    let reader = try MediaReader(MediaInput(path))
    let audio = try #require(reader.streams.first { $0.kind == .audio })
    let container = try #require(av_guess_format(row.container, nil, nil))
    let filter = try BitstreamFilter(for: audio, in: container)
    #expect((filter != nil) == row.isNeeded)
    guard let filter else { return }
    var count = 0
    while case .packet(let packet) = try reader.next() {
      guard packet.streamIndex == audio.index else { continue }
      // Twelve set bits start an ADTS header.
      let before = packet.bytes
      #expect(before[0] == 0xFF && before[1] & 0xF0 == 0xF0)
      #expect(filter.rewrite(packet.av))
      #expect(packet.bytes == Array(before.dropFirst(7)))
      count += 1
    }
    #expect(count > 30)
  }

  @Test func `a damaged packet is dropped, and the next one rewritten`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + Clip.tone() + ["-c:v", "mpeg4", "-c:a", "aac", folder.file("a.ts")])
    let reader = try MediaReader(MediaInput(folder.file("a.ts")))
    let audio = try #require(reader.streams.first { $0.kind == .audio })
    let container = try #require(av_guess_format("mp4", nil, nil))
    let filter = try #require(try BitstreamFilter(for: audio, in: container))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex == audio.index { packets.append(packet) }
    }
    #expect(filter.rewrite(packets[0].av))
    packets[1].av.pointee.data[2] = 0xFF
    packets[1].av.pointee.size = 5
    #expect(!filter.rewrite(packets[1].av))
    #expect(filter.rewrite(packets[2].av))
  }
}

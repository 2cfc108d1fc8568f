import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// A packet of a stream, made by hand.
func packet(
  stream: Int = 0, pts: Int64?, dts: Int64?, duration: Int64 = 0, arrival: Arrival? = nil
) throws -> Packet {
  let packet = Packet(
    takingOwnershipOf: try Packet.allocate(copying: [1, 2, 3]), timeBase: .milliseconds, arrival: arrival)
  packet.av.pointee.stream_index = Int32(stream)
  packet.av.pointee.pts = pts ?? CVStreamLibAV_NOPTS
  packet.av.pointee.dts = dts ?? CVStreamLibAV_NOPTS
  packet.av.pointee.duration = duration
  return packet
}

struct PacketTests {
  @Test func `an image file is one key packet of one tick, with its bytes`() throws {
    let made = try Packet(
      imageFile: [7, 8, 9], metadata: ImageMetadata(), stream: 3, ticks: 5, timeBase: .milliseconds)
    #expect(made.bytes == [7, 8, 9])
    #expect(made.byteCount == 3)
    #expect(made.streamIndex == 3)
    #expect(made.isKey && !made.isCorrupt)
    #expect(made.presentationTime == Time(ticks: 5, base: .milliseconds))
    #expect(made.decodingTime == made.presentationTime)
    #expect(made.durationSeconds == 0.001)
    #expect(made.delaySeconds == 0)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let pts: Int64?
    let dts: Int64?
    let duration: Int64
    let delay: Double?
    let seconds: Double
  }

  static let rows = [
    Row(testDescription: "reordered", pts: 120, dts: 40, duration: 40, delay: 0.08, seconds: 0.04),
    Row(testDescription: "without a presentation time", pts: nil, dts: 40, duration: 40, delay: nil, seconds: 0.04),
    Row(testDescription: "without a decoding time", pts: 40, dts: nil, duration: 0, delay: nil, seconds: 0),
    Row(testDescription: "a negative duration", pts: 0, dts: 0, duration: -5, delay: 0, seconds: 0),
    Row(testDescription: "presented before it is decoded", pts: 0, dts: 40, duration: 40, delay: -0.04, seconds: 0.04),
  ]

  @Test(arguments: rows)
  func `times that are not set are nil`(row: Row) throws {
    let made = try packet(pts: row.pts, dts: row.dts, duration: row.duration)
    #expect(made.presentationTime?.ticks == row.pts)
    #expect(made.decodingTime?.ticks == row.dts)
    #expect(made.delaySeconds.map { abs($0 - (row.delay ?? .infinity)) < 1e-12 } ?? (row.delay == nil))
    #expect(made.durationSeconds == row.seconds)
  }

  @Test func `an empty packet has no bytes`() throws {
    let made = try Packet(imageFile: [], metadata: ImageMetadata(), stream: 0, ticks: 0, timeBase: .milliseconds)
    #expect(made.bytes.isEmpty)
  }
}

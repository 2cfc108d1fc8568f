import CVStreamLibAV
import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// The times of copied packets, in the order that muxers require.
struct PacketOrderTests {
  typealias Times = (pts: Int64?, dts: Int64?, duration: Int64)

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var type = AVMEDIA_TYPE_AUDIO
    let packets: [Times]
    let expected: [Int64?]
    var corrected = 0
  }

  static let rows = [
    Row(testDescription: "ascending", packets: [(0, 0, 10), (10, 10, 10)], expected: [0, 10]),
    Row(testDescription: "a step back", packets: [(20, 20, 10), (10, 10, 10)], expected: [20, 21], corrected: 1),
    Row(testDescription: "no decoding time", packets: [(5, nil, 10), (15, nil, 10)], expected: [5, 15]),
    Row(
      testDescription: "no decoding time, then an earlier one", packets: [(50, nil, 10), (49, 49, 10)],
      expected: [50, 51], corrected: 1),
    Row(
      testDescription: "no time after others", packets: [(0, 0, 10), (nil, nil, 10), (20, 20, 10)],
      expected: [0, 10, 20]),
    Row(testDescription: "no time at first", packets: [(nil, nil, 10), (0, 0, 10)], expected: [nil, 0]),
    Row(
      testDescription: "video without a decoding time", type: AVMEDIA_TYPE_VIDEO,
      packets: [(0, 0, 40), (120, nil, 40), (40, 40, 40)], expected: [0, 1, 40]),
    Row(
      testDescription: "the first packet of a video", type: AVMEDIA_TYPE_VIDEO,
      packets: [(80, nil, 40), (40, 0, 40)], expected: [nil, 0]),
  ]

  @Test(arguments: rows)
  func `decoding times ascend, and no frame is presented before it is decoded`(row: Row) throws {
    let context = try #require(avformat_alloc_context())
    defer { avformat_free_context(context) }
    let stream = try #require(avformat_new_stream(context, nil))
    stream.pointee.codecpar.pointee.codec_type = row.type
    let format = try #require(av_guess_format("mp4", nil, nil))
    var order = PacketOrder(of: stream, in: format)
    var times: [Int64?] = []
    for (pts, dts, duration) in row.packets {
      var packet = av_packet_alloc()
      defer { av_packet_free(&packet) }
      let owned = try #require(packet)
      owned.pointee.pts = pts ?? CVStreamLibAV_NOPTS
      owned.pointee.dts = dts ?? CVStreamLibAV_NOPTS
      owned.pointee.duration = duration
      order.restore(owned)
      let time = owned.pointee.dts
      times.append(time == CVStreamLibAV_NOPTS ? nil : time)
      #expect(time == CVStreamLibAV_NOPTS || owned.pointee.pts >= time)
    }
    #expect(times == row.expected)
    #expect(order.corrected == row.corrected)
  }
}

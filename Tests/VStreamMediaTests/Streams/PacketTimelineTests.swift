import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Packets on the timeline of their input.
struct PacketTimelineTests {
  /// The streams of a clip with a video of 10 frames a second and audio, in ticks of 1 ms.
  private static func streams() throws -> (all: [StreamInfo], video: StreamInfo, audio: StreamInfo) {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video("32x32", seconds: "0.2") + Clip.tone(seconds: "0.2") + ["-c:v", "ffv1", path])
    let reader = try MediaReader(MediaInput(path))
    return (reader.streams, reader.video, try #require(reader.streams.first { $0.kind == .audio }))
  }

  struct Start: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var isPaced = true
    /// Decoding times of the video's packets, in ms.
    let times: [Int64?]
    let expected: [Int64?]
  }

  static let starts = [
    Start(testDescription: "times from the start", times: [0, 100, 200], expected: [0, 100, 200]),
    Start(
      testDescription: "three packets before the first time", times: [nil, nil, nil, 1000, 1100],
      expected: [700, 800, 900, 1000, 1100]),
    Start(
      testDescription: "a file's packets keep what they have", isPaced: false, times: [nil, 100], expected: [nil, 100]),
    Start(testDescription: "no times at all", times: [nil, nil, nil], expected: [nil, nil, nil]),
    Start(
      testDescription: "more than 64 packets without a time", times: Array(repeating: nil, count: 65) + [9000],
      expected: Array(repeating: nil, count: 65) + [9000]),
    Start(
      testDescription: "a packet without a time later", times: [nil, 100, nil, 300], expected: [0, 100, nil, 300]),
  ]

  @Test(arguments: starts)
  func `packets before the first time are placed before it at the frame rate`(row: Start) throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(
      streams: streams.all, video: streams.video, startingAt: nil, isPaced: row.isPaced)
    var packets: [Packet] = []
    for time in row.times {
      packets += timeline.add(try packet(stream: streams.video.index, pts: time, dts: time, duration: 100))
    }
    packets += timeline.finish()
    #expect(packets.map { $0.decodingTime?.ticks } == row.expected)
    #expect(packets.map { $0.presentationTime?.ticks } == row.expected)
  }

  @Test func `other streams do not wait for the video's first time`() throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(streams: streams.all, video: streams.video, startingAt: nil, isPaced: true)
    #expect(timeline.add(try packet(stream: streams.video.index, pts: nil, dts: nil)).isEmpty)
    #expect(timeline.add(try packet(stream: streams.audio.index, pts: 0, dts: 0)).count == 1)
    #expect(timeline.add(try packet(stream: streams.video.index, pts: 100, dts: 100)).count == 2)
  }

  struct Delay: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let pts: Int64
    let isKept: Bool
  }

  static let delays = [
    Delay(testDescription: "reordering", pts: 200, isKept: true),
    Delay(testDescription: "10 s and 32 frames", pts: 13_200, isKept: true),
    Delay(testDescription: "more than that", pts: 13_201, isKept: false),
    Delay(testDescription: "as long before", pts: -13_201, isKept: false),
  ]

  @Test(arguments: delays)
  func `a presentation time too far from the decoding time is unset`(row: Delay) throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(streams: streams.all, video: streams.video, startingAt: nil, isPaced: false)
    let packets = timeline.add(try packet(stream: streams.video.index, pts: row.pts, dts: 0, duration: 100))
    #expect(packets.map { $0.presentationTime?.ticks } == [row.isKept ? row.pts : nil])
    #expect(packets.map { $0.decodingTime?.ticks } == [0])
  }

  @Test func `a continued input begins where the earlier one ended, all streams alike`() throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(streams: streams.all, video: streams.video, startingAt: 60, isPaced: false)
    let first = timeline.add(try packet(stream: streams.audio.index, pts: 500_000, dts: 500_000))
    let second = timeline.add(try packet(stream: streams.video.index, pts: 500_100, dts: 500_050))
    #expect((first + second).map { $0.decodingTime?.ticks } == [60_000, 60_050])
    #expect(second.map { $0.presentationTime?.ticks } == [60_100])
  }

  @Test func `after a seek, times are those of the input`() throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(streams: streams.all, video: streams.video, startingAt: 60, isPaced: false)
    _ = timeline.add(try packet(stream: streams.video.index, pts: 0, dts: 0))
    timeline.reset()
    let packets = timeline.add(try packet(stream: streams.video.index, pts: 5000, dts: 5000))
    #expect(packets.map { $0.decodingTime?.ticks } == [5000])
  }

  @Test func `packets of streams that are not known, or have no times, are returned at once`() throws {
    let streams = try Self.streams()
    var timeline = PacketTimeline(streams: streams.all, video: streams.video, startingAt: nil, isPaced: false)
    #expect(timeline.add(try packet(stream: 99, pts: 7, dts: 7)).map { $0.presentationTime?.ticks } == [7])
    #expect(timeline.add(try packet(stream: streams.audio.index, pts: nil, dts: nil)).count == 1)
  }
}

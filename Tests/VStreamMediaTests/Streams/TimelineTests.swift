import Testing
import VStreamTestSupport

@testable import VStreamMedia

@Suite("The timeline of an input")
struct TimelineTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Stream and time of each packet, in the file's order; all last 1 s.
    let packets: [(stream: Int, time: Double)]
    /// The times on the timeline, in the order in which packets are returned.
    let expected: [(stream: Int, time: Double)]
  }

  /// Stream 0 leads.
  static let rows: [Row] = [
    Row(
      testDescription: "times that go forward stay",
      packets: [(0, 5), (1, 5), (0, 6), (1, 6), (0, 9)], expected: [(0, 5), (1, 5), (0, 6), (1, 6), (0, 9)]),
    Row(
      testDescription: "imprecision is not a jump",
      packets: [(0, 5), (0, 4.95), (0, 6)], expected: [(0, 5), (0, 4.95), (0, 6)]),
    Row(
      testDescription: "a recording joined to another continues at its end, with both streams in sync",
      packets: [(0, 0), (1, 0.2), (0, 1), (1, 1.2), (0, 0), (1, 0.2), (0, 1), (1, 1.2), (0, 2)],
      expected: [(0, 0), (1, 0.2), (0, 1), (1, 1.2), (0, 2.2), (0, 3.2), (1, 2.4), (1, 3.4), (0, 4.2)]),
    Row(
      testDescription: "a gap stays a gap",
      packets: [(0, 0), (0, 1), (0, 101), (0, 102)], expected: [(0, 0), (0, 1), (0, 101), (0, 102)]),
    Row(
      testDescription: "no gap is longer than half a day",
      packets: [(0, 0), (0, 1), (0, 95_000), (0, 95_001)], expected: [(0, 0), (0, 1), (0, 2), (0, 3)]),
    Row(
      testDescription: "a single time far ahead is replaced by the expected one",
      packets: [(0, 0), (0, 1), (0, 9_000), (0, 3)], expected: [(0, 0), (0, 1), (0, 2), (0, 3)]),
    Row(
      testDescription: "a single time far back is replaced by the expected one",
      packets: [(0, 100), (0, 101), (0, 2), (0, 103)], expected: [(0, 100), (0, 101), (0, 102), (0, 103)]),
    Row(
      testDescription: "an insertion with a clock of its own, and back to the first clock",
      packets: [(0, 1000), (0, 1001), (0, 0), (0, 1), (0, 1004), (0, 1005)],
      expected: [(0, 1000), (0, 1001), (0, 1002), (0, 1003), (0, 1004), (0, 1005)]),
    Row(
      testDescription: "pauses longer than any jump in question",
      packets: [(0, 0), (0, 60), (0, 120), (0, 180)], expected: [(0, 0), (0, 60), (0, 120), (0, 180)]),
    Row(
      testDescription: "a jump of the last packet is accepted",
      packets: [(0, 0), (0, 1), (0, 0)], expected: [(0, 0), (0, 1), (0, 2)]),
  ]

  @Test("packets are put on the timeline", arguments: rows)
  func offsets(_ row: Row) {
    var timeline = Timeline<(stream: Int, time: Double)>(leader: 0)
    var placed: [Timeline<(stream: Int, time: Double)>.Output] = []
    for packet in row.packets {
      placed += timeline.add(
        .init(payload: packet, stream: packet.stream, time: packet.time, duration: 1))
    }
    placed += timeline.finish()
    let times = placed.map { place in (place.payload.stream, place.payload.time + place.offset) }
    #expect(times.map(\.0) == row.expected.map(\.stream))
    for (found, expected) in zip(times, row.expected) {
      #expect(abs(found.1 - expected.time) < 1e-9, "\(times)")
    }
  }

  struct LiveRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Stream, time and arrival of each packet; all last 0.1 s.
    let packets: [(stream: Int, time: Double, arrival: Double)]
    /// The last time on the timeline of each stream.
    let last: [Double]
    var steps = 0
    /// Whether the reader waits for packets, and does not come back for them when they are there.
    var isWaitedFor = true
  }

  /// Two streams of ten packets a second, from one moment on with another clock.
  private static func clock(
    changedBy step: Double, at moment: Double = 3, until end: Double = 6,
    arriving delay: (Double) -> Double = { _ in 0 }
  ) -> [(stream: Int, time: Double, arrival: Double)] {
    (0..<Int(end * 10)).flatMap { index in
      let now = Double(index) / 10
      let time = 1000 + now + (now >= moment ? step : 0)
      return [0, 1].map { (stream: $0, time: time, arrival: now + delay(now)) }
    }
  }

  /// The packets of one stream, each of which arrives as the next one is sent.
  private static func late(
    _ packets: [(stream: Int, time: Double, arrival: Double)]
  ) -> [(stream: Int, time: Double, arrival: Double)] {
    zip(packets, packets.dropFirst() + packets.suffix(1)).map { ($0.stream, $0.time, $1.arrival) }
  }

  static let live: [LiveRow] = [
    LiveRow(testDescription: "a steady clock", packets: clock(changedBy: 0), last: [1005.9, 1005.9]),
    LiveRow(
      testDescription: "a clock that is set an hour ahead", packets: clock(changedBy: 3600), last: [1005.9, 1005.9],
      steps: 1),
    LiveRow(
      testDescription: "a clock that is set 2 s ahead", packets: clock(changedBy: 2), last: [1005.9, 1005.9], steps: 1),
    LiveRow(
      testDescription: "a clock that is set back", packets: clock(changedBy: -3600), last: [1005.9, 1005.9], steps: 1),
    LiveRow(
      testDescription: "nothing arrives for 60 s", packets: clock(changedBy: 60) { $0 >= 3 ? 60 : 0 },
      last: [1065.9, 1065.9]),
    LiveRow(
      testDescription: "a clock that is set ahead by more than the pause",
      packets: clock(changedBy: 3600) { $0 >= 3 ? 60 : 0 }, last: [1065.9, 1065.9], steps: 1),
    LiveRow(
      testDescription: "a stall of 4 s whose packets come at once",
      packets: clock(changedBy: 0, until: 12) {
        $0 >= 3 && $0 < 7 ? 7 - $0 : 0
      }, last: [1011.9, 1011.9]),
    LiveRow(
      testDescription: "a queue of 3 s that the sender drops",
      packets: clock(changedBy: 3, until: 9) {
        $0 < 3 ? $0 : 3
      }, last: [1011.9, 1011.9]),
    LiveRow(
      testDescription: "a piped recording that is read as slowly as it is detected",
      packets: clock(changedBy: 60), last: [1065.9, 1065.9], isWaitedFor: false),
    LiveRow(
      testDescription: "a clock that is set twice, to within the pause between recordings",
      packets: clock(changedBy: -1.5, until: 5) + clock(changedBy: 10, at: 0, until: 8).filter { $0.arrival >= 5 },
      last: [1007.9, 1007.9], steps: 2),
    LiveRow(
      testDescription: "a pause and another clock, of a stream whose packets arrive with the next one",
      packets: late(clock(changedBy: -47) { $0 >= 3 ? 3 : 0 }.filter { $0.stream == 0 }), last: [1008.9, 0], steps: 1),
    LiveRow(
      testDescription: "a recording that is sent as fast as it is read",
      packets: clock(changedBy: 3600, until: 60) {
        -0.99 * $0
      }, last: [4659.9, 4659.9]),
  ]

  @Test("a live input's clock that is set does not move its times, and pauses stay", arguments: live)
  func steps(_ row: LiveRow) {
    var timeline = Timeline<Double>(leader: 0)
    var last = [0.0, 0.0]
    func note(_ outputs: [Timeline<Double>.Output], _ stream: Int) {
      for output in outputs { last[stream] = max(last[stream], output.payload + output.offset) }
    }
    var before = 0.0
    for packet in row.packets {
      let arrival = Arrival(requested: row.isWaitedFor ? before : packet.arrival, received: packet.arrival)
      before = packet.arrival
      note(
        timeline.add(
          .init(payload: packet.time, stream: packet.stream, time: packet.time, duration: 0.1, arrival: arrival)),
        packet.stream)
    }
    for (found, expected) in zip(last, row.last) { #expect(abs(found - expected) < 0.11, "\(last)") }
    #expect(timeline.clockSteps == row.steps)
  }

  @Test("whatever a live sender's clock does, the timeline follows arrival", arguments: [1 as UInt64, 2, 3, 4, 5, 6])
  func hostileClock(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var timeline = Timeline<Double>(leader: 0)
    var (clock, now, last, steps) = (5000.0, 0.0, 0.0, 0)
    for index in 0..<2000 {
      let requested = now + 0.01
      if index % 100 == 99 {
        if Bool.random(using: &numbers) { now += Double.random(in: 2..<90, using: &numbers) }
        let isSet = Bool.random(using: &numbers)
        if isSet { clock += Double.random(in: 3..<4000, using: &numbers) * (Bool.random(using: &numbers) ? 1 : -1) }
        steps += isSet ? 1 : 0
      }
      let arrival = Arrival(requested: requested, received: now + 0.1)
      now = arrival.received
      for stream in [0, 1] {
        let entry = Timeline.Entry(
          payload: clock + now, stream: stream, time: clock + now, duration: 0.1, arrival: arrival)
        for output in timeline.add(entry) { last = max(last, output.payload + output.offset) }
      }
    }
    for output in timeline.finish() { last = max(last, output.payload + output.offset) }
    #expect(abs(last - 5000 - now) < Pace.tolerance + 0.1, "\(last - 5000) s, not \(now)")
    #expect(timeline.clockSteps == steps)
  }

  @Test("a drift of months between two clocks is no step")
  func drift() {
    var timeline = Timeline<Double>(leader: 0)
    for second in 0..<200_000 {
      // The camera's clock is fast by one second in an hour.
      let time = Double(second) * (1 + 1 / 3600)
      _ = timeline.add(
        .init(
          payload: time, stream: 0, time: time, duration: 1,
          arrival: Arrival(requested: Double(second) - 0.9, received: Double(second))))
    }
    #expect(timeline.clockSteps == 0)
  }

  @Test("streams with few packets have the offset of the leading one")
  func sparse() {
    var timeline = Timeline<Int>(leader: 0)
    for (index, time) in [10.0, 11, 10, 11].enumerated() {
      _ = timeline.add(.init(payload: index, stream: 0, time: time, duration: 1))
    }
    #expect(timeline.add(sparse: 7).map(\.offset) == [2])
  }

  @Test("a packet of a sparse stream waits until the jump of the leading one is confirmed")
  func sparseAtJump() {
    var timeline = Timeline<Int>(leader: 0)
    for time in 10..<20 { _ = timeline.add(.init(payload: 0, stream: 0, time: Double(time), duration: 1)) }
    #expect(timeline.add(.init(payload: 1, stream: 0, time: 0, duration: 1)).isEmpty)
    #expect(timeline.add(sparse: 7).isEmpty)
    let placed = timeline.add(.init(payload: 2, stream: 0, time: 1, duration: 1))
    #expect(placed.map(\.payload) == [1, 2, 7])
    #expect(placed.map(\.offset) == [20, 20, 20])
  }
}

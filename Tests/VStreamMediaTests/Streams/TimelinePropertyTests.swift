import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// Properties of the timeline that hold whatever times an input has.
struct TimelinePropertyTests {
  private typealias Item = (stream: Int, number: Int)

  /// Packets of two streams: mostly regular, with jumps, gaps and single wrong times.
  private static func entries(seed: UInt64) -> [Timeline<(stream: Int, number: Int)>.Entry] {
    var numbers = SeededNumbers(seed: seed)
    var clocks = [0.0, 0.02]
    return (0..<400).map { number in
      let stream = numbers.below(2)
      var time = clocks[stream]
      switch numbers.below(40) {
      case 0:
        // The clock of both streams is set.
        let jump = Double(numbers.below(200_000)) - 100_000
        clocks = clocks.map { $0 + jump }
        time = clocks[stream]
      case 1: time += Double(numbers.below(2000)) - 1000
      default: break
      }
      clocks[stream] += 0.04
      return .init(payload: (stream, number), stream: stream, time: time, duration: 0.04)
    }
  }

  @Test(arguments: UInt64(0)..<40)
  func `every packet is returned once, in the order of its stream, and none waits for long`(seed: UInt64) {
    var timeline = Timeline<(stream: Int, number: Int)>(leader: 0)
    let entries = Self.entries(seed: seed)
    var returned: [Item] = []
    for (index, entry) in entries.enumerated() {
      returned += timeline.add(entry).map(\.payload)
      #expect(index + 1 - returned.count < 150)
    }
    returned += timeline.finish().map(\.payload)
    #expect(timeline.finish().isEmpty)
    for stream in 0..<2 {
      let numbers = returned.filter { $0.stream == stream }.map(\.number)
      #expect(numbers == entries.filter { $0.stream == stream }.map(\.payload.number))
    }
  }

  @Test(arguments: UInt64(0)..<40)
  func `no stream goes back by more than joined recordings overlap`(seed: UInt64) {
    var timeline = Timeline<(stream: Int, number: Int)>(leader: 0)
    let entries = Self.entries(seed: seed)
    var latest = [-Double.infinity, -Double.infinity]
    let outputs = entries.flatMap { timeline.add($0) } + timeline.finish()
    for output in outputs {
      let entry = entries[output.payload.number]
      let time = entry.time + output.offset
      #expect(time > latest[entry.stream] - 1.2, "packet \(output.payload.number)")
      latest[entry.stream] = max(latest[entry.stream], time)
    }
  }

  @Test func `regular packets are returned at once, without an offset`() {
    var timeline = Timeline<Int>(leader: 0)
    for number in 0..<100 {
      let outputs = timeline.add(
        .init(payload: number, stream: number % 2, time: Double(number / 2) * 0.04, duration: 0.04))
      #expect(outputs.map(\.payload) == [number])
      #expect(outputs.map(\.offset) == [0])
    }
  }

  @Test(arguments: [-5.0, 0, 1000])
  func `a timeline that continues another begins where that ended`(start: Double) {
    var timeline = Timeline<Int>(leader: 0, startingAt: start)
    let outputs = [100.0, 100.04, 100.08].enumerated().flatMap { index, time in
      timeline.add(.init(payload: index, stream: index % 2, time: time, duration: 0.04))
    }
    #expect(outputs.map(\.offset) == Array(repeating: start - 100, count: 3))
  }

  @Test func `a burst of packets with one time does not confirm a jump`() {
    var timeline = Timeline<Int>(leader: 0)
    var count = 0
    func add(_ time: Double, duration: Double) -> [Timeline<Int>.Output] {
      count += 1
      return timeline.add(.init(payload: count, stream: 0, time: time, duration: duration))
    }
    _ = add(100, duration: 0.02)
    for _ in 0..<10 { #expect(add(0, duration: 0.02).isEmpty) }
    // The jump turns out to be a burst of wrong times: the clock goes on.
    let outputs = add(100.02, duration: 0.02)
    #expect(outputs.count == 11)
    #expect(outputs.last?.offset == 0)
  }
}

import Testing
import VStreamCore
import VStreamPipeline
import VStreamReporting

@testable import VStreamServe

struct CameraStatusTests {
  private static func counts(_ frames: Int, passes: Int, late: Int = 0) -> RunCounts {
    var counts = RunCounts()
    (counts.framesIn, counts.detectorPasses, counts.framesLateForDetector) = (frames, passes, late)
    return counts
  }

  @Test func `rates are those of the last seconds`() {
    var rates = CameraRates()
    for second in 0...20 { rates.add(Self.counts(25 * second, passes: 5 * second), at: Double(second)) }
    #expect(rates.framesIn == 25 && rates.passes == 5)
    for second in 21...27 { rates.add(Self.counts(500, passes: 100), at: Double(second)) }
    #expect(rates.framesIn == 0 && rates.passes == 0)
    var idle = CameraRates()
    for second in 0...20 {
      var counts = Self.counts(25 * second, passes: second)
      counts.framesUndecoded = 24 * second
      idle.add(counts, at: Double(second))
    }
    #expect(idle.framesIn == 25 && idle.decoded == 1)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let passes: Int
    let late: Int
    let isMet: Bool
  }

  @Test(arguments: [
    Row(testDescription: "as many as wanted", passes: 5, late: 20, isMet: true),
    Row(testDescription: "fewer, as nothing happens", passes: 1, late: 0, isMet: true),
    Row(testDescription: "fewer, as the detectors have no time", passes: 3, late: 10, isMet: false),
    Row(testDescription: "fewer, with a late frame now and then", passes: 3, late: 1, isMet: true),
  ]) func `passes that the detectors had no time for are reported`(row: Row) {
    var rates = CameraRates()
    for second in 0...6 {
      rates.add(Self.counts(25 * second, passes: row.passes * second, late: row.late * second), at: Double(second))
    }
    #expect(rates.meets(5) == row.isMet)
  }

  @Test func `the counts of all runs are added`() {
    var status = CameraStatus(at: 0)
    status.begin()
    status.progressed(Self.counts(10, passes: 2), at: 1)
    status.lost(.decoded, nil, at: 2)
    status.begin()
    status.progressed(Self.counts(5, passes: 1), at: 4)
    #expect(status.counts.framesIn == 15 && status.counts.detectorPasses == 3)
    #expect(status.phase == .lost)
  }

  @Test func `a source that waits for a key frame says so until it is live`() {
    let record = FrameRecord(FrameAnnotations(frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .predicted))
    var status = CameraStatus(at: 0)
    status.opened(.decoded, nil, at: 1)
    status.note(["interlaced input"])
    #expect(status.notice == nil)
    status.note([.waitingForKeyFrame])
    #expect(status.phase == .connecting)
    #expect(status.notice == .waitingForKeyFrame)
    status.annotated(record, PixelSize(width: 64, height: 48), latency: nil, at: 15)
    #expect(status.phase == .live)
    status.note([.waitingForKeyFrame])
    #expect(status.notice == nil)
  }

  @Test func `latencies are counted by limits`() {
    var latency = LatencyBuckets()
    for seconds in [0.001, 0.005, 0.0051, 0.3, 9] { latency.add(seconds) }
    #expect(latency.cumulative == [2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4])
    #expect(latency.count == 5)
    #expect(latency.limit(of: 0.4) == 0.005 && latency.limit(of: 0.6) == 0.01 && latency.limit(of: 0.99) == nil)
  }

  @Test func `the history has an entry for each of the last sixty minutes`() {
    var history = CountHistory()
    for (seconds, count) in [(0, 2), (30, 5), (59, 1), (60, 3), (240, 4)] { history.add(count, at: Double(seconds)) }
    #expect(history.minutes == [5, 3, nil, nil, 4])
    for minute in 5..<200 { history.add(minute, at: Double(60 * minute)) }
    #expect(history.minutes.count == 60 && history.minutes.last == 199)
    history.add(1, at: 1e6)
    #expect(history.minutes.count == 60 && history.minutes.compactMap(\.self) == [1])
  }
}

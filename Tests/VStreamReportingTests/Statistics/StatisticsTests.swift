import Testing

@testable import VStreamReporting

struct StatisticsTests {
  private static let counts =
    #"{"framesIn":10,"framesOut":9,"framesDetected":5,"framesPredicted":4,"framesLateForDetector":2,"#
    + #""framesDropped":1,"framesRepeated":0,"detectorRuns":6,"detectorPasses":8,"corruptPackets":3,"clockSteps":2,"#

  private static func statistics() -> Statistics {
    var statistics = Statistics()
    statistics.counts.framesIn = 10
    statistics.counts.framesOut = 9
    statistics.counts.framesDetected = 5
    statistics.counts.framesPredicted = 4
    statistics.counts.framesLateForDetector = 2
    statistics.counts.framesDropped = 1
    statistics.counts.detectorRuns = 6
    statistics.counts.detectorPasses = 8
    statistics.counts.corruptPackets = 3
    statistics.counts.clockSteps = 2
    statistics.wallSeconds = 2
    statistics.peakMemoryBytes = 12_345_678
    statistics.processorSeconds = 1.23456
    return statistics
  }

  @Test func `a file's statistics omit what was not measured`() {
    let expected =
      Self.counts + #""wallSeconds":2.0,"fps":4.5,"peakRSSBytes":12345678,"cpuSeconds":1.235,"framesWaiting":{},"#
      + #""stages":{}}"#
    #expect(Self.statistics().json == expected)
  }

  @Test func `a live run's statistics have latency, detection age, queues and stages`() {
    var statistics = Self.statistics()
    var tenth = DurationHistogram()
    tenth.add(0.1)
    statistics.firstFrameSeconds = 0.25
    statistics.latency = tenth
    statistics.detectionAge = DurationHistogram()
    statistics.queues = [("toDraw", 1.256), ("toWrite", 0)]
    statistics.stages = [.mux: DurationHistogram(), .decode: tenth]
    let expected =
      Self.counts + #""wallSeconds":2.0,"fps":4.5,"firstFrameSeconds":0.25,"peakRSSBytes":12345678,"#
      + #""cpuSeconds":1.235,"framesWaiting":{"toDraw":1.26,"toWrite":0.0},"#
      + #""latencyMs":{"p50":100.0,"p95":100.0,"p99":100.0,"max":100.0},"#
      + #""detectionAgeMs":{"p50":0.0,"p95":0.0,"p99":0.0,"max":0.0},"#
      + #""stages":{"decode":{"count":1,"totalMs":100.0,"p50Ms":100.0,"p95Ms":100.0,"p99Ms":100.0},"#
      + #""mux":{"count":0,"totalMs":0.0,"p50Ms":0.0,"p95Ms":0.0,"p99Ms":0.0}}}"#
    #expect(statistics.json == expected)
  }

  @Test func `rates of a run without frames or time are zero`() {
    #expect(Statistics().framesPerSecond == 0)
    var steady = Statistics.SteadyState()
    #expect(steady.framesPerSecond == 0 && steady.processorMilliseconds == 0 && steady.copiesPerFrame == 0)
    #expect(steady.allocationsPerFrame == nil)
    steady.allocations = 5
    #expect(steady.allocationsPerFrame == 0)
  }
}

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

struct LiveStatusTests {
  private func counts(_ framesIn: Int) -> RunCounts {
    var counts = RunCounts()
    counts.framesIn = framesIn
    counts.framesOut = framesIn - 1
    counts.framesDetected = framesIn / 2
    counts.framesLateForDetector = 3
    return counts
  }

  @Test func `rates are those of the last second`() {
    var meter = RateMeter()
    #expect(meter.rates(of: counts(10), at: 0.5).framesIn == 20, "all there is so far")
    for tenth in 6...30 { _ = meter.rates(of: counts(tenth * 2), at: Double(tenth) / 10) }
    let rates = meter.rates(of: counts(62), at: 3.1)
    #expect(abs(rates.framesIn - 20) < 1e-9)
    #expect(abs(rates.detected - 10) < 1)
    #expect(meter.rates(of: counts(62), at: 3.1).framesIn > 0, "two queries at one moment")
  }

  @Test func `a line of text, and one of JSON`() {
    var rates = RateMeter.Rates()
    (rates.framesIn, rates.framesOut, rates.detected) = (29.97, 29.5, 15)
    var latency = DurationHistogram()
    latency.add(0.0451)
    let status = LiveStatus(seconds: 2.5, counts: counts(60), rates: rates, latency: latency, tracks: 1)
    #expect(status.text == "30 fps in  30 out  15 detected  3 late  0 dropped  45 ms  1 track")
    #expect(
      status.json.hasPrefix(
        "{\"type\":\"status\",\"seconds\":2.5,\"fpsIn\":29.97,\"fpsOut\":29.5,\"fpsDetected\":15.0,\"framesIn\":60,"))
    #expect(status.json.hasSuffix("\"latencyMs\":45.1,\"tracks\":1}"))
  }
}

struct DurationHistogramTests {
  @Test func `percentiles are too long by at most 3.2 percent`() {
    var histogram = DurationHistogram()
    for index in 1...10_000 { histogram.add(Double(index) * 1e-5) }
    for fraction in [0.5, 0.9, 0.95, 0.99] {
      let exact = fraction * 0.1
      #expect((1...1.032).contains(histogram.percentile(fraction) / exact * (1 + 1e-9)), "fraction \(fraction)")
    }
    #expect(histogram.percentile(1) == 0.1)
    #expect(histogram.longest == 0.1)
    #expect(abs(histogram.total - 500.05) < 0.1)
  }

  @Test(arguments: [-1, 0, .nan, 1e-9, 1e9, .infinity])
  func `odd durations are counted and break nothing`(seconds: Double) {
    var histogram = DurationHistogram()
    histogram.add(seconds)
    #expect(histogram.count == 1)
    #expect(histogram.percentile(0.5).isFinite)
  }

  @Test func `the first and the last bucket hold durations outside the range`() {
    var histogram = DurationHistogram()
    for _ in 0..<9 { histogram.add(1e-9) }
    histogram.add(1e7)
    #expect(histogram.percentile(0.5) <= 1e-6)
    #expect(histogram.percentile(1) > 1000)
    #expect(histogram.longest == 1e7)
  }

  @Test func `percentiles rise with their fraction and never exceed the longest duration`() {
    var histogram = DurationHistogram()
    for exponent in -20...4 { histogram.add(Double(sign: .plus, exponent: exponent, significand: 1)) }
    let values = stride(from: 0.0, through: 1, by: 0.01).map { histogram.percentile($0) }
    #expect(values == values.sorted())
    #expect(values.last == histogram.longest)
  }

  @Test func `nothing measured is zero`() {
    #expect(DurationHistogram().percentile(0.99) == 0)
  }

  @Test func `merged histograms are as one`() {
    var both = DurationHistogram()
    var one = DurationHistogram()
    var other = DurationHistogram()
    for index in 1...1000 {
      let seconds = Double(index * index) * 1e-6
      both.add(seconds)
      if index % 3 == 0 { one.add(seconds) } else { other.add(seconds) }
    }
    one.merge(other)
    #expect(one.count == both.count)
    #expect(one.percentile(0.95) == both.percentile(0.95))
  }
}

import Testing

@testable import VStreamReporting

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

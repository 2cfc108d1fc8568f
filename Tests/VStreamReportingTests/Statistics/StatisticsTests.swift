import Foundation
import Testing
import VStreamReporting

struct DurationHistogramTests {
  @Test func `percentiles are too long by at most 3.2 percent`() {
    var histogram = DurationHistogram()
    for index in 1...10_000 { histogram.add(Double(index) * 1e-5) }
    for share in [0.5, 0.9, 0.95, 0.99] {
      let exact = share * 0.1
      #expect((1...1.032).contains(histogram.percentile(share) / exact * (1 + 1e-9)), "share \(share)")
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

struct StatisticsTests {
  @Test func `JSON has the contract's members`() throws {
    var statistics = Statistics()
    statistics.counts.framesIn = 10
    statistics.counts.framesOut = 10
    statistics.wallSeconds = 2
    statistics.firstFrameSeconds = 0.25
    statistics.stages = [.decode: DurationHistogram()]
    let parsed = try JSONSerialization.jsonObject(with: Data(statistics.json.utf8)) as? [String: Any]
    let json = try #require(parsed)
    #expect(json["framesIn"] as? Int == 10)
    #expect(json["fps"] as? Double == 5)
    #expect(json["firstFrameSeconds"] as? Double == 0.25)
    #expect(json["latencyMs"] == nil)
    #expect(((json["stages"] as? [String: Any])?["decode"] as? [String: Any])?["count"] as? Int == 0)
  }
}

import Testing
import VStreamReporting

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

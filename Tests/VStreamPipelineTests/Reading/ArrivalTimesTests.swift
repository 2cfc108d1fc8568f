import Testing

@testable import VStreamPipeline

struct ArrivalTimesTests {
  @Test func `an arrival is found by its time, once`() {
    var arrivals = ArrivalTimes()
    arrivals.note(7, at: 1.0 / 3)
    arrivals.note(8, at: 2.0 / 3)
    #expect(arrivals.take(at: 1.0 / 3) == 7)
    #expect(arrivals.take(at: 1.0 / 3) == nil)
    #expect(arrivals.latest == 8)
  }

  @Test func `what never comes out is forgotten`() {
    var arrivals = ArrivalTimes()
    for number in 0..<2000 { arrivals.note(Double(number), at: Double(number)) }
    #expect(arrivals.take(at: 0) == nil)
    #expect(arrivals.take(at: 1999) == 1999)
    arrivals.note(1, at: .infinity)
    #expect(arrivals.take(at: .infinity) == 1)
  }
}

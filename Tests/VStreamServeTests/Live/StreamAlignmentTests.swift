import Testing

@testable import VStreamServe

/// The times of two streams of one camera.
struct StreamAlignmentTests {
  @Test func `nothing is known until both streams have packets`() {
    var alignment = StreamAlignment()
    #expect(alignment.shift == nil)
    alignment.add(3, of: .decoded, at: 100)
    #expect(alignment.shift == nil)
    alignment.add(50, of: .shown, at: 100)
    #expect(alignment.shift == 47)
    alignment.reset(.shown)
    #expect(alignment.shift == nil)
  }

  @Test func `late packets do not shift the times`() throws {
    var alignment = StreamAlignment()
    for index in 0..<40 {
      let time = Double(index) / 25
      let isLate = index % 7 != 0
      alignment.add(time, of: .decoded, at: 100 + time + (isLate ? 0.3 : 0.01))
      alignment.add(time + 20, of: .shown, at: 100 + time + (isLate ? 0.05 : 0.02))
    }
    #expect(abs(try #require(alignment.shift) - 19.99) < 1e-9)
  }

  /// As in a minute in which one clock gains a fiftieth of a second a second.
  @Test func `clocks that run at different rates are followed`() throws {
    var alignment = StreamAlignment()
    for index in 0...1500 {
      let seconds = Double(index) / 25
      alignment.add(seconds, of: .decoded, at: seconds)
      alignment.add(1.02 * seconds, of: .shown, at: seconds)
      if index == 0 { continue }
      let shift = try #require(alignment.shift)
      #expect(abs(shift - 0.02 * seconds) <= 0.02 * 2 * StreamAlignment.interval, "\(seconds)")
    }
  }
}

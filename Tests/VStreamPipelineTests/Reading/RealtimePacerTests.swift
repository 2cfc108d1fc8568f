import Testing

@testable import VStreamPipeline

struct RealtimePacerTests {
  @Test func `a stream's times become moments of the clock`() {
    var pacer = RealtimePacer()
    #expect(pacer.moment(of: 5, now: 100) == 100)
    #expect(pacer.moment(of: 5.5, now: 100) == 100.5)
    #expect(pacer.moment(of: 6, now: 103) == 101, "what is late is due at once")
  }

  @Test func `a jump of the stream resets the mapping`() {
    var pacer = RealtimePacer()
    _ = pacer.moment(of: 5, now: 100)
    #expect(pacer.moment(of: 5000, now: 101) == 101)
    #expect(pacer.moment(of: 5001, now: 101) == 102)
  }
}

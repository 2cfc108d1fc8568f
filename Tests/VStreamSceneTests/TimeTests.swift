import Testing
import VStreamScene

struct TimeTests {
  @Test func `ticks times base are seconds`() throws {
    let base = try #require(Rational(1001, 30000))
    #expect(abs(Time(ticks: 30, base: base).seconds - 1.001) < 1e-12)
    #expect(Time(ticks: -3, base: .milliseconds).seconds == -0.003)
  }

  @Test func `a base without denominator is none`() {
    #expect(Rational(1, 0) == nil)
  }

  @Test func `an error is one line that says what and what to do`() {
    let error = VStreamError(.usage, "two\nlines", remedy: "make it\r\none")
    #expect(error.description == "two lines; make it one")
    #expect(VStreamError(.library, "alone").description == "alone")
  }
}

import Testing
import VStreamTestSupport

@testable import VStreamPipeline

struct GovernorTests {
  /// A second of 30 frames on two processors.
  private func window(
    busy: Double, passes: Int, pass: Double, late: Int = 0, dropped: Int = 0
  ) -> Governor.Window {
    Governor.Window(
      seconds: 1, frames: 30, busySeconds: busy, passes: passes, passSeconds: Double(passes) * pass, shortestPass: pass,
      late: late,
      dropped: dropped)
  }

  @Test(arguments: [
    ("a fast detector is run on every frame", 0.005, 0.6, 1),
    ("one that takes a third of the time that is left", 0.015, 0.6, 1),
    ("one that fits every other frame", 0.03, 0.6, 2),
    ("one that takes all, beside a heavy encoder", 0.03, 1.2, 5),
    ("nothing is left: once a second", 0.03, 1.9, 30),
  ])
  func `the interval is the shortest for which all fits`(name: String, pass: Double, rest: Double, expected: Int) {
    var governor = Governor(processors: 2, hold: 0.05)
    for _ in 0..<20 { _ = governor.update(window(busy: rest + 30 * pass * 2, passes: 30, pass: pass)) }
    #expect(governor.interval == expected, "\(name)")
  }

  @Test func `late results raise it by one whatever the figures say`() {
    var governor = Governor(processors: 2, hold: 0.05)
    let before = governor.interval
    let reason = governor.update(window(busy: 0.5, passes: 30, pass: 0.001, late: 3))
    #expect(governor.interval == before + 1)
    #expect(reason?.contains("3 results were late") == true)
  }

  @Test func `results that are always late, as a pass takes longer than frames are held, do not raise it`() {
    var governor = Governor(processors: 2, hold: 0.05)
    for _ in 0..<5 { _ = governor.update(window(busy: 0.19 + 5 * 0.4, passes: 5, pass: 0.2, late: 5)) }
    #expect(governor.interval == 9, "the least for which both fit")
  }

  @Test func `it falls by a quarter after two calm windows`() {
    var governor = Governor(processors: 2, hold: 0.05)
    _ = governor.update(window(busy: 1.2 + 30 * 0.06, passes: 30, pass: 0.03))
    #expect(governor.interval == 5)
    #expect(governor.update(window(busy: 0.3, passes: 10, pass: 0.001)) == nil)
    #expect(governor.interval == 5)
    #expect(governor.update(window(busy: 0.3, passes: 10, pass: 0.001)) != nil)
    #expect(governor.interval == 4)
  }

  @Test func `the time that a pass spends descheduled does not count as its cost`() {
    var governor = Governor(processors: 2, hold: 0.05)
    for _ in 0..<20 {
      var busy = window(busy: 1.2, passes: 10, pass: 0.1)
      busy.shortestPass = 0.02
      _ = governor.update(busy)
    }
    #expect(governor.interval == 3, "a pass has to end before the next begins")
  }

  @Test func `a window without frames or passes changes nothing`() {
    var governor = Governor(processors: 2, hold: 0.05)
    let before = governor.interval
    #expect(governor.update(window(busy: 2, passes: 0, pass: 0, late: 9)) == nil)
    #expect(governor.interval == before)
  }

  @Test(arguments: 0..<10) func `whatever the figures, detectors are run at least once a second`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var governor = Governor(processors: 2, hold: 0.05)
    for _ in 0..<200 {
      let figures = window(
        busy: Double.random(in: 0...3, using: &random), passes: Int.random(in: 0...30, using: &random),
        pass: Double.random(in: 0...2, using: &random), late: Int.random(in: 0...2, using: &random))
      _ = governor.update(figures)
      #expect((1...30).contains(governor.interval))
    }
  }
}

import Testing

@testable import VStreamPipeline

struct DetectionScheduleTests {
  private func pattern(_ schedule: inout DetectionSchedule, frames: Int) -> String {
    (0..<frames).map { _ in schedule.next() ? "d" : "-" }.joined()
  }

  @Test(arguments: [(1, "ddddd"), (2, "d-d-d"), (4, "d---d"), (9, "d----"), (0, "ddddd")])
  func `detectors are run on every nth frame, starting with the first`(interval: Int, expected: String) {
    var schedule = DetectionSchedule(.every(interval), processors: 2, hold: 0.05)
    #expect(pattern(&schedule, frames: 5) == expected)
  }

  @Test func `an interval that was given is not governed`() {
    var schedule = DetectionSchedule(.every(2), processors: 2, hold: 0.05)
    #expect(!schedule.isDue(at: 1000))
    #expect(schedule.update(totals(second: 1, busy: 2, pass: 1)) == nil)
  }

  /// The totals after whole seconds of 30 frames and 5 detection passes each.
  private func totals(second: Int, busy: Double, pass: Double, dropped: Int = 0) -> DetectionSchedule.Totals {
    DetectionSchedule.Totals(
      seconds: Double(second), busySeconds: Double(second) * busy, frames: 30 * second, passes: 5 * second,
      passSeconds: Double(5 * second) * pass, shortestPass: pass, late: 0, dropped: dropped)
  }

  @Test func `an automatic interval is decided once a second`() {
    var schedule = DetectionSchedule(.auto, processors: 2, hold: 0.05)
    #expect(schedule.isDue(at: 7), "the first totals")
    #expect(schedule.update(totals(second: 7, busy: 0.6, pass: 0.005)) == nil, "nothing to compare them with")
    #expect(!schedule.isDue(at: 7.99))
    #expect(schedule.isDue(at: 8))
  }

  @Test func `an automatic interval starts at four frames, and follows the load`() {
    var schedule = DetectionSchedule(.auto, processors: 2, hold: 0.05)
    #expect(pattern(&schedule, frames: 8) == "d---d---")
    _ = schedule.update(totals(second: 1, busy: 1.9, pass: 0.2))
    let rise = schedule.update(totals(second: 2, busy: 1.9, pass: 0.2, dropped: 1))
    #expect(rise?.hasPrefix("detecting every ") == true && rise?.hasSuffix("1 frame was dropped") == true)
    #expect(pattern(&schedule, frames: 8).filter { $0 == "d" }.count < 2)
  }

  @Test func `with little load every frame is detected in the end`() {
    var schedule = DetectionSchedule(.auto, processors: 2, hold: 0.05)
    let changes = (1...12).compactMap { schedule.update(totals(second: $0, busy: 0.1, pass: 0.001)) }
    #expect(changes.last?.hasPrefix("detecting every frame: ") == true)
    #expect(changes.count == 3, "4, 3, 2 and 1")
    #expect(pattern(&schedule, frames: 4) == "dddd")
  }
}

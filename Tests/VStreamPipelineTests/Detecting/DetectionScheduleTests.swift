import Testing

@testable import VStreamPipeline

struct DetectionScheduleTests {
  @Test(arguments: [(1, "ddddd"), (2, "d-d-d"), (4, "d---d"), (9, "d----")])
  func `detectors are run on every nth frame, starting with the first`(interval: Int, expected: String) {
    var schedule = DetectionSchedule(.every(interval), processors: 2, hold: 0.05)
    #expect((0..<5).map { _ in schedule.next() ? "d" : "-" }.joined() == expected)
  }

  @Test func `an interval that was given is not governed`() {
    let schedule = DetectionSchedule(.every(2), processors: 2, hold: 0.05)
    #expect(!schedule.isDue(at: 1000))
  }
}

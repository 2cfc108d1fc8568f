import Testing
import VStreamScene
import VStreamTracking

@testable import VStreamPipeline

/// What is listed of what was seen last.
struct TrackersTests {
  /// (name, times at which a car is seen, when it is asked for, whether it is listed)
  static let rows: [(name: String, seen: [Double], asked: Double, isListed: Bool)] = [
    ("at once", [0, 0.1], 0.15, true),
    ("as long as a track lives", [0, 0.1], 1.1, true),
    ("not for longer", [0, 0.1], 1.2, false),
    ("until the next look, however far that is", [0, 5, 10], 14.9, true),
    ("not if that does not come", [0, 5, 10], 18, false),
    ("nor once looks are closer again", [0, 5, 5.1], 6.2, false),
  ]

  @Test(arguments: rows)
  func `what is not looked for is not listed for ever`(
    row: (name: String, seen: [Double], asked: Double, isListed: Bool)
  ) {
    var trackers = Trackers(TrackerOptions(lostAfter: 1, confirmAfter: 1), kinds: [.objects])
    let car = DetectedObject(
      classIndex: 2, label: "car", score: 0.9, box: Box(x: 100, y: 100, width: 50, height: 40))
    for time in row.seen { _ = trackers.update(Observations(objects: [car]), at: time) }
    #expect(trackers.found(at: row.asked).objects?.count == (row.isListed ? 1 : 0), "\(row.name)")
  }
}

import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// IDs after a gap of the stream, in which nothing is known of the objects.
struct StreamGapTests {
  /// Crops and whole frames show a group's boxes somewhat differently, which resembles motion.
  @Test func `after a gap of the stream, neighbours that stand still do not swap IDs`() {
    var numbers = SeededNumbers(seed: 4)
    for gap in [1.5, 6, 60] {
      var tracker = Tracker(TrackerOptions(lostAfterSeconds: 100))
      func update(at time: Double) -> [Int?] {
        let row = [(100.0, 100.0), (122, 104), (145, 98), (170, 101)].map { x, y in
          object(x + .random(in: -4...4, using: &numbers), y + .random(in: -4...4, using: &numbers))
        }
        return tracker.update(row, at: time).sorted { $0.box.center.x < $1.box.center.x }.map(\.id)
      }
      for step in 0..<20 { _ = update(at: Double(step) / 10) }
      let before = update(at: 2)
      #expect(before.count == 4)
      #expect(update(at: 2 + gap) == before, "after \(gap) s")
    }
  }

  /// Of three people who stand close together, a crop shows the right two as one, and another crop shows the middle one alone:
  /// its box is somewhere else at once, just before the stream has a gap. As detected in `street.avi`.
  @Test(arguments: [1.5, 2.5, 5.5, 20, 60])
  func `after a gap of the stream, a box that jumped just before it swaps no IDs`(gap: Double) {
    let left = Box(x: 379.8, y: 184.5, width: 29, height: 71.6)
    let both = Box(x: 416.9, y: 192.9, width: 34.3, height: 68.7)
    let middle = Box(x: 396.4, y: 183.2, width: 25.3, height: 78.2)
    for jump in [0.1, 0.3, 0.6] {
      var tracker = Tracker(TrackerOptions(lostAfterSeconds: 100, confirmAfter: 1))
      func update(_ boxes: [Box], at time: Double) -> [Int?] {
        let objects = boxes.map { DetectedObject(classIndex: 0, label: "person", score: 0.9, box: $0) }
        return tracker.update(objects, at: time).sorted { $0.box.x < $1.box.x }.map(\.id)
      }
      for step in 0...20 { _ = update([left, both], at: Double(step) / 10) }
      let before = update([left, middle], at: 2 + jump)
      #expect(before.count == 2)
      #expect(update([left, both], at: 2 + jump + gap) == before, "\(jump) s before")
    }
  }

  struct GapRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// Seconds of the gap.
    let gap: Double
    /// The distance that an object moves in it, in pixels, which moved by 30 in a second before.
    let distance: Double
    var testDescription: String { name }
  }

  static let gaps = [
    GapRow(name: "goes on", gap: 1.5, distance: 45), GapRow(name: "goes on for long", gap: 3, distance: 80),
    GapRow(name: "stops at once", gap: 3, distance: 0), GapRow(name: "stops on the way", gap: 6, distance: 20),
    GapRow(name: "turns back", gap: 3, distance: -20),
  ]

  @Test(arguments: gaps)
  func `an object that moves keeps its ID over a gap of the stream, wherever it stops`(row: GapRow) {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 100, confirmAfter: 1))
    for step in 0...20 { _ = tracker.update([object(100 + 3 * Double(step), 100)], at: Double(step) / 10) }
    #expect(tracker.update([object(160 + row.distance, 100)], at: 2 + row.gap).map(\.id) == [1])
  }
}

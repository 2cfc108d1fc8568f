import Testing
import VStreamCore

@testable import VStreamTracking

/// How often IDs change in generated scenes: detects a change of the tracker that loses or confuses more objects, or fewer.
struct DrawnSceneTests {
  /// The result of tracking a scene.
  struct Outcome: Equatable, CustomStringConvertible {
    /// How often an object was reported with another ID than before.
    var switches = 0
    /// Number of IDs assigned.
    var ids = 0
    /// Detections of objects that were reported without an ID, or not at all.
    var unnamed = 0
    var description: String { "\(switches) switches, \(ids) IDs, \(unnamed) unnamed" }

    static func + (one: Outcome, other: Outcome) -> Outcome {
      Outcome(switches: one.switches + other.switches, ids: one.ids + other.ids, unnamed: one.unnamed + other.unnamed)
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let scene: @Sendable (UInt64) -> DrawnScene
    /// The sum for the scenes of three seeds.
    let expected: Outcome
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "crossings", scene: { .crossing(seed: $0) }, expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "hidden for 0.3 s", scene: { .occlusion(seconds: 0.3, seed: $0) },
      expected: Outcome(switches: 0, ids: 18, unnamed: 18)),
    Row(
      name: "hidden for 0.8 s", scene: { .occlusion(seconds: 0.8, seed: $0) },
      expected: Outcome(switches: 0, ids: 18, unnamed: 18)),
    Row(
      name: "hidden for 1.5 s, longer than lost-after", scene: { .occlusion(seconds: 1.5, seed: $0) },
      expected: Outcome(switches: 18, ids: 35, unnamed: 35)),
    Row(
      name: "abrupt turns", scene: { .turns(seed: $0) }, expected: Outcome(switches: 8, ids: 24, unnamed: 24)),
    Row(
      name: "camera shake", scene: { seed in DrawnScene.crossing(seed: seed).with { $0.shake = 12 } },
      expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "30 fps", scene: { DrawnScene.crossing(seed: $0).at(rate: 30) },
      expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "10 fps", scene: { DrawnScene.crossing(seed: $0).at(rate: 10) },
      expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "5 fps", scene: { DrawnScene.crossing(seed: $0).at(rate: 5) },
      expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "varying rate", scene: { DrawnScene.crossing(seed: $0).atVaryingRate(seed: $0) },
      expected: Outcome(switches: 0, ids: 30, unnamed: 30)),
    Row(
      name: "missed 10 %", scene: { seed in DrawnScene.crossing(seed: seed).with { $0.faults.missed = 0.1 } },
      expected: Outcome(switches: 1, ids: 30, unnamed: 115)),
    Row(
      name: "missed 30 %", scene: { seed in DrawnScene.crossing(seed: seed).with { $0.faults.missed = 0.3 } },
      expected: Outcome(switches: 2, ids: 30, unnamed: 112)),
    Row(
      name: "jitter", scene: { seed in DrawnScene.crossing(seed: seed).with { $0.faults.jitter = 0.12 } },
      expected: Outcome(switches: 22, ids: 30, unnamed: 30)),
    Row(
      name: "false positives", scene: { seed in DrawnScene.crossing(seed: seed).with { $0.faults.falseBoxes = 2 } },
      expected: Outcome(switches: 0, ids: 33, unnamed: 30)),
  ]

  @Test(arguments: rows)
  func `IDs change as often as recorded`(_ row: Row) {
    let found = (1...3).map { outcome(row.scene(UInt64($0)).frames(seed: UInt64($0))) }.reduce(Outcome(), +)
    #expect(found == row.expected)
  }

  private func outcome(_ frames: [DrawnScene.Frame]) -> Outcome {
    var tracker = Tracker()
    var outcome = Outcome()
    var lastID: [Int: Int] = [:]
    var ids: Set<Int> = []
    for frame in frames {
      // The index of the detection identifies the ground truth object.
      var idOfDetection: [Int: Int] = [:]
      for id in tracker.update(frame.detections, at: frame.time).compactMap(\.id) {
        if let source = tracker.source(of: id) { idOfDetection[source] = id }
      }
      ids.formUnion(idOfDetection.values)
      for (index, truth) in frame.truth.enumerated() {
        guard let truth else { continue }
        guard let id = idOfDetection[index] else {
          outcome.unnamed += 1
          continue
        }
        if let last = lastID[truth], last != id { outcome.switches += 1 }
        lastID[truth] = id
      }
    }
    outcome.ids = ids.count
    return outcome
  }
}

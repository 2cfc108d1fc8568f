import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// A budget of passes in a second, however many frames a second has.
struct PassBudgetTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// Every how many frames of ten in a second there is one.
    let step: Int
    let passesPerSecond: Double
    var testDescription: String { "\(passesPerSecond) passes a second, \(10 / Double(step)) frames" }
  }

  /// What the passes in a second of the street cost, in which somebody moves all the time.
  private static func cost(_ row: Row) throws -> Double {
    let seconds = 12
    let frames = try SampleFrames.read(
      path: Checkout.sample("street.avi"), at: Array(stride(from: 0, to: 10 * seconds, by: row.step)))
    var detector = try SharedModel.planned(.perSecond(row.passesPerSecond))
    let inputs = try SharedModel.inputs()
    var cost = 0.0
    for (index, frame) in frames.enumerated() {
      let found = try detector.detect(in: frame, timer: NoTimer())
      // The first two seconds, in which the whole of a new scene is searched, do not count.
      guard index * row.step >= 20, let search = found.objectSearch else { continue }
      for region in search.regions { cost += inputs.cost(of: inputs.size(for: region, in: search)) }
    }
    return cost / Double(seconds - 2)
  }

  @Test(arguments: [
    // With 2.5 passes a frame, all that is known would be searched in each frame for less.
    Row(step: 1, passesPerSecond: 5), Row(step: 2, passesPerSecond: 5), Row(step: 5, passesPerSecond: 3),
    Row(step: 1, passesPerSecond: 2), Row(step: 2, passesPerSecond: 2), Row(step: 1, passesPerSecond: 12),
  ]) func `the budget is kept at every frame rate`(row: Row) throws {
    let cost = try Self.cost(row)
    #expect(cost >= 0.8 * row.passesPerSecond && cost <= 1.2 * row.passesPerSecond, "\(cost)")
  }

  @Test func `frames without a pass still have a result`() throws {
    let frames = try SampleFrames.read(path: Checkout.sample("street.avi"), at: Array(0..<40))
    var detector = try SharedModel.planned(.perSecond(1))
    let found = try frames.map { try detector.detect(in: $0, timer: NoTimer()) }
    #expect(found.allSatisfy { $0.objects != nil && $0.objectSearch != nil })
    #expect(found.contains { !$0.wereSearchedFor } && found.contains { $0.wereSearchedFor })
  }
}

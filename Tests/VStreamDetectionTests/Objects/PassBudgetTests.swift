import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamTestSupport

/// A budget of passes in a second, however many frames a second has.
struct PassBudgetTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// Every how many frames of ten in a second there is one.
    let step: Int
    let passesPerSecond: Double
    var testDescription: String { "\(passesPerSecond) passes a second, \(10 / Double(step)) frames" }
  }

  /// Passes in a second of the street, in which somebody moves all the time.
  private static func passes(_ row: Row) throws -> Double {
    let seconds = 12
    let frames = try SampleFrames.read(
      path: Checkout.sample("street.avi"), at: Array(stride(from: 0, to: 10 * seconds, by: row.step)))
    var detector = try SharedModel.planned(.perSecond(row.passesPerSecond))
    var count = 0
    for (index, frame) in frames.enumerated() {
      let found = try detector.detect(in: frame, timer: NoTimer())
      // The first two seconds, in which the whole of a new scene is searched, do not count.
      if index * row.step >= 20 { count += found.objectPassCount }
    }
    return Double(count) / Double(seconds - 2)
  }

  @Test(arguments: [
    Row(step: 1, passesPerSecond: 5), Row(step: 2, passesPerSecond: 5), Row(step: 5, passesPerSecond: 5),
    Row(step: 1, passesPerSecond: 2), Row(step: 2, passesPerSecond: 2), Row(step: 1, passesPerSecond: 12),
  ]) func `the budget is kept at every frame rate`(row: Row) throws {
    let passes = try Self.passes(row)
    #expect(passes >= 0.8 * row.passesPerSecond && passes <= 1.2 * row.passesPerSecond, "\(passes)")
  }

  @Test func `frames without a pass still have a result`() throws {
    let frames = try SampleFrames.read(path: Checkout.sample("street.avi"), at: Array(0..<40))
    var detector = try SharedModel.planned(.perSecond(1))
    let found = try frames.map { try detector.detect(in: $0, timer: NoTimer()) }
    #expect(found.allSatisfy { $0.objects != nil && $0.objectSearch != nil })
    #expect(found.contains { !$0.wereSearchedFor } && found.contains { $0.wereSearchedFor })
  }
}

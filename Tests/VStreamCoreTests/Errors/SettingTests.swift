import Testing
import VStreamCore

/// Which numbers settings take.
struct NumberLimitTests {
  @Test(
    arguments: [
      ("a score", NumberLimit.score, [1e-9, 0.5, 1], [0, -1, 1.01, 7, .nan, .infinity]),
      ("a fraction", .fraction, [1e-9, 1], [0, 1.01, .nan]),
      ("an overlap", .overlap, [1e-9, 0.99], [0, 1, .nan]),
      ("a time", .seconds, [0, 0.5, 1e6], [-0.001, .nan, .infinity]),
      ("a duration", .duration, [0.001], [0, -1, .nan, .infinity]),
      ("threads", .threads, [0, 64], [-1]),
      ("a number of things", .count(of: "things"), [1, 5], [0, -3, .nan]),
    ] as [(String, NumberLimit, [Double], [Double])])
  func `a number outside its limits is an error that names setting and value`(
    name: String, limit: NumberLimit, accepted: [Double], refused: [Double]
  ) throws {
    for value in accepted { #expect(throws: Never.self) { try limit.check(value, of: .minimumScore) } }
    for value in refused {
      let error = #expect(throws: VStreamError.self) { try limit.check(value, of: .minimumScore) }
      #expect(error?.code == .usage && error?.setting == .minimumScore && error?.value == "\(value)")
      #expect(error?.message.hasPrefix("minimumScore \(value): is not ") == true)
      #expect(error?.remedy.hasPrefix("give ") == true)
    }
  }

  @Test func `whole numbers are shown without decimals`() {
    let error = #expect(throws: VStreamError.self) { try NumberLimit.count(of: "people").check(0, of: .maxPoses) }
    #expect(error?.message == "maxPoses 0: is not a number of people")
  }
}

import Testing
import VStreamCore

@testable import VStreamTracking

/// The choice of objects where their number is limited.
struct ProminentObjectsTests {
  private static let frame = PixelSize(width: 200, height: 100)

  private func object(_ id: Int?, _ box: Box, score: Double = 0.9) -> DetectedObject {
    DetectedObject(id: id, classIndex: 0, label: "person", score: score, box: box)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let first: Box
    var firstScore = 0.9
    let second: Box
    /// 0 or 1.
    let winner: Int
  }

  @Test(arguments: [
    Row(
      testDescription: "the larger one", first: Box(x: 80, y: 30, width: 20, height: 20),
      second: Box(x: 80, y: 30, width: 40, height: 40), winner: 1),
    Row(
      testDescription: "the one in the middle", first: Box(x: 0, y: 0, width: 40, height: 40),
      second: Box(x: 80, y: 30, width: 40, height: 40), winner: 1),
    Row(
      testDescription: "the moreConfident one", first: Box(x: 80, y: 30, width: 40, height: 40), firstScore: 0.5,
      second: Box(x: 80, y: 30, width: 40, height: 40), winner: 1),
    Row(
      testDescription: "of equals the first", first: Box(x: 60, y: 30, width: 40, height: 40),
      second: Box(x: 100, y: 30, width: 40, height: 40), winner: 0),
    Row(
      testDescription: "only what is in the frame counts", first: Box(x: -160, y: 30, width: 200, height: 40),
      second: Box(x: 80, y: 30, width: 50, height: 40), winner: 1),
    Row(
      testDescription: "what is no box is nothing", first: Box(x: .nan, y: 0, width: 500, height: 500),
      second: Box(x: 0, y: 0, width: 1, height: 1), winner: 1),
  ])
  func `the most prominent of two`(row: Row) {
    var prominent = ProminentObjects(limit: 1)
    let both = [object(nil, row.first, score: row.firstScore), object(nil, row.second)]
    #expect(prominent.select(both, in: Self.frame) == [both[row.winner]])
  }

  @Test func `chosen objects keep their order, and below the limit all are chosen`() {
    var prominent = ProminentObjects(limit: 2)
    let small = object(1, Box(x: 90, y: 40, width: 10, height: 10))
    let large = object(2, Box(x: 60, y: 20, width: 80, height: 60))
    let middle = object(3, Box(x: 80, y: 30, width: 40, height: 40))
    #expect(prominent.select([middle, small, large], in: Self.frame) == [middle, large])
    #expect(prominent.select([small, large], in: Self.frame) == [small, large])
    #expect(prominent.select([], in: Self.frame) == [])
  }

  /// Without hysteresis, two objects whose sizes fluctuate around the same value would alternate.
  @Test func `a chosen object stays chosen until another is clearly more prominent`() {
    var prominent = ProminentObjects(limit: 1)
    func kept(_ widthOfOther: Double) -> Int? {
      let one = object(1, Box(x: 80, y: 30, width: 40, height: 40))
      let other = object(2, Box(x: 80, y: 30, width: widthOfOther, height: 40))
      return prominent.select([one, other], in: Self.frame).first?.id
    }
    #expect([39, 41, 44, 38, 42].map { kept($0) } == [1, 1, 1, 1, 1])
    #expect(kept(80) == 2)
    #expect([44, 39, 41].map { kept($0) } == [2, 2, 2], "and then that one stays")
  }

  @Test func `without IDs each frame is independent`() {
    var prominent = ProminentObjects(limit: 1)
    let one = object(nil, Box(x: 80, y: 30, width: 40, height: 40))
    let slightlyMore = object(nil, Box(x: 80, y: 30, width: 41, height: 40))
    #expect(prominent.select([one], in: Self.frame) == [one])
    #expect(prominent.select([one, slightlyMore], in: Self.frame) == [slightlyMore])
  }
}

import Testing
import VStreamCore

@testable import VStreamPipeline

/// The corners of zones, lines and masks, as texts.
struct CornerTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let corner: CountedRegions.Corner?

    init(_ text: String, _ x: CountedRegions.Coordinate? = nil, _ y: CountedRegions.Coordinate? = nil) {
      testDescription = text
      if let x, let y { corner = CountedRegions.Corner(x: x, y: y) } else { corner = nil }
    }
  }

  @Test(arguments: [
    Row("1,2", .pixels(1), .pixels(2)), Row("-1,2.5", .pixels(-1), .pixels(2.5)),
    Row("10%,0%", .fraction(0.1), .fraction(0)),
    Row(" 10 % , 3 ", .fraction(0.1), .pixels(3)), Row("1e2,120%", .pixels(100), .fraction(1.2)),
    Row("1"), Row("1,2,3"), Row(""), Row(","), Row("1,"), Row("%,1"), Row("1%%,1"), Row("a,b"), Row("nan,1"),
    Row("inf,1"),
    Row("1e7,1"), Row("\t1,1"), Row("1,1\n"), Row("0x10p,1"),
  ]) func `a corner`(row: Row) { #expect(CountedRegions.Corner(row.testDescription) == row.corner) }

  @Test(
    arguments: [("1,2;3,4", 2), ("1,2;", 1), (";;1,2", 1), ("", 0), ("1,2;x", nil), ("1,2 3,4", nil)]
      as [(String, Int?)])
  func `a list of corners`(text: String, count: Int?) {
    #expect(CountedRegions.Corner.list(text)?.count == count)
  }

  @Test func `percent are of the frame's sides`() {
    let corner = CountedRegions.Corner(x: .fraction(0.5), y: .pixels(7))
    #expect(corner.point(in: PixelSize(width: 640, height: 480)) == Point(x: 320, y: 7))
    #expect(corner.point(in: PixelSize(width: 1, height: 1)) == Point(x: 0.5, y: 7))
  }
}

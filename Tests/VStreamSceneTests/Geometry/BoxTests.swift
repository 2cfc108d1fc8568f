import Testing
import VStreamScene

struct OverlapCase: CustomTestStringConvertible, Sendable {
  let name: String
  let one: Box
  let other: Box
  let iou: Double
  var testDescription: String { name }
}

struct BoxTests {
  static let overlaps: [OverlapCase] = [
    OverlapCase(
      name: "the same box", one: Box(x: 1, y: 2, width: 3, height: 4), other: Box(x: 1, y: 2, width: 3, height: 4),
      iou: 1),
    OverlapCase(
      name: "half of each", one: Box(x: 0, y: 0, width: 2, height: 1), other: Box(x: 1, y: 0, width: 2, height: 1),
      iou: 1.0 / 3),
    OverlapCase(
      name: "one inside the other", one: Box(x: 0, y: 0, width: 4, height: 4),
      other: Box(x: 1, y: 1, width: 2, height: 2), iou: 0.25),
    OverlapCase(
      name: "touching edges", one: Box(x: 0, y: 0, width: 1, height: 1), other: Box(x: 1, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "touching corners", one: Box(x: 0, y: 0, width: 1, height: 1),
      other: Box(x: 1, y: 1, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "apart", one: Box(x: 0, y: 0, width: 1, height: 1), other: Box(x: 5, y: 5, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "no width", one: Box(x: 0, y: 0, width: 0, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "negative width", one: Box(x: 1, y: 0, width: -1, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "not a number", one: Box(x: .nan, y: 0, width: 1, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "endless", one: Box(x: 0, y: 0, width: .infinity, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
  ]

  @Test(arguments: overlaps)
  func `overlap is what it is by hand, both ways round`(_ row: OverlapCase) {
    #expect(abs(row.one.iou(row.other) - row.iou) < 1e-12)
    #expect(row.one.iou(row.other) == row.other.iou(row.one))
    #expect((row.one.intersection(row.other) != nil) == (row.iou > 0))
  }

  @Test func `a buffered box keeps its centre and grows on each side`() {
    let box = Box(x: 10, y: 20, width: 10, height: 20).buffered(by: 0.3)
    #expect(box.center == Point(x: 15, y: 30))
    #expect(abs(box.width - 16) < 1e-12)
    #expect(abs(box.height - 32) < 1e-12)
  }

  @Test func `a box is cut at the frame's edge`() {
    let size = PixelSize(width: 100, height: 50)
    #expect(Box(x: -5, y: -5, width: 20, height: 10).clipped(to: size) == Box(x: 0, y: 0, width: 15, height: 5))
    #expect(Box(x: 90, y: 45, width: 20, height: 10).clipped(to: size) == Box(x: 90, y: 45, width: 10, height: 5))
    #expect(Box(x: 100, y: 0, width: 5, height: 5).clipped(to: size) == nil)
  }
}

import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamDetection

/// Tiles, and the merging of their objects.
struct TilingTests {
  private static let input = PixelSize(width: 300, height: 300)

  struct Frame: CustomTestStringConvertible, Sendable {
    let size: PixelSize
    let tiles: Int
    var testDescription: String { "\(size)" }

    init(_ width: Int, _ height: Int, tiles: Int) {
      size = PixelSize(width: width, height: height)
      self.tiles = tiles
    }
  }

  @Test(arguments: [
    Frame(768, 576, tiles: 6), Frame(1920, 1080, tiles: 6), Frame(1080, 1920, tiles: 6), Frame(480, 480, tiles: 6),
    Frame(320, 240, tiles: 2), Frame(319, 319, tiles: 0), Frame(160, 120, tiles: 0), Frame(1, 1, tiles: 0),
    Frame(10_000, 10, tiles: 3),
  ])
  func `tiles cover the frame, inside it, and overlap`(_ frame: Frame) throws {
    let tiling = Tiling(frame.size, isTiled: true, input: Self.input)
    let whole = Box(x: 0, y: 0, width: Double(frame.size.width), height: Double(frame.size.height))
    #expect(tiling.search.regions.first?.box == whole)
    let tiles = tiling.search.regions.dropFirst().map(\.box)
    #expect(tiles.count == frame.tiles)
    guard !tiles.isEmpty else { return }
    for tile in tiles {
      #expect(tile.x >= 0 && tile.y >= 0 && tile.right <= whole.right + 1e-9 && tile.bottom <= whole.bottom + 1e-9)
    }
    #expect(tiles.map(\.x).min() == 0 && tiles.map(\.y).min() == 0)
    #expect(abs(tiles.map(\.right).reduce(0, max) - whole.right) < 1e-6)
    #expect(abs(tiles.map(\.bottom).reduce(0, max) - whole.bottom) < 1e-6)
    let lefts = Set(tiles.map(\.x)).sorted()
    for (one, next) in zip(lefts, lefts.dropFirst()) {
      #expect(abs((one + tiles[0].width - next) / tiles[0].width - Tiling.overlap) < 1e-9)
    }
  }

  @Test func `without tiles there is one region, and its objects are unchanged`() {
    let tiling = Tiling(PixelSize(width: 768, height: 576), isTiled: false, input: Self.input)
    #expect(tiling.search.regions.count == 1)
    let twice = [object(0.9, Box(x: 0, y: 0, width: 9, height: 9)), object(0.8, Box(x: 0, y: 0, width: 9, height: 9))]
    #expect(SearchMerge(tiling.search).merged([twice], limit: 1) == twice)
  }

  @Test(arguments: [
    ("a person of four fifths of the height, with a low score", 0.3, Box(x: 300, y: 50, width: 150, height: 460), true),
    ("one with a sufficient score", 0.6, Box(x: 300, y: 50, width: 150, height: 460), false),
    ("a small one", 0.3, Box(x: 300, y: 50, width: 50, height: 160), false),
    ("something wide", 0.3, Box(x: 0, y: 50, width: 500, height: 160), true),
  ])
  func `a frame that something may fill is searched with a margin`(
    name: String, score: Double, box: Box, expected: Bool
  ) {
    let rule = ObjectDetectionOptions.MarginRule(classes: [0], minimumScore: 0.5)
    let frame = PixelSize(width: 768, height: 576)
    #expect(rule.applies(to: [object(score, box)], in: frame) == expected, "\(name)")
    #expect(!rule.applies(to: [object(score, box, class: 1)], in: frame))
    let small = object(0.9, Box(x: 10, y: 10, width: 30, height: 80))
    let isLarge = max(box.width / 768, box.height / 576) > 0.5
    #expect(rule.counted([object(score, box), small], in: frame) == (isLarge ? [object(score, box)] : []))
    var tiling = Tiling(frame, isTiled: false, input: Self.input)
    let margin = tiling.addMargin()
    #expect(margin.width == 1.5 * 768 && margin.center == Point(x: 384, y: 288))
    // The same thing in both is reported once, with the better score.
    let both = SearchMerge(tiling.search).merged([[object(score, box)], [object(0.95, box)]], limit: 9)
    #expect(both == [object(0.95, box)])
    // Somebody who stands before it is another.
    let before = object(0.99, Box(x: box.x + 10, y: box.y + 10, width: 30, height: 80))
    #expect(
      SearchMerge(tiling.search).merged([[before], [object(0.95, box)]], limit: 9) == [before, object(0.95, box)])
  }

  private func object(_ score: Double, _ box: Box, class index: Int = 0) -> DetectedObject {
    DetectedObject(classIndex: index, label: "\(index)", score: score, box: box)
  }

  struct Merge: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Scores, classes and boxes (left, top, width, height) by region: 0 is the whole, 1 to 6 the tiles.
    let found: [(region: Int, score: Double, class: Int, box: [Double])]
    /// Scores of the merged objects.
    let merged: [Double]
  }

  /// The tiles of 750 × 525: 300 wide, from 0, 225 and 450; 300 high, from 0 and 225.
  @Test(arguments: [
    Merge(
      testDescription: "an object in two regions is reported once, with the best score",
      found: [(0, 0.6, 0, [50, 50, 40, 80]), (1, 0.8, 0, [51, 52, 40, 80])], merged: [0.8]),
    Merge(
      testDescription: "another class is another object",
      found: [(0, 0.6, 0, [50, 50, 40, 80]), (1, 0.8, 2, [51, 52, 40, 80])], merged: [0.8, 0.6]),
    Merge(
      testDescription: "an object cut by a tile's edge inside the frame is dropped",
      found: [(1, 0.9, 0, [270, 50, 29, 80]), (1, 0.7, 0, [50, 250, 30, 49]), (2, 0.8, 0, [226, 50, 40, 80])],
      merged: []),
    Merge(
      testDescription: "an object at the frame's own edge is not cut",
      found: [(1, 0.9, 0, [0, 0, 40, 80]), (6, 0.8, 0, [700, 400, 50, 125])], merged: [0.9, 0.8]),
    Merge(
      testDescription: "objects of the whole frame are never cut", found: [(0, 0.9, 0, [270, 50, 29, 80])],
      merged: [0.9]),
    Merge(
      testDescription: "a part of an object that another region shows whole is dropped",
      found: [(0, 0.9, 0, [50, 50, 60, 180]), (1, 0.8, 0, [55, 50, 50, 60])], merged: [0.9]),
    Merge(
      testDescription: "in one region, an object in front of another is kept",
      found: [(0, 0.9, 0, [50, 50, 60, 180]), (0, 0.8, 0, [55, 50, 50, 60])], merged: [0.9, 0.8]),
  ])
  func `objects of all regions are merged, best first`(_ merge: Merge) {
    let tiling = Tiling(PixelSize(width: 750, height: 525), isTiled: true, input: Self.input)
    #expect(tiling.search.regions[2].box == Box(x: 225, y: 0, width: 300, height: 300))
    var found = [[DetectedObject]](repeating: [], count: tiling.search.regions.count)
    for one in merge.found {
      let box = Box(x: one.box[0], y: one.box[1], width: one.box[2], height: one.box[3])
      found[one.region].append(object(one.score, box, class: one.class))
    }
    #expect(SearchMerge(tiling.search).merged(found, limit: 100).map(\.score) == merge.merged)
    #expect(SearchMerge(tiling.search).merged(found, limit: 1).count == min(1, merge.merged.count))
  }

  @Test func `tiles detect more of the small people in a street`() throws {
    let frames = try SampleFrames.read("street.avi", at: [100, 300, 500])
    var usual = try SharedModel.detector(ObjectDetectionOptions(minimumScore: 0.5))
    var accurate = try SharedModel.detector(ObjectDetectionOptions(minimumScore: 0.5, isTiled: true))
    for frame in frames {
      let few = try usual.objects(in: frame, timer: NoTimer()).filter { $0.label == "person" }
      let many = try accurate.objects(in: frame, timer: NoTimer()).filter { $0.label == "person" }
      #expect(many.count >= few.count)
      let found = few.filter { one in many.contains { $0.box.iou(one.box) > 0.4 } }
      #expect(found.count >= few.count - 1, "objects of the whole frame are kept")
    }
  }
}

import Foundation
import Testing
import VStreamCore

@testable import VStreamDetection

/// Objects from the network's outputs.
@Suite struct SSDDecoderTests {
  static let decoder = SSDDecoder(minimumScore: 0.5)
  static let frame = PixelSize(width: 300, height: 300)
  /// Anchor 900: the lowest map, row 15, column 15, a square of a tenth.
  static let square = 900

  // MARK: Anchors

  @Test func thereAre1917Anchors() {
    #expect(Self.decoder.anchors.count == 1917)
  }

  @Test func `the anchors of other inputs are as large in pixels, and there is one set for each cell`() {
    let other = SSDDecoder(input: PixelSize(width: 140, height: 204), minimumScore: 0.5)
    #expect(other.anchors.count == 3 * 9 * 13 + 6 * (5 * 7 + 3 * 4 + 2 * 2 + 1 + 1))
    for index in 0..<3 {
      let (one, same) = (Self.decoder.anchors[index], other.anchors[index])
      #expect(abs(one.width * 300 - same.width * 140) < 0.001 && abs(one.height * 300 - same.height * 204) < 0.001)
    }
    #expect(abs(other.anchors[3].centerX - 1.5 / 9) < 1e-6 && abs(other.anchors[27].centerY - 1.5 / 13) < 1e-6)
  }

  struct KnownAnchor: Sendable, CustomTestStringConvertible {
    let index: Int
    let center: (x: Double, y: Double)
    let size: (width: Double, height: Double)
    let testDescription: String

    init(_ index: Int, _ what: String, center: (Double, Double), size: (Double, Double)) {
      self.index = index
      self.center = center
      self.size = size
      testDescription = what
    }
  }

  /// Computed with NumPy. Scales are 0.2, 0.35, 0.5, 0.65, 0.8, 0.95; a ratio r makes a width of scale · √r.
  static let knownAnchors = [
    KnownAnchor(0, "19×19, the small square", center: (0.026316, 0.026316), size: (0.1, 0.1)),
    KnownAnchor(1, "19×19, ratio 2", center: (0.026316, 0.026316), size: (0.282843, 0.141421)),
    KnownAnchor(2, "19×19, ratio ½", center: (0.026316, 0.026316), size: (0.141421, 0.282843)),
    KnownAnchor(3, "19×19, second column", center: (0.078947, 0.026316), size: (0.1, 0.1)),
    KnownAnchor(57, "19×19, second row", center: (0.026316, 0.078947), size: (0.1, 0.1)),
    KnownAnchor(1083, "10×10, square", center: (0.05, 0.05), size: (0.35, 0.35)),
    KnownAnchor(1084, "10×10, ratio 2", center: (0.05, 0.05), size: (0.494975, 0.247487)),
    KnownAnchor(1085, "10×10, ratio ½", center: (0.05, 0.05), size: (0.247487, 0.494975)),
    KnownAnchor(1086, "10×10, ratio 3", center: (0.05, 0.05), size: (0.606218, 0.202073)),
    KnownAnchor(1087, "10×10, ratio ⅓", center: (0.05, 0.05), size: (0.202062, 0.606248)),
    KnownAnchor(1088, "10×10, square between scales", center: (0.05, 0.05), size: (0.418330, 0.418330)),
    KnownAnchor(1683, "5×5, first", center: (0.1, 0.1), size: (0.5, 0.5)),
    KnownAnchor(1833, "3×3, first", center: (0.166667, 0.166667), size: (0.65, 0.65)),
    KnownAnchor(1887, "2×2, first", center: (0.25, 0.25), size: (0.8, 0.8)),
    KnownAnchor(1911, "1×1, first", center: (0.5, 0.5), size: (0.95, 0.95)),
    KnownAnchor(1916, "1×1, last", center: (0.5, 0.5), size: (0.974679, 0.974679)),
  ]

  @Test(arguments: knownAnchors) func anchorsAreThoseOfTheTraining(_ known: KnownAnchor) {
    let anchor = Self.decoder.anchors[known.index]
    #expect(abs(Double(anchor.centerX) - known.center.x) < 1e-5)
    #expect(abs(Double(anchor.centerY) - known.center.y) < 1e-5)
    #expect(abs(Double(anchor.width) - known.size.width) < 1e-5)
    #expect(abs(Double(anchor.height) - known.size.height) < 1e-5)
  }

  // MARK: Boxes

  struct KnownBox: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encoding: [Float]
    /// Left, top, right, bottom.
    let corners: [Double]

    init(_ what: String, _ encoding: [Float], _ corners: [Double]) {
      testDescription = what
      self.encoding = encoding
      self.corners = corners
    }
  }

  /// Of anchor 900, whose centre is 15.5 ÷ 19 · 300 = 244.737 and whose sides are 30, in a frame of 300 × 300.
  static let knownBoxes = [
    KnownBox("zeros: the anchor itself", [0, 0, 0, 0], [229.737, 229.737, 259.737, 259.737]),
    KnownBox("down by half its height", [5, 0, 0, 0], [229.737, 244.737, 259.737, 274.737]),
    KnownBox("right by its width", [0, 10, 0, 0], [259.737, 229.737, 289.737, 259.737]),
    KnownBox("left and up", [-10, -20, 0, 0], [169.737, 199.737, 199.737, 229.737]),
    KnownBox("twice as high: 5 · ln 2", [0, 0, 3.4657359, 0], [229.737, 214.737, 259.737, 274.737]),
    KnownBox("half as wide", [0, 0, 0, -3.4657359], [237.237, 229.737, 252.237, 259.737]),
    KnownBox("cut at the right", [0, 20, 0, 0], [289.737, 229.737, 300, 259.737]),
    KnownBox("cut at the bottom", [16, 0, 0, 0], [229.737, 277.737, 259.737, 300]),
    KnownBox("cut on all sides: 40 times as large", [0, 0, 18.4443973, 18.4443973], [0, 0, 300, 300]),
  ]

  @Test(arguments: knownBoxes) func boxIsReadRelativeToItsAnchor(_ known: KnownBox) throws {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: 0.9, encoding: known.encoding)
    let object = try #require(outputs.decode().first)
    let found = [object.box.x, object.box.y, object.box.right, object.box.bottom]
    for (one, other) in zip(found, known.corners) { #expect(abs(one - other) < 0.001, "\(found)") }
  }

  @Test(arguments: [
    ("outside the frame", [Float(0), 30, 0, 0]), ("not a number", [Float.nan, 0, 0, 0]),
    ("infinitely large", [Float(0), 0, 1000, 0]), ("of no size", [Float(0), 0, -1000, 0]),
  ])
  func invalidBoxIsSkipped(what: String, encoding: [Float]) {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: 0.9, encoding: encoding)
    #expect(outputs.decode().isEmpty)
  }

  /// A region of 600 × 150 at (100, 50): anchor 900's centre is at 0.815789 of each side, its sides a tenth of each.
  @Test func boxesAreInTheFramesPixels() throws {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: 0.9)
    let region = Box(x: 100, y: 50, width: 600, height: 150)
    let object = try #require(outputs.decode(region: region, frame: PixelSize(width: 1000, height: 1000)).first)
    #expect(abs(object.box.x - (100 + 489.4737 - 30)) < 0.001)
    #expect(abs(object.box.y - (50 + 122.3684 - 7.5)) < 0.001)
    #expect(abs(object.box.width - 60) < 0.001)
    #expect(abs(object.box.height - 15) < 0.001)
  }

  // MARK: Scores and classes

  @Test(arguments: [(Float(0.5), 1), (Float(0.5).nextDown, 0), (Float(0.5).nextUp, 1), (Float.nan, 0)])
  func scoreAtTheThresholdCounts(score: Float, count: Int) {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: score)
    #expect(outputs.decode().count == count)
  }

  @Test(arguments: [
    (0, "person"), (1, "bicycle"), (10, "fire hydrant"), (11, "stop sign"), (24, "backpack"), (39, "bottle"),
    (59, "bed"),
    (60, "dining table"), (61, "toilet"), (62, "tv"), (79, "toothbrush"),
  ])
  func classHasItsName(classIndex: Int, name: String) throws {
    var outputs = Outputs()
    outputs.set(Self.square, class: classIndex, score: 0.9)
    let object = try #require(outputs.decode().first)
    #expect(object.label == name)
    #expect(object.classIndex == classIndex)
    #expect(object.id == nil)
  }

  @Test func onlyWantedClassesAreRead() {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: 0.9)
    outputs.set(0, class: 2, score: 0.8)
    #expect(outputs.decode().map(\.label) == ["person", "car"])
    #expect(outputs.decode { $0 == 2 }.map(\.label) == ["car"])
  }

  @Test func anAnchorCanBeOfSeveralClasses() {
    var outputs = Outputs()
    outputs.set(Self.square, class: 2, score: 0.7)
    outputs.set(Self.square, class: 7, score: 0.8)
    #expect(outputs.decode().map(\.label) == ["truck", "car"])
  }

  @Test func duplicatesFromTwoAnchorsAreSuppressed() {
    var outputs = Outputs()
    outputs.set(Self.square, class: 0, score: 0.7)
    // From the next column, moved back by a nineteenth: 10 · (1 ÷ 19) ÷ 0.1.
    outputs.set(Self.square + 3, class: 0, score: 0.8, encoding: [0, -5.263158, 0, 0])
    #expect(outputs.decode().map(\.score) == [Double(Float(0.8))])
  }

  @Test func atMostAHundredAreKept() {
    var outputs = Outputs()
    for cell in 0..<361 { outputs.set(cell * 3, class: 0, score: 0.5 + Float(cell) / 1000) }
    let objects = outputs.decode()
    #expect(objects.count == 100)
    #expect(objects.first?.score == Double(Float(0.5) + Float(0.36)))
    #expect(objects.map(\.score) == objects.map(\.score).sorted(by: >))
  }

  @Test func outputsOfAnotherSizeGiveNothing() {
    let decoder = Self.decoder
    let none: [Float] = []
    let some = [Float](repeating: 1, count: 1917 * 4)
    let region = Box(x: 0, y: 0, width: 300, height: 300)
    #expect(decoder.decode(encodings: none.span, scores: none.span, region: region, frame: Self.frame).isEmpty)
    #expect(decoder.decode(encodings: some.span, scores: some.span, region: region, frame: Self.frame).isEmpty)
  }

  /// Outputs without detections, except those that are set.
  struct Outputs {
    private var encodings = [Float](repeating: 0, count: 1917 * 4)
    private var scores = [Float](repeating: 0, count: 1917 * 80)

    mutating func set(_ anchor: Int, class classIndex: Int, score: Float, encoding: [Float] = [0, 0, 0, 0]) {
      scores[anchor * 80 + classIndex] = score
      encodings.replaceSubrange(anchor * 4..<anchor * 4 + 4, with: encoding)
    }

    func decode(
      region: Box = Box(x: 0, y: 0, width: 300, height: 300), frame: PixelSize = SSDDecoderTests.frame,
      isWanted: (Int) -> Bool = { _ in true }
    ) -> [DetectedObject] {
      SSDDecoderTests.decoder.decode(
        encodings: encodings.span, scores: scores.span, region: region, frame: frame, isWanted: isWanted)
    }
  }
}

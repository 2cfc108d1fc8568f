import Testing
import VStreamCore

@testable import VStreamOverlay

/// The position and the text of labels.
struct LabelTests {
  struct PlaceRow: CustomTestStringConvertible, Sendable {
    let name: String
    let box: Box
    var width = 120
    var others: [Double] = []
    let x: Double
    let y: Double
    var testDescription: String { name }
  }

  /// On a frame of 560 × 560 lines are 2 pixels wide and labels 18 high; `others` are the tops of labels at the same x.
  static let places = [
    PlaceRow(name: "above", box: Box(x: 100, y: 200, width: 50, height: 100), x: 99, y: 181),
    PlaceRow(name: "below at the top edge", box: Box(x: 100, y: 10, width: 50, height: 50), x: 99, y: 61),
    PlaceRow(name: "inside a box as high as the frame", box: Box(x: 100, y: 5, width: 50, height: 550), x: 99, y: 6),
    PlaceRow(name: "inside a box beyond the frame", box: Box(x: 100, y: -5, width: 50, height: 570), x: 99, y: 0),
    PlaceRow(name: "across the left edge", box: Box(x: -40, y: 200, width: 50, height: 50), x: 0, y: 181),
    PlaceRow(name: "across the right edge", box: Box(x: 540, y: 200, width: 50, height: 50), x: 440, y: 181),
    PlaceRow(name: "wider than the frame", box: Box(x: 100, y: 200, width: 50, height: 50), width: 600, x: 0, y: 181),
    PlaceRow(
      name: "another above", box: Box(x: 100, y: 200, width: 50, height: 100), others: [175], x: 99, y: 301),
    PlaceRow(
      name: "others above and below", box: Box(x: 100, y: 200, width: 50, height: 100), others: [175, 305], x: 99,
      y: 201),
    PlaceRow(
      name: "others everywhere: above", box: Box(x: 100, y: 200, width: 50, height: 100), others: [175, 200, 305],
      x: 99, y: 181),
    PlaceRow(
      name: "another that only touches", box: Box(x: 100, y: 200, width: 50, height: 100), others: [163], x: 99, y: 181),
    PlaceRow(name: "not a number", box: Box(x: .nan, y: .nan, width: 5, height: 5), x: 0, y: 0),
    PlaceRow(name: "infinite", box: Box(x: .infinity, y: .infinity, width: 5, height: 5), x: 440, y: 542),
  ]

  @Test(arguments: places)
  func `a label goes above its box, else below, else inside`(row: PlaceRow) {
    let metrics = OverlayMetrics(PixelSize(width: 560, height: 560))
    let others = row.others.map { Box(x: 99, y: $0, width: 120, height: 18) }
    let label = metrics.background(labelOfWidth: row.width, at: row.box, avoiding: others)
    #expect(label == Box(x: row.x, y: row.y, width: Double(row.width), height: 18))
  }

  struct TextRow: CustomTestStringConvertible, Sendable {
    let name: String
    var id: Int? = 12
    var score = 0.9
    var withLabel = true
    var withID = true
    let text: String
    var testDescription: String { name }
  }

  static let texts = [
    TextRow(name: "class, ID and score", text: "person 12  0.90"),
    TextRow(name: "without ID", id: nil, text: "person  0.90"),
    TextRow(name: "ID alone", withLabel: false, text: "12"),
    TextRow(name: "ID alone, before the track is confirmed", id: nil, withLabel: false, text: ""),
    TextRow(name: "label alone", withID: false, text: "person  0.90"),
    TextRow(name: "rounded up", score: 0.996, text: "person 12  1.00"),
    TextRow(name: "rounded down", score: 0.994, text: "person 12  0.99"),
    TextRow(name: "below a tenth", score: 0.07, text: "person 12  0.07"),
    TextRow(name: "above one", score: 1.5, text: "person 12  1.00"),
    TextRow(name: "below zero", score: -0.2, text: "person 12  0.00"),
    TextRow(name: "not a number", score: .nan, text: "person 12  0.00"),
  ]

  @Test(arguments: texts)
  func `a label has the class, the ID and the score in hundredths`(row: TextRow) {
    let mark = Mark(object(Box(x: 0, y: 0, width: 1, height: 1), id: row.id, score: row.score))
    #expect(mark.text(withLabel: row.withLabel, withID: row.withID) == row.text)
  }

  @Test(arguments: OverlayOptions.Element.allCases)
  func `only elements with text need a font`(element: OverlayOptions.Element) {
    let withText: Set<OverlayOptions.Element> = [.labels, .ids, .zones]
    #expect(OverlayOptions(elements: [element]).needsFont == withText.contains(element))
  }

  @Test func `objects, faces and poses of the same ID have different colours`() {
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    for id in 1...50 {
      let marks = Mark.all(
        Detections(
          objects: [object(box, id: id)], faces: [DetectedFace(id: id, score: 1, box: box)],
          poses: [DetectedPose(id: id, score: 1, box: box, landmarks: [])]))
      #expect(Set(marks.map(\.color)).count == 3)
    }
  }

  @Test(arguments: [
    ("{\\b1}bold", "(/b1)bold"), ("a\\Nb", "a/Nb"), ("a\r\nb", "a b"), ("a\u{2028}b", "a b"), ("Ω ü 犬", "Ω ü 犬"),
    ("", ""), ("}{", ")("),
  ])
  func `control characters of scripts are replaced in labels`(label: String, written: String) throws {
    let script = OverlayScript(OverlayOptions(elements: [.labels]), size: PixelSize(width: 560, height: 560))
    let lines = script.lines(annotations([object(Box(x: 100, y: 100, width: 50, height: 50), label: label)]))
    let text = try #require(lines.first).text
    #expect(text.hasSuffix("}\(written)  0.90"), "\(text)")
    #expect(text.filter { $0 == "{" }.count == 1 && text.filter { $0 == "}" }.count == 1)
  }

  @Test func `labels of a script do not overlap, and come after all boxes`() {
    let script = OverlayScript(OverlayOptions(), size: PixelSize(width: 560, height: 560))
    let lines = script.lines(annotations([1, 2].map { object(Box(x: 100, y: 100, width: 50, height: 50), id: $0) }))
    #expect(lines.map(\.layer) == [0, 0, 1, 1])
    #expect(lines.map(\.style) == ["Box", "Box", "Label", "Label"])
    let positions = lines.suffix(2).map { $0.text.prefix { $0 != ")" } }
    #expect(positions[0] != positions[1])
  }
}

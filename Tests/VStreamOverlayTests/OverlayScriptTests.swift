import Testing
import VStreamCore

@testable import VStreamOverlay

/// Subtitle scripts of annotations; their rendering is tested with the program, by FFmpeg's renderer.
struct OverlayScriptTests {
  private static let size = PixelSize(width: 560, height: 560)

  private func lines(
    _ objects: [DetectedObject], elements: Set<OverlayOptions.Element> = OverlayScript.elements
  ) -> [OverlayScript.Line] {
    OverlayScript(OverlayOptions(elements: elements), size: Self.size).lines(annotations(objects))
  }

  @Test func `the header names the frame's size`() {
    let header = OverlayScript(OverlayOptions(), size: PixelSize(width: 768, height: 576)).header
    for line in ["ScriptType: v4.00+", "PlayResX: 768", "PlayResY: 576"] {
      #expect(header.split(separator: "\n").contains { $0 == line }, "\(header)")
    }
    #expect(header.hasSuffix("Effect, Text\n"))
    let styles = header.split(separator: "\n").filter { $0.hasPrefix("Style: ") }
    #expect(styles.allSatisfy { $0.split(separator: ",").count == 23 }, "\(styles)")
  }

  @Test func `a box is a shape with a hole, in eighths of a pixel, in the object's colour`() throws {
    // Lines are two pixels wide at this size.
    let line = try #require(lines([object(Box(x: 100.25, y: 50, width: 40, height: 20.5))], elements: [.boxes]).first)
    #expect(line.layer == 0)
    #expect(line.style == "Box")
    let shape = "m 0 0 l 336 0 336 180 0 180 m 16 16 l 16 164 320 164 320 16"
    let color = Color(number: 1)
    let digits = [color.blue, color.green, color.red].map { Int(($0 * 255).rounded()) }
    let hex = digits.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    #expect(line.text == "{\\pos(99.25,49)\\1c&H\(hex)&\\p4}\(shape){\\p0}")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let box: Box
    let count: Int
  }

  @Test(arguments: [
    Row(testDescription: "of no width", box: Box(x: 5, y: 5, width: 0, height: 9), count: 0),
    Row(testDescription: "of no number", box: Box(x: .nan, y: 5, width: 9, height: 9), count: 0),
    Row(testDescription: "thinner than its lines", box: Box(x: 5, y: 5, width: 1, height: 1), count: 1),
    Row(testDescription: "past all edges", box: Box(x: -50, y: -50, width: 900, height: 900), count: 1),
  ])
  func `boxes of every kind`(row: Row) {
    let found = lines([object(row.box)], elements: [.boxes])
    #expect(found.count == row.count)
    if row.box.width == 1 { #expect(found.allSatisfy { !$0.text.contains("m 16") }, "without a hole") }
  }

  @Test(arguments: [
    (OverlayScript.elements, "person 12  0.91"), (Set([.labels]), "person  0.91"), (Set([.ids]), "12"),
  ])
  func `labels show what is requested`(elements: Set<OverlayOptions.Element>, expected: String) throws {
    let item = object(Box(x: 100, y: 100, width: 50, height: 50), id: 12, score: 0.91)
    let label = try #require(lines([item], elements: elements).last)
    #expect(label.layer == 1)
    #expect(label.text.hasSuffix("}\(expected)"), "\(label.text)")
  }

  @Test func `what a script would take for its own signs is not written`() throws {
    let item = object(Box(x: 100, y: 100, width: 50, height: 50), label: "{\\pos}\n")
    let text = try #require(lines([item], elements: [.labels]).first).text
    #expect(text.split(separator: "}").count == 2)
    #expect(text.hasSuffix("}(/pos)   0.90"), "\(text)")
  }

  @Test func `a brace with a combining mark opens no override`() throws {
    let item = object(Box(x: 100, y: 100, width: 50, height: 50), label: "{\u{301}\\fs99}\u{301}\u{1B}")
    let text = try #require(lines([item], elements: [.labels]).first).text
    #expect(text.unicodeScalars.filter { "{}".unicodeScalars.contains($0) }.count == 2, "\(text)")
    #expect(text.hasSuffix("}(\u{301}/fs99)\u{301}   0.90"), "\(text)")
  }

  @Test func `a label that has no room above goes below`() throws {
    let place = { (box: Box) -> Double in
      let text = try #require(lines([object(box)], elements: [.labels]).first).text
      let pair = text.split(separator: "(")[1].split(separator: ")")[0].split(separator: ",")
      return try #require(Double(pair[1]))
    }
    #expect(try place(Box(x: 100, y: 100, width: 50, height: 50)) < 100)
    #expect(try place(Box(x: 100, y: 2, width: 50, height: 50)) > 52)
  }
}

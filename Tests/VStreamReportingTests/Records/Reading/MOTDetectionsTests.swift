import Testing
import VStreamCore
import VStreamSystem

@testable import VStreamReporting

struct MOTDetectionsTests {
  struct LineRow: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    /// Frame, class, score, left, top, width and height of each detection.
    let expected: [[Double]]
    var testDescription: String { name }
  }

  static let lines = [
    LineRow(name: "nothing", text: "", expected: []),
    LineRow(name: "7 columns", text: "1,-1,2.5,3,40,80.25,0.9\n", expected: [[1, 0, 0.9, 2.5, 3, 40, 80.25]]),
    LineRow(name: "8 columns, class 3", text: "1,-1,2,3,4,5,0.9,3\n", expected: [[1, 2, 0.9, 2, 3, 4, 5]]),
    LineRow(name: "9 columns, no class", text: "1,-1,2,3,4,5,0.9,-1,0.5\n", expected: [[1, 0, 0.9, 2, 3, 4, 5]]),
    LineRow(name: "10 columns", text: "1,-1,2,3,4,5,0.9,-1,-1,-1\n", expected: [[1, 0, 0.9, 2, 3, 4, 5]]),
    LineRow(name: "no newline at the end", text: "1,-1,2,3,4,5,1", expected: [[1, 0, 1, 2, 3, 4, 5]]),
    LineRow(
      name: "blanks, empty lines and carriage returns", text: "\r\n 1, -1,\t2 , 3,4,5,1 \r\n\n",
      expected: [[1, 0, 1, 2, 3, 4, 5]]),
    LineRow(
      name: "negative, signed and with an exponent", text: "1,-1,-2,+3,4e1,.5E2,5.\n",
      expected: [[1, 0, 5, -2, 3, 40, 50]]),
    LineRow(name: "a frame as 1.0", text: "1.0,-1,2,3,4,5,1\n", expected: [[1, 0, 1, 2, 3, 4, 5]]),
    LineRow(
      name: "frames in any order, lines of a frame in theirs",
      text: "3,-1,1,0,4,5,1\n1,-1,2,0,4,5,1\n3,-1,3,0,4,5,1\n",
      expected: [[1, 0, 1, 2, 0, 4, 5], [3, 0, 1, 1, 0, 4, 5], [3, 0, 1, 3, 0, 4, 5]]),
  ]

  @Test(arguments: lines)
  func `lines are read`(_ row: LineRow) throws {
    let file = try MOTDetections(Array(row.text.utf8), name: "a.txt")
    let found = file.frames.flatMap { frame in
      file.detections[frame.range].map {
        [Double(frame.number), Double($0.classIndex), $0.score, $0.box.x, $0.box.y, $0.box.width, $0.box.height]
      }
    }
    #expect(found == row.expected)
  }

  struct FaultRow: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let expected: String
    var testDescription: String { name }
  }

  static let good = "1,-1,2,3,4,5,0.9\n"
  static let faults = [
    FaultRow(name: "words", text: "hello\n", expected: "'a.txt' line 1: frame 'hello' is not a number"),
    FaultRow(
      name: "the third line", text: good + "\n" + "1,-1,x,3,4,5,1\n",
      expected: "'a.txt' line 3: left 'x' is not a number"),
    FaultRow(name: "6 columns", text: good + "1,-1,2,3,4,5\n", expected: "line 2: has 6 columns, fewer than 7"),
    FaultRow(name: "1 column", text: "1\n", expected: "line 1: has 1 column, fewer than 7"),
    FaultRow(name: "11 columns", text: "1,-1,2,3,4,5,1,1,1,1,1\n", expected: "line 1: has more than 10 columns"),
    FaultRow(name: "an empty column", text: "1,-1,,3,4,5,1\n", expected: "line 1: left is missing"),
    FaultRow(name: "semicolons", text: "1;-1;2;3;4;5;1\n", expected: "line 1: frame '1;-1;2;3;4;5;1' is not a number"),
    FaultRow(
      name: "blanks between", text: "1 -1 2 3 4 5 1\n", expected: "line 1: has no comma after its column 1 (frame)"),
    FaultRow(name: "frame 0", text: "0,-1,2,3,4,5,1\n", expected: "line 1: frame 0 is not a whole number from 1 on"),
    FaultRow(
      name: "frame 1.5", text: "1.5,-1,2,3,4,5,1\n", expected: "line 1: frame 1.5 is not a whole number from 1 on"),
    FaultRow(
      name: "a frame past all", text: "1e30,-1,2,3,4,5,1\n", expected: "line 1: frame 1e+30 is not a whole number"),
    FaultRow(
      name: "frame nan", text: "nan,-1,2,3,4,5,1\n", expected: "line 1: frame nan is not a whole number from 1 on"),
    FaultRow(
      name: "class 0", text: "1,-1,2,3,4,5,1,0\n", expected: "line 1: class 0 is not a whole number from 1 on, or -1"),
    FaultRow(name: "hexadecimal", text: "0x1,-1,2,3,4,5,1\n", expected: "line 1: frame '0x1' is not a number"),
    FaultRow(
      name: "two lines", text: "x\n" + good + "y\n", expected: "'x' is not a number, and line 3 cannot be read either"),
    FaultRow(
      name: "many lines", text: String(repeating: "x\n", count: 9),
      expected: "'x' is not a number, and lines 2, 3, 4, 5 and 4 more cannot be read either"),
    FaultRow(name: "bytes that are no text", text: "\u{0}\u{1},2\n", expected: "line 1: frame '"),
  ]

  @Test(arguments: faults)
  func `lines that cannot be read are named by number`(_ row: FaultRow) {
    let error = #expect(throws: VStreamError.self) { try MOTDetections(Array(row.text.utf8), name: "a.txt") }
    #expect(error?.code == .unreadableInput)
    #expect(error.map { "\($0)".contains(row.expected) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `what is written is read back`() throws {
    let object = DetectedObject(
      id: 7, classIndex: 2, label: "car", score: 0.91237, box: Box(x: -0.004, y: 12.345, width: 100, height: 0.5))
    var text = MOTText()
    text.add(object, frame: 5)
    var unnamed = object
    unnamed.id = nil
    text.add(unnamed, frame: 6)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        5,7,0.0,12.35,100.0,0.5,0.9124,3,1
        6,-1,0.0,12.35,100.0,0.5,0.9124,3,1

        """)
    let file = try MOTDetections(text.bytes, name: "tracks")
    #expect(file.frames.map(\.number) == [5, 6])
    #expect(file.detections[0].box == Box(x: 0, y: 12.35, width: 100, height: 0.5))
    #expect(file.detections[0].classIndex == 2)
  }

  @Test func `numbers are written as in the other records`() {
    for value in [0, -0.0, 0.005, -0.005, 1.005, 12.3, -12.34, 99.999, 1e6, 123_456.789, -1e-9, 1e17, .infinity, .nan] {
      var text = MOTText()
      text.add(
        DetectedObject(
          id: 1, classIndex: 0, label: "", score: 0, box: Box(x: value, y: 0, width: 1, height: 1)), frame: 1)
      let field = String(decoding: text.bytes, as: UTF8.self).split(separator: ",")[2]
      let expected = recordNumber(value, places: 2)
      #expect(field == expected || (abs(value) >= 9e16 && field == "null"), "\(value)")
    }
  }
}

internal import VStreamScene
internal import VStreamSystem

/// One line of a MOTChallenge file.
struct MOTLine {
  private var frame = 0.0
  private var box = Box(x: 0, y: 0, width: 0, height: 0)
  private var score = 0.0
  private var classNumber = -1.0

  private static let columns = [
    "frame", "id", "left", "top", "width", "height", "score", "class", "column 9", "column 10",
  ]
  private static let minimumColumns = 7
  private static let maximumClass = 1e9

  /// Reads the line at the scanner's position, up to its end.
  static func read(_ scanner: inout NumberScanner) throws(LineError) -> (frame: Int, object: DetectedObject) {
    var line = MOTLine()
    try line.readColumns(&scanner)
    return try line.validated()
  }

  private mutating func readColumns(_ scanner: inout NumberScanner) throws(LineError) {
    let columns = Self.columns
    var column = 0
    while true {
      guard column < columns.count else { throw LineError(problem: "has more than \(columns.count) columns") }
      scanner.skipBlanks()
      guard let value = scanner.number() else { throw Self.notANumber(column, scanner) }
      set(value, column: column)
      column += 1
      scanner.skipBlanks()
      if scanner.isAtLineEnd { break }
      guard scanner.take(UInt8(ascii: ",")) else {
        throw LineError(problem: "has no comma after its column \(column) (\(columns[column - 1]))")
      }
    }
    guard column >= Self.minimumColumns else {
      throw LineError(problem: "has \(column) column\(column == 1 ? "" : "s"), fewer than \(Self.minimumColumns)")
    }
  }

  private mutating func set(_ value: Double, column: Int) {
    switch column {
    case 0: frame = value
    case 2: box.x = value
    case 3: box.y = value
    case 4: box.width = value
    case 5: box.height = value
    case 6: score = value
    case 7: classNumber = value
    default: break
    }
  }

  private func validated() throws(LineError) -> (frame: Int, object: DetectedObject) {
    guard frame >= 1, frame <= Double(MOTDetections.maximumFrame), frame == frame.rounded() else {
      throw LineError(problem: "frame \(Self.formatted(frame)) is not a whole number from 1 on")
    }
    let classNumber = classNumber == -1 ? 1 : classNumber
    guard classNumber >= 1, classNumber <= Self.maximumClass, classNumber == classNumber.rounded() else {
      throw LineError(problem: "class \(Self.formatted(classNumber)) is not a whole number from 1 on, or -1")
    }
    return (
      Int(frame), DetectedObject(classIndex: Int(classNumber) - 1, label: "", score: score, box: box)
    )
  }

  private static func notANumber(_ column: Int, _ scanner: NumberScanner) -> LineError {
    var field: [UInt8] = []
    var rest = scanner
    while let byte = rest.byte, !rest.isAtLineEnd, byte != UInt8(ascii: ","), field.count < 20 {
      field.append(byte)
      _ = rest.take(byte)
    }
    let text = String(decoding: field, as: UTF8.self)
    return LineError(
      problem: field.isEmpty ? "\(columns[column]) is missing" : "\(columns[column]) '\(text)' is not a number")
  }

  private static func formatted(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }
}

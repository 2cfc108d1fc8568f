package import VStreamCore
internal import VStreamSystem

/// The detections of a MOTChallenge file, grouped by frame.
///
/// A line is `frame,id,left,top,width,height,score[,class[,…[,…]]]`: 7 to 10 columns. Frames are numbered from 1; the ID is
/// ignored; a class that is missing or −1 becomes 1, a person.
package struct MOTDetections: Sendable {
  /// The detections of one frame.
  package struct Frame: Hashable, Sendable {
    /// From 1.
    package let number: Int
    /// The frame's range in `detections`.
    package let range: Range<Int>
  }

  /// The frames that have detections, by ascending number.
  package let frames: [Frame]
  /// Grouped by frame; within a frame in the order of the lines.
  package let detections: [DetectedObject]

  /// The largest valid frame number.
  package static let maximumFrame = 1_000_000_000

  /// - Parameters:
  ///   - bytes: the file's contents, with lines in any order.
  ///   - name: the file's name in messages.
  /// - Throws: `VStreamError.unreadableInput`, which lists the lines that cannot be read.
  package init(_ bytes: [UInt8], name: String) throws(VStreamError) {
    var numbers: [Int] = []
    var detections: [DetectedObject] = []
    var errors = LineErrors()
    var scanner = NumberScanner(bytes)
    numbers.reserveCapacity(bytes.count / 40)
    detections.reserveCapacity(bytes.count / 40)
    var line = 0
    while !scanner.isAtEnd {
      line += 1
      scanner.skipBlanks()
      if !scanner.isAtLineEnd {
        do throws(LineError) {
          let (frame, object) = try MOTLine.read(&scanner)
          numbers.append(frame)
          detections.append(object)
        } catch {
          errors.add(error, line: line)
        }
      }
      scanner.skipLine()
    }
    try errors.check(name: name)
    (frames, self.detections) = Self.sorted(numbers, detections)
  }

  /// Sorts lines by frame, keeping their order within a frame, and determines each frame's range.
  private static func sorted(_ numbers: [Int], _ detections: [DetectedObject]) -> ([Frame], [DetectedObject]) {
    let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 }
    let order = isSorted ? [] : numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    let numbers = isSorted ? numbers : order.map { numbers[$0] }
    var frames: [Frame] = []
    var start = 0
    while start < numbers.count {
      var end = start + 1
      while end < numbers.count, numbers[end] == numbers[start] { end += 1 }
      frames.append(Frame(number: numbers[start], range: start..<end))
      start = end
    }
    return (frames, isSorted ? detections : order.map { detections[$0] })
  }
}

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

/// The reason why a line cannot be read.
struct LineError: Error, Hashable {
  /// Continues the sentence that starts with the line's number.
  var problem: String
}

/// The errors in a file's lines: the first one in full, some others by line number, and the number of the rest.
struct LineErrors {
  private var first: (line: Int, error: LineError)?
  private var others: [Int] = []
  private var count = 0
  private static let maximumListed = 4

  mutating func add(_ error: LineError, line: Int) {
    count += 1
    if first == nil {
      first = (line, error)
    } else if others.count < Self.maximumListed {
      others.append(line)
    }
  }

  /// - Throws: `VStreamError.unreadableInput` if there are errors.
  func check(name: String) throws(VStreamError) {
    guard let first else { return }
    var message = "'\(name)' line \(first.line): \(first.error.problem)"
    if !others.isEmpty {
      let rest = count - 1 - others.count
      message += ", and line\(others.count > 1 ? "s" : "") \(others.map(String.init).joined(separator: ", "))"
      message += rest > 0 ? " and \(rest) more cannot be read either" : " cannot be read either"
    }
    throw VStreamError(
      .unreadableInput, Message(message), subject: name,
      remedy: "write each line as frame,id,left,top,width,height,score with up to 3 more columns")
  }
}

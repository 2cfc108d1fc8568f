public import VStreamScene

/// The detections of a MOTChallenge file, frame by frame.
///
/// A line is `frame,id,left,top,width,height,score[,class[,…[,…]]]`: 7 to 10 columns. Frames count from 1; the ID is not
/// used; a class that is missing or −1 is 1, a person.
public struct MOTDetections: Sendable {
  /// What was detected in one frame.
  public struct Frame: Hashable, Sendable {
    /// Counted from 1.
    public let number: Int
    /// Its part of `detections`.
    public let range: Range<Int>
  }

  /// Those frames that have detections, in their order.
  public let frames: [Frame]
  /// Frame after frame; in a frame in the order of the lines.
  public let detections: [DetectedObject]

  /// The largest frame number that is read.
  public static let greatestFrame = 1_000_000_000

  /// - Parameters:
  ///   - bytes: the file. Its lines may come in any order.
  ///   - name: what messages call it.
  /// - Throws: `VStreamError.unreadableInput`, which names the lines that cannot be read.
  public init(_ bytes: [UInt8], name: String) throws(VStreamError) {
    var numbers: [Int] = []
    var detections: [DetectedObject] = []
    var faults = LineErrors()
    var scanner = NumberScanner(bytes)
    numbers.reserveCapacity(bytes.count / 40)
    detections.reserveCapacity(bytes.count / 40)
    var line = 0
    while !scanner.isAtEnd {
      line += 1
      scanner.skipBlanks()
      if !scanner.isAtLineEnd {
        switch MOTLine.read(&scanner) {
        case .success(let found):
          numbers.append(found.frame)
          detections.append(found.object)
        case .failure(let fault): faults.add(fault, line: line)
        }
      }
      scanner.skipLine()
    }
    try faults.check(name: name)
    (frames, self.detections) = Self.sorted(numbers, detections)
  }

  /// Brings lines into the order of their frames and says where each frame's are.
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

/// Why a line cannot be read.
struct LineError: Error, Hashable {
  var problem: String
}

/// What is wrong with a file's lines: all of it is counted, the first named in full, some of the others by number.
private struct LineErrors {
  private var first: (line: Int, fault: LineError)?
  private var others: [Int] = []
  private var count = 0
  private static let namedOthers = 4

  mutating func add(_ fault: LineError, line: Int) {
    count += 1
    if first == nil {
      first = (line, fault)
    } else if others.count < Self.namedOthers {
      others.append(line)
    }
  }

  func check(name: String) throws(VStreamError) {
    guard let first else { return }
    var message = "'\(name)' line \(first.line): \(first.fault.problem)"
    if !others.isEmpty {
      let rest = count - 1 - others.count
      message += ", and line\(others.count > 1 ? "s" : "") \(others.map(String.init).joined(separator: ", "))"
      message += rest > 0 ? " and \(rest) more cannot be read either" : " cannot be read either"
    }
    throw VStreamError(
      .unreadableInput, Message(message), remedy: "a line is frame,id,left,top,width,height,score and up to 3 columns more")
  }
}

/// One line of a MOTChallenge file.
enum MOTLine {
  private static let columns = [
    "frame", "id", "left", "top", "width", "height", "score", "class", "column 9", "column 10",
  ]
  private static let fewestColumns = 7

  /// Reads the line that the scanner stands at, up to its end.
  static func read(_ scanner: inout NumberScanner) -> Result<(frame: Int, object: DetectedObject), LineError> {
    var frame = 0.0
    var score = 0.0
    var classNumber = -1.0
    var box = Box(x: 0, y: 0, width: 0, height: 0)
    var column = 0
    while true {
      guard column < columns.count else {
        return .failure(LineError(problem: "has more than \(columns.count) columns"))
      }
      scanner.skipBlanks()
      guard let value = scanner.number() else { return .failure(noNumber(column, &scanner)) }
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
      column += 1
      scanner.skipBlanks()
      if scanner.isAtLineEnd { break }
      guard scanner.take(UInt8(ascii: ",")) else {
        return .failure(LineError(problem: "has no comma after its column \(column) (\(columns[column - 1]))"))
      }
    }
    guard column >= fewestColumns else {
      return .failure(LineError(problem: "has \(column) column\(column == 1 ? "" : "s"), fewer than \(fewestColumns)"))
    }
    guard frame >= 1, frame <= Double(MOTDetections.greatestFrame), frame == frame.rounded() else {
      return .failure(LineError(problem: "frame \(text(frame)) is not a whole number from 1 on"))
    }
    if classNumber == -1 { classNumber = 1 }
    guard classNumber >= 1, classNumber <= 1e9, classNumber == classNumber.rounded() else {
      return .failure(LineError(problem: "class \(text(classNumber)) is not a whole number from 1 on, or -1"))
    }
    let object = DetectedObject(classIndex: Int(classNumber) - 1, label: "", score: score, box: box)
    return .success((Int(frame), object))
  }

  private static func noNumber(_ column: Int, _ scanner: inout NumberScanner) -> LineError {
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

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }
}

/// Makes the lines of a MOTChallenge file.
public struct MOTText: Sendable {
  private var buffer = TextBuffer()

  public init() {}

  public var bytes: [UInt8] { buffer.bytes }

  /// Adds `frame,id,left,top,width,height,score,class,1`; the class counts from 1, an object without an ID has −1.
  ///
  /// - Parameter frame: counted from 1.
  public mutating func add(_ object: DetectedObject, frame: Int) { Self.add(object, frame: frame, to: &buffer) }

  static func add(_ object: DetectedObject, frame: Int, to text: inout TextBuffer) {
    text.append(frame)
    text.append(",")
    text.append(object.id ?? -1)
    text.append(",")
    text.append(object.box, separator: ",")
    text.append(",")
    text.append(object.score, places: 4)
    text.append(",")
    text.append(object.classIndex + 1)
    text.append(",1\n")
  }
}

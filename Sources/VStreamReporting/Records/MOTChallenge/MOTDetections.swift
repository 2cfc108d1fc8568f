public import VStreamScene
internal import VStreamSystem

/// The detections of a MOTChallenge file, grouped by frame.
///
/// A line is `frame,id,left,top,width,height,score[,class[,…[,…]]]`: 7 to 10 columns. Frames are numbered from 1; the ID is
/// ignored; a class that is missing or −1 becomes 1, a person.
public struct MOTDetections: Sendable {
  /// The detections of one frame.
  public struct Frame: Hashable, Sendable {
    /// From 1.
    public let number: Int
    /// The frame's range in `detections`.
    public let range: Range<Int>
  }

  /// The frames that have detections, by ascending number.
  public let frames: [Frame]
  /// Grouped by frame; within a frame in the order of the lines.
  public let detections: [DetectedObject]

  /// The largest valid frame number.
  public static let maximumFrame = 1_000_000_000

  /// - Parameters:
  ///   - bytes: the file's contents, with lines in any order.
  ///   - name: the file's name in messages.
  /// - Throws: `VStreamError.unreadableInput`, which lists the lines that cannot be read.
  public init(_ bytes: [UInt8], name: String) throws(VStreamError) {
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

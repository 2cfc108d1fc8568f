import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamPipeline

struct PartPlannerTests {
  private typealias Entry = VideoScan.Entry
  private static let base = Rational(1, 1) ?? .milliseconds

  /// Packets in the order of decoding: whole seconds, with `k` for key frames, `h` for hidden ones, and `-` for no time.
  private static func entries(_ text: String) -> [VideoScan.Entry] {
    text.split(separator: " ").map { word in
      Entry(
        ticks: Int64(word.filter { $0.isNumber }), isKey: word.hasSuffix("k"), isHidden: word.hasSuffix("h"))
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let packets: String
    var seconds = 30.0
    var startsAtKeyFrames = true
    /// For each part: its first tick, the key frame that it is decoded from, and its number of packets.
    let parts: String
  }

  static let rows = [
    Row(testDescription: "shorter than a part", packets: "0k 10 20", parts: "start beginning 3"),
    Row(
      testDescription: "the key frame before the last one", packets: "0k 10k 20k 30k 40 60",
      parts: "start beginning 3, 30 10 2, 60 20 1"),
    Row(
      testDescription: "a key frame at the part's first time is not before it", packets: "0k 20k 30k 50k 60k 61",
      parts: "start beginning 2, 30 0 2, 60 30 2"),
    Row(
      testDescription: "with one key frame all is decoded", packets: "0k 20 30 40",
      parts: "start beginning 2, 30 beginning 2"),
    Row(
      testDescription: "frames after the key frame that are decoded before it", packets: "0k 5k 31 10k 20k 30 40",
      parts: "start beginning 4, 30 0 3"),
    Row(
      testDescription: "reordered frames", packets: "0k 10k 20k 28 24 32 30",
      parts: "start beginning 5, 30 10 2"),
    Row(testDescription: "a time is missing", packets: "0k 10k 20k - 40", parts: "start beginning 3, 30 beginning 1"),
    Row(
      testDescription: "a time comes twice", packets: "0k 10k 20k 20 40", parts: "start beginning 4, 30 beginning 1"),
    Row(
      testDescription: "hidden packets do not count", packets: "0h 0k 10k 20k 20h 40",
      parts: "start beginning 3, 30 10 1"),
    Row(
      testDescription: "a gap longer than a part", packets: "0k 10k 20k 400 401", parts: "start beginning 3, 390 10 2"),
    Row(
      testDescription: "lengths are rounded up to the grid", packets: "0k 1k 31 61", seconds: 31,
      parts: "start beginning 3, 60 0 1"),
    Row(
      testDescription: "the codec keeps what precedes a key frame", packets: "0k 10k 20k 40", startsAtKeyFrames: false,
      parts: "start beginning 3, 30 beginning 1"),
    Row(testDescription: "no times at all", packets: "- -", parts: ""),
  ]

  @Test(arguments: rows)
  func `parts and the key frames that they are decoded from`(row: Row) {
    let planner = PartPlanner(Self.entries(row.packets), base: Self.base, startsAtKeyFrames: row.startsAtKeyFrames)
    let parts = planner.parts(of: row.seconds).map { part in
      "\(part.startTicks.map(String.init) ?? "start") \(part.keyTicks.map(String.init) ?? "beginning") \(part.packets)"
    }
    #expect(parts.joined(separator: ", ") == row.parts)
  }

  @Test func `each time lies in exactly one part`() {
    let entries = (0..<400).map { Entry(ticks: $0, isKey: $0 % 7 == 0) }
    let parts = PartPlanner(entries, base: Self.base, startsAtKeyFrames: true).parts(of: 60)
    #expect(parts.map(\.number) == Array(0..<7))
    for tick in Int64(-50)...450 {
      let time = Time(ticks: tick, base: Self.base)
      #expect(parts.count { $0.position(of: time) == .inside } == 1)
    }
    #expect(parts.map(\.packets).reduce(0, +) == 400)
  }

  struct Position: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let part: InputPart
    /// At 29, 30, 59 and 60 s.
    let expected: [InputPart.Position]
  }

  static let positions = [
    Position(
      testDescription: "the first part", part: InputPart(number: 0, firstCell: nil, endCell: 1),
      expected: [.inside, .after, .after, .after]),
    Position(
      testDescription: "one in the middle", part: InputPart(number: 1, firstCell: 1, endCell: 2),
      expected: [.before, .inside, .inside, .after]),
    Position(
      testDescription: "the last part", part: InputPart(number: 2, firstCell: 2, endCell: nil),
      expected: [.before, .before, .before, .inside]),
  ]

  @Test(arguments: positions)
  func `where frames lie`(row: Position) {
    let found = [29, 30, 59, 60].map { row.part.position(of: Time(ticks: $0, base: Self.base)) }
    #expect(found == row.expected)
  }
}

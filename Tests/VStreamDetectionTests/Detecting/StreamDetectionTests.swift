import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

struct StreamDetectionTests {
  /// Reports how many frames it has started, as the number of objects.
  private struct Counting: OverlappingDetecting {
    let framesInFlight: Int
    var started = 0
    var inFlight: [Int] = []

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
      try start(frame, timer: timer)
      return try finish(timer: timer)
    }

    mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
      started += 1
      inFlight.append(started)
    }

    mutating func finish(timer: any StepTimer) throws -> Detections {
      let object = DetectedObject(
        classIndex: 0, label: "person", score: 1, box: Box(x: 0, y: 0, width: 1, height: 1))
      return Detections(objects: [DetectedObject](repeating: object, count: inFlight.removeFirst()))
    }
  }

  /// The same, one frame at a time.
  private struct Plain: FrameDetecting {
    var counting = Counting(framesInFlight: 1)

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
      try counting.detect(in: frame, timer: timer)
    }
  }

  private static func frame(_ seconds: Int64) throws -> VideoFrame {
    try VideoFrame(
      withoutPixels: PixelSize(width: 8, height: 8), format: #require(PixelFormat(name: "gray")),
      time: Time(ticks: seconds, base: #require(Rational(1, 1))))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whole seconds of frames, on a grid of ten.
    let times: [Int64]
    /// For each frame how many its detector has started.
    let counts: [Int]
  }

  static let rows = [
    Row(testDescription: "one cell", times: [0, 3, 9], counts: [1, 2, 3]),
    Row(testDescription: "a frame on the grid begins a cell", times: [8, 9, 10, 11], counts: [1, 2, 1, 2]),
    Row(testDescription: "the first frame need not lie on it", times: [15, 19, 20], counts: [1, 2, 1]),
    Row(testDescription: "a cell for each frame", times: [0, 10, 20, 35], counts: [1, 1, 1, 1]),
    Row(testDescription: "before zero", times: [-11, -10, -1, 0], counts: [1, 1, 2, 1]),
  ]

  @Test(arguments: rows, [1, 2, 3, 4])
  func `a cell has a detector of its own, however many frames are in flight`(row: Row, inFlight: Int) throws {
    var detection = try StreamDetection(restartingAt: TimeGrid(seconds: 10)) { Counting(framesInFlight: inFlight) }
    #expect(detection.framesInFlight == inFlight)
    var (counts, pending): ([Int], Int) = ([], 0)
    for time in row.times {
      if pending == inFlight {
        counts.append(try detection.finish(timer: NoTimer()).objects?.count ?? 0)
        pending -= 1
      }
      try detection.start(Self.frame(time), timer: NoTimer())
      pending += 1
    }
    for _ in 0..<pending { counts.append(try detection.finish(timer: NoTimer()).objects?.count ?? 0) }
    #expect(counts == row.counts)
  }

  @Test(arguments: rows)
  func `a detector of one frame at a time starts afresh as well`(row: Row) throws {
    var detection = try StreamDetection(restartingAt: TimeGrid(seconds: 10)) { Plain() }
    let counts = try row.times.map { time in
      try detection.detect(in: Self.frame(time), timer: NoTimer()).objects?.count
    }
    #expect(counts == row.counts)
    try detection.start(Self.frame(100), timer: NoTimer())
    #expect(try detection.finish(timer: NoTimer()).objects?.count == 1)
  }

  private struct Searching: FrameDetecting {
    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections { Detections(faces: []) }
  }

  struct PaceRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let framesPerSecond: Double
    /// Of frames, in hundredths of a second.
    let times: [Int64]
    /// Those that are searched.
    let searched: [Int64]
  }

  static let paceRows = [
    PaceRow(
      testDescription: "every fifth of 25", framesPerSecond: 5, times: Array(stride(from: 0, to: 60, by: 4)),
      searched: [0, 20, 40]),
    PaceRow(
      testDescription: "as many on average, where frames do not fall on the interval", framesPerSecond: 4,
      times: Array(stride(from: 0, to: 120, by: 4)), searched: [0, 28, 52, 76, 100]),
    PaceRow(
      testDescription: "all of a slower stream", framesPerSecond: 5, times: [0, 50, 100, 150],
      searched: [0, 50, 100, 150]),
    PaceRow(
      testDescription: "no catching up after a pause", framesPerSecond: 5, times: [0, 4, 300, 304, 308, 320],
      searched: [0, 300, 320]),
    PaceRow(
      testDescription: "time that jumps back", framesPerSecond: 1, times: [500, 504, 0, 4, 100],
      searched: [500, 0, 100]),
    PaceRow(testDescription: "a stream that starts late", framesPerSecond: 1, times: [9000, 9004], searched: [9000]),
  ]

  @Test(arguments: paceRows) func `so many frames of a second are searched`(row: PaceRow) throws {
    var detection = try StreamDetection(framesPerSecond: row.framesPerSecond) { Searching() }
    let hundredths = try #require(Rational(1, 100))
    let searched = try row.times.filter { ticks in
      let frame = try VideoFrame(
        withoutPixels: PixelSize(width: 8, height: 8), format: #require(PixelFormat(name: "gray")),
        time: Time(ticks: ticks, base: hundredths))
      return try detection.detect(in: frame, timer: NoTimer()).wereSearchedFor
    }
    #expect(searched == row.searched)
  }
}

import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Which frames are searched.
struct PacedDetectionTests {
  private struct Searching: FrameDetecting {
    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations { Observations(faces: []) }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let framesPerSecond: Double
    /// Of frames, in hundredths of a second.
    let times: [Int64]
    /// Those that are searched.
    let searched: [Int64]
  }

  static let rows = [
    Row(
      testDescription: "every fifth of 25", framesPerSecond: 5, times: Array(stride(from: 0, to: 60, by: 4)),
      searched: [0, 20, 40]),
    Row(
      testDescription: "as many on average, where frames do not fall on the interval", framesPerSecond: 4,
      times: Array(stride(from: 0, to: 120, by: 4)), searched: [0, 28, 52, 76, 100]),
    Row(
      testDescription: "all of a slower stream", framesPerSecond: 5, times: [0, 50, 100, 150],
      searched: [0, 50, 100, 150]),
    Row(
      testDescription: "no catching up after a pause", framesPerSecond: 5, times: [0, 4, 300, 304, 308, 320],
      searched: [0, 300, 320]),
    Row(
      testDescription: "time that jumps back", framesPerSecond: 1, times: [500, 504, 0, 4, 100],
      searched: [500, 0, 100]),
    Row(testDescription: "a stream that starts late", framesPerSecond: 1, times: [9000, 9004], searched: [9000]),
  ]

  @Test(arguments: rows) func `so many frames of a second are searched`(row: Row) throws {
    var detection = PacedDetection(Searching(), framesPerSecond: row.framesPerSecond)
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

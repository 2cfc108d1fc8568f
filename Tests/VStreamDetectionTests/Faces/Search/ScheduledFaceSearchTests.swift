import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Streams of which only boxes of faces are requested, and small crops are searched in rotation.
struct ScheduledFaceSearchTests {
  /// Frames at 25 a second; a face 24 pixels wide appears on one of them and moves right by 2 pixels a frame.
  private static let entry = 10
  private static let count = 30
  private let frames: [VideoFrame]

  init() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("small.mkv")
    let motion = "x=160+2*n:y=200:enable=gte(n\\,\(Self.entry))"
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]scale=138:138[face];[0][face]overlay=\(motion):shortest=0", "-frames:v", "\(Self.count)", "-c:v", "ffv1",
      path,
    ])
    frames = try SampleFrames.read(path: path, at: Array(0..<Self.count))
  }

  private func detector(_ change: (inout FaceDetectorOptions) -> Void = { _ in }) throws -> FaceDetectionStage {
    try SharedFaceModels.detector {
      $0.performanceMode = .accurate
      $0.angleMode = .none
      $0.minFaceSize = 0.03
      change(&$0)
    }
  }

  /// Centre of the face on a frame: 225,127 of the portrait's 512 pixels.
  private func center(on frame: Int) -> Point { Point(x: 160 + 2 * Double(frame) + 60.6, y: 200 + 34.2) }

  @Test func `a small face is detected within the interval, and then on every frame`() throws {
    var detector = try detector()
    for (index, frame) in frames.enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      if index < Self.entry { #expect(faces.isEmpty, "frame \(index)") }
      // 0.2 seconds are five frames.
      guard index >= Self.entry + 5 else { continue }
      let center = try #require(faces.first).box.center
      #expect(
        faces.count == 1 && abs(center.x - self.center(on: index).x) < 6 && abs(center.y - self.center(on: index).y) < 6
      )
    }
  }

  @Test func `far fewer passes are run than with all crops on every frame`() throws {
    func passes(_ interval: Double) throws -> Int {
      let timer = CountingTimer()
      var detector = try detector { $0.searchInterval = interval }
      for frame in frames { _ = try detector.faces(in: frame, timer: timer) }
      return timer.steps.filter { $0 == "inferring" }.count
    }
    let (all, some) = (try passes(0), try passes(0.2))
    #expect(all >= 13 * Self.count && some < all / 2, "\(some) of \(all)")
  }

  @Test func `the faces do not depend on how early the next frame is started`() throws {
    var (one, other) = (try detector(), try detector())
    var (found, foundOverlapping): ([Observations], [Observations]) = ([], [])
    for frame in frames {
      try one.start(frame, timer: NoTimer())
      found.append(try one.finish(timer: NoTimer()))
    }
    try other.start(frames[0], timer: NoTimer())
    for frame in frames.dropFirst() {
      try other.start(frame, timer: NoTimer())
      foundOverlapping.append(try other.finish(timer: NoTimer()))
    }
    foundOverlapping.append(try other.finish(timer: NoTimer()))
    #expect(found == foundOverlapping)
    #expect(found.count { $0.faces?.count == 1 } >= Self.count - Self.entry - 5)
  }

  @Test func `a frame that cannot be sampled is an error, and the next ones are searched`() throws {
    var detector = try detector()
    let unreadable = try VideoFrame(
      format: try #require(PixelFormat(name: "pal8")), size: PixelSize(width: 640, height: 480),
      time: Time(ticks: 0, base: .milliseconds))
    for frame in frames.prefix(3) {
      try detector.start(frame, timer: NoTimer())
      #expect(throws: VStreamError.self) { try detector.start(unreadable, timer: NoTimer()) }
      #expect(try detector.finish(timer: NoTimer()).faces == [])
    }
    for _ in 0..<3 {
      #expect(throws: VStreamError.self) { _ = try detector.faces(in: unreadable, timer: NoTimer()) }
    }
    #expect(try detector.faces(in: try #require(frames.last), timer: NoTimer()).count == 1)
  }

  /// Two faces of 24 pixels, a face's width apart, moving at different speeds; one is dimmer and has lower scores.
  @Test func `each of two faces side by side is detected on every frame`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("two.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]crop=150:180:150:50,scale=40:48,split[one][b];[b]eq=brightness=-0.2[two];"
        + "[0][one]overlay=x=200+2*n:y=200[c];[c][two]overlay=x=244+n:y=203:shortest=0", "-frames:v", "20", "-c:v",
      "ffv1",
      path,
    ])
    var detector = try detector()
    for (index, frame) in try SampleFrames.read(path: path, at: Array(0..<20)).enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      #expect(faces.count == 2, "frame \(index): \(faces.map(\.box))")
    }
  }

  @Test func `a face that jumps by more than its width is detected on every frame`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("leaping.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]scale=138:138[face];[0][face]overlay=x=20+26*n:y=200:shortest=0", "-frames:v", "18", "-c:v", "ffv1", path,
    ])
    var detector = try detector()
    for (index, frame) in try SampleFrames.read(path: path, at: Array(0..<18)).enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      #expect(faces.count == 1, "frame \(index): \(faces.map(\.box))")
    }
  }
}

/// Distribution of crops over frames.
struct CropScheduleTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let times: [Double]
    let count: Int
    let expected: [[Int]]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "one crop a frame", times: [0, 0.1, 0.2, 0.3], count: 2, expected: [[0, 1], [0], [1], [0]]),
    Row(
      name: "the fraction is carried over", times: [0, 0.1, 0.2, 0.3, 0.4], count: 3,
      expected: [[0, 1, 2], [0], [1, 2], [0], [1, 2]]),
    Row(name: "none", times: [0, 0.1], count: 0, expected: [[], []]),
    Row(
      name: "time advances by the interval and by more", times: [0, 0.2, 5], count: 2,
      expected: [[0, 1], [0, 1], [0, 1]]),
    Row(name: "back in time", times: [7, 0, 0.1], count: 2, expected: [[0, 1], [0, 1], [0]]),
    Row(name: "time does not advance", times: [0, 0.1, 0.1, 0.2], count: 2, expected: [[0, 1], [0], [], [1]]),
  ]

  @Test(arguments: rows)
  func `schedules computed by hand, for 0.2 seconds`(_ row: Row) {
    var schedule = CropSchedule(interval: 0.2)
    #expect(row.times.map { schedule.crops(of: row.count, at: $0) } == row.expected)
  }

  @Test func `another number of crops restarts the schedule`() {
    var schedule = CropSchedule(interval: 0.2)
    #expect(schedule.crops(of: 4, at: 0) == [0, 1, 2, 3])
    #expect(schedule.crops(of: 2, at: 0.05) == [0, 1])
  }

  @Test(arguments: [23.976, 25, 29.97, 50, 59.94, 12])
  func `each crop is searched within the interval and one frame`(rate: Double) {
    for count in 1...80 {
      var schedule = CropSchedule(interval: 0.2)
      var last = [Double](repeating: 0, count: count)
      for frame in 0..<Int(3 * rate) {
        let seconds = Double(frame) / rate
        let taken = schedule.crops(of: count, at: seconds)
        #expect(Set(taken).count == taken.count)
        for crop in taken { last[crop] = seconds }
        #expect(seconds - (last.min() ?? 0) < 0.2 + 1 / rate + 1e-9, "\(count) crops, frame \(frame)")
      }
    }
  }
}

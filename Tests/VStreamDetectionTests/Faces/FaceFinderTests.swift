import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// Streams of which only boxes of faces are requested: whole frames now and then, and known faces on every frame.
struct FaceFinderTests {
  @Test(arguments: [
    (
      name: "video", size: PixelSize(width: 1920, height: 1080), mode: DetectionMode.stream, own: nil as Double?,
      expected: 19.97
    ),
    (name: "a large frame", size: PixelSize(width: 3840, height: 2160), mode: .stream, own: nil, expected: 39.94),
    (name: "a photo", size: PixelSize(width: 4000, height: 3000), mode: .singleImage, own: nil, expected: 20),
    (name: "a wide frame", size: PixelSize(width: 8000, height: 144), mode: .stream, own: nil, expected: 14),
    (name: "a small frame", size: PixelSize(width: 640, height: 480), mode: .stream, own: nil, expected: 14),
    (
      name: "a size of the user's", size: PixelSize(width: 640, height: 480), mode: .singleImage, own: 0.005,
      expected: 8
    ),
  ])
  func `the smallest redacted face follows from the frame`(
    row: (name: String, size: PixelSize, mode: DetectionMode, own: Double?, expected: Double)
  ) {
    var options = FaceDetectorOptions(detectorMode: row.mode)
    options.search(for: .redaction)
    if let own = row.own { options.minFaceSize = own }
    #expect(abs(options.smallestFace(in: row.size) - row.expected) < 0.01, "\(row.name)")
  }

  @Test func `detections that redaction covers have lower scores than those that are reported`() {
    var options = FaceDetectorOptions()
    #expect(options.lowestScore == 0.5)
    options.minimumScore = 0.9
    options.search(for: .redaction)
    #expect(abs(options.lowestScore - 0.4) < 1e-9, "what is not reported is covered all the same")
    #expect(options.trackerOptions.minimumScore == 0.9)
    options.minimumScore = 0.3
    #expect(abs(options.lowestScore - 0.24) < 1e-9)
  }

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
      $0.minFaceSize = 0.02
      change(&$0)
    }
  }

  /// Centre of the face on a frame: 225,127 of the portrait's 512 pixels.
  private func center(on frame: Int) -> Point { Point(x: 160 + 2 * Double(frame) + 60.6, y: 200 + 34.2) }

  @Test func `a small face is detected within two intervals, and then on every frame`() throws {
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

  /// The passes on each of some frames.
  private func passes(
    on frames: [VideoFrame], _ change: (inout FaceDetectorOptions) -> Void = { _ in }
  ) throws -> [Int] {
    var detector = try detector(change)
    return try frames.map { frame in
      let timer = CountingTimer()
      _ = try detector.faces(in: frame, timer: timer)
      return timer.steps.count { $0 == "inferring" }
    }
  }

  @Test func `known faces alone are searched for in most frames`() throws {
    let passes = try passes(on: frames)
    #expect(passes.prefix(Self.entry) == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0], "\(passes)")
    #expect(passes.suffix(15).allSatisfy { $0 == 1 }, "\(passes)")
    #expect(try self.passes(on: frames) { $0.searchSeconds = 0 } == [Int](repeating: 1, count: Self.count))
  }

  @Test func `the faces do not depend on how early the next frame is started`() throws {
    var (one, other) = (try detector(), try detector())
    var (found, foundOverlapping): ([Detections], [Detections]) = ([], [])
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
    #expect(found.count { $0.faces?.count == 1 } >= Self.count - Self.entry - 10)
  }

  @Test func `a frame that cannot be sampled is an error, and the next ones are searched`() throws {
    var detector = try detector { $0.searchSeconds = 0 }
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

/// Which frames are searched wholly.
struct FaceScheduleTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let times: [Double]
    let expected: [Bool]
    var testDescription: String { name }
  }

  private static func times(_ rate: Double, _ count: Int) -> [Double] { (0..<count).map { Double($0) / rate } }
  private static func every(_ frames: Int, of count: Int) -> [Bool] { (0..<count).map { $0 % frames == 0 } }

  static let rows = [
    Row(name: "25 a second: every fifth of a second", times: times(25, 21), expected: every(5, of: 21)),
    Row(name: "50 a second: every fifth of a second", times: times(50, 31), expected: every(10, of: 31)),
    Row(name: "10 a second: every fifth frame", times: times(10, 16), expected: every(5, of: 16)),
    Row(name: "2 a second: every second", times: times(2, 7), expected: every(2, of: 7)),
    Row(name: "back in time", times: [7, 0, 0.04, 0.08], expected: [true, true, false, false]),
    Row(name: "a gap", times: [0, 0.04, 5, 5.04], expected: [true, false, true, false]),
  ]

  @Test(arguments: rows)
  func `schedules computed by hand, for 0.2 seconds`(_ row: Row) {
    var schedule = FaceSchedule(seconds: 0.2)
    #expect(row.times.map { schedule.isWholeDue(at: $0) } == row.expected)
  }

  @Test func `with an interval of 0 every frame is searched wholly`() {
    var schedule = FaceSchedule(seconds: 0)
    #expect((0..<9).allSatisfy { schedule.isWholeDue(at: Double($0) / 25) })
  }
}

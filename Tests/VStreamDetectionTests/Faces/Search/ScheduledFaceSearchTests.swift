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

  @Test func `far fewer passes are run than with all crops on every frame`() throws {
    let (all, some) = (try passes(on: frames) { $0.searchInterval = 0 }, try passes(on: frames))
    let (allCount, count) = (all.reduce(0, +), some.reduce(0, +))
    #expect(allCount >= 13 * Self.count && count < allCount / 2, "\(count) of \(allCount)")
  }

  /// A grey film with a portrait.
  private func film(_ portrait: String, count: Int) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      portrait, "-frames:v", "\(count)", "-c:v", "ffv1", folder.file("film.mkv"),
    ])
    return try SampleFrames.read(path: folder.file("film.mkv"), at: Array(0..<count))
  }

  @Test func `where nothing changes, all of the frame is searched once a second, and at once where something appears`()
    throws
  {
    let film = try film(
      "[1]scale=138:138[face];[0][face]overlay=x=240:y=200:enable='gte(n,40)':shortest=0,noise=alls=4:allf=t",
      count: 42)
    let passes = try passes(on: film)
    // The whole of each frame, and once each of the twelve crops.
    #expect(passes[1..<25].allSatisfy { $0 == 1 }, "\(passes)")
    #expect(passes[1..<40].reduce(0, +) == 39 + 12, "\(passes)")
    var detector = try detector()
    let found = try film.map { try detector.faces(in: $0, timer: NoTimer()).count }
    #expect(found == [Int](repeating: 0, count: 40) + [1, 1], "\(found)")
  }

  @Test(arguments: [100.0, 160]) func `a wide face needs no pass of its own`(width: Double) throws {
    let side = Int(512 * width / 89)
    let film = try film(
      "[1]scale=\(side):\(side)[face];[0][face]overlay=x=320-0.44*w+n:y=240-0.25*h:shortest=0", count: 8)
    var detector = try detector { $0.minFaceSize = 0.1 }
    #expect(try film.map { try detector.faces(in: $0, timer: NoTimer()).count } == [Int](repeating: 1, count: 8))
    let passes = try passes(on: film) { $0.minFaceSize = 0.1 }
    #expect(passes == [Int](repeating: 1, count: 8), "\(passes)")
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

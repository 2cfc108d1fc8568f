import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Streams in which boxes of faces are all that is wanted, and closer looks are taken in turns.
struct FaceSweepTests {
  /// Frames at 25 a second, of a face 24 pixels wide that comes in on one of them and goes 2 pixels a frame to the right.
  private static let entry = 10
  private static let count = 30
  private let frames: [VideoFrame]

  init() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("small.mkv")
    let way = "x=160+2*n:y=200:enable=gte(n\\,\(Self.entry))"
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]scale=138:138[face];[0][face]overlay=\(way):shortest=0", "-frames:v", "\(Self.count)", "-c:v", "ffv1", path,
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

  /// Middle of the face on a frame: 225,127 of the portrait's 512 pixels.
  private func place(on frame: Int) -> Point { Point(x: 160 + 2 * Double(frame) + 60.6, y: 200 + 34.2) }

  @Test func `a small face is found within the interval, and then on every frame`() throws {
    var detector = try detector()
    for (index, frame) in frames.enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      if index < Self.entry { #expect(faces.isEmpty, "frame \(index)") }
      // 0.2 seconds are five frames.
      guard index >= Self.entry + 5 else { continue }
      let center = try #require(faces.first).box.center
      #expect(faces.count == 1 && abs(center.x - place(on: index).x) < 6 && abs(center.y - place(on: index).y) < 6)
    }
  }

  @Test func `far fewer looks are taken than on every frame`() throws {
    func looks(_ interval: Double) throws -> Int {
      let timer = CountingTimer()
      var detector = try detector { $0.searchInterval = interval }
      for frame in frames { _ = try detector.faces(in: frame, timer: timer) }
      return timer.steps.filter { $0 == "inferring" }.count
    }
    let (all, some) = (try looks(0), try looks(0.2))
    #expect(all >= 13 * Self.count && some < all / 2, "\(some) of \(all)")
  }

  @Test func `the same is found whether the next frame is begun before the last is done or not`() throws {
    var (one, other) = (try detector(), try detector())
    var (found, foundAhead): ([Observations], [Observations]) = ([], [])
    for frame in frames {
      try one.begin(frame, timer: NoTimer())
      found.append(try one.end(timer: NoTimer()))
    }
    try other.begin(frames[0], timer: NoTimer())
    for frame in frames.dropFirst() {
      try other.begin(frame, timer: NoTimer())
      foundAhead.append(try other.end(timer: NoTimer()))
    }
    foundAhead.append(try other.end(timer: NoTimer()))
    #expect(found == foundAhead)
    #expect(found.count { $0.faces?.count == 1 } >= Self.count - Self.entry - 5)
  }

  @Test func `a frame that cannot be looked at is an error, and the next ones are looked at`() throws {
    var detector = try detector()
    let unreadable = try VideoFrame(
      format: try #require(PixelFormat(name: "pal8")), size: PixelSize(width: 640, height: 480),
      time: Time(ticks: 0, base: .milliseconds))
    for frame in frames.prefix(3) {
      try detector.begin(frame, timer: NoTimer())
      #expect(throws: VStreamError.self) { try detector.begin(unreadable, timer: NoTimer()) }
      #expect(try detector.end(timer: NoTimer()).faces == [])
    }
    for _ in 0..<3 {
      #expect(throws: VStreamError.self) { _ = try detector.faces(in: unreadable, timer: NoTimer()) }
    }
    #expect(try detector.faces(in: try #require(frames.last), timer: NoTimer()).count == 1)
  }

  /// Two faces of 24 pixels, a face's width apart, going different ways; one is dimmer, and the other seen better.
  @Test func `each of two faces side by side is seen on every frame`() throws {
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

  @Test func `a face that leaps by more than its width is seen on every frame`() throws {
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

struct LookTurnsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let times: [Double]
    let count: Int
    let expected: [[Int]]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "a look a frame", times: [0, 0.1, 0.2, 0.3], count: 2, expected: [[0, 1], [0], [1], [0]]),
    Row(
      name: "what is left over is taken later", times: [0, 0.1, 0.2, 0.3, 0.4], count: 3,
      expected: [[0, 1, 2], [0], [1, 2], [0], [1, 2]]),
    Row(name: "none", times: [0, 0.1], count: 0, expected: [[], []]),
    Row(
      name: "as long as the interval and longer", times: [0, 0.2, 5], count: 2, expected: [[0, 1], [0, 1], [0, 1]]),
    Row(name: "back in time", times: [7, 0, 0.1], count: 2, expected: [[0, 1], [0, 1], [0]]),
    Row(name: "no time passes", times: [0, 0.1, 0.1, 0.2], count: 2, expected: [[0, 1], [0], [], [1]]),
  ]

  @Test(arguments: rows)
  func `turns by hand, of 0.2 seconds`(_ row: Row) {
    var turns = CropRotation(interval: 0.2)
    #expect(row.times.map { turns.next(of: row.count, at: $0) } == row.expected)
  }

  @Test func `another number of looks begins anew`() {
    var turns = CropRotation(interval: 0.2)
    #expect(turns.next(of: 4, at: 0) == [0, 1, 2, 3])
    #expect(turns.next(of: 2, at: 0.05) == [0, 1])
  }

  @Test(arguments: [23.976, 25, 29.97, 50, 59.94, 12])
  func `each look is taken within the interval and a frame`(rate: Double) {
    for count in 1...80 {
      var turns = CropRotation(interval: 0.2)
      var last = [Double](repeating: 0, count: count)
      for frame in 0..<Int(3 * rate) {
        let seconds = Double(frame) / rate
        let taken = turns.next(of: count, at: seconds)
        #expect(Set(taken).count == taken.count)
        for look in taken { last[look] = seconds }
        #expect(seconds - (last.min() ?? 0) < 0.2 + 1 / rate + 1e-9, "\(count) looks, frame \(frame)")
      }
    }
  }
}

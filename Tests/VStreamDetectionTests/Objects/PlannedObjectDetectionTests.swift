import Testing
import VStreamMedia
import VStreamTestSupport
import VStreamTracking

@testable import VStreamCore
@testable import VStreamDetection

/// Detection in parts of frames, by the real network, on real pictures.
struct PlannedObjectDetectionTests {
  private static func detector(framesInFlight: Int = 4) throws -> PlannedObjectDetection {
    try SharedModel.planned(.perFrame(1.25), framesInFlight: framesInFlight)
  }

  /// The empty street, with a sensor's noise, and one of its people, who appears in frame `start` and walks.
  private static func street(
    frames: Int, start: Int = .max, x: String = "0", y: Int = 0, scale: String? = nil, person: String = "null"
  ) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    let street = Checkout.sample("street.avi")
    let size = scale.map { ",scale=\($0)" } ?? ""
    let overlay =
      start == .max
      ? "null"
      : "null[ground];[1:v]trim=end_frame=1,crop=44:96:246:214,loop=loop=-1:size=1,settb=1/25,setpts=N,\(person)[one];"
        + "[ground][one]overlay=x='\(x)':y=\(y):enable='gte(round(25*t),\(start))'"
    let graph =
      "[0:v]select='not(mod(n,12))',tmedian=radius=25,trim=end_frame=1\(size),loop=loop=-1:size=1,settb=1/25,setpts=N,"
      + "format=yuv420p,\(overlay),noise=alls=6:allf=t,fps=25[out]"
    try Program.ffmpeg([
      "-i", street, "-i", street, "-filter_complex", graph, "-map", "[out]", "-frames:v", "\(frames)", "-c:v", "ffv1",
      folder.file("street.mkv"),
    ])
    return try SampleFrames.read(path: folder.file("street.mkv"), at: Array(0..<frames))
  }

  struct Entrance: CustomTestStringConvertible, Sendable {
    let x: Int
    let y: Int
    /// Pixels a frame.
    let speed: Int
    var testDescription: String { "at \(x), \(y), \(speed) pixels a frame" }
  }

  @Test(arguments: [
    Entrance(x: 100, y: 300, speed: 3), Entrance(x: 240, y: 210, speed: 2), Entrance(x: 600, y: 250, speed: -3),
    Entrance(x: 400, y: 350, speed: 5), Entrance(x: 500, y: 150, speed: -2), Entrance(x: 300, y: 400, speed: 4),
    Entrance(x: 650, y: 400, speed: -5), Entrance(x: 150, y: 180, speed: 2), Entrance(x: 350, y: 120, speed: 3),
    Entrance(x: 450, y: 440, speed: -4),
  ])
  func `somebody who appears is found within 0.2 seconds of moving ten pixels`(row: Entrance) throws {
    let start = 30
    let frames = try Self.street(
      frames: 50, start: start, x: "\(row.x)+\(row.speed)*max(0,round(25*t)-\(start))", y: row.y)
    var detector = try Self.detector()
    let found = try frames.map { try detector.detect(in: $0, timer: NoTimer()).objects ?? [] }
    let first = found.indices.first { index in
      let person = Box(
        x: Double(row.x + row.speed * max(0, index - start)) + 6, y: Double(row.y) + 7, width: 32, height: 82)
      return index >= start
        && found[index].contains { $0.label == "person" && $0.score >= 0.5 && $0.box.iou(person) > 0.4 }
    }
    let moved = (10 + abs(row.speed) - 1) / abs(row.speed)
    #expect(first.map { $0 <= start + moved + 5 } == true, "\(String(describing: first))")
  }

  @Test func `an empty street is still, until somebody walks`() throws {
    let frames = try Self.street(frames: 60, start: 50, x: "240+3*max(0,round(25*t)-50)", y: 210)
    var detector = try Self.detector(framesInFlight: 1)
    let isStill = try frames.map { try detector.detect(in: $0, timer: NoTimer()).isStill }
    // The first frame has nothing before it.
    #expect(!isStill[0], "\(isStill)")
    // Something doubtful may be found once, and is searched for again.
    #expect(isStill[..<50].count { $0 } >= 40, "\(isStill)")
    #expect(isStill[51...].allSatisfy { !$0 }, "\(isStill)")
  }

  @Test func `a person of 40 pixels in a frame of 3840 × 2160 is found and tracked`() throws {
    let frames = try Self.street(
      frames: 45, start: 5, x: "1500+6*max(0,round(25*t)-5)", y: 900, scale: "3840:2160", person: "scale=-2:47")
    var detector = try Self.detector()
    var tracker = Tracker()
    var ids: [Int?] = []
    for (index, frame) in frames.enumerated() {
      let found = try detector.detect(in: frame, timer: NoTimer())
      let tracks = tracker.update(found.objects ?? [], searched: found.objectSearch, at: frame.time.seconds)
      let person = Box(x: 1503 + 6 * Double(max(0, index - 5)), y: 903, width: 16, height: 40)
      ids.append(tracks.first { $0.label == "person" && $0.box.iou(person) > 0.3 }?.id)
    }
    #expect(ids.suffix(25).count { $0 != nil } >= 22, "\(ids)")
    #expect(Set(ids.compactMap(\.self)).count == 1, "\(ids)")
  }

  @Test func `results do not depend on how many frames are in flight`() throws {
    let frames = try SampleFrames.read("street.avi", at: Array(0..<24))
    var (one, other) = (try Self.detector(), try Self.detector())
    #expect(one.framesInFlight == 4)
    let alone = try frames.map { try one.detect(in: $0, timer: NoTimer()) }
    var together: [Detections] = []
    for (index, frame) in frames.enumerated() {
      try other.start(frame, timer: NoTimer())
      if index >= 3 { together.append(try other.finish(timer: NoTimer())) }
    }
    while together.count < frames.count { together.append(try other.finish(timer: NoTimer())) }
    #expect(alone == together)
    #expect(alone.count { $0.objectSearch?.regions.isEmpty == false } > 12)
    #expect(Set(alone.compactMap { $0.objectSearch?.regions.map(\.box) }).count > 10, "crops follow the people")
  }

  /// The numbers of the frames that are searched wholly.
  private static func wholeSearches(of frames: [VideoFrame], inFlight: Int) throws -> [Int] {
    var detector = try detector(framesInFlight: inFlight)
    return try frames.indices.filter { index in
      let search = try #require(try detector.detect(in: frames[index], timer: NoTimer()).objectSearch)
      return search.regions.contains { search.isWhole($0.box) }
    }
  }

  @Test(arguments: [1, 4])
  func `after a cut the whole frame is searched, though nothing moves`(framesInFlight: Int) throws {
    var frames = try Self.street(frames: 40)
    #expect(!(try Self.wholeSearches(of: frames, inFlight: framesInFlight)).contains(20))
    for index in 20..<40 { frames[index].shot = 1 }
    #expect(try Self.wholeSearches(of: frames, inFlight: framesInFlight).contains(20))
  }

  @Test(arguments: [(140, 140), (204, 204), (236, 172)])
  func `a person is where the network's own size finds her, with inputs of other sizes`(side: (Int, Int)) throws {
    let frame = try #require(try SampleFrames.read("street.avi", at: [0]).first)
    let person = Box(x: 254, y: 220, width: 31, height: 89)
    func found(_ size: PixelSize) throws -> DetectedObject? {
      var network = try ObjectNetwork(try SharedModel.resized(to: size), options: ObjectDetectionOptions())
      let region = Box(center: person.center, width: Double(size.width), height: Double(size.height))
      try network.sample(frame, showing: region)
      try network.infer()
      return try network.objects().first { $0.label == "person" && $0.box.iou(person) > 0.5 }
    }
    let (own, other) = (
      try #require(try found(SSDDecoder.trainedInput)),
      try #require(try found(PixelSize(width: side.0, height: side.1)))
    )
    #expect(other.score > 0.7 && other.box.iou(own.box) > 0.85, "\(other), \(own)")
  }

  @Test func `what a crop's edge cuts is not reported`() throws {
    var detector = try Self.detector()
    for frame in try SampleFrames.read("street.avi", at: Array(0..<20)) {
      let found = try detector.detect(in: frame, timer: NoTimer())
      let search = try #require(found.objectSearch)
      for object in found.objects ?? [] {
        #expect(search.scale(of: object.box) != nil, "\(object.box)")
      }
      let people = (found.objects ?? []).filter { $0.label == "person" && $0.score >= 0.5 }
      for (index, one) in people.enumerated() {
        #expect(!people[..<index].contains { $0.box.iou(one.box) > 0.6 }, "nobody is reported twice")
      }
    }
  }
}

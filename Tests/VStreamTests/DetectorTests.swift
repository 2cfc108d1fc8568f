import Foundation
import Testing
import VStream
import VStreamTestSupport

/// The detectors as other packages use them, on footage.
struct DetectorTests {
  /// Frames of a clip, scaled, in memory, a tenth of a second apart.
  ///
  /// - Parameters:
  ///   - first: the clip's frame that is the first of them.
  ///   - start: its time in seconds.
  private func frames(
    _ clip: String, from first: Int = 0, count: Int, width: Int, height: Int, at start: Double = 0
  ) throws -> [VideoFrame] {
    let size = PixelSize(width: width, height: height)
    let data = try Program.ffmpeg([
      "-i", Checkout.sample(clip), "-vf", "select=gte(n\\,\(first)),scale=\(width):\(height)", "-frames:v", "\(count)",
      "-f", "rawvideo", "-pix_fmt", "bgra", "-",
    ]).output
    let bytes = [UInt8](data)
    let each = width * height * 4
    try #require(bytes.count == count * each)
    return try (0..<count).map { index in
      try VideoFrame(
        Array(bytes[(index * each)..<((index + 1) * each)]), as: .bgra, size: size, seconds: start + Double(index) / 10)
    }
  }

  private func street(_ count: Int) throws -> [VideoFrame] {
    try frames("street.avi", count: count, width: 768, height: 576)
  }

  @Test func `objects of an image have labels and scores, and no IDs, the best first`() throws {
    let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
    let objects = try detector.results(in: street(1)[0])
    #expect(objects.contains { $0.label == "person" })
    #expect(objects.allSatisfy { $0.id == nil && $0.score >= 0.5 })
    #expect(objects.map(\.score) == objects.map(\.score).sorted(by: >))
  }

  @Test func `an image file has the results of its pixels`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-frames:v", "1", folder.file("a.png")])
    let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
    let image = try VideoFrame(contentsOf: folder.file("a.png"))
    #expect(image.size == PixelSize(width: 768, height: 576))
    let (ofFile, ofPixels) = (try detector.results(in: image), try detector.results(in: street(1)[0]))
    #expect(ofFile.map(\.label) == ofPixels.map(\.label))
    for (one, other) in zip(ofFile, ofPixels) { #expect(one.box.iou(other.box) > 0.95) }
  }

  @Test func `objects of a stream have IDs from the second frame on, which hold`() async throws {
    let detector = try ObjectDetector()
    var seen: [[Int]] = []
    for frame in try street(6) {
      let objects = try await detector.process(frame)
      #expect(objects.allSatisfy { $0.id != nil })
      seen.append(objects.filter { $0.label == "person" }.compactMap(\.id))
    }
    #expect(seen[0].isEmpty)
    #expect(!seen[1].isEmpty)
    #expect(!Set(seen[1]).isDisjoint(with: seen[5]))
  }

  /// People of the street, then cars and a person of another clip.
  @Test func `no ID of a stream goes on over a cut, and it does over a flash`() throws {
    let film = try street(8) + frames("bikes.mp4", from: 30, count: 6, width: 768, height: 576, at: 0.8)
    func ids(_ frames: [VideoFrame]) throws -> [Set<Int>] {
      let detector = try ObjectDetector()
      return try frames.map { Set(try detector.results(in: $0).compactMap(\.id)) }
    }
    let cut = try ids(film)
    let (before, after) = (Set(cut[..<8].joined()), Set(cut[8...].joined()))
    #expect(!before.isEmpty && !after.isEmpty)
    #expect(before.isDisjoint(with: after))
    let people = try street(9)
    let white = [UInt8](repeating: 255, count: 768 * 576 * 4)
    let flash = try VideoFrame(white, as: .bgra, size: people[0].size, seconds: 0.65)
    let flashed = try ids(people[..<7] + [flash] + people[7...])
    #expect(!flashed[6].isEmpty)
    #expect(flashed[7].isEmpty)
    #expect(!flashed[8].isDisjoint(with: flashed[6]))
  }

  @Test func `poses of a stream have IDs from the second frame on, and 33 landmarks`() async throws {
    let detector = try PoseDetector()
    var seen: [[DetectedPose]] = []
    for frame in try frames("face-panning.mp4", count: 4, width: 640, height: 480) {
      seen.append(try await detector.process(frame))
    }
    #expect(seen[0].isEmpty)
    for poses in seen.dropFirst() {
      #expect(poses.map(\.id) == [1])
      #expect(poses.first?.landmarks.count == 33)
    }
    var options = PoseDetectorOptions()
    options.detectorMode = .singleImage
    let single = try PoseDetector(options).results(in: frames("face-panning.mp4", count: 1, width: 640, height: 480)[0])
    #expect(single.count == 1 && single[0].id == nil)
  }

  @Test func `waiting and awaiting give the same`() async throws {
    let (one, other) = (try ObjectDetector(), try ObjectDetector())
    for frame in try street(4) {
      let (waited, awaited) = (try one.results(in: frame), try await other.process(frame))
      #expect(waited == awaited)
    }
  }

  @Test func `options choose what is reported`() throws {
    let frame = try street(1)[0]
    func found(_ change: (inout ObjectDetectorOptions) -> Void) throws -> [DetectedObject] {
      var options = ObjectDetectorOptions(detectorMode: .singleImage)
      change(&options)
      return try ObjectDetector(options).results(in: frame)
    }
    let all = try found { _ in }
    try #require(all.count > 2)
    #expect(try found { $0.shouldEnableMultipleObjects = false }.count == 1)
    #expect(try found { $0.maximumObjects = 2 }.count == 2)
    #expect(try found { $0.shouldEnableClassification = false }.allSatisfy { $0.label == "object" })
    #expect(try found { $0.classes = ["person"] } == all.filter { $0.label == "person" })
    #expect(try found { $0.minimumScore = 0.2 }.count > all.count)
  }

  @Test func `a model's own score counts unless another is given`() throws {
    let folder = try TemporaryFolder()
    for ending in ["xml", "bin"] {
      let path = Checkout.root.appending(path: ".deps/models/ssd-int8.\(ending)").path
      try FileManager.default.copyItem(atPath: path, toPath: folder.file("own.\(ending)"))
    }
    try Data(#"{"score":0.8}"#.utf8).write(to: URL(filePath: folder.file("own.json")))
    let frame = try street(1)[0]
    var options = ObjectDetectorOptions(detectorMode: .singleImage)
    options.model = folder.file("own.xml")
    let own = try ObjectDetector(options).results(in: frame)
    #expect(!own.isEmpty && own.allSatisfy { $0.score >= 0.8 })
    options.minimumScore = 0.5
    #expect(try ObjectDetector(options).results(in: frame).count > own.count)
  }

  @Test func `an invalid option is an error that names it`() throws {
    var options = ObjectDetectorOptions()
    options.classes = ["persn"]
    let unknown = #expect(throws: VStreamError.self) { try ObjectDetector(options) }
    #expect(unknown?.code == .usage)
    #expect(unknown?.remedy == "did you mean person?")
    #expect(unknown?.message == "'persn' is not a class of this model (classes)")
    options = ObjectDetectorOptions()
    options.model = "nothing"
    let missing = #expect(throws: VStreamError.self) { try ObjectDetector(options) }
    #expect(missing?.code == .missingDependency)
    #expect(missing?.remedy.contains("ssd-mobilenet-v2") == true)
    let gone = #expect(throws: VStreamError.self) { try VideoFrame(contentsOf: "/nowhere/a.jpg") }
    #expect(gone?.code == .inputNotFound)
  }

  @Test func `faces have an ID and the requested parts`() async throws {
    var options = FaceDetectorOptions()
    options.landmarkMode = .all
    let detector = try FaceDetector(options)
    var ids: [[Int]] = []
    for frame in try frames("face.mp4", count: 4, width: 176, height: 144) {
      let faces = try await detector.process(frame)
      ids.append(faces.compactMap(\.id))
      #expect(faces.allSatisfy { $0.landmarks?.count == 10 && $0.contours == nil && $0.angles != nil })
    }
    #expect(ids == [[], [1], [1], [1]])
    options.detectorMode = .singleImage
    let still = try FaceDetector(options).results(in: frames("face.mp4", count: 1, width: 176, height: 144)[0])
    #expect(still.count == 1)
    #expect(still.first?.id == nil)
  }

  /// More calls at once than Swift has threads, from as many tasks.
  @Test func `calls from many tasks are all answered`() async throws {
    let detector = try FaceDetector(FaceDetectorOptions())
    let frame = try frames("face.mp4", count: 1, width: 176, height: 144)[0]
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 { group.addTask { try await detector.process(frame).count } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // Frames with equal times have at most the tracks of one frame.
    #expect(counts.count == 40)
    #expect(counts.allSatisfy { $0 <= 1 })
  }

  @Test func `a task that is cancelled gets no results, and the next one does`() async throws {
    let detector = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage))
    let frame = try frames("face.mp4", count: 1, width: 176, height: 144)[0]
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await detector.process(frame)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await detector.process(frame).count == 1)
  }
}

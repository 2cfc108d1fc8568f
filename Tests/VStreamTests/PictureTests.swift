import Foundation
import Observation
import Testing
import VStream
import VStreamTestSupport

/// A model of an app, which `import Observation` beside `import VStream` must allow.
@Observable private final class Counter {
  var count = 0
}

/// Pictures of frames, frames of sequences, and the names of ML Kit and Vision.
struct PictureTests {
  private let image: VideoFrame

  init() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-i", Checkout.sample("face.mp4"), "-frames:v", "1", folder.file("a.png")])
    image = try VideoFrame(contentsOf: folder.file("a.png"))
  }

  private func street(_ count: Int) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Street.cut(frames: count, to: folder.file("in.avi"))
    return folder
  }

  @Test func `types of the library do not hide those of the module Observation`() {
    let counter = Counter()
    counter.count += 1
    #expect(counter.count == 1)
  }

  @Test func `the localised description of an error has its problem and its remedy`() {
    let error = #expect(throws: VStreamError.self) { _ = try VideoFrame(contentsOf: "/nowhere.jpg") }
    #expect(error?.localizedDescription.contains("/nowhere.jpg") == true)
    #expect(error?.localizedDescription == error?.description && error?.recoverySuggestion == error?.remedy)
    #expect(error?.location.file.hasSuffix(".swift") == true && error?.location.line ?? 0 > 0)
    let foreign = VStreamError(any: CocoaError(.fileNoSuchFile))
    #expect(foreign.cause is CocoaError && foreign.failureReason != nil)
  }

  struct Invalid: CustomTestStringConvertible, Sendable {
    let name: String
    let size: PixelSize
    let stride: Int?
    let message: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Invalid(
      name: "a stride that is too small", size: PixelSize(width: 64, height: 64), stride: 10,
      message: "a stride of 10 bytes is less than a row of 64 pixels in rgb24, which takes 192"),
    Invalid(
      name: "no pixels", size: PixelSize(width: 0, height: 0), stride: nil,
      message: "a frame of 0×0 in rgb24 cannot be created"),
    Invalid(
      name: "too few bytes", size: PixelSize(width: 65, height: 64), stride: nil,
      message: "12288 bytes are too few for 65×64 in rgb24, which takes 12480"),
  ])
  func `wrong bytes of a frame are named`(row: Invalid) {
    let bytes = [UInt8](repeating: 0, count: 64 * 64 * 3)
    let error = #expect(throws: VStreamError.self) {
      _ = try VideoFrame(bytes, as: .rgb, size: row.size, stride: row.stride)
    }
    #expect(error?.code == .usage && error?.message == row.message)
  }

  @Test func `image files in memory have the frame's pixels, a JPEG nearly`() throws {
    let pixels = try image.pixels(as: .rgb)
    #expect(try VideoFrame(encoded: image.encoded(as: .png)).pixels(as: .rgb) == pixels)
    let (good, poor) = (try image.encoded(as: .jpeg(quality: 0.95)), try image.encoded(as: .jpeg(quality: 0.1)))
    #expect(good.count > 2 * poor.count)
    let difference = zip(try VideoFrame(encoded: good).pixels(as: .rgb), pixels).reduce(0) {
      $0 + abs(Int($1.0) - Int($1.1))
    }
    #expect(difference < 4 * pixels.count)
    #expect(try VideoFrame(encoded: good, orientation: .right).size.width == image.size.height)
    #expect(throws: VStreamError.self) { _ = try VideoFrame(encoded: [1, 2, 3]) }
    #expect(throws: VStreamError.self) { _ = try image.encoded(as: .jpeg(quality: 2)) }
  }

  @Test(arguments: VideoFrame.PixelBytes.allCases)
  func `pixels return from every layout, and from planes with padding`(layout: VideoFrame.PixelBytes) throws {
    let small = try image.scaled(to: PixelSize(width: 64, height: 48))
    let bytes = try small.pixels(as: layout)
    #expect(try VideoFrame(bytes, as: layout, size: small.size).pixels(as: layout) == bytes)
    // Rows of 64 samples, and of half as many for the planes of `i420`.
    let rows: [(bytes: Int, count: Int)] =
      switch layout {
      case .rgb, .bgr: [(192, 48)]
      case .rgba, .bgra: [(256, 48)]
      case .gray: [(64, 48)]
      case .yuyv, .uyvy: [(128, 48)]
      case .nv12: [(64, 48), (64, 24)]
      case .p010: [(128, 48), (128, 24)]
      case .i420: [(64, 48), (32, 24), (32, 24)]
      }
    var (planes, start): ([[UInt8]], Int) = ([], 0)
    for row in rows {
      var plane: [UInt8] = []
      for index in 0..<row.count {
        plane += bytes[start + index * row.bytes..<start + (index + 1) * row.bytes] + [1, 2, 3, 4, 5, 6, 7, 8]
      }
      planes.append(plane)
      start += row.bytes * row.count
    }
    let padded = try VideoFrame(planes: planes, strides: rows.map { $0.bytes + 8 }, as: layout, size: small.size)
    #expect(try padded.pixels(as: layout) == bytes)
    #expect(throws: VStreamError.self) { _ = try VideoFrame(planes: planes + [[]], as: layout, size: small.size) }
  }

  @Test func `a crop has the pixels of its box, and a box outside is an error`() throws {
    let box = Box(x: 10.4, y: 20, width: 30, height: 40)
    let crop = try image.crop(box)
    #expect(crop.size == PixelSize(width: 31, height: 40))
    let (all, part) = (try image.pixels(as: .rgb), try crop.pixels(as: .rgb))
    let start = (20 * image.size.width + 10) * 3
    #expect(Array(part[0..<93]) == Array(all[start..<start + 93]))
    #expect(throws: VStreamError.self) { _ = try image.crop(Box(x: -50, y: 0, width: 20, height: 20)) }
  }

  @Test func `a face is cropped, redacted and drawn on`() throws {
    let faces = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage)).results(in: image)
    let face = try #require(faces.first)
    #expect(face.confidence == face.score && face.trackingID == nil && face.headEulerAngleY != nil)
    let crop = try image.crop(of: face, margin: 0, longestSide: 40)
    #expect(max(crop.size.width, crop.size.height) == 40)
    #expect(throws: VStreamError.self) {
      _ = try image.crop(of: DetectedFace(score: 1, box: Box(x: -90, y: 0, width: 20, height: 20)))
    }
    let filled = try image.redacting(faces, style: .fill).crop(face.box).pixels(as: .gray)
    #expect(filled.allSatisfy { $0 < 30 })
    #expect(try image.redacting([Box](), style: .fill).pixels(as: .rgb) == image.pixels(as: .rgb))
    #expect(try image.drawing(faces).pixels(as: .rgb) != image.pixels(as: .rgb))
    #expect(throws: VStreamError.self) { _ = try image.scaled(to: PixelSize(width: 0, height: 4)) }
  }

  @Test func `requests return typed results in normalised coordinates`() async throws {
    let (faces, bodies) = try await ImageRequestHandler(image).perform(
      DetectFaceLandmarksRequest(), DetectHumanBodyPoseRequest())
    let face = try #require(faces.first)
    #expect(face.landmarks[.faceOval]?.count == 36 && face.yaw != nil)
    let box = face.boundingBox.toImageCoordinates(image.size)
    let options = FaceDetectorOptions(detectorMode: .singleImage)
    let expected = try #require(FaceDetector(options).results(in: image).first)
    #expect(box.iou(expected.box) > 0.99)
    let body = try #require(bodies.first)
    #expect(body.allJoints().count == 33 && (0...1).contains(body.joint(for: .nose)?.location.y ?? -1))
    let bytes = try image.encoded(as: .png)
    let objects = try await ImageRequestHandler(bytes).perform(RecognizeObjectsRequest())
    #expect(objects.contains { $0.label == "person" })
    await #expect(throws: VStreamError.self) {
      try await ImageRequestHandler(URL(filePath: "/nowhere.jpg")).perform(DetectFaceRectanglesRequest())
    }
  }

  @Test func `frames of a file come in their order, and a loop may be left`() async throws {
    let folder = try street(12)
    var times: [Time] = []
    for try await frame in VideoFrames(contentsOf: folder.file("in.avi")) { times.append(frame.time) }
    #expect(times.count == 12 && times == times.sorted())
    var first: VideoFrame?
    for try await frame in VideoFrames(contentsOf: URL(filePath: Checkout.sample("street.avi"))) {
      first = frame
      break
    }
    #expect(first?.size == PixelSize(width: 768, height: 576))
    let error = await #expect(throws: VStreamError.self) {
      for try await _ in VideoFrames(contentsOf: "/nowhere.mp4") {}
    }
    #expect(error?.code == .inputNotFound)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in VideoFrames(contentsOf: Checkout.sample("street.avi")) {
        continuation.yield()
        await Task.yield()
      }
    }
    for await _ in stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [LateFrames.wait, .drop])
  func `a detector takes all frames of a sequence, or the newest`(late: LateFrames) async throws {
    let folder = try street(12)
    let detector = try ObjectDetector()
    var frames: [Time] = []
    var dropped = 0
    for try await result in detector.results(for: VideoFrames(contentsOf: folder.file("in.avi")), late: late) {
      frames.append(result.frame.time)
      dropped += result.dropped
    }
    #expect(frames == frames.sorted() && frames.count + dropped == 12)
    #expect(frames.last?.seconds == 1.1)
    if late == .wait { #expect(dropped == 0) }
  }

  @Test func `images that are detected side by side have the results of one after the other`() async throws {
    let detector = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage))
    let expected = try detector.results(in: image)
    let image = image
    let found = try await withThrowingTaskGroup(of: [DetectedFace].self) { group in
      for _ in 0..<6 { group.addTask { try await detector.process(image) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.count == 6 && found.allSatisfy { $0 == expected } && !expected.isEmpty)
  }

  @Test func `a run's closure may await and throw, and its error ends the run`() async throws {
    struct Enough: Error {}
    let folder = try street(12)
    let pipeline = try VideoPipeline(input: folder.file("in.avi"))
    await #expect(throws: Enough.self) {
      try await pipeline.run { frame in
        await Task.yield()
        if frame.index == 3 { throw Enough() }
      }
    }
    #expect(try await pipeline.summary.wasStopped)
    #expect(try await VideoPipeline(input: folder.file("in.avi")).run().frames == 12)
  }
}

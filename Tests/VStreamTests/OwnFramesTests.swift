import Foundation
import Synchronization
import Testing
import VStream
import VStreamTestSupport

/// Runs over frames of the user's own, and drawing on frames in place.
struct OwnFramesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let size = PixelSize(width: 64, height: 48)

  /// A grey frame, at a twenty-fifth of a second for each index.
  private static func gray(_ index: Int, at seconds: Double? = nil) throws -> VideoFrame {
    try VideoFrame(
      [UInt8](repeating: 100, count: size.width * size.height), as: .gray, size: size,
      seconds: seconds ?? Double(index) / 25)
  }

  private static func sequence(_ frames: [VideoFrame], then error: (any Error)? = nil)
    -> AsyncThrowingStream<VideoFrame, any Error>
  {
    AsyncThrowingStream { continuation in
      for frame in frames { continuation.yield(frame) }
      continuation.finish(throwing: error)
    }
  }

  private func nothingDetected() -> VideoPipeline.Options {
    var options = VideoPipeline.Options()
    options.objects = nil
    return options
  }

  @Test func `frames of a file are found and tracked as the file itself is`() async throws {
    try Street.cut(frames: 8, to: folder.file("in.avi"))
    func objects(_ pipeline: VideoPipeline) async throws -> [[DetectedObject]] {
      var found: [[DetectedObject]] = []
      for try await frame in pipeline.frames {
        #expect(frame.searched == [.objects] && frame.faces.isEmpty && frame.size == PixelSize(width: 768, height: 576))
        found.append(frame.objects)
      }
      return found
    }
    let file = try await objects(try VideoPipeline(input: folder.file("in.avi")))
    let own = try await objects(try VideoPipeline(frames: VideoFrames(contentsOf: folder.file("in.avi"))))
    #expect(file.count == 8 && file.last?.isEmpty == false)
    #expect(own == file)
  }

  @Test func `frames are drawn on in place, and the output has their times`() async throws {
    var options = nothingDetected()
    options.drawing = { frame, picture in
      let white = PixelSize(width: 8, height: 8)
      let mark = try VideoFrame([UInt8](repeating: 255, count: 3 * 64), as: .rgb, size: white)
      try picture.paste(mark, at: Point(x: Double(4 * frame.index), y: 40))
    }
    options.encoder = EncoderSettings(codec: "ffv1", threads: 1)
    let frames = try (0..<5).map { try Self.gray($0, at: 2 + Double($0 * $0) / 25) }
    let pipeline = try VideoPipeline(
      frames: Self.sequence(frames), output: folder.file("out.mkv"), options: options)
    let summary = try await pipeline.run()
    #expect(summary.frames == 5 && summary.outputURL == URL(filePath: folder.file("out.mkv")))
    let times = try Probe(folder.file("out.mkv")).frameTimes()
    #expect(times.map { ($0 * 25).rounded() - (times[0] * 25).rounded() } == [0, 1, 4, 9, 16])
    let last = try VideoFrame(encoded: [UInt8](Data(contentsOf: URL(filePath: folder.file("out.mkv")))))
    #expect(try last.pixels(as: .gray)[42 * 64 + 2] > 250)
    // The frames of the program are as they were.
    #expect(try frames[0].pixels(as: .gray).allSatisfy { $0 == 100 })
  }

  struct Problem: Error, Equatable {}

  @Test func `an error of the sequence ends the run with it, and what was written plays`() async throws {
    let frames = try (0..<3).map { try Self.gray($0) }
    let pipeline = try VideoPipeline(
      frames: Self.sequence(frames, then: Problem()), output: folder.file("out.mkv"), options: nothingDetected())
    let error = await #expect(throws: VStreamError.self) { try await pipeline.run() }
    #expect(error?.cause is Problem)
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 3)
  }

  struct Invalid: CustomTestStringConvertible, Sendable {
    let name: String
    let seconds: [Double]
    let message: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Invalid(name: "none", seconds: [], message: "there are no frames"),
    Invalid(name: "the same time twice", seconds: [0, 0.5, 0.5], message: "a frame at 0.5 s follows one at 0.5 s"),
    Invalid(name: "backwards", seconds: [1, 0.5], message: "a frame at 0.5 s follows one at 1.0 s"),
  ])
  func `frames that are no stream are an error`(row: Invalid) async throws {
    let frames = try row.seconds.map { try Self.gray(0, at: $0) }
    let pipeline = try VideoPipeline(frames: Self.sequence(frames), options: nothingDetected())
    let error = await #expect(throws: VStreamError.self) { try await pipeline.run() }
    #expect(error?.message == row.message)
  }

  @Test func `a run over a sequence that makes no more frames is stopped`() async throws {
    let (frames, continuation) = AsyncStream.makeStream(of: VideoFrame.self)
    continuation.yield(try Self.gray(0))
    continuation.yield(try Self.gray(1))
    let ended = AsyncStream.makeStream(of: Void.self)
    continuation.onTermination = { _ in ended.continuation.finish() }
    let pipeline = try VideoPipeline(frames: frames, options: nothingDetected())
    let summary = try await pipeline.run { frame in if frame.index == 1 { pipeline.stop() } }
    #expect(summary.wasStopped && summary.frames == 2)
    // The sequence's task is cancelled.
    for await _ in ended.stream {}
  }

  /// A sequence that throws when it is cancelled.
  private struct Slow: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var index = 0
    func makeAsyncIterator() -> Slow { self }
    mutating func next() async throws -> VideoFrame? {
      try await Task.sleep(for: .microseconds(100))
      index += 1
      return try OwnFramesTests.gray(index)
    }
  }

  @Test(arguments: [false, true])
  func `what a sequence throws when the run is stopped is no error`(isCancelled: Bool) async throws {
    for _ in 0..<40 {
      let pipeline = try VideoPipeline(frames: Slow(), options: nothingDetected())
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task { try await pipeline.run { frame in if frame.index == 2 { continuation.yield() } } }
      for await _ in stream { break }
      if isCancelled { task.cancel() } else { pipeline.stop() }
      if isCancelled {
        await #expect(throws: CancellationError.self) { try await task.value }
      } else {
        #expect(try await task.value.wasStopped)
      }
      #expect(try await pipeline.summary.frames >= 3)
    }
  }

  @Test func `a second use is an error, and the run goes on`() async throws {
    let frames = try (0..<30).map { try Self.gray($0) }
    let pipeline = try VideoPipeline(frames: Self.sequence(frames), options: nothingDetected())
    let summary = try await pipeline.run { frame in
      guard frame.index == 5 else { return }
      #expect(throws: VStreamError.self) { try pipeline.runBlocking() }
      await #expect(throws: VStreamError.self) { for try await _ in pipeline.frames {} }
      await #expect(throws: VStreamError.self) { try await pipeline.run() }
    }
    #expect(summary.frames == 30 && !summary.wasStopped)
  }

  @Test func `many runs at once end, more than Dispatch has threads`() async throws {
    let options = nothingDetected()
    let frames = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<150 {
        group.addTask {
          let pipeline = try VideoPipeline(frames: Slow().prefix(4), options: options)
          return try await pipeline.run().frames
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(frames == 600)
  }

  @MainActor private final class Model {
    var frames = 0
    func count(_ pipeline: VideoPipeline) async throws { _ = try await pipeline.run { _ in self.frames += 1 } }
  }

  @Test @MainActor func `a run's closure may use the actor that it was made on`() async throws {
    let model = Model()
    let frames = try (0..<7).map { try Self.gray($0) }
    try await model.count(try VideoPipeline(frames: Self.sequence(frames), options: nothingDetected()))
    #expect(model.frames == 7)
  }

  @Test func `a drawn frame keeps its time and format, and another size is an error`() async throws {
    var options = nothingDetected()
    options.drawing = { _, picture in picture = try VideoFrame(picture.pixels(as: .rgb), as: .rgb, size: picture.size) }
    let frames = try (0..<4).map { try Self.gray($0) }
    _ = try await VideoPipeline(frames: Self.sequence(frames), output: folder.file("a.mkv"), options: options).run()
    #expect(try Probe(folder.file("a.mkv")).frameTimes() == [0, 0.04, 0.08, 0.12])
    options.drawing = { _, picture in picture = try picture.scaled(to: PixelSize(width: 32, height: 24)) }
    let pipeline = try VideoPipeline(frames: Self.sequence(frames), output: folder.file("b.mkv"), options: options)
    let error = await #expect(throws: VStreamError.self) { try await pipeline.run() }
    #expect(error?.message == "drawing made a frame of 32×24 of one of 64×48")
  }

  @Test func `alpha is ignored, crops keep their time, and numbers that are no crop's are errors`() throws {
    let pixels = [UInt8](repeating: 0, count: 4 * 64 * 48).enumerated().map { $0.offset % 4 == 3 ? 0 : UInt8(200) }
    let frame = try VideoFrame(pixels, as: .bgra, size: Self.size, seconds: 3)
    let read = try VideoFrame(encoded: try frame.encoded(as: .png))
    #expect(try read.pixels(as: .rgba).enumerated().allSatisfy { $0.element == ($0.offset % 4 == 3 ? 255 : 200) })
    #expect(try frame.crop(Box(x: 8, y: 8, width: 20, height: 20)).time.seconds == 3)
    let face = DetectedFace(score: 1, box: Box(x: 10, y: 10, width: 20, height: 20))
    for (margin, side) in [(Double.infinity, 64), (1e308, 64), (.nan, 64), (-1, 64), (0.3, 0), (0.3, 1 << 20)] {
      #expect(throws: VStreamError.self) { try frame.crop(of: face, margin: margin, longestSide: side) }
    }
    #expect(throws: VStreamError.self) { try VideoFrame(encoded: []) }
  }

  @Test func `frames of another size are scaled to the first one`() async throws {
    let other = try VideoFrame(
      [UInt8](repeating: 50, count: 32 * 48), as: .gray, size: PixelSize(width: 32, height: 48), seconds: 1)
    var options = nothingDetected()
    options.providesImages = true
    let pipeline = try VideoPipeline(frames: Self.sequence([try Self.gray(0), other]), options: options)
    var sizes: [PixelSize?] = []
    for try await frame in pipeline.frames { sizes.append(frame.image?.size) }
    #expect(sizes == [Self.size, Self.size])
  }

  struct Place: CustomTestStringConvertible, Sendable {
    let name: String
    let point: Point
    /// Of the target's 64×48 pixels, those that are covered.
    let columns: Range<Int>
    let rows: Range<Int>
    var testDescription: String { name }
  }

  @Test(arguments: [
    Place(name: "inside", point: Point(x: 10, y: 20), columns: 10..<26, rows: 20..<36),
    Place(name: "over the left and top edges", point: Point(x: -4, y: -6), columns: 0..<12, rows: 0..<10),
    Place(name: "over the right and bottom edges", point: Point(x: 56, y: 40), columns: 56..<64, rows: 40..<48),
    Place(name: "outside", point: Point(x: 64, y: 0), columns: 0..<0, rows: 0..<0),
    Place(name: "far away", point: Point(x: -1e18, y: 1e18), columns: 0..<0, rows: 0..<0),
  ])
  func `a picture is pasted where it is inside the frame, in the frame's format`(row: Place) throws {
    let white = try VideoFrame(
      [UInt8](repeating: 255, count: 3 * 256), as: .rgb, size: PixelSize(width: 16, height: 16))
    for layout in [VideoFrame.PixelBytes.i420, .nv12, .rgb, .gray] {
      var frame = try VideoFrame(
        [UInt8](repeating: 60, count: 64 * 48 * 3), as: layout, size: Self.size)
      try frame.paste(white, at: row.point)
      let pixels = try frame.pixels(as: .gray)
      for y in 0..<48 {
        for x in 0..<64 {
          let isCovered = row.columns.contains(x) && row.rows.contains(y)
          guard (pixels[y * 64 + x] > 240) != isCovered else { continue }
          Issue.record(Comment(rawValue: "\(layout) \(x), \(y): \(pixels[y * 64 + x])"))
          return
        }
      }
    }
  }
}

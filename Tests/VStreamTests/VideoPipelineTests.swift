import Foundation
import Synchronization
import Testing
import VStream
import VStreamTestSupport

/// Whole runs as other packages start them.
struct VideoPipelineTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-i", Checkout.sample("street.avi"), "-c", "copy", "-frames:v", "8", folder.file("in.avi"),
    ])
  }

  /// What a callback received, in its order.
  private final class Received: Sendable {
    private let frames = Mutex<[VideoPipeline.Frame]>([])
    func add(_ frame: VideoPipeline.Frame) -> Int {
      frames.withLock {
        $0.append(frame)
        return $0.count
      }
    }
    var all: [VideoPipeline.Frame] { frames.withLock { $0 } }
  }

  @Test func `the callback gets every frame in order, and the output has them`() async throws {
    var options = VideoPipeline.Options()
    options.faces = FaceDetectorOptions()
    options.output = folder.file("out.mkv")
    options.records = [folder.file("r.jsonl")]
    let received = Received()
    let pipeline = try VideoPipeline(input: folder.file("in.avi"), options: options)
    let summary = try await pipeline.run { _ = received.add($0) }
    #expect(received.all.map(\.index) == Array(0..<8))
    #expect(received.all.allSatisfy { !$0.isPredicted && $0.found.objects != nil && $0.found.faces != nil })
    #expect(received.all.last?.found.objects?.contains { $0.label == "person" && $0.id != nil } == true)
    #expect(summary.frames == 8)
    #expect(summary.framesDetected == 8)
    #expect(summary.countsByLabel["person"] ?? 0 > 0)
    #expect(!summary.wasStopped)
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 8)
    #expect(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8).split(separator: "\n").count == 10)
  }

  @Test func `objects have categories if they are requested`() throws {
    var options = VideoPipeline.Options()
    options.objects?.shouldEnableCategories = true
    let received = Received()
    _ = try VideoPipeline(input: folder.file("in.avi"), options: options).runBlocking { _ = received.add($0) }
    let objects = received.all.flatMap { $0.found.objects ?? [] }
    #expect(!objects.isEmpty && objects.allSatisfy { $0.category != nil })
  }

  @Test func `it has a blocking form, and detects nothing that is not requested`() throws {
    var options = VideoPipeline.Options()
    options.objects = nil
    options.detectEvery = 4
    let received = Received()
    let summary = try VideoPipeline(input: folder.file("in.avi"), options: options).runBlocking { _ = received.add($0) }
    #expect(summary.frames == 8)
    #expect(received.all.allSatisfy { $0.found.objects == nil && $0.found.faces == nil })
  }

  /// The first frame stops it; a file at its own pace would go on for 80 seconds.
  @Test(arguments: [true, false])
  func `it ends early when it is stopped, or its task cancelled`(isCancelled: Bool) async throws {
    var options = VideoPipeline.Options()
    options.objects = nil
    options.isRealtime = true
    let pipeline = try VideoPipeline(input: Checkout.sample("street.avi"), options: options)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await pipeline.run { _ in continuation.yield() } }
    for await _ in stream { break }
    if isCancelled { task.cancel() } else { pipeline.stop() }
    if isCancelled {
      await #expect(throws: CancellationError.self) { try await task.value }
    } else {
      #expect(try await task.value.wasStopped)
    }
    let summary = try await pipeline.summary
    #expect(summary.wasStopped && summary.frames < 700)
  }

  @Test(arguments: [false, true])
  func `frames are a sequence that ends with the run, with pixels if they are requested`(providesImages: Bool)
    async throws
  {
    var options = VideoPipeline.Options()
    options.output = folder.file("out.mkv")
    options.providesImages = providesImages
    let pipeline = try VideoPipeline(input: folder.file("in.avi"), options: options)
    var frames: [VideoPipeline.Frame] = []
    for try await frame in pipeline.frames { frames.append(frame) }
    #expect(frames.map(\.index) == Array(0..<8))
    #expect(frames.last?.found.objects?.contains { $0.label == "person" } == true)
    #expect(frames.allSatisfy { ($0.image?.size == PixelSize(width: 768, height: 576)) == providesImages })
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 8)
    // The pixels are those of the input: nothing is drawn on them.
    if let image = frames.last?.image {
      let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
      #expect(try detector.results(in: image).contains { $0.label == "person" })
    }
    let summary = try await pipeline.summary
    #expect(summary.frames == 8 && summary.countsByLabel["person"] ?? 0 > 0)
    let again = await #expect(throws: VStreamError.self) { for try await _ in pipeline.frames {} }
    #expect(again?.code == .usage && again?.message == "a pipeline runs once")
  }

  /// A file at its own pace would go on for 80 seconds.
  @Test func `a sequence that is left, or whose task is cancelled, ends the run and leaves a playable file`()
    async throws
  {
    var options = VideoPipeline.Options()
    options.objects = nil
    options.isRealtime = true
    options.output = folder.file("left.mkv")
    let left = try VideoPipeline(input: Checkout.sample("street.avi"), options: options)
    let unstarted = await #expect(throws: VStreamError.self) { _ = try await left.summary }
    #expect(unstarted?.message == "the pipeline has not been run")
    for try await frame in left.frames where frame.index >= 2 { break }
    #expect(try await left.summary.wasStopped)
    let written = try #require(folder.names.first { $0.hasPrefix("left.mkv") })
    #expect(try Probe(folder.file(written)).frameTimes().count >= 2)
    options.output = folder.file("cancelled.mkv")
    let cancelled = try VideoPipeline(input: Checkout.sample("street.avi"), options: options)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task { for try await _ in cancelled.frames { continuation.yield() } }
    for await _ in stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // As the input was not read to its end, the file keeps its temporary name.
    #expect(!folder.names.contains("cancelled.mkv"))
    let name = try #require(folder.names.first { $0.hasPrefix("cancelled.mkv") })
    #expect(try Probe(folder.file(name)).frameTimes().count >= 1)
  }

  @Test func `errors of a run end its sequence`() async throws {
    let error = await #expect(throws: VStreamError.self) {
      for try await _ in try VideoPipeline(input: "/nowhere/in.mp4").frames {}
    }
    #expect(error?.code == .inputNotFound)
  }

  @Test func `an invalid run is an error with its own code`() async throws {
    let missing = await #expect(throws: VStreamError.self) {
      _ = try await VideoPipeline(input: "/nowhere/in.mp4").run { _ in }
    }
    #expect(missing?.code == .inputNotFound)
    var options = VideoPipeline.Options()
    options.output = folder.file("other.avi")
    try Data().write(to: URL(filePath: folder.file("other.avi")))
    let exists = #expect(throws: VStreamError.self) {
      _ = try VideoPipeline(input: folder.file("in.avi"), options: options)
    }
    #expect(exists?.code == .cannotCreateOutput)
    #expect(exists?.remedy == "overwritesOutput replaces it")
    options.output = nil
    options.records = [folder.file("r.xyz")]
    let records = await #expect(throws: VStreamError.self) {
      _ = try await VideoPipeline(input: folder.file("in.avi"), options: options).run { _ in }
    }
    #expect(records?.message.hasSuffix("(records)") == true)
  }

  @Test(arguments: [("in.avi", []), ("out.avi", ["in.avi"]), ("out.avi", ["out.avi"])] as [(String, [String])])
  func `neither the input nor another output is overwritten`(output: String, records: [String]) throws {
    var options = VideoPipeline.Options()
    options.output = folder.file(output)
    options.records = records.map(folder.file)
    options.overwritesOutput = true
    let error = #expect(throws: VStreamError.self) {
      _ = try VideoPipeline(input: folder.file("in.avi"), options: options)
    }
    #expect(error?.code == .usage)
  }
}

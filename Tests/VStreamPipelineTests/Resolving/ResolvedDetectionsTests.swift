import Synchronization
import Testing
import VStreamCore
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// What is known of a frame, in the pixels of a larger copy of it.
struct ResolvedDetectionsTests {
  private static let small = PixelSize(width: 64, height: 48)
  private static let large = PixelSize(width: 256, height: 96)

  private static func found(_ box: Box) -> Detections {
    Detections(
      objects: [DetectedObject(classIndex: 0, label: "person", score: 0.9, box: box)],
      faces: [DetectedFace(score: 0.8, box: box)])
  }

  @Test func `boxes of all kinds are scaled, late ones as well`() {
    let box = Box(x: 4, y: 6, width: 10, height: 20)
    let resolution = ResolvedDetections(
      late: [TimedObservations(time: Scripted.time(1), found: Self.found(box))], found: Self.found(box),
      recordedSource: .predicted)
    let scaled = resolution.scaled(from: Self.small, to: Self.large)
    let expected = Box(x: 16, y: 12, width: 40, height: 40)
    #expect(scaled.found?.objects?.map(\.box) == [expected] && scaled.found?.faces?.map(\.box) == [expected])
    #expect(scaled.late.map(\.time) == [Scripted.time(1)] && scaled.late[0].found.objects?.map(\.box) == [expected])
    #expect(scaled.recordedSource == .predicted)
  }

  @Test func `where the sizes are the same, or nothing is known, nothing changes`() {
    let box = Box(x: 4, y: 6, width: 10, height: 20)
    let same = ResolvedDetections(found: Self.found(box)).scaled(from: Self.small, to: Self.small)
    #expect(same.found == Self.found(box))
    let none = ResolvedDetections().scaled(from: Self.small, to: Self.large)
    #expect(none.found == nil && none.late.isEmpty)
  }

  private final class Sizes: RunObserver {
    let headers = Mutex<[PixelSize]>([])
    let boxes = Mutex<[Box]>([])
    let images = Mutex<Set<PixelSize>>([])

    func inputOpened(_ video: StreamInfo, sound: StreamInfo?) {}
    func inputLost(reason: String) {}
    func packetRead(_ packet: Packet) {}
    func recordsBegan(_ header: RecordHeader) { headers.withLock { $0.append(header.size) } }
    func framePainted(_ painted: ObservedFrame, isKnown: Bool) {}
    func frameAnnotated(_ annotated: ObservedFrame) {
      boxes.withLock { $0 += annotated.record.annotations.found.objects?.map(\.box) ?? [] }
      images.withLock { _ = $0.insert(annotated.image.size) }
    }
  }

  @Test func `a run records in pixels of the size that is set`() throws {
    let folder = try TemporaryFolder()
    let records = try folder.write(
      "r.jsonl",
      """
      {"type":"header","version":1,"input":{"name":"clip.mkv","width":64,"height":48,"rotation":0,"timeBase":"1/1000"},"options":{}}
      {"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"detected",\
      "objects":[{"id":1,"label":"person","score":0.9,"box":[4,6,10,20]}]}

      """)
    var configuration = PipelineConfiguration(
      input: MediaInput(try Scripted.clip(in: folder)), fontPath: "", threads: 1)
    configuration.run = .replay(ReplayOptions(path: records, classes: nil, kinds: [.objects]))
    configuration.duration = 0.1
    configuration.recordedSize = Self.large
    let sizes = Sizes()
    configuration.observer = sizes
    _ = try Pipeline(configuration).run()
    #expect(sizes.headers.withLock { $0 } == [Self.large])
    #expect(sizes.boxes.withLock { $0 } == [Box(x: 16, y: 12, width: 40, height: 40)])
    #expect(sizes.images.withLock { $0 } == [Self.small])
  }
}

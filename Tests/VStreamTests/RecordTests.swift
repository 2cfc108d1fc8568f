import Foundation
import Synchronization
import Testing
import VStream
import VStreamTestSupport

/// Results as JSON: records of runs read back, and results coded by `Codable`.
struct RecordTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A run with everything that records can have.
  private func run() throws -> [FrameAnnotations] {
    var options = VideoPipeline.Options()
    options.faces = FaceDetectorOptions()
    options.faces?.landmarkMode = .all
    options.faces?.contourMode = .all
    options.faces?.classificationMode = .all
    options.poses = PoseDetectorOptions()
    options.objects?.shouldEnableCategories = true
    options.duration = .seconds(1)
    options.records = [folder.file("r.jsonl")]
    options.recordsEvents = true
    options.recordsDetections = true
    options.zones = [CountedRegions.Region(name: "all", fractions: [(0, 0), (1, 0), (1, 1), (0, 1)])]
    let received = Mutex<[FrameAnnotations]>([])
    _ = try VideoPipeline(input: Checkout.sample("face-panning.mp4"), options: options).runBlocking { frame in
      received.withLock { $0.append(frame.annotations) }
    }
    return received.withLock { $0 }
  }

  @Test func `records are read back as the run reported them`() throws {
    let frames = try run()
    var reader = try RecordReader(contentsOf: URL(filePath: folder.file("r.jsonl")))
    #expect(reader.size == PixelSize(width: 640, height: 480))
    #expect(reader.kinds == ["objects", "faces", "poses"])
    var (read, events, counts): ([RecordReader.Frame], [TrackEvent], RegionCounts?) = ([], [], nil)
    while let record = try reader.nextRecord() {
      switch record {
      case .frame(let frame): read.append(frame)
      case .event(let event): events.append(event)
      case .counts(let total): counts = total
      }
    }
    #expect(read.count == frames.count)
    for (recorded, frame) in zip(read, frames) {
      #expect(recorded.annotations.frame == frame.frame && recorded.time.seconds == frame.time.seconds)
      #expect(recorded.source == frame.source && recorded.detections != nil && recorded.counts?.zones.count == 1)
      let (one, other) = (recorded.found, frame.found)
      #expect(one.objects?.map(\.id) == other.objects?.map(\.id))
      #expect(one.objects?.map(\.category?.category) == other.objects?.map(\.category?.category))
      #expect(one.objects?.map(\.classIndex) == other.objects?.map(\.classIndex))
      #expect(one.faces?.map(\.contours?.count) == other.faces?.map(\.contours?.count))
      #expect(one.faces?.map(\.landmarks?.count) == other.faces?.map(\.landmarks?.count))
      #expect(one.poses?.map(\.landmarks.count) == other.poses?.map(\.landmarks.count))
      for (one, other) in zip(one.faces ?? [], other.faces ?? []) {
        #expect(abs((one.smiling ?? 9) - (other.smiling ?? -9)) < 1e-4 && abs(one.box.x - other.box.x) < 0.01)
      }
    }
    #expect(read.contains { $0.found.faces?.isEmpty == false } && read.contains { $0.found.poses?.isEmpty == false })
    #expect(events.contains { $0.kind == .confirm && $0.label == "face" && $0.id == 1 })
    #expect(counts?.zones.first?.name == "all")
  }

  @Test func `lines of records are decoded by any decoder, and results are the same after coding`() throws {
    let frames = try run()
    let lines = try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8).split(separator: "\n")
    let decoder = JSONDecoder()
    let decoded = lines.filter { $0.hasPrefix(#"{"type":"frame""#) }.map { line in
      Result { try decoder.decode(FrameAnnotations.self, from: Data(line.utf8)) }
    }
    #expect(try decoded.map { try $0.get().frame } == frames.map(\.frame))
    #expect(
      try decoded.map { try $0.get().found.faces?.first?.contours?.count }
        == frames.map { $0.found.faces?.first?.contours?.count })
    for frame in frames {
      #expect(try decoder.decode(FrameAnnotations.self, from: JSONEncoder().encode(frame)) == frame)
    }
    // The encoder's members are those of records, but for the class index.
    let frame = try #require(frames.last)
    let coded = try JSONValue(json: String(decoding: JSONEncoder().encode(frame), as: UTF8.self))
    let line = try JSONValue(json: String(try #require(lines.last { $0.hasPrefix(#"{"type":"frame""#) })))
    for kind in ["objects", "faces", "poses"] {
      func names(_ value: JSONValue) -> [Set<String>] {
        (value[kind]?.list ?? []).map { Set(($0.members ?? [:]).keys).subtracting(["classIndex"]) }
      }
      #expect(names(coded) == names(line), "\(kind)")
    }
  }
}

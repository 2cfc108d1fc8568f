import Foundation
import Synchronization
import Testing
import VStream
import VStreamTestSupport

/// What a run of the library reads, counts, redacts and records.
struct RunOptionTests {
  private let folder: TemporaryFolder
  private let input: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.avi")
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-c", "copy", "-frames:v", "12", input])
  }

  @Test func `a part of the input is encoded as asked for, and counted in zones and at lines`() throws {
    var options = VideoPipeline.Options()
    options.start = .seconds(0.3)
    options.duration = .seconds(0.6)
    options.output = folder.file("out.mp4")
    options.encoder = EncoderSettings(codec: "mpeg4", bitRate: 500_000)
    options.zones = [
      CountedRegions.Region(name: "left", fractions: [(0, 0), (0.5, 0), (0.5, 1), (0, 1)]),
      CountedRegions.Region(
        name: "right", pixels: [384, 768].flatMap { x in [Point(x: x, y: 0), Point(x: x, y: 576)] }),
    ]
    options.lines = [CountedRegions.Region(name: "gate", fractions: [(0, 0.5), (1, 0.5)])]
    let summary = try VideoPipeline(input: input, options: options).runBlocking { _ in }
    #expect(summary.frames == 6)
    let counts = try #require(summary.counts)
    #expect(counts.zones.map(\.name) == ["left", "right"])
    #expect(counts.zones[0].entered["person"] ?? 0 > 0)
    #expect(counts.lines.map(\.name) == ["gate"])
    let probe = try Probe(folder.file("out.mp4"))
    #expect(try probe.frameTimes().count == 6)
    #expect(probe.video?.codec_name == "mpeg4")
  }

  /// Frames of a clip, as the mean of the changes in a box.
  private func change(_ output: String, _ box: Box) throws -> Double {
    let (before, after) = (try VideoFrame(contentsOf: input), try VideoFrame(contentsOf: output))
    let (one, other) = (try before.pixels(as: .gray), try after.pixels(as: .gray))
    var (sum, count) = (0.0, 0.0)
    for y in max(0, Int(box.y))..<min(before.size.height, Int(box.bottom)) {
      for x in max(0, Int(box.x))..<min(before.size.width, Int(box.right)) {
        sum += abs(Double(one[y * before.size.width + x]) - Double(other[y * before.size.width + x]))
        count += 1
      }
    }
    return sum / max(1, count)
  }

  @Test func `what is named is redacted in every frame`() throws {
    var options = VideoPipeline.Options()
    options.output = folder.file("out.mkv")
    options.overlay = OverlayOptions(elements: [])
    options.redaction = RedactionOptions(.fill, labels: ["Person"])
    let received = Mutex<[VideoPipeline.Frame]>([])
    let summary = try VideoPipeline(input: input, options: options).runBlocking { frame in
      received.withLock { $0.append(frame) }
    }
    #expect(summary.framesRedacted == 12)
    let people = received.withLock { $0 }[1].found.objects?.filter { $0.label == "person" && $0.score > 0.7 } ?? []
    #expect(!people.isEmpty)
    for person in people { #expect(try change(folder.file("out.mkv"), person.box) > 30) }
    #expect(try change(folder.file("out.mkv"), Box(x: 0, y: 400, width: 60, height: 60)) < 5)
  }

  @Test func `faces are redacted though they are not asked for otherwise`() throws {
    var options = VideoPipeline.Options()
    options.objects = nil
    options.output = folder.file("out.mkv")
    options.redaction = RedactionOptions(.mosaic, labels: ["faces"])
    options.duration = .seconds(0.5)
    let summary = try VideoPipeline(input: Checkout.sample("face.mp4"), options: options).runBlocking { _ in }
    #expect(summary.framesRedacted == summary.frames)
    #expect(summary.warnings.isEmpty, "\(summary.warnings)")
  }

  @Test func `a tracker's options apply to their kind`() throws {
    func firstID(confirmAfter: Int) throws -> Int? {
      var options = VideoPipeline.Options()
      options.objects = nil
      options.faces = FaceDetectorOptions()
      options.faces?.tracking.confirmAfter = confirmAfter
      options.duration = .seconds(0.4)
      let received = Mutex<[VideoPipeline.Frame]>([])
      _ = try VideoPipeline(input: Checkout.sample("face.mp4"), options: options).runBlocking { frame in
        received.withLock { $0.append(frame) }
      }
      return received.withLock { $0.firstIndex { $0.found.faces?.contains { $0.id != nil } == true } }
    }
    #expect(try firstID(confirmAfter: 1) == 0)
    #expect(try firstID(confirmAfter: 4) == 3)
  }

  /// What a run of the program states of the same task.
  @Test func `records state the options as those of the program do`() throws {
    var options = VideoPipeline.Options()
    options.duration = .seconds(0.3)
    options.faces = FaceDetectorOptions()
    options.faces?.angleMode = .all
    options.poses = PoseDetectorOptions()
    options.objects?.shouldEnableCategories = true
    options.objects?.classes = ["person"]
    options.objects?.model = "ssd-mobilenet-v2"
    options.records = [folder.file("library.jsonl")]
    _ = try VideoPipeline(input: input, options: options).runBlocking { _ in }
    let program = try Program.vstream([
      input, "-o", "null", "--duration", "0.3", "--detect", "objects,faces,poses", "--categories", "--classes",
      "person",
      "--object-model", "ssd-mobilenet-v2", "--records", folder.file("program.jsonl"),
    ])
    #expect(program.status == 0, "\(program.errors)")
    func lines(_ name: String) throws -> [JSONValue] {
      try String(contentsOfFile: folder.file(name), encoding: .utf8).split(separator: "\n").map {
        try JSONValue(json: $0)
      }
    }
    let (own, others) = (try lines("library.jsonl"), try lines("program.jsonl"))
    #expect(own[0]["options"] == others[0]["options"])
    #expect(own[1...].dropLast() == others[1...].dropLast())
  }
}

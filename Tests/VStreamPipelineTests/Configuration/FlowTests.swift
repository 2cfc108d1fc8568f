import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamTestSupport

@testable import VStreamPipeline

/// How frames flow, by the options and the kind of input.
struct FlowTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Source: String, Sendable {
    case file
    case pipe
    case photo
  }

  private func container(_ source: Source) throws -> ContainerInfo {
    let video = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1", "-c:v", "ffv1"]
    switch source {
    case .file:
      try Program.ffmpeg(video + [folder.file("in.mkv")])
      return try MediaReader(MediaInput(folder.file("in.mkv"))).container
    case .photo:
      try Program.ffmpeg(["-f", "lavfi", "-i", "color=size=64x48", "-frames:v", "1", folder.file("in.png")])
      return try MediaReader(MediaInput(folder.file("in.png"))).container
    case .pipe:
      let pipe = folder.file("in.pipe")
      _ = try Program.run("/usr/bin/env", ["mkfifo", pipe])
      let sender = try Background(["ffmpeg", "-v", "error", "-nostdin", "-y"] + video + ["-f", "matroska", pipe])
      return try withExtendedLifetime(sender) { try MediaReader(MediaInput(pipe)).container }
    }
  }

  private func configuration() -> PipelineConfiguration {
    var configuration = PipelineConfiguration(input: MediaInput("/videos/in.mkv"), fontPath: "", threads: 2)
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { ScriptedDetector() } }]
    return configuration
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let source: Source
    var isRealtime = false
    var late: LateFramePolicy?
    var isRedacted = false
    var mode: DetectionMode?
    let expected: Flow
    var testDescription: String { name }
  }

  private static func flow(
    live: Bool = false, paced: Bool = false, drops: Bool = false, atEntrance: Bool = false, still: Bool = false
  ) -> Flow {
    Flow(
      isLive: live, readsAtFrameRate: paced, hold: drops ? 0.05 : nil, dropsAtEntrance: atEntrance, isStillImage: still)
  }

  static let rows = [
    Row(name: "a file waits for every detection", source: .file, expected: flow()),
    Row(name: "a file, late results dropped: no frame is", source: .file, late: .drop, expected: flow(drops: true)),
    Row(name: "a redacted file", source: .file, isRedacted: true, expected: flow()),
    Row(name: "a file as single images", source: .file, mode: .singleImage, expected: flow()),
    Row(
      name: "a file in real time drops frames", source: .file, isRealtime: true,
      expected: flow(live: true, paced: true, drops: true, atEntrance: true)),
    Row(
      name: "a file in real time that waits", source: .file, isRealtime: true, late: .wait,
      expected: flow(live: true, paced: true)),
    Row(
      name: "a redacted file in real time waits", source: .file, isRealtime: true, isRedacted: true,
      expected: flow(live: true, paced: true)),
    Row(
      name: "a redacted file in real time may drop on request", source: .file, isRealtime: true, late: .drop,
      isRedacted: true, expected: flow(live: true, paced: true, drops: true, atEntrance: true)),
    Row(
      name: "single images in real time cannot be predicted", source: .file, isRealtime: true, mode: .singleImage,
      expected: flow(live: true, paced: true)),
    Row(
      name: "a pipe is live, and its sender waits instead of losing frames", source: .pipe,
      expected: flow(live: true, drops: true)),
    Row(name: "a pipe sets its own pace", source: .pipe, isRealtime: true, expected: flow(live: true, drops: true)),
    Row(name: "a pipe that waits", source: .pipe, late: .wait, expected: flow(live: true)),
    Row(name: "a redacted pipe waits", source: .pipe, isRedacted: true, expected: flow(live: true)),
    Row(
      name: "a redacted pipe that drops", source: .pipe, late: .drop, isRedacted: true,
      expected: flow(live: true, drops: true)),
    Row(name: "a pipe of single images", source: .pipe, mode: .singleImage, expected: flow(live: true)),
    Row(name: "a photo", source: .photo, expected: flow(still: true)),
    Row(name: "a photo as a stream", source: .photo, mode: .stream, expected: flow(still: true)),
  ]

  @Test(arguments: rows)
  func `the flow follows from the options and the input`(row: Row) throws {
    var configuration = configuration()
    configuration.isRealtime = row.isRealtime
    configuration.late = row.late
    configuration.mode = row.mode
    if row.isRedacted { configuration.redaction = RedactionOptions(.fill, labels: ["person"]) }
    #expect(try configuration.flow(for: container(row.source)) == row.expected)
  }

  struct ConflictRow: CustomTestStringConvertible, Sendable {
    let name: String
    var source = Source.file
    let setting: Setting
    let change: @Sendable (inout PipelineConfiguration) -> Void
    var testDescription: String { name }
  }

  static let conflicts = [
    ConflictRow(name: "an automatic interval of a file", setting: .detectEvery) { $0.detectEvery = .auto },
    ConflictRow(name: "zones in a photo", source: .photo, setting: .zone) { $0.counted = Self.door },
    ConflictRow(name: "zones in single images", setting: .zone) {
      $0.counted = Self.door
      $0.mode = .singleImage
    },
    ConflictRow(name: "redacted single images, late results dropped", setting: .redact) {
      $0.redaction = RedactionOptions(.fill, labels: ["person"])
      $0.mode = .singleImage
      $0.late = .drop
    },
    ConflictRow(name: "redacted single images, every second one detected", setting: .redact) {
      $0.redaction = RedactionOptions(.fill, labels: ["person"])
      $0.mode = .singleImage
      $0.detectEvery = .every(2)
    },
  ]

  private static let door = {
    var counted = CountedRegions()
    let corners = [(0.0, 0.0), (1, 0), (1, 1)].map { CountedRegions.Corner(x: .fraction($0.0), y: .fraction($0.1)) }
    counted.zones = [CountedRegions.Region(name: "door", corners: corners)]
    return counted
  }()

  @Test(arguments: conflicts)
  func `options that contradict the input are refused`(row: ConflictRow) throws {
    var configuration = configuration()
    row.change(&configuration)
    let container = try container(row.source)
    let error = #expect(throws: VStreamError.self) { try configuration.flow(for: container) }
    #expect(error?.code == .usage && error?.setting == row.setting)
    #expect(error?.remedy.isEmpty == false)
  }

  @Test func `an automatic interval is accepted for a file in real time`() throws {
    var configuration = configuration()
    configuration.detectEvery = .auto
    configuration.isRealtime = true
    #expect(try configuration.flow(for: container(.file)).isLive)
  }

  @Test(
    arguments: [
      ("a video", Source.file, nil, nil, DetectionMode.stream),
      ("a photo", .photo, nil, nil, .singleImage),
      ("a photo as a stream", .photo, .stream, nil, .stream),
      ("a video as one image", .file, nil, "out.png", .singleImage),
      ("a video as numbered images", .file, nil, "out-%03d.png", .stream),
      ("a video as single images", .file, .singleImage, "out.mkv", .singleImage),
    ] as [(String, Source, DetectionMode?, String?, DetectionMode)])
  func `photos are single images unless a mode is set`(
    name: String, source: Source, mode: DetectionMode?, output: String?, expected: DetectionMode
  ) throws {
    var configuration = configuration()
    configuration.mode = mode
    if let output {
      configuration.output = PipelineOutput(
        destination: try OutputDestination(folder.file(output), overwrite: true),
        codec: try VideoCodec(encoder: "png"), encoder: EncoderSettings(codec: "png"))
    }
    #expect(try configuration.mode(for: container(source)) == expected, "\(name)")
  }

  struct LookBackRow: CustomTestStringConvertible, Sendable {
    let name: String
    var isRedacted = true
    var isLive = false
    var mode = DetectionMode.stream
    var configured: Double?
    let expected: Double?
    var testDescription: String { name }
  }

  @Test(arguments: [
    LookBackRow(name: "nothing is redacted", isRedacted: false, expected: nil),
    LookBackRow(name: "a file", expected: 0.5),
    LookBackRow(name: "a live input", isLive: true, expected: 0),
    LookBackRow(name: "a live input, configured", isLive: true, configured: 2, expected: 2),
    LookBackRow(name: "a file, configured", configured: 0, expected: 0),
    LookBackRow(name: "single images", mode: .singleImage, configured: 2, expected: 0),
  ])
  func `the look-back window is half a second for files, and none for live inputs`(row: LookBackRow) {
    var configuration = configuration()
    if row.isRedacted {
      configuration.redaction = RedactionOptions(
        .fill, labels: ["person"], lookBack: row.configured.map { .seconds($0) })
    }
    let flow = Flow(isLive: row.isLive, readsAtFrameRate: false, hold: nil, dropsAtEntrance: false)
    #expect(configuration.lookBackSeconds(mode: row.mode, flow: flow) == row.expected)
  }

  struct GridRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var mode = DetectionMode.stream
    var isLive = false
    let grid: TimeGrid?
  }

  @Test(arguments: [
    GridRow(testDescription: "a file", grid: TimeGrid.files),
    GridRow(testDescription: "live", isLive: true, grid: nil),
    GridRow(testDescription: "single images", mode: .singleImage, grid: nil),
  ])
  func `detectors of files start afresh on the grid`(row: GridRow) throws {
    let flow = Flow(isLive: row.isLive, readsAtFrameRate: false, hold: nil, dropsAtEntrance: false)
    let requirements = configuration().requirements(mode: row.mode, flow: flow)
    #expect(requirements.grid == row.grid)
  }
}

import Testing
import VStreamCore
import VStreamPipeline

@testable import VStreamServe

/// From a camera's settings to its runs.
struct CameraDetectorsTests {
  private let detectors = CameraDetectors(threads: 1)

  private func run(_ change: (inout CameraConfiguration) -> Void) throws -> PipelineConfiguration {
    var camera = CameraConfiguration()
    camera.source = "rtsp://front/stream"
    change(&camera)
    return try detectors.configuration(of: camera, observer: nil)
  }

  @Test func `a camera's run is live, goes on for ever, and shares the detectors`() throws {
    let run = try run { camera in
      camera.passesPerSecond = 4
      camera.weight = 3
      camera.lostAfter = 2
      camera.confirmAfter = 5
      camera.maxObjects = 7
    }
    #expect(run.isRealtime && run.late == .drop && run.reconnectSeconds == .infinity && run.endsIfInputChanges)
    #expect(run.output == nil && run.records.isEmpty && run.threads == 1)
    #expect(run.tracker.lostAfterSeconds == 2 && run.tracker.confirmAfter == 5 && run.maximumObjects == 7)
    #expect(run.detectorPool?.pool === detectors.pool)
    #expect(run.detectorPool?.share == PoolShare(passesPerSecond: 4, weight: 3))
    #expect(run.hold == 0.05 && run.redaction == nil && run.masks.isEmpty)
  }

  @Test(
    arguments: [
      ([], []), ([.objects], [.objects]), ([.faces, .poses], [.faces, .poses]),
      (DetectionKind.allCases, DetectionKind.allCases),
    ] as [([DetectionKind], [DetectionKind])]) func `what is detected`(
      kinds: [DetectionKind], expected: [DetectionKind]
    ) throws
  {
    let run = try run { $0.detect = Set(kinds) }
    #expect(run.detectors.map(\.kind) == DetectionKind.allCases.filter(expected.contains))
  }

  struct RedactionRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let detect: Set<DetectionKind>
    let what: [String]
    /// The kinds that are detected.
    let kinds: Set<DetectionKind>
  }

  @Test(arguments: [
    RedactionRow(testDescription: "faces", detect: [.objects], what: ["faces"], kinds: [.objects, .faces]),
    RedactionRow(testDescription: "people", detect: [], what: ["person"], kinds: [.objects]),
    RedactionRow(
      testDescription: "both", detect: [.poses], what: ["faces", "car"], kinds: [.objects, .faces, .poses]),
  ]) func `what is redacted is detected`(row: RedactionRow) throws {
    let run = try run { camera in
      camera.detect = row.detect
      camera.redact = .mosaic
      camera.redactWhat = row.what
    }
    #expect(Set(run.detectors.map(\.kind)) == row.kinds)
    #expect(run.redaction?.labels == Set(row.what) && run.redaction?.style == .mosaic)
    // A frame waits for longer, but never leaves without.
    #expect(run.hold > 0.05 && run.late == .drop)
  }

  @Test func `the score of the camera or of its model starts a track`() throws {
    #expect(try run { $0.minScore = 0.7 }.objectScore == 0.7)
    #expect(try run { _ in }.objectScore == 0.5)
    #expect(try run { $0.objectModel = "ssd-mobilenet-v2" }.objectScore == 0.5)
  }

  struct ErrorRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: VStreamError.Code
    let change: @Sendable (inout CameraConfiguration) -> Void
  }

  static let errors = [
    ErrorRow(testDescription: "unicorn", code: .usage) { $0.classes = ["person", "unicorn"] },
    ErrorRow(testDescription: "dragon", code: .usage) { camera in
      camera.redact = .fill
      camera.redactWhat = ["dragon"]
    },
    ErrorRow(testDescription: "the host is not clear", code: .usage) { $0.source = "rtsp://me:p#a@x@host:9/b?c@d:1" },
    ErrorRow(testDescription: "FFmpeg cannot send them by rtmp", code: .usage) { camera in
      (camera.detectSource, camera.source) = ("rtsp://host/a", "rtmp://me:a#b@host/c")
    },
    ErrorRow(testDescription: "no-such-model", code: .missingDependency) { $0.objectModel = "no-such-model" },
  ]

  @Test(arguments: errors) func `what cannot be detected is an error before the camera runs`(row: ErrorRow) throws {
    let error = #expect(throws: VStreamError.self) { try run(row.change) }
    #expect(error?.code == row.code)
    #expect(error?.description.contains(row.testDescription) == true, "\(String(describing: error))")
    var camera = CameraConfiguration()
    camera.source = "x"
    row.change(&camera)
    var configuration = ServeConfiguration()
    configuration.cameras = [.init(name: "a", settings: camera)]
    #expect(throws: VStreamError.self) { try detectors.check(configuration) }
  }
}

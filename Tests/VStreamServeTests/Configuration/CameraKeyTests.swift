import Testing
import VStreamCore
import VStreamMedia
import VStreamOverlay
import VStreamPipeline

@testable import VStreamServe

/// Each setting of a camera, as it is written and what it means.
struct CameraKeyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether the setting has its effect.
    let holds: @Sendable (CameraConfiguration) -> Bool

    init(_ text: String, _ holds: @escaping @Sendable (CameraConfiguration) -> Bool) {
      testDescription = text
      self.holds = holds
    }
  }

  static let rows = [
    Row("source: /dev/video0") { $0.source == "/dev/video0" },
    Row("source: 'rtsp://a:8554/x?y=1#z'") { $0.source == "rtsp://a:8554/x?y=1#z" },
    Row("source: 42") { $0.source == "42" },
    Row("detect-source: rtsp://a/small") { camera in
      camera.input.location == "rtsp://a/small" && camera.shownInput?.location == "x"
    },
    Row("detect-source: rtsp://a/small\nredact: fill") { camera in
      camera.input.location == "rtsp://a/small" && camera.shownInput == nil
    },
    Row("input-format: v4l2") { $0.inputFormat == "v4l2" && $0.input.format == "v4l2" },
    Row("input-options: {framerate: 30, pixel_format: yuyv422}") {
      $0.input.options.map { "\($0.key)=\($0.value)" } == ["framerate=30", "pixel_format=yuyv422"]
    },
    Row("timeout: 2.5") { $0.timeout == 2.5 && $0.input.timeout == 2.5 },
    Row("detect: none") { $0.detect.isEmpty },
    Row("detect: [objects]") { $0.detect == [.objects] },
    Row("detect: [objects, faces, poses]") { $0.detect == Set(DetectionKind.allCases) },
    Row("detect: objects, poses") { $0.detect == [.objects, .poses] },
    Row("classes: [person]") { $0.classes == ["person"] },
    Row("classes: person , traffic light") { $0.classes == ["person", "traffic light"] },
    Row("classes:\n    - person\n    - car") { $0.classes == ["person", "car"] },
    Row("object-model: yolox-tiny") { $0.objectModel == "yolox-tiny" },
    Row("min-score: 0.25") { $0.minScore == 0.25 },
    Row("max-objects: 3") { $0.maxObjects == 3 },
    Row("passes-per-second: 0.5") { $0.passesPerSecond == 0.5 },
    Row("passes-per-second: 1e1") { $0.passesPerSecond == 10 },
    Row("rest: false") { !$0.idles },
    Row("weight: 2") { $0.weight == 2 },
    Row("lost-after: 0") { $0.lostAfter == 0 },
    Row("confirm-after: 1") { $0.confirmAfter == 1 },
    Row("zones: {door: '1,2;3,4;5,6'}") { $0.counted.zones.map(\.name) == ["door"] },
    Row("zones: {b: '1,2;3,4;5,6', a: '1%,2%;3%,4%;5%,6%;7%,8%'}") {
      $0.counted.zones.map(\.name) == ["b", "a"] && $0.counted.zones.map(\.corners.count) == [3, 4]
    },
    Row("lines: {gate: ' 0 , 10 ; 20 % , 10 '}") {
      $0.counted.lines.first?.corners == [
        .init(x: .pixels(0), y: .pixels(10)), .init(x: .fraction(0.2), y: .pixels(10)),
      ]
    },
    Row("masks: ['0,0;9,0;9,9', '0%,0%;9%,0%;9%,9%']") { $0.masks.count == 2 && $0.hidesPixels },
    Row("masks: []") { !$0.hidesPixels },
    Row("redact: mosaic") { $0.redact == .mosaic && $0.hidesPixels && $0.redactedKinds == [.faces] },
    Row("redact: blur") { $0.redact == .blur && $0.redactWhat == ["faces"] },
    Row("redact-what: [Person, car]") { $0.redactWhat == ["person", "car"] && !$0.hidesPixels },
    Row("record: {mode: events, before: 0s, after: 1m, keep: 12h}") {
      $0.record.mode == .events && $0.record.before == 0 && $0.record.after == 60 && $0.record.keep == 43_200
    },
    Row("records: a/{camera}-{date}.jsonl") { $0.records == "a/{camera}-{date}.jsonl" },
  ]

  private static func read(_ lines: String) throws -> CameraConfiguration {
    let source = lines.hasPrefix("source") ? "" : "  source: x\n"
    let text = source + lines.split(separator: "\n").map { "  \($0)\n" }.joined()
    let root = try ConfigurationText.request.root(of: "c:\n\(text)")
    return try ConfigurationReader.camera("c", root.entries()[0].value, CameraConfiguration()).settings
  }

  @Test(arguments: rows) func `a setting`(row: Row) throws {
    #expect(row.holds(try Self.read(row.testDescription)))
  }

  @Test func `every setting has a row`() {
    for (key, _) in CameraKeys.all {
      #expect(Self.rows.contains { $0.testDescription.hasPrefix("\(key):") }, "\(key)")
    }
  }

  @Test func `options of the command line are read like settings`() throws {
    var camera = CameraConfiguration()
    try CameraKeys.apply("classes", ConfigurationNode(option: "classes", "person,car"), to: &camera)
    try CameraKeys.apply("detect", ConfigurationNode(option: "detect", "faces"), to: &camera)
    #expect(camera.classes == ["person", "car"] && camera.detect == [.faces])
    let error = #expect(throws: VStreamError.self) {
      try CameraKeys.apply("min-score", ConfigurationNode(option: "min-score", "2"), to: &camera)
    }
    #expect(error?.description == "--min-score 2 is out of range; give 0.01 to 1")
  }

  @Test func `the text of an option is not expanded`() throws {
    var camera = CameraConfiguration()
    try CameraKeys.apply("object-model", ConfigurationNode(option: "object-model", "${HOME}"), to: &camera)
    #expect(camera.objectModel == "${HOME}")
  }

  @Test func `settings that differ are not equal`() throws {
    let rows = try Self.rows.map { try Self.read($0.testDescription) }
    let first = try Self.read("weight: 1")
    // An empty list of masks, and what is detected by default, change nothing.
    #expect(rows.filter { $0 == first }.count == 2)
    for row in rows { #expect(row == row) }
  }
}

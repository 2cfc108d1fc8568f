import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamPipeline

@testable import VStreamCommand

/// The settings that each group of options changes in the configuration.
struct OptionGroupTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let words: String
    let isSet: @Sendable (PipelineConfiguration) -> Bool
    var testDescription: String { words.isEmpty ? "no options" : words }
    init(_ words: String, _ isSet: @escaping @Sendable (PipelineConfiguration) -> Bool) {
      self.words = words
      self.isSet = isSet
    }
  }

  static let rows = [
    Row("") { configuration in
      configuration.start == nil && configuration.duration == nil && configuration.late == nil
        && configuration.hold == 0.05 && configuration.reconnectSeconds == 0 && configuration.mode == nil
        && configuration.detectEvery == .every(1) && !configuration.isRealtime && configuration.redaction == nil
        && configuration.savedFaces == nil && configuration.maximumObjects == nil && configuration.records.isEmpty
        && configuration.tracker.minimumScore == 0.5 && configuration.counted.zones.isEmpty
    },
    Row("--start 1:02.5 --duration 90") { $0.start == 62.5 && $0.duration == 90 },
    Row("--realtime --reconnect 5 --hold 0.2 --late wait") { configuration in
      configuration.isRealtime && configuration.reconnectSeconds == 5 && configuration.hold == 0.2
        && configuration.late == .wait
    },
    Row("--input-format mp4 --input-option a=b=c --timeout 3") { configuration in
      configuration.input.format == "mp4" && configuration.input.options.map(\.key) == ["a"]
        && configuration.input.options.map(\.value) == ["b=c"] && configuration.input.timeout == 3
    },
    Row("--map 0:v --map a:1") { $0.input.map == (try? StreamMap(["0:v", "a:1"])) },
    Row("--mode single-image --detect-every auto") { $0.mode == .singleImage && $0.detectEvery == .auto },
    Row("--detect-every 4") { $0.detectEvery == .every(4) },
    Row("--max-objects 3 --min-score 0.4") { $0.maximumObjects == 3 && $0.tracker.minimumScore == 0.4 },
    // A model's own score is for objects alone.
    Row("--detect faces,objects --object-model yolox-nano") { configuration in
      configuration.objectScore == 0.6 && configuration.tracker.minimumScore == 0.5
    },
    Row("--detect objects --object-model yolox-nano --min-score 0.4") { configuration in
      configuration.objectScore == nil && configuration.tracker.minimumScore == 0.4
    },
    Row("--detect faces --object-model yolox-nano") { $0.objectScore == nil },
    Row("--lost-after 2.5 --confirm-after 3 --min-iou 0.4") { configuration in
      configuration.tracker.lostAfterSeconds == 2.5 && configuration.tracker.confirmAfter == 3
        && configuration.tracker.minimumIoU == 0.4
    },
    Row("--draw boxes,ids") { $0.overlay.elements == [.boxes, .ids] },
    Row("--draw none") { $0.overlay.elements.isEmpty },
    Row("--overlay-track ass -o out.mkv") { $0.overlay.elements == OverlayScript.elements },
    Row("--redact blur") { configuration in
      configuration.redaction?.style == .blur && configuration.redaction?.labels == ["faces"]
        && configuration.redaction?.omitsImages == true && configuration.redaction?.recordsCoveredEllipses == false
        && configuration.redaction?.lookBack == nil && configuration.overlay.elements.isEmpty
    },
    Row("--redact fill --redact-what Person,car --look-back 1.5 --keep-unredacted --verify") { configuration in
      configuration.redaction?.labels == ["person", "car"] && configuration.redaction?.lookBack == .seconds(1.5)
        && configuration.redaction?.omitsImages == false && configuration.redaction?.recordsCoveredEllipses == true
    },
    Row("--redact mosaic --draw boxes") { $0.overlay.elements == [.boxes] },
    Row("--records r.jsonl --records r.csv --events --record-detections") { configuration in
      configuration.records == ["r.jsonl", "r.csv"] && configuration.recordsEvents && configuration.recordsDetections
    },
    Row("--save-faces f --crop-format png -y") { configuration in
      configuration.savedFaces?.path == "f" && configuration.savedFaces?.format == .png
        && configuration.savedFaces?.overwrites == true
    },
    Row("--save-faces f") { $0.savedFaces?.format == .jpeg && $0.savedFaces?.overwrites == false },
    Row("--zone a:0,0;50%,0;50%,50% --line b:1,2;3,4") { configuration in
      configuration.counted.zones.map(\.name) == ["a"] && configuration.counted.zones[0].corners.count == 3
        && configuration.counted.lines.map(\.name) == ["b"]
    },
  ]

  @Test(arguments: rows)
  func `options set the configuration`(row: Row) throws {
    let configuration = try CommandLineOptions(row.words.split(separator: " ").map(String.init)).configuration()
    #expect(row.isSet(configuration))
  }

  @Test(arguments: [("0.3", 0.3), ("0.8", 0.5)])
  func `faces and people are detected down to a score below the usual one`(given: String, lowest: Double) throws {
    let run = try RunContext(CommandLineOptions(["--detect", "faces,poses", "--min-score", given]).command)
    let groups: [any DetectorOptionGroup] = [run.command.faces, run.command.poses]
    let scores = try groups.map { group -> Double? in
      switch try group.detector(for: .annotation, run).detector {
      case .faces(let options): options.minimumScore
      case .poses(let options): options.minimumScore
      case .objects, .custom: nil
      }
    }
    #expect(scores == [lowest, lowest])
  }

  struct Faces: CustomTestStringConvertible, Sendable {
    let words: [String]
    let purpose: DetectionPurpose
    let mode: FaceDetectorOptions.PerformanceMode
    let smallest: Double
    let interval: Double
    var testDescription: String { "\(purpose), \(words.joined(separator: " "))" }
  }

  @Test(arguments: [
    Faces(words: [], purpose: .annotation, mode: .fast, smallest: 0.03, interval: 0.2),
    Faces(
      words: ["--face-mode", "accurate", "--min-face-size", "0.05", "--face-search", "1"], purpose: .annotation,
      mode: .accurate, smallest: 0.05, interval: 1),
    Faces(words: [], purpose: .redaction, mode: .accurate, smallest: 0.0104, interval: 0.2),
    Faces(words: ["--face-mode", "accurate"], purpose: .redaction, mode: .accurate, smallest: 0.01, interval: 0.2),
    Faces(words: ["--face-mode", "fast"], purpose: .redaction, mode: .fast, smallest: 0.03, interval: 0.2),
    Faces(
      words: ["--min-face-size", "0.005"], purpose: .redaction, mode: .accurate, smallest: 0.005, interval: 0.2),
    Faces(
      words: ["--face-mode", "fast", "--min-face-size", "0.5", "--face-search", "9"], purpose: .verification,
      mode: .accurate, smallest: 0.0104, interval: 0.2),
  ])
  func `faces are detected as their purpose requires, unless options say otherwise`(row: Faces) throws {
    let options = try CommandLineOptions(row.words).command.faces.options(for: row.purpose, needsAngles: false)
    #expect(options.performanceMode == row.mode)
    #expect(options.effectiveMinFaceSize == row.smallest)
    #expect(options.searchSeconds == row.interval)
    #expect(options.angleMode == .none)
  }

  @Test(arguments: [
    (["--face-landmarks"], false, true), (["--face-contours"], false, true), (["--face-classification"], false, true),
    ([], true, true), ([], false, false),
  ])
  func `angles are detected where they are needed, or come with the mesh`(
    words: [String], needsAngles: Bool, expected: Bool
  ) throws {
    let options = try CommandLineOptions(words).command.faces.options(for: .annotation, needsAngles: needsAngles)
    #expect((options.angleMode == .all) == expected)
  }

  struct Recorded: CustomTestStringConvertible, Sendable {
    let words: String
    let header: String
    var receipt = ""
    var testDescription: String { words.isEmpty ? "no options" : words }
  }

  static let tracking = "lostAfter=1.0 confirmAfter=2 minIoU=0.2"
  static let objects = "objectModel=ssd-int8 minScore=0.5"
  static let faces = "faceMode=fast faceParts= minFaceSize=0.03"
  static let unredacted = "redact= redactWhat=faces keepUnredacted=false"

  static let recorded = [
    Recorded(
      words: "",
      header: "detect=faces,objects detectEvery=1 objectModel=ssd-int8 passes=1.0 minScore=0.5 \(faces) \(tracking)",
      receipt: unredacted),
    Recorded(words: "--detect none --mode stream --events --records r.jsonl", header: "detect=", receipt: unredacted),
    Recorded(
      words: "--detect objects --mode single-image --detect-every auto --accurate --max-objects 3 --classes person,car",
      header: "detect=objects mode=single-image detectEvery=auto objectModel=ssd-int8 accurate=true maxObjects=3 "
        + "classes=person,car minScore=0.5 \(tracking)", receipt: unredacted),
    Recorded(
      words: "--detect objects --object-model ./models/own.onnx --min-score 0.25",
      header: "detect=objects detectEvery=1 objectModel=own.onnx passes=1.0 minScore=0.25 \(tracking)",
      receipt: unredacted),
    Recorded(
      words: "--detect objects --object-model yolox-nano",
      header: "detect=objects detectEvery=1 objectModel=yolox-nano passes=1.0 minScore=0.6 \(tracking)",
      receipt: unredacted),
    Recorded(
      words: "--detect objects --object-model yolox-nano --min-score 0.4",
      header: "detect=objects detectEvery=1 objectModel=yolox-nano passes=1.0 minScore=0.4 \(tracking)",
      receipt: unredacted),
    Recorded(
      words: "--redact fill --redact-what person --object-model yolox-nano",
      header: "detect=objects detectEvery=1 objectModel=yolox-nano minScore=0.5 \(tracking)",
      receipt: "redact=fill redactWhat=person keepUnredacted=false"),
    Recorded(
      words: "--detect objects --accuracy fast",
      header: "detect=objects detectEvery=1 objectModel=ssd-int8 passes=0.33 minScore=0.5 \(tracking)",
      receipt: unredacted),
    Recorded(
      words: "--detect objects --detect-every 1", header: "detect=objects detectEvery=1 \(objects) \(tracking)",
      receipt: unredacted),
    Recorded(
      words: "--detect faces --face-landmarks --face-contours --face-classification --face-search 0.5",
      header: "detect=faces detectEvery=1 faceMode=fast faceParts=landmarks,contours,classification minFaceSize=0.03 "
        + "faceSearch=0.5 \(tracking)", receipt: unredacted),
    Recorded(
      words: "--detect poses --pose-mode accurate --max-poses 4 --lost-after 2 --events --records r.jsonl",
      header: "detect=poses detectEvery=1 poseMode=accurate maxPoses=4 lostAfter=2.0 confirmAfter=2 minIoU=0.2 "
        + "events=true", receipt: unredacted),
    Recorded(
      words: "--redact blur --look-back 1 --start 1 --duration 2:00",
      header: "detect=faces detectEvery=1 faceMode=accurate faceParts= minFaceSize=0.0104 \(tracking)",
      receipt: "redact=blur redactWhat=faces lookBack=1.0 keepUnredacted=false start=1.0 duration=120.0"),
    Recorded(
      words: "--redact fill --redact-what person --keep-unredacted --record-detections --records r.jsonl",
      header: "detect=objects detectEvery=1 \(objects) \(tracking) recordDetections=true",
      receipt: "redact=fill redactWhat=person keepUnredacted=true"),
  ]

  @Test(arguments: recorded)
  func `options are recorded in a fixed order`(row: Recorded) throws {
    let options = try CommandLineOptions(row.words.split(separator: " ").map(String.init))
    #expect(try options.recorded().joined(separator: " ") == row.header)
    #expect(try options.recorded(forReceipt: true).joined(separator: " ") == row.receipt)
  }
}

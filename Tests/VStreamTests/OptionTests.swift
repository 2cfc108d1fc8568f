import Foundation
import Testing
import VStream
import VStreamTestSupport

/// Options that have no meaning are errors that name them, before anything is read or written.
struct OptionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The start of the message.
    let expected: String
    let make: @Sendable () throws -> Void

    init(_ name: String, _ expected: String, _ make: @escaping @Sendable () throws -> Void) {
      (testDescription, self.expected, self.make) = (name, expected, make)
    }

    static func objects(
      _ name: String, _ expected: String, _ change: @escaping @Sendable (inout ObjectDetectorOptions) -> Void
    ) -> Row {
      Row("objects: \(name)", expected) {
        var options = ObjectDetectorOptions()
        change(&options)
        _ = try ObjectDetector(options)
      }
    }

    static func faces(
      _ name: String, _ expected: String, _ change: @escaping @Sendable (inout FaceDetectorOptions) -> Void
    ) -> Row {
      Row("faces: \(name)", expected) {
        var options = FaceDetectorOptions()
        change(&options)
        _ = try FaceDetector(options)
      }
    }

    static func poses(
      _ name: String, _ expected: String, _ change: @escaping @Sendable (inout PoseDetectorOptions) -> Void
    ) -> Row {
      Row("poses: \(name)", expected) {
        var options = PoseDetectorOptions()
        change(&options)
        _ = try PoseDetector(options)
      }
    }

    static func pipeline(
      _ name: String, _ expected: String, _ change: @escaping @Sendable (inout VideoPipeline.Options) -> Void
    ) -> Row {
      Row("pipeline: \(name)", expected) {
        var options = VideoPipeline.Options()
        change(&options)
        _ = try VideoPipeline(input: Checkout.sample("street.avi"), options: options)
      }
    }
  }

  private static func region(_ name: String, _ corners: [(Double, Double)]) -> CountedRegions.Region {
    CountedRegions.Region(name: name, fractions: corners.map { (x: $0.0, y: $0.1) })
  }

  static let detectors: [Row] = [
    .objects("a score of 7", "minimumScore 7.0: is not a score") { $0.minimumScore = 7 },
    .objects("a score of −1", "minimumScore -1.0: is not a score") { $0.minimumScore = -1 },
    .objects("a score that is no number", "minimumScore nan: is not a score") { $0.minimumScore = .nan },
    .objects("no object", "maximumObjects 0: is not a number of objects") { $0.maximumObjects = 0 },
    .objects("no class", "classes is empty") { $0.classes = [] },
    .objects("less than no thread", "threads -1: is not a number of threads") { $0.threads = -1 },
    .objects("a time before now", "lostAfter -1.0: is not a time") { $0.tracking.lostAfterSeconds = -1 },
    .objects("confirmed by nothing", "confirmAfter 0: is not a number") { $0.tracking.confirmAfter = 0 },
    .faces("a tracker's overlap of 1", "minimumIoU 1.0: is not an overlap") { $0.tracking.minimumIoU = 1 },
    .faces("a face of no size", "minFaceSize 0.0: is not a fraction") { $0.minFaceSize = 0 },
    .faces("a score of 2", "minimumScore 2.0: is not a score") { $0.minimumScore = 2 },
    .faces("a search that is never due", "searchInterval -1.0: is not a time") { $0.searchInterval = .seconds(-1) },
    .poses("nobody", "maxPoses 0: is not a number of people") { $0.maxPoses = 0 },
    .poses("a score of 0", "minimumScore 0.0: is not a score") { $0.minimumScore = 0 },
    Row("frame: a time that is no number", "nan is not a time") {
      _ = try VideoFrame([1], as: .gray, size: PixelSize(width: 1, height: 1), seconds: .nan)
    },
  ]

  static let pipelines: [Row] = [
    .pipeline("start", "start -1.0: is not a time") { $0.start = .seconds(-1) },
    .pipeline("duration", "duration 0.0: is not a duration") { $0.duration = .seconds(0) },
    .pipeline("interval", "detectEvery 0: is not a number of frames") { $0.detectEvery = 0 },
    .pipeline("threads", "threads 0: is not a number of threads") { $0.threads = 0 },
    .pipeline("reconnection", "reconnectFor -1.0: is not a time") { $0.reconnectFor = .seconds(-1) },
    .pipeline("a zone of two corners", "zones door: has 2 corners") { $0.zones = [region("door", [(0, 0), (1, 1)])] },
    .pipeline("a line of one place", "lines gate: is not a line") { $0.lines = [region("gate", [(0, 0), (0, 0)])] },
    .pipeline("two lines of one name", "lines gate: is named twice") {
      $0.lines = [region("gate", [(0, 0), (1, 1)]), region("gate", [(0, 0), (1, 0)])]
    },
    .pipeline("a corner that is no number", "zones door: has a corner that is no point") {
      $0.zones = [region("door", [(.nan, 0), (1, 1), (0, 1)])]
    },
    .pipeline("redaction of nothing written", "redaction without output") {
      $0.redaction = RedactionOptions(.fill, labels: ["faces"])
    },
    .pipeline("redaction of nothing", "nothing is named to be redacted") {
      $0.output = "/tmp/none.mkv"
      $0.redaction = RedactionOptions(.fill, labels: [])
    },
    .pipeline("redaction of what is not detected", "'car' is to be redacted (redaction) and is not detected") {
      $0.output = "/tmp/none.mkv"
      $0.objects?.classes = ["person"]
      $0.redaction = RedactionOptions(.fill, labels: ["Car"])
    },
    .pipeline("redaction of an unknown class", "'unicorn' is to be redacted") {
      $0.output = "/tmp/none.mkv"
      $0.redaction = RedactionOptions(.fill, labels: ["unicorn"])
    },
    .pipeline("an encoder", "'ultra' is not") {
      $0.output = "/tmp/none.mkv"
      $0.encoder = EncoderSettings(preset: "ultra")
    },
    .pipeline("quality", "crf 60 is out of range") {
      $0.output = "/tmp/none.mkv"
      $0.encoder = EncoderSettings(crf: 60)
    },
    .pipeline("a bit rate below 0", "bitRate -1: is not a bit rate") {
      $0.output = "/tmp/none.mkv"
      $0.encoder = EncoderSettings(bitRate: -1)
    },
    .pipeline("a frame rate of 0", "frameRate 0/1: is not a frame rate") {
      $0.output = "/tmp/none.mkv"
      $0.encoder = EncoderSettings()
      $0.encoder?.frameRate = Rational(0, 1)
    },
    .pipeline("too many threads", "threads 100000000: is not a number of threads") { $0.threads = 100_000_000 },
    .pipeline("one standard output for two", "standard output has the video") {
      $0.output = "-"
      $0.records = ["-"]
    },
    .pipeline("events without a place", "recordsEvents has no effect without a .jsonl file (records)") {
      $0.recordsEvents = true
      $0.records = ["a.csv"]
    },
    .pipeline("detections without a place", "recordsDetections has no effect") { $0.recordsDetections = true },
    .pipeline("an encoder without an output", "encoder has no effect without output") {
      $0.encoder = EncoderSettings()
    },
    .pipeline("marks without an output", "marks has no effect without output") { $0.marks = { _ in [] } },
    .pipeline("redaction of poses", "'poses' is to be redacted (redaction) and cannot be redacted") {
      $0.output = "/tmp/none.mkv"
      $0.poses = PoseDetectorOptions()
      $0.redaction = RedactionOptions(.fill, labels: ["poses"])
    },
    .pipeline("records that would be empty", "records a.mot.txt: MOTChallenge holds objects only") {
      $0.objects = nil
      $0.faces = FaceDetectorOptions()
      $0.records = ["a.mot.txt"]
    },
  ]

  @Test(arguments: detectors + pipelines)
  func `an option that has no meaning is an error that names it`(row: Row) {
    let error = #expect(throws: VStreamError.self) { try row.make() }
    #expect(error?.code == .usage)
    #expect(error?.message.hasPrefix(row.expected) == true, "\(error?.message ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test func `files and addresses may be URLs`() throws {
    let folder = try TemporaryFolder()
    var options = VideoPipeline.Options()
    options.objects = nil
    options.duration = .seconds(0.5)
    options.outputURL = URL(filePath: folder.file("a b%20c.mkv"))
    #expect(options.output == folder.file("a b%20c.mkv"))
    #expect(options.outputURL?.path(percentEncoded: false) == folder.file("a b%20c.mkv"))
    let pipeline = try VideoPipeline(input: URL(filePath: Checkout.sample("street.avi")), options: options)
    #expect(try pipeline.runBlocking { _ in }.frames == 5)
    #expect(
      try VideoFrame(contentsOf: URL(filePath: folder.file("a b%20c.mkv"))).size == PixelSize(width: 768, height: 576))
    options.outputURL = URL(string: "rtmp://host/live")
    #expect(options.output == "rtmp://host/live" && options.outputURL?.scheme == "rtmp")
  }

  @Test func `a size of the output keeps the aspect ratio where a side is not given`() {
    #expect(OutputSize(width: 320, height: nil) == OutputSize("320x-1"))
    #expect(OutputSize(width: 320, height: 240) == OutputSize("320x240"))
    #expect(OutputSize(width: nil, height: nil) == nil && OutputSize(width: 0, height: 9) == nil)
  }
}

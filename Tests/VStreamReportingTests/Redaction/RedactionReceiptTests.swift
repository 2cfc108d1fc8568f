import Testing
import VStreamCore

@testable import VStreamReporting

/// What a verification of a redacted video counts, and what its receipt contains.
struct RedactionReceiptTests {
  private func annotations(_ frame: Int, _ objects: [DetectedObject], interval: Int = 40) -> FrameAnnotations {
    FrameAnnotations(
      frame: frame, time: Time(ticks: Int64(frame * interval), base: .milliseconds), source: .detected,
      found: Detections(objects: objects))
  }

  private func person(_ x: Double) -> DetectedObject {
    DetectedObject(
      classIndex: 0, label: "person", score: 0.75, box: Box(x: x, y: 10, width: 20, height: 40))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// By how much of its box's width the cover lies beside the person.
    let shift: Double
    let isResidual: Bool
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "right on it", shift: 0, isResidual: false),
    Row(name: "a little beside it", shift: 0.2, isResidual: false),
    Row(name: "half beside it", shift: 0.6, isResidual: true), Row(name: "elsewhere", shift: 5, isResidual: true),
  ]

  @Test(arguments: rows)
  func `a detection is in the clear if less than four fifths of it was covered`(row: Row) {
    var report = ResidualReport()
    let cover = Ellipse(around: Box(x: 100 + row.shift * 20, y: 10, width: 20, height: 40))
    report.add(annotations(0, [person(100)]), covers: [cover], labels: ["person"])
    #expect(report.check.residuals.count == (row.isResidual ? 1 : 0))
    #expect(report.check.coveredHits == (row.isResidual ? 0 : 1))
  }

  struct Weak: CustomTestStringConvertible, Sendable {
    let name: String
    /// Frames with a detection, and its scores.
    let found: [(frame: Int, score: Double)]
    var cover: Box?
    /// The factor of the sizes from one detection to the next.
    var growth = 1.0
    /// Milliseconds from frame to frame.
    var interval = 40
    let residuals: Int
    var testDescription: String { name }
  }

  static let weak = [
    Weak(name: "low scores", found: [(1, 0.55), (2, 0.55)], residuals: 0),
    Weak(name: "a single frame", found: [(1, 0.7)], residuals: 0),
    Weak(name: "a single frame, with a high score", found: [(1, 0.8)], residuals: 1),
    Weak(name: "two frames", found: [(1, 0.62), (4, 0.62)], residuals: 2),
    Weak(name: "two frames, a little larger", found: [(1, 0.62), (4, 0.62)], growth: 1.4, residuals: 2),
    Weak(name: "two frames, much larger", found: [(1, 0.62), (4, 0.62)], growth: 1.6, residuals: 0),
    Weak(name: "two frames far apart", found: [(1, 0.62), (9, 0.62)], residuals: 0),
    Weak(name: "two neighbouring frames of few a second", found: [(1, 0.62), (2, 0.62)], interval: 400, residuals: 2),
    Weak(name: "a low score confirms nothing", found: [(1, 0.62), (2, 0.5)], residuals: 0),
    Weak(
      name: "what is around a cover", found: [(1, 0.7), (2, 0.7)], cover: Box(x: 104, y: 18, width: 12, height: 24),
      residuals: 0),
    Weak(
      name: "around a cover, with a high score", found: [(1, 0.9)], cover: Box(x: 104, y: 18, width: 12, height: 24),
      residuals: 1),
    Weak(
      name: "around a small cover", found: [(1, 0.7), (2, 0.7)], cover: Box(x: 107, y: 24, width: 6, height: 12),
      residuals: 2),
    Weak(
      name: "beside a cover", found: [(1, 0.9), (2, 0.9)], cover: Box(x: 112, y: 18, width: 12, height: 24),
      residuals: 2),
  ]

  @Test(arguments: weak) func `weak hits are listed apart`(row: Weak) {
    var report = ResidualReport(scores: [.objects: .init(minimum: 0.6, isolatedMinimum: 0.75)])
    for frame in 0..<12 {
      let found = row.found.enumerated().filter { $1.frame == frame }.map { index, one in
        var person = person(100)
        if index > 0 { (person.box.width, person.box.height) = (20 * row.growth, 40 * row.growth) }
        person.score = one.score
        return person
      }
      report.add(
        annotations(frame, found, interval: row.interval), covers: row.cover.map { [Ellipse(around: $0)] } ?? [],
        labels: ["person"])
    }
    #expect(report.check.residuals.count == row.residuals)
    #expect(report.check.weakHits.count == row.found.count - row.residuals)
  }

  @Test func `a single image has no neighbours that confirm`() {
    var report = ResidualReport(scores: [.objects: .init(minimum: 0.6, isolatedMinimum: 0.9)])
    report.add(annotations(0, [person(100)]), covers: [], labels: ["person"])
    #expect(report.check.residuals.count == 1 && report.check.weakHits.isEmpty)
  }

  @Test func `only what was to be redacted counts`() {
    var report = ResidualReport()
    report.add(annotations(0, [person(100)]), covers: [], labels: ["car"])
    #expect(report.check.residuals.isEmpty)
    #expect(report.check.coveredHits == 0)
    #expect(report.check.frames == 1)
  }

  @Test func `a receipt is one object with all that is to be known`() {
    var report = ResidualReport()
    report.add(annotations(0, []), covers: [], labels: ["person"])
    report.add(annotations(1, [person(100)]), covers: [], labels: ["person"])
    let receipt = RedactionReceipt(
      inputName: "a.mp4", outputName: "b.mp4", outputHash: "00ff", options: [("redact", .text("blur"))],
      framesRedacted: 1, check: report.check, unverified: ["stream #1"], omitted: ["stream #2"], keptText: ["titles"],
      searches: ["people"], notSearched: ["cars"],
      models: [.init(name: "a.xml", hash: "11ee", isKnown: true), .init(name: "own.onnx", hash: "22", isKnown: false)],
      groups: [
        .init(firstFrame: 0, frames: 50, count: 2, areCopied: true),
        .init(firstFrame: 50, frames: 25, count: 1, areCopied: false),
      ])
    #expect(
      receipt.json
        == #"{"type":"receipt","version":1,"input":"a.mp4","output":"b.mp4","outputSHA256":"00ff","#
        + #""options":{"redact":"blur"},"frames":2,"framesRedacted":1,"coveredHits":0,"residuals":["#
        + #"{"frame":1,"pts":0.04,"label":"person","score":0.75,"box":[100.0,10.0,20.0,40.0],"covered":0.0}],"#
        + #""weakHitCount":0,"weakHits":[],"unverified":["stream #1"],"omitted":["stream #2"],"#
        + #""keptText":["titles"],"searches":["people"],"notSearched":["cars"],"models":["#
        + #"{"file":"a.xml","sha256":"11ee","known":true},{"file":"own.onnx","sha256":"22","known":false}],"groups":["#
        + #"{"frame":0,"frames":50,"groups":2,"copied":true},{"frame":50,"frames":25,"groups":1,"copied":false}]}"#)
  }

  @Test func `of many weak hits a receipt lists the strongest, and their number`() throws {
    let hits = (0..<1500).map { frame in
      Residual(
        frame: frame, seconds: Double(frame) / 25, label: "face", score: frame % 3 == 0 ? 0.1 : 0.5,
        box: Box(x: 0, y: 0, width: 9, height: 9), coveredFraction: 0)
    }
    let receipt = RedactionReceipt(
      inputName: "a", outputName: "b", outputHash: nil, options: [], framesRedacted: 0,
      check: RedactionCheck(frames: 1500, coveredHits: 0, weakHits: hits))
    #expect(receipt.json.contains(#""weakHitCount":1500,"#))
    #expect(receipt.json.split(separator: #""score":0.5,"#).count == 1001)
    #expect(!receipt.json.contains(#""score":0.1,"#))
  }
}

/// What an earlier receipt says of an output.
struct ReceiptContentsTests {
  private static let options: [(name: String, value: RecordHeader.OptionValue)] = [
    ("redact", .text("fill")), ("redactWhat", .list(["faces", "car"])), ("lostAfter", .number(1)),
  ]

  private static func receipt(
    _ options: [(name: String, value: RecordHeader.OptionValue)] = options, residuals: Int = 0,
    unverified: [String] = [], hash: String? = "abc"
  ) -> RedactionReceipt {
    let residual = Residual(
      frame: 3, seconds: 0.1, label: "faces", score: 0.9, box: Box(x: 1, y: 2, width: 3, height: 4), coveredFraction: 0)
    let check = RedactionCheck(
      frames: 9, coveredHits: 2, residuals: [Residual](repeating: residual, count: residuals),
      weakHits: [residual])
    return RedactionReceipt(
      inputName: "in \"options\":{}.mp4", outputName: "out.mp4", outputHash: hash, options: options, framesRedacted: 9,
      check: check, unverified: unverified)
  }

  private func contents(_ receipt: RedactionReceipt) throws -> RedactionReceipt.Contents {
    try #require(RedactionReceipt.Contents(json: Array(receipt.json.utf8)))
  }

  @Test func `a receipt is read back`() throws {
    let read = try contents(Self.receipt())
    #expect(read.outputHash == "abc" && read.isClean)
    #expect(read.options == RedactionReceipt.text(of: Self.options), "\(read.options)")
  }

  @Test func `weak hits are no findings; residuals and what was not verified are`() throws {
    #expect(try !contents(Self.receipt(residuals: 1)).isClean)
    #expect(try !contents(Self.receipt(unverified: ["stream #1"])).isClean)
    #expect(try contents(Self.receipt(hash: nil)).outputHash == nil)
  }

  @Test(arguments: ["fill", "mosaic"], ["faces", "car"])
  func `other options have another text`(style: String, what: String) throws {
    let options: [(name: String, value: RecordHeader.OptionValue)] = [
      ("redact", .text(style)), ("redactWhat", .list([what])), ("lostAfter", .number(2)),
    ]
    let read = try contents(Self.receipt(options))
    #expect(read.options == RedactionReceipt.text(of: options))
    #expect(read.options != RedactionReceipt.text(of: Self.options))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"type":"receipt"}"#, #"{"type":"header","version":1,"residuals":[],"unverified":[]}"#,
    #"{"type":"receipt","version":2,"options":{},"frames":1,"residuals":[],"unverified":[]}"#,
  ]) func `other files are no receipts`(text: String) {
    #expect(RedactionReceipt.Contents(json: Array(text.utf8)) == nil)
  }
}

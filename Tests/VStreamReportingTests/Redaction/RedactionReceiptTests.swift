import Testing
import VStreamReporting
import VStreamScene

/// What a verification of a redacted video counts, and what its receipt contains.
struct RedactionReceiptTests {
  private func annotations(_ frame: Int, _ objects: [DetectedObject]) -> FrameAnnotations {
    FrameAnnotations(
      frame: frame, time: Time(ticks: Int64(frame) * 40, base: .milliseconds), source: .detected,
      found: Observations(objects: objects))
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
    var check = ResidualReport()
    let cover = Ellipse(around: Box(x: 100 + row.shift * 20, y: 10, width: 20, height: 40))
    check.add(annotations(0, [person(100)]), covers: [cover], labels: ["person"])
    #expect(check.residuals.count == (row.isResidual ? 1 : 0))
    #expect(check.coveredHits == (row.isResidual ? 0 : 1))
  }

  @Test func `only what was to be redacted counts`() {
    var check = ResidualReport()
    check.add(annotations(0, [person(100)]), covers: [], labels: ["car"])
    #expect(check.residuals.isEmpty)
    #expect(check.coveredHits == 0)
    #expect(check.frames == 1)
  }

  @Test func `a receipt is one object with all that is to be known`() {
    var check = ResidualReport()
    check.add(annotations(0, []), covers: [], labels: ["person"])
    check.add(annotations(1, [person(100)]), covers: [], labels: ["person"])
    let receipt = RedactionReceipt(
      inputName: "a.mp4", outputName: "b.mp4", outputHash: "00ff", options: [("redact", .text("blur"))],
      framesRedacted: 1, check: check)
    #expect(
      receipt.json
        == #"{"type":"receipt","version":1,"input":"a.mp4","output":"b.mp4","outputSHA256":"00ff","#
        + #""options":{"redact":"blur"},"frames":2,"framesRedacted":1,"coveredHits":0,"residuals":["#
        + #"{"frame":1,"pts":0.04,"label":"person","score":0.75,"box":[100.0,10.0,20.0,40.0],"covered":0.0}]}"#)
  }
}

import Testing
import VStreamScene

@testable import VStreamReporting

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

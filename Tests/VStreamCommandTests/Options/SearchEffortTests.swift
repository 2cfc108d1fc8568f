import Foundation
import Testing
import VStreamTestSupport

/// How often the object network is run, where that has no effect.
struct SearchEffortTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let options: String
    /// The warning; `nil` for none.
    let warning: String?
    var testDescription: String { options }
  }

  @Test(arguments: [
    Row(
      options: "--mode single-image --passes 2",
      warning: "warning: --passes 2.0 has no effect: single images are searched wholly"),
    Row(options: "--mode single-image --accuracy accurate", warning: nil),
    Row(
      options: "--detect faces --accuracy fast",
      warning: "warning: --accuracy fast has no effect: no objects are detected"),
    Row(
      options: "--detect none --accurate",
      warning: "warning: --accuracy accurate has no effect: no objects are detected"),
    Row(
      options: "--redact fill --redact-what person --accuracy fast",
      warning: "warning: --accuracy fast has no effect: what is redacted is searched for in the whole of every frame"),
    Row(options: "--passes 2", warning: nil), Row(options: "--accuracy balanced", warning: nil),
  ])
  func `an option that has no effect is a warning, and is not recorded`(row: Row) throws {
    let folder = try TemporaryFolder()
    let result = try Program.vstream(
      [
        Checkout.sample("street.avi"), "-o", folder.file("o.mkv"), "--duration", "0.3", "--records",
        folder.file("r.jsonl"),
      ]
        + row.options.split(separator: " ").map(String.init))
    #expect(result.status == 0)
    if let warning = row.warning {
      #expect(result.errors.contains(warning), "\(result.errors)")
    } else {
      #expect(!result.errors.contains("warning:"), "\(result.errors)")
    }
    let header = try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8).prefix { $0 != "\n" }
    #expect(header.contains(#""passes""#) == (row.options == "--passes 2" || row.options == "--accuracy balanced"))
  }

  @Test(
    arguments: [
      (
        "--detect none --zone a:0,0;9,0;9,9",
        "--zone and --line have no effect: they count objects, and none are detected"
      ),
      ("--redact fill --detect faces --draw boxes,landmarks", nil),
      (
        "--redact fill --detect faces --draw boxes,landmarks --face-landmarks",
        "the landmarks and contours that are drawn show the outlines of redacted faces (--draw)"
      ),
    ] as [(String, String?)])
  func `zones without objects, and outlines of redacted faces, are warned of`(options: String, warning: String?) throws
  {
    let folder = try TemporaryFolder()
    let result = try Program.vstream(
      [Checkout.sample("face.mp4"), "-o", folder.file("o.mkv"), "--duration", "0.2"]
        + options.split(separator: " ").map(String.init))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("warning:") == (warning != nil), "\(result.errors)")
    if let warning { #expect(result.errors.contains(warning), "\(result.errors)") }
  }

  @Test func `the records of a photo do not state passes`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-frames:v", "1", folder.file("a.png")])
    let result = try Program.vstream([folder.file("a.png"), "-o", "null", "--records", folder.file("r.jsonl")])
    #expect(result.status == 0)
    #expect(try !String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8).contains(#""passes""#))
  }
}

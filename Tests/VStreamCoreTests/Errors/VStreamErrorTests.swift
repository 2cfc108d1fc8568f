import Testing
import VStreamCore

/// Facts of a failure, and the line that a user sees.
struct VStreamErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let error: VStreamError
    /// In the library's words.
    let text: String
    /// In the words of whoever calls a setting `<name>`.
    let renamed: String
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "an unknown value, with those known",
      error: .unknownValue("ultra", of: .preset, expected: "a preset of libx264", known: ["fast", "medium", "slow"]),
      text: "'ultra' is not a preset of libx264 (preset); use fast, medium or slow",
      renamed: "'ultra' is not a preset of libx264 (<preset>); use fast, medium or slow"),
    Row(
      name: "an unknown value, with a remedy of its own",
      error: .unknownValue(
        "nope", of: .inputFormat, expected: "an input format of FFmpeg", remedy: "'ffmpeg -formats' lists them"),
      text: "'nope' is not an input format of FFmpeg (inputFormat); 'ffmpeg -formats' lists them",
      renamed: "'nope' is not an input format of FFmpeg (<inputFormat>); 'ffmpeg -formats' lists them"),
    Row(
      name: "an unknown value, with nothing to suggest",
      error: .unknownValue("nope", of: .inputFormat, expected: "an input format"),
      text: "'nope' is not an input format (inputFormat)", renamed: "'nope' is not an input format (<inputFormat>)"),
    Row(
      name: "a number out of range", error: .outOfRange(60, of: .crf, limits: 0...51.5, for: "libx264"),
      text: "crf 60 is out of range for libx264; use 0 to 51.5",
      renamed: "<crf> 60 is out of range for libx264; use 0 to 51.5"),
    Row(
      name: "a setting that an encoder does not have", error: .unsupported(.preset, "fast", by: "ffv1"),
      text: "ffv1 does not support preset fast; omit preset",
      renamed: "ffv1 does not support <preset> fast; omit <preset>"),
    Row(
      name: "a value that an encoder does not support, with why and what it does support",
      error: .unsupported(
        .pixelFormat, "gray", by: "libx264", reason: "it is built without it", alternatives: ["yuv420p", "nv12"]),
      text: "libx264 does not support pixelFormat gray: it is built without it; use yuv420p or nv12",
      renamed: "libx264 does not support <pixelFormat> gray: it is built without it; use yuv420p or nv12"),
    Row(
      name: "a conflict", error: .conflict(.crf, "20", with: .bitrate),
      text: "crf 20 cannot be combined with bitRate; omit one of them",
      renamed: "<crf> 20 cannot be combined with <bitRate>; omit one of them"),
    Row(
      name: "a conflict with its reason",
      error: .conflict(
        .redact, with: .mode, "single-image", reason: "every frame must be detected", remedy: "omit \(.mode)"),
      text:
        "redaction cannot be combined with detectorMode single-image: every frame must be detected; omit detectorMode",
      renamed:
        "<redaction> cannot be combined with <detectorMode> single-image: every frame must be detected; omit <detectorMode>"
    ),
    Row(
      name: "a failure of a file, whose remedy is a setting",
      error: VStreamError(
        .cannotCreateOutput, "'a.mp4' already exists", subject: "a.mp4", remedy: "\(.overwrite) replaces it"),
      text: "'a.mp4' already exists; overwritesOutput replaces it",
      renamed: "'a.mp4' already exists; <overwritesOutput> replaces it"),
    Row(
      name: "line breaks within a library's own message", error: VStreamError(.library, "one\ntwo"), text: "one two",
      renamed: "one two"),
  ]

  @Test(arguments: rows)
  func `an error is one line in the words of whoever shows it`(row: Row) {
    #expect(row.error.description == row.text)
    #expect(row.error.text { "<\($0)>" } == row.renamed)
  }

  @Test func `an unknown value is a fact, and so are those known`() {
    let error = VStreamError.unknownValue("ultra", of: .preset, expected: "a preset", known: ["fast", "slow"])
    #expect(error.code == .usage)
    #expect(error.setting == .preset)
    #expect(error.value == "ultra")
    #expect(error.alternatives == ["fast", "slow"])
  }

  @Test func `limits are a fact`() {
    let error = VStreamError.outOfRange(60, of: .crf, limits: 0...51)
    #expect(error.setting == .crf)
    #expect(error.value == "60")
    #expect(error.limits == 0...51)
  }

  @Test func `both sides of a conflict are facts`() {
    let error = VStreamError.conflict(.crf, "20", with: .bitrate)
    #expect(error.setting == .crf)
    #expect(error.conflicting == .bitrate)
  }

  @Test func `an error of another kind keeps its words, and one of ours its facts`() {
    struct Other: Error, CustomStringConvertible { let description = "other" }
    #expect(VStreamError(any: Other()) == VStreamError(.library, "other"))
    let own = VStreamError.outOfRange(60, of: .crf, limits: 0...51)
    #expect(VStreamError(any: own) == own)
  }

  @Test func `a message names its settings in their order`() {
    let message: Message = "\(.timeout) and " + "\(.reconnect, 5) and \("--crf" as String)"
    #expect(message.settings == [.timeout, .reconnect])
    #expect(message.text { $0 == .timeout ? "T" : "R" } == "T and R 5 and --crf")
    #expect(Message("") == "" && Message("").isEmpty)
    #expect("a\(1)b" as Message == "a1b")
  }

  @Test func `every setting is listed once`() {
    #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
  }

  private struct Foreign: Error {}

  @Test func `an error keeps its cause and its place, and is compared by its facts`() {
    let error = VStreamError(any: Foreign())
    #expect(error.cause is Foreign && error.code == .library)
    #expect(error.location.file == "VStreamCore/VStreamError.swift" && error.location.line > 0)
    #expect(VStreamError(any: error) == error)
    let here = VStreamError(.usage, "wrong", remedy: "right")
    let there = VStreamError(.usage, "wrong", remedy: "right")
    #expect(here == there && here.location != there.location)
    #expect(Set([here, there]).count == 1)
    #expect(here.location.description == "VStreamCoreTests/VStreamErrorTests.swift:\(here.location.line)")
    #expect(here != VStreamError(.usage, "wrong", remedy: "another"))
    let outside = VStreamError.outOfRange(60, of: .crf, limits: 0...51)
    #expect(outside.location.file == "VStreamCoreTests/VStreamErrorTests.swift")
  }
}

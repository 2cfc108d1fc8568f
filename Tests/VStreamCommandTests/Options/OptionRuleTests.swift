import Testing
import VStreamCore

@testable import VStreamCommand

/// Options that exclude or require each other.
struct OptionRuleTests {
  struct Row: CustomTestStringConvertible, Sendable {
    /// The two options of the rule.
    let option: String
    let other: String
    /// A command line that breaks the rule, and nothing else.
    let words: String
    let message: String
    var testDescription: String { "\(option), \(other)" }
  }

  private static func copied(_ option: String, _ words: String) -> Row {
    Row(
      option: "--overlay-track", other: option, words: "-o out.mkv --overlay-track ass \(words)",
      message: "--overlay-track ass: the video is copied, so \(option) has nothing to encode; omit one of them")
  }

  private static func cut(_ option: String, _ words: String) -> Row {
    Row(
      option: "--overlay-track", other: option, words: "-o out.mkv --overlay-track ass \(words)",
      message: "--overlay-track ass: the video is copied, and starts and ends at its key frames, so \(option) cannot "
        + "cut it; cut it first: ffmpeg -ss START -i INPUT -t DURATION -c copy CUT.mkv")
  }

  private static func verified(_ option: String, _ value: String, _ check: String, _ words: String) -> Row {
    Row(
      option: option, other: check, words: "-o out.mkv --redact fill \(option) \(value) \(words)",
      message:
        "\(option) \(value): \(check) compares the output with the frames of the input, one by one; omit one of them")
  }

  private static func redaction(_ option: String, _ words: String, _ shown: String) -> Row {
    Row(
      option: option, other: "--redact", words: words,
      message: "\(shown): has no effect without --redact; add, for example, --redact mosaic")
  }

  private static func replay(_ option: String, _ words: String) -> Row {
    Row(
      option: option, other: "--from-records", words: "--from-records r.jsonl \(words)",
      message: "\(words): no detector runs with --from-records; omit \(option)")
  }

  /// Options that have no effect unless the kind is detected.
  private static func detected(_ kind: String, _ options: [String]) -> [Row] {
    options.map { words in
      Row(
        option: String(words.prefix { $0 != " " }), other: "--detect \(kind)",
        words: "--detect \(kind == "faces" ? "objects" : "faces") \(words)",
        message: "\(words): \(kind) are not detected; add \(kind) to --detect")
    }
  }

  private static func recordedTracks(_ option: String, _ words: String, _ others: String = "") -> Row {
    Row(
      option: option, other: "--tracks recorded",
      words: "--from-records r.jsonl --tracks recorded \(words)\(others)",
      message:
        "\(words): requires that the detections are tracked, which --tracks recorded does not do; omit one of them"
    )
  }

  private static func part(_ option: String, _ words: String, _ problem: String) -> Row {
    Row(
      option: "--part", other: option,
      words: "-o null --part p.json:0 --record-detections --records r.jsonl \(words)",
      message: "--part p.json:0: cannot be combined with \(option): \(problem); omit it, or process the whole input in "
        + "one run")
  }

  private static func painted(_ option: String, _ output: String, _ words: String, _ problem: String) -> Row {
    Row(
      option: "--from-paint", other: option,
      words: "\(output) --part p.json:0 --from-paint p.jsonl --packets v.packets \(words)",
      message: "--from-paint p.jsonl: cannot be combined with \(option): \(problem); omit it")
  }

  private static func ignoredByRecordedTracks(_ option: String, _ value: String) -> Row {
    Row(
      option: option, other: "--tracks recorded",
      words: "--from-records r.jsonl --tracks recorded \(option) \(value)",
      message: "\(option) \(value): has no effect on recorded tracks; omit one of them")
  }

  private static func budget(
    _ option: String, _ other: String, _ words: String, _ others: String, _ problem: String
  ) -> Row {
    Row(option: option, other: other, words: "\(words) \(others)", message: "\(words): \(problem); omit one of them")
  }

  static let rows =
    otherRows
    + detected(
      "faces",
      [
        "--face-mode fast", "--face-landmarks", "--face-contours", "--face-classification", "--min-face-size 0.1",
        "--face-search 0.5",
      ]) + detected("poses", ["--pose-mode base", "--max-poses 2"])

  private static let otherRows = [
    copied("--codec", "--codec libx264"), copied("--preset", "--preset fast"), copied("--crf", "--crf 20"),
    copied("--bitrate", "--bitrate 2M"), copied("--pixel-format", "--pixel-format nv12"),
    copied("--scale", "--scale 64x48"), copied("--fps", "--fps 25"), copied("--encode", "--encode changed"),
    copied("--encoder-option", "--encoder-option g=5"),
    verified("--scale", "64x48", "--verify", "--verify"), verified("--fps", "25", "--verify", "--verify"),
    verified("--scale", "64x48", "--receipt", "--receipt r.json"),
    verified("--fps", "25", "--receipt", "--receipt r.json"),
    cut("--start", "--start 1"), cut("--duration", "--duration 1"),
    Row(
      option: "--overlay-track", other: "--redact", words: "-o out.mkv --overlay-track ass --redact fill",
      message: "--overlay-track ass: the video is copied, and would show what --redact hides; omit one of them"),
    Row(
      option: "--overlay-track", other: "-o null", words: "-o null --overlay-track ass",
      message: "--overlay-track ass: an overlay track requires an output video; name an .mkv, .mp4 or .mov"),
    redaction("--redact-what", "--redact-what person", "--redact-what person"),
    redaction("--look-back", "--look-back 1", "--look-back 1.0"),
    redaction("--keep-unredacted", "--keep-unredacted", "--keep-unredacted"),
    redaction("--keep-metadata", "--keep-metadata", "--keep-metadata"),
    redaction("--keep-text", "--keep-text", "--keep-text"),
    redaction("--verify", "--verify", "--verify"), redaction("--receipt", "--receipt r.json", "--receipt r.json"),
    replay("--accurate", "--accurate"), replay("--accuracy", "--accuracy fast"), replay("--passes", "--passes 2.0"),
    part("--start", "--start 1", "parts are of the whole input"),
    part("--duration", "--duration 1", "parts are of the whole input"),
    part("--realtime", "--realtime", "parts are of files"),
    part("--categories", "--categories", "categories are detected along whole tracks"),
    part("--save-faces", "--save-faces f", "faces are selected along whole tracks"),
    part("--from-records", "--from-records q.jsonl", "no detector runs with it"),
    part("--fps", "--fps 25", "frames would be repeated and omitted across parts"),
    Row(
      option: "--part", other: "-o null or --from-paint",
      words: "-o o.mkv --part p.json:0 --record-detections --records r.jsonl",
      message: "--part p.json:0: a part is detected or rendered, not both at once; give -o null, or --from-paint FILE"),
    Row(
      option: "--from-paint", other: "--part", words: "-o o.mkv --from-paint p.jsonl --packets v.packets",
      message: "--from-paint p.jsonl: is for one part; add --part PLAN.json:N"),
    Row(
      option: "--from-paint", other: "--packets", words: "-o o.mkv --part p.json:0 --from-paint p.jsonl",
      message: "--from-paint p.jsonl: has no file for the encoded part; add --packets FILE"),
    Row(
      option: "--packets", other: "--from-paint", words: "-o o.mkv --packets v.packets",
      message: "--packets v.packets: is for rendered parts; add --from-paint FILE"),
    painted("--records", "-o o.mkv", "--records r.jsonl", "nothing is detected"),
    painted("-o null", "-o null", "", "-o names the output of all parts"),
    painted("--overlay-track", "-o o.mkv", "--overlay-track ass", "the video would be copied"),
    painted("--encode", "-o o.mkv", "--encode changed", "vstream join -o takes it, and needs no rendered parts"),
    painted("--verify", "-o o.mkv", "--redact fill --verify", "the output of all parts is verified by itself"),
    painted("--receipt", "-o o.mkv", "--redact fill --receipt r.json", "the output of all parts is verified by itself"),
    Row(
      option: "--part", other: "--record-detections or --from-paint", words: "-o null --part p.json:0",
      message: "--part p.json:0: is of no use without recorded detections; add --record-detections and --records "
        + "FILE.jsonl"),
    replay("--detect-every", "--detect-every 2"),
    replay("--object-model", "--object-model ssd-mobilenet-v2"),
    budget("--accurate", "--accuracy", "--accurate", "--accuracy fast", "is the same as --accuracy accurate"),
    budget("--accurate", "--passes", "--accurate", "--passes 2", "is a number of passes, as --passes is"),
    budget("--accuracy", "--passes", "--accuracy fast", "--passes 2", "is a number of passes, as --passes is"),
    budget(
      "--accuracy", "--detect-every", "--accuracy fast", "--detect-every 2",
      "--detect-every runs the detector on whole frames"),
    budget(
      "--passes", "--detect-every", "--passes 2.0", "--detect-every 2",
      "--detect-every runs the detector on whole frames"),
    recordedTracks("--events", "--events", " --records r2.jsonl"),
    recordedTracks("--record-detections", "--record-detections", " --records r2.jsonl"),
    recordedTracks("--redact", "--redact fill"),
    ignoredByRecordedTracks("--lost-after", "3.0"), ignoredByRecordedTracks("--confirm-after", "4"),
    ignoredByRecordedTracks("--min-iou", "0.3"),
    Row(
      option: "--records -", other: "-o -", words: "-o - --records -",
      message: "--records -: standard output has the video; write one of them to a file"),
    Row(
      option: "--tracks", other: "--from-records", words: "--tracks again",
      message: "--tracks again: has no effect without --from-records; add --from-records FILE.jsonl"),
    Row(
      option: "--crop-format", other: "--save-faces", words: "--crop-format png",
      message: "--crop-format png: has no effect without --save-faces; add --save-faces FOLDER"),
    Row(
      option: "--save-faces", other: "--from-records", words: "--save-faces f --from-records r.jsonl",
      message: "--save-faces f: cannot be combined with --from-records yet; omit one of them"),
    Row(
      option: "--save-faces", other: "--redact", words: "--save-faces f --redact fill",
      message:
        "--save-faces f: would show what --redact hides; omit one of them; --keep-unredacted saves faces all the "
        + "same"),
    Row(
      option: "--events", other: "--records FILE.jsonl", words: "--events --records r.csv",
      message: "--events: no records that can hold them are written; add --records FILE.jsonl"),
    Row(
      option: "--record-detections", other: "--records FILE.jsonl", words: "--record-detections",
      message: "--record-detections: no records that can hold them are written; add --records FILE.jsonl"),
  ]

  @Test(arguments: rows)
  func `the error of a broken rule names the option, its value and a remedy`(row: Row) throws {
    #expect(try CommandLineOptions.message(row.words.split(separator: " ").map(String.init)) == row.message)
  }

  @Test func `every rule that a group declares has a row`() throws {
    let declared = try CommandLineOptions([]).command.rules.map { "\($0.option.name), \($0.other.name)" }
    #expect(Set(declared) == Set(Self.rows.map(\.testDescription)))
    #expect(declared.count == Self.rows.count)
  }

  @Test(arguments: [
    "-o out.mkv --overlay-track ass", "--save-faces f --crop-format png", "--events --records a.csv --records r.jsonl",
    "--redact fill --redact-what person --look-back 1 --keep-unredacted",
    "--save-faces f --redact fill --redact-what faces --keep-unredacted", "--accurate --detect-every 2",
  ])
  func `options that go together are accepted`(words: String) throws {
    #expect(try CommandLineOptions.message(words.split(separator: " ").map(String.init)) == nil)
  }
}

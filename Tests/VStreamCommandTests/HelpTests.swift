import Foundation
import Testing
import VStreamTestSupport

/// What the command says of itself.
struct HelpTests {
  struct Screen: CustomTestStringConvertible, Sendable {
    let file: String
    let arguments: [String]
    var testDescription: String { file }
  }

  static let screens = [
    Screen(file: "help.txt", arguments: ["--help"]),
    Screen(file: "help-track.txt", arguments: ["track", "--help"]),
    Screen(file: "help-models.txt", arguments: ["models", "--help"]),
    Screen(file: "help-models-get.txt", arguments: ["models", "get", "--help"]),
  ]

  /// The whole screen is as recorded. `VSTREAM_RECORD=1` records it anew; one that is missing is written and fails.
  @Test(arguments: screens)
  func `a help screen is as recorded`(screen: Screen) throws {
    let result = try Program.vstream(screen.arguments, environment: ["COLUMNS": "100"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    let path = Checkout.fixture(screen.file)
    let isToBeRecorded = ProcessInfo.processInfo.environment["VSTREAM_RECORD"] == "1"
    let recorded = try? String(contentsOfFile: path, encoding: .utf8)
    if isToBeRecorded || recorded == nil { try result.text.write(toFile: path, atomically: true, encoding: .utf8) }
    if !isToBeRecorded { #expect(recorded == result.text, "VSTREAM_RECORD=1 records it anew") }
  }

  @Test(arguments: [["-h"], ["help"], ["annotate", "--help"]])
  func `every way to ask for help is answered on standard output`(arguments: [String]) throws {
    let result = try Program.vstream(arguments, environment: ["COLUMNS": "100"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.text.contains("USAGE:"))
  }

  @Test func `every option of the contract is in the help`() throws {
    let text = try Program.vstream(["--help"], environment: ["COLUMNS": "100"]).text
    let options = [
      "--input-format", "--input-option", "--detect", "--detect-every", "--device", "--object-model", "--classes",
      "--min-score", "--lost-after", "--confirm-after", "--min-iou", "--draw", "--output", "--output-format", "--codec",
      "--preset", "--crf", "--bitrate", "--pixel-format", "--audio", "--overwrite", "--records", "--stats", "--threads",
      "--progress", "--quiet", "--verbose", "--log-level", "--redact", "--redact-what", "--look-back",
      "--keep-unredacted", "--verify", "--receipt", "--save-faces", "--crop-format", "--pose-mode", "--max-poses",
      "--max-objects", "--categories",
      "--overlay-track",
    ]
    for option in options { #expect(text.contains(option), "\(option)") }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `version names vstream, FFmpeg's libraries and OpenVINO`() throws {
    let result = try Program.vstream(["--version"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    let names = result.text.split(separator: "\n").map { $0.split(separator: " ").first ?? "" }
    #expect(names == ["vstream", "libavformat", "libavcodec", "libavutil", "libswscale", "OpenVINO"])
    #expect(!result.text.contains("not found"))
  }

  @Test func `models are listed with file, licence, origin and hash`() throws {
    let result = try Program.vstream(["models"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    for part in ["ssd-mobilenet-v2", "Apache-2.0", "SHA-256", "ssd-mobilenet-v2.xml", "searched:"] {
      #expect(result.text.contains(part), "\(part)")
    }
    let missing = result.text.split(separator: "\n").filter { $0.contains("missing") }
    #expect(missing.allSatisfy { $0.contains("vstream models get") }, "\(missing)")
  }
}

import Foundation
import Testing
import VStreamTestSupport

/// The command's help screens and versions.
struct HelpTests {
  struct Screen: CustomTestStringConvertible, Sendable {
    let file: String
    let arguments: [String]
    var testDescription: String { file }
  }

  static let screens = [
    Screen(file: "help.txt", arguments: ["--help"]),
    Screen(file: "help-track.txt", arguments: ["track", "--help"]),
    Screen(file: "help-bench.txt", arguments: ["bench", "--help"]),
    Screen(file: "help-models.txt", arguments: ["models", "--help"]),
    Screen(file: "help-models-describe.txt", arguments: ["models", "describe", "--help"]),
    Screen(file: "help-models-check.txt", arguments: ["models", "check", "--help"]),
    Screen(file: "help-models-get.txt", arguments: ["models", "get", "--help"]),
    Screen(file: "help-schema.txt", arguments: ["schema", "--help"]),
    Screen(file: "help-models-use.txt", arguments: ["models", "use", "--help"]),
  ]

  /// Compares the complete screen. `VSTREAM_RECORD=1` records it again; a missing recording is written and fails.
  @Test(arguments: screens)
  func `a help screen equals the recorded one`(screen: Screen) throws {
    let result = try Program.vstream(screen.arguments, environment: ["COLUMNS": "100"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    let path = Checkout.fixture(screen.file)
    let isRecording = ProcessInfo.processInfo.environment["VSTREAM_RECORD"] == "1"
    let recorded = try? String(contentsOfFile: path, encoding: .utf8)
    if isRecording || recorded == nil { try result.text.write(toFile: path, atomically: true, encoding: .utf8) }
    if !isRecording { #expect(recorded == result.text, "VSTREAM_RECORD=1 records it again") }
  }

  @Test(arguments: [["-h"], ["help"], ["annotate", "--help"]])
  func `every form of help request prints to standard output`(arguments: [String]) throws {
    let result = try Program.vstream(arguments, environment: ["COLUMNS": "100"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.text.contains("USAGE:"))
  }

  /// The options of the command-line contract, by group.
  static let contract: [(group: String, options: String)] = [
    (
      "OUTPUT",
      "--output --output-format --output-option --codec --preset --crf --bitrate --pixel-format --encoder-option --scale --fps --audio --metadata --overwrite"
    ),
    (
      "SOURCE",
      "--input-format --input-option --map --start --duration --keep-start --realtime --timeout --reconnect --late --hold --strict"
    ),
    ("DETECTION", "--detect --mode --detect-every --device"),
    ("OBJECTS", "--object-model --classes --max-objects --categories --accuracy --passes --accurate --min-score"),
    (
      "FACES", "--face-mode --face-landmarks --face-contours --face-classification --min-face-size --face-search"
    ),
    ("POSES", "--pose-mode --max-poses"),
    ("TRACKING", "--lost-after --confirm-after --min-iou"),
    ("COUNTING", "--zone --line"),
    ("DRAWING", "--draw --overlay-track"),
    ("REDACTION", "--redact --redact-what --look-back --keep-unredacted --keep-metadata --verify --receipt"),
    ("RECORDS", "--records --events --record-detections --from-records --tracks --stats --save-faces --crop-format"),
    ("SEVERAL INPUTS", "--output-dir --list --resume"),
    ("RUNNING", "--threads --progress --stats-every --quiet --verbose --log-level"),
    ("OPTIONS", "--version --help"),
  ]

  /// The options that a help screen declares, by group.
  private func declared(_ text: String) -> [String: [String]] {
    var groups: [String: [String]] = [:]
    var group = ""
    for line in text.split(separator: "\n") {
      if line.hasSuffix(":"), line.allSatisfy({ $0.isUppercase || " :".contains($0) }) {
        group = String(line.dropLast())
      }
      guard line.hasPrefix("  -") else { continue }
      let words = line.split { " ,".contains($0) }
      if let option = words.prefix(2).first(where: { $0.hasPrefix("--") }) {
        groups[group, default: []].append("\(option)")
      }
    }
    return groups
  }

  @Test func `the help has exactly the contract's options`() throws {
    let text = try Program.vstream(["--help"], environment: ["COLUMNS": "100"]).text
    let expected = Dictionary(
      uniqueKeysWithValues: Self.contract.map { group, options in
        (group, options.split(separator: " ").map(String.init))
      })
    #expect(declared(text) == expected)
  }

  @Test(arguments: [80, 100, 120])
  func `the help fits the width of the terminal`(columns: Int) throws {
    for screen in Self.screens {
      let text = try Program.vstream(screen.arguments, environment: ["COLUMNS": "\(columns)"]).text
      let options = text.split(separator: "\n").drop { !$0.hasPrefix("ARGUMENTS") && !$0.hasPrefix("OPTIONS") }
      #expect(options.filter { $0.count > columns } == [], "\(screen)")
    }
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

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
    Screen(file: "help-full.txt", arguments: ["--help", "full"]),
    Screen(file: "help-doctor.txt", arguments: ["doctor", "--help"]),
    Screen(file: "help-track.txt", arguments: ["track", "--help"]),
    Screen(file: "help-split.txt", arguments: ["split", "--help"]),
    Screen(file: "help-join.txt", arguments: ["join", "--help"]),
    Screen(file: "help-bench.txt", arguments: ["bench", "--help"]),
    Screen(file: "help-models.txt", arguments: ["models", "--help"]),
    Screen(file: "help-models-describe.txt", arguments: ["models", "describe", "--help"]),
    Screen(file: "help-models-check.txt", arguments: ["models", "check", "--help"]),
    Screen(file: "help-models-get.txt", arguments: ["models", "get", "--help"]),
    Screen(file: "help-schema.txt", arguments: ["schema", "--help"]),
    Screen(file: "help-models-use.txt", arguments: ["models", "use", "--help"]),
    Screen(file: "help-models-quantise.txt", arguments: ["models", "quantise", "--help"]),
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

  struct Request: CustomTestStringConvertible, Sendable {
    let words: String
    /// The arguments that print the same.
    let same: [String]
    var testDescription: String { words }
  }

  static let requests = [
    Request(words: "", same: ["--help"]), Request(words: "-h", same: ["--help"]),
    Request(words: "help", same: ["--help"]), Request(words: "in.mp4 -o out.mp4 --help", same: ["--help"]),
    Request(words: "annotate --help", same: ["--help"]), Request(words: "--help-full", same: ["--help", "full"]),
    Request(words: "--help=full", same: ["--help", "full"]), Request(words: "-h full", same: ["--help", "full"]),
    Request(words: "help full", same: ["--help", "full"]), Request(words: "--help all", same: ["--help", "full"]),
    Request(words: "in.mp4 --help full", same: ["--help", "full"]),
    Request(words: "help bench", same: ["bench", "--help"]), Request(words: "--help bench", same: ["bench", "--help"]),
    Request(words: "help models get", same: ["models", "get", "--help"]),
  ]

  @Test(arguments: requests)
  func `every form of help request prints to standard output`(request: Request) throws {
    let result = try Program.vstream(request.words.split(separator: " ").map(String.init))
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(try result.text == Program.vstream(request.same).text)
  }

  @Test func `the short help fits a terminal, and has options and commands that exist`() throws {
    let text = try Program.vstream(["--help"]).text
    let full = try Program.vstream(["--help", "full"]).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 42 && lines.allSatisfy { $0.count <= 80 })
    for option in text.matches(of: /--[a-z]+(-[a-z]+)*/) where option.output.0 != "--help" {
      #expect(full.contains(option.output.0), "\(option.output.0)")
    }
    for command in ["track", "bench", "models", "doctor"] { #expect(text.contains("\n  \(command) ")) }
  }

  @Test func `the help of bench lists what it has beside the usual options`() throws {
    let options = declared(try Program.vstream(["bench", "--help"]).text).values.flatMap(\.self)
    #expect(
      options.sorted() == [
        "--compare", "--decode-only", "--help", "--json", "--no-encode", "--runs", "--version", "--warm-up",
      ])
  }

  struct Misspelled: CustomTestStringConvertible, Sendable {
    let words: String
    var code: Int32 = 64
    let expected: String
    var testDescription: String { words }
  }

  static let misspelled = [
    Misspelled(words: "modles", expected: "'modles' is neither a command nor a file; did you mean models?"),
    Misspelled(words: "bnech in.mp4", expected: "did you mean bench?"),
    Misspelled(words: "trck a.txt -o b.txt", code: 66, expected: "did you mean track?"),
    Misspelled(words: "models lst", expected: "there is no such command; did you mean list?"),
    Misspelled(words: "models frob", expected: "use list, describe, check, get, use or quantise"),
    Misspelled(words: "in.mp4 -o a --detect face", expected: "did you mean faces? use objects, faces, poses or none"),
    Misspelled(words: "in.mp4 -o a --detect dog", expected: "use --classes dog; use objects"),
    Misspelled(words: "in.mp4 -o a --mode strem", expected: "did you mean stream?"),
    Misspelled(words: "in.mp4 -o a --recrods r", expected: "Did you mean '--records'?"),
  ]

  @Test(arguments: misspelled)
  func `a misspelled name is answered by the one that was meant`(row: Misspelled) throws {
    let result = try Program.vstream(row.words.split(separator: " ").map(String.init))
    #expect(result.errors.contains(row.expected), "\(result.errors)")
    #expect(result.status == row.code && oneLine(result.errors))
  }

  /// The options of the command-line contract, by group.
  static let contract: [(group: String, options: String)] = [
    (
      "OUTPUT",
      "--output --output-format --output-option --codec --preset --crf --bitrate --pixel-format --encoder-option --scale --fps --audio --encode --metadata --overwrite"
    ),
    (
      "SOURCE",
      "--input-format --input-option --map --start --duration --keep-start --realtime --timeout --reconnect --late --hold --strict --part --from-paint --packets"
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
    (
      "REDACTION", "--redact --redact-what --look-back --keep-unredacted --keep-metadata --keep-text --verify --receipt"
    ),
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
    let text = try Program.vstream(["--help", "full"], environment: ["COLUMNS": "100"]).text
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
      #expect(text.split(separator: "\n").filter { $0.count > columns } == [], "\(screen)")
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

import Foundation
import Testing
import VStreamTestSupport

/// The default object model, chosen with `vstream models use`.
struct UseModelTests {
  private let folder: TemporaryFolder
  private var fetched: String { folder.file("data/vstream/models") }
  private var choice: String { fetched + "/default-object-model" }

  /// A copy of an installed model, as if the user had fetched it, with a score of its own.
  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: fetched, withIntermediateDirectories: true)
    try copy("ssd-int8", to: "own")
    try Data(#"{"score":0.7}"#.utf8).write(to: URL(filePath: "\(fetched)/own.json"))
  }

  private func copy(_ installed: String, to name: String) throws {
    for ending in ["xml", "bin"] {
      let path = Checkout.root.appending(path: ".deps/models/\(installed).\(ending)").path
      try FileManager.default.copyItem(atPath: path, toPath: "\(fetched)/\(name).\(ending)")
    }
  }

  private func vstream(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(arguments, environment: ["XDG_DATA_HOME": folder.file("data")])
  }

  private func use(_ name: String) throws -> ProgramResult { try vstream(["models", "use", name]) }

  /// The records of half a second.
  private func records(_ options: [String] = []) throws -> Data {
    let path = folder.file("r.jsonl")
    let result = try vstream(
      [Checkout.sample("street.avi"), "-o", "null", "--duration", "0.5", "--records", path, "-y"] + options)
    try #require(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: URL(filePath: path))
  }

  /// The model and the score in the header of records.
  private func header(_ options: [String] = []) throws -> String {
    let line = String(decoding: try records(options).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let members = line.split(separator: ",")
    return ["\"objectModel\":", "\"minScore\":"].map { key in
      members.first { $0.contains(key) }.map { $0.split(separator: ":").last.map(String.init) ?? "" } ?? "none"
    }.joined(separator: " ")
  }

  @Test func `the chosen model is used, marked and recorded, until the built-in one is chosen`() throws {
    #expect(try header() == #""ssd-int8" 0.5"#)
    let chosen = try use("own.xml")
    #expect(chosen.status == 0, "\(chosen.errors)")
    #expect(chosen.text == "own.xml is the default of --object-model\n")
    #expect(
      try vstream(["models"]).text.contains("\nown.xml (objects, default of --object-model): a file of your own\n"))
    #expect(try header() == #""own.xml" 0.7"#)
    #expect(try header(["--min-score", "0.4"]) == #""own.xml" 0.4"#)
    #expect(try header(["--object-model", "ssd-int8"]) == #""ssd-int8" 0.5"#)
    #expect(try header(["--detect", "faces"]) == "none none")
    #expect(try use("ssd-mobilenet-v2").status == 0)
    #expect(try header() == #""ssd-mobilenet-v2" 0.5"#)
    #expect(try use("ssd-int8").status == 0)
    #expect(!FileManager.default.fileExists(atPath: choice))
    #expect(try vstream(["models"]).text.hasPrefix("ssd-int8 (objects, default of --object-model): "))
    #expect(try header() == #""ssd-int8" 0.5"#)
  }

  @Test func `a replay has the model and the score of the records`() throws {
    let recorded = folder.file("recorded.jsonl")
    try records(["--object-model", "own.xml", "--record-detections"]).write(to: URL(filePath: recorded))
    #expect(
      try records(["--from-records", recorded, "--record-detections"]) == Data(contentsOf: URL(filePath: recorded)))
    #expect(try header(["--from-records", recorded, "--min-score", "0.3"]) == #""own.xml" 0.3"#)
  }

  @Test func `a fetched file is described by its name, with its score`() throws {
    let result = try vstream(["models", "describe", "own.xml"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("  score     0.7 starts a track\n"))
    #expect(try vstream(["models", "describe", "ssd-int8"]).text.contains("  score     0.5 starts a track\n"))
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    let status: Int32
    let expected: String
  }

  @Test(arguments: [
    Fault(
      testDescription: "a model that is not fetched", name: "yolox-nano", status: 69,
      expected: "'vstream models get yolox-nano' downloads it"),
    Fault(
      testDescription: "a misspelt name", name: "yolox-nan", status: 64,
      expected: "'yolox-nan' is not the name of an object model; did you mean yolox-nano"),
    Fault(
      testDescription: "a name like no other", name: "zzz", status: 64,
      expected: "models of objects: ssd-int8, ssd-mobilenet-v2, yolox-nano"),
    Fault(
      testDescription: "a model of faces", name: "iris", status: 64, expected: "'iris' detects no objects but faces"),
    Fault(
      testDescription: "a path", name: "./own.xml", status: 64, expected: "'./own.xml' is not the name of an object"),
    Fault(
      testDescription: "a model that detects no objects", name: "other.xml", status: 69,
      expected: "the outputs are of no known layout"),
  ])
  func `what cannot be the default is refused, and the choice stays`(fault: Fault) throws {
    try copy("iris", to: "other")
    #expect(try use("own.xml").status == 0)
    let result = try use(fault.name)
    #expect(result.status == fault.status)
    #expect(result.errors.contains(fault.expected), "\(result.errors)")
    #expect(oneLine(result.errors))
    #expect(try String(contentsOfFile: choice, encoding: .utf8) == "own.xml\n")
  }

  @Test(arguments: [
    ("own.xml", "does not hold the name of a model"), ("", "does not hold the name of a model"),
    ("a\nb\n", "does not hold the name of a model"),
    ("gone.onnx\n", "names 'gone.onnx', and there is no such model"),
    ("yolox-nano\n", "names 'yolox-nano', which is not present ('vstream models get yolox-nano' downloads it)"),
  ])
  func `a damaged or dangling choice is an error where objects are detected, and can be replaced`(
    contents: String, problem: String
  ) throws {
    try Data(contents.utf8).write(to: URL(filePath: choice))
    let run = [Checkout.sample("street.avi"), "-o", "null", "--duration", "0.2"]
    let failed = try vstream(run)
    #expect(failed.status == 69)
    #expect(failed.errors.contains("'\(choice)', \(problem)"), "\(failed.errors)")
    #expect(failed.errors.contains("'vstream models use ssd-int8' the built-in one"))
    #expect(oneLine(failed.errors))
    #expect(try vstream(run + ["--detect", "faces"]).status == 0)
    #expect(try vstream(run + ["--object-model", "ssd-int8"]).status == 0)
    let list = try vstream(["models"])
    #expect(list.status == 0)
    #expect(list.text.contains("\ndefault of --object-model: the choice of the default object model, '\(choice)'"))
    #expect(try use("own.xml").status == 0)
    #expect(try vstream(run).status == 0)
  }
}

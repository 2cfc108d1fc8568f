import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamCommand

/// `vstream doctor`: what it reports of an installation, and its exit code.
struct DoctorTests {
  @Test func `a complete installation has every check, and nothing that is missing`() throws {
    let result = try Program.vstream(["doctor"])
    #expect(result.status == 0, "\(result.text)")
    #expect(result.errors == "")
    let lines = result.text.split(separator: "\n").map { $0.split(separator: " ") }
    let subjects = ["vstream", "FFmpeg", "OpenVINO", "models", "font", "processor", "cameras", "cache"]
    #expect(Set(lines.compactMap { $0.dropFirst().first }) == Set(subjects.map { $0[...] }))
    #expect(lines.allSatisfy { ["ok", "note"].contains($0.first) })
    #expect(result.text.contains("8 are valid; ssd-int8 detects objects by default"), "\(result.text)")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let environment: [String: String]
    let expected: [String]
    var code: Int32 = 69
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "no OpenVINO", environment: ["VSTREAM_OPENVINO": "/nowhere"],
      expected: [
        "missing  OpenVINO   OpenVINO cannot be loaded in $VSTREAM_OPENVINO", "correct or unset VSTREAM_OPENVINO",
      ]),
    Row(
      name: "no font", environment: ["VSTREAM_FONT": "/nowhere.ttf"],
      expected: ["missing  font       '/nowhere.ttf' cannot be read; install fonts-dejavu-core, or set VSTREAM_FONT"]),
    Row(
      name: "no folder of models", environment: ["VSTREAM_MODELS": "/nowhere"],
      expected: ["missing  models     '/nowhere' of VSTREAM_MODELS cannot be read; correct or unset VSTREAM_MODELS"]),
    Row(
      name: "no cache", environment: ["XDG_CACHE_HOME": "/proc/none"],
      expected: ["note     cache      no folder for compiled models", "set XDG_CACHE_HOME"], code: 0),
  ]

  @Test(arguments: rows)
  func `what is missing is named with its remedy`(row: Row) throws {
    let result = try Program.vstream(["doctor"], environment: row.environment)
    #expect(result.status == row.code, "\(result.text)")
    for part in row.expected { #expect(result.text.contains(part), "\(result.text)") }
  }

  @Test func `a damaged model is missing, and named`() throws {
    let folder = try TemporaryFolder()
    for name in ["iris.xml", "iris.bin"] { _ = try folder.write(name, "damaged") }
    let result = try Program.vstream(["doctor"], environment: ["VSTREAM_MODELS": folder.path])
    #expect(result.status == 69)
    #expect(result.text.contains(/missing +models .*iris.xml/), "\(result.text)")
    #expect(result.text.contains("7 are valid"), "\(result.text)")
  }

  static let processors: [(name: String, flags: String?, state: Finding.State, expected: String)] = [
    ("a new one", "sse4_2 avx2 avx512f avx512_vnni", .ok, "A 1, 4 threads, AVX2, AVX-512, VNNI"),
    ("without AVX2", "sse4_2 avx", .note, "without AVX2: inference is slow"),
    ("an old one", "sse2", .missing, "without SSE4.2, which OpenVINO requires"),
    ("one that is not of Intel's kind", nil, .ok, "A 1, 4 threads"),
  ]

  @Test(arguments: processors)
  func `a processor is judged by its instruction sets`(
    row: (name: String, flags: String?, state: Finding.State, expected: String)
  ) {
    let flags = row.flags.map { "flags\t\t: fpu \($0)\n" } ?? ""
    let finding = Diagnosis.processor(ProcessorFacts("processor\t: 0\nmodel name\t: A 1\n\(flags)"), threads: 4)
    #expect(finding.state == row.state && finding.line.contains(row.expected), "\(row.name): \(finding.line)")
  }
}

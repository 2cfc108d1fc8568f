import Foundation
import Testing
import VStreamTestSupport

/// Zones and lines through the built program, on known tracks.
struct CountTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Ten frames of 768 × 576: a person walks down from 100 to 460, a car stands at 300.
  private func tracks() throws -> String {
    let input = #"{"name":"street.avi","width":768,"height":576,"rotation":0,"timeBase":"1/10"}"#
    let frames = (0..<10).map { index in
      let person = #"{"id":1,"label":"person","score":0.9,"box":[380,\#(60 + 40 * index),20,40]}"#
      let car = #"{"id":2,"label":"car","score":0.9,"box":[100,260,60,40]}"#
      return #"{"type":"frame","ticks":\#(index),"source":"detected","objects":[\#(person),\#(car)]}"#
    }
    let path = folder.file("tracks.jsonl")
    let lines = [#"{"type":"header","version":1,"input":\#(input)}"#] + frames
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test func `counts are recorded per frame and in total, and are in the summary`() throws {
    let records = folder.file("r.jsonl")
    let result = try Program.vstream(
      [
        Checkout.sample("street.avi"), "-o", "null", "--duration", "1", "--from-records", tracks(), "--records",
        records,
      ]
        + ["--zone", "lower half:0%,50%;100%,50%;100%,100%;0%,100%", "--line", "gate:0,250;768,250"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("lower half: 1 × car 1 × person, gate: 1 × person to the right, nothing to the left"))
    let lines = try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n").map { try JSON(String($0)) }
    let frames = lines.filter { $0["type"].string == "frame" }
    let people = frames.map { $0["zones"]["lower half"]["person"].int ?? 0 }
    #expect(people == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1], "the person at 300 is in the lower half")
    #expect(frames.allSatisfy { $0["zones"]["lower half"]["car"].int == 1 })
    let crossed = frames.map { $0["lines"]["gate"]["toRight"]["person"].int ?? 0 }
    #expect(crossed == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1], "the person is half of the height beyond it")
    let counts = try #require(lines.first { $0["type"].string == "counts" })
    #expect(counts["zones"]["lower half"]["entered"]["person"].int == 1)
    #expect(counts["zones"]["lower half"]["dwellSeconds"]["person"].double == 0.4)
    #expect(counts["zones"]["lower half"]["longestDwellSeconds"]["car"].double == 0.9)
    #expect(counts["lines"]["gate"]["toLeft"].keys.isEmpty)
  }

  /// The rows of the last frame that differ between two runs, in a column without people.
  private func changedRows(_ one: String, _ other: String, column: Int) throws -> [Int] {
    let pictures = try [one, other].map { path in
      try Program.ffmpeg(
        ["-i", path, "-vf", "select=eq(n\\,9)", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-"]
      ).output
    }
    try #require(pictures.allSatisfy { $0.count == 768 * 576 })
    return (0..<576).filter { pictures[0][$0 * 768 + column] != pictures[1][$0 * 768 + column] }
  }

  @Test func `zones and lines are drawn, unless --draw names other overlays only`() throws {
    let run = { (name: String, extra: [String]) in
      let what = ["--from-records", try tracks(), "--line", "gate:0,250;768,250", "--codec", "ffv1"]
      let result = try Program.vstream(
        [Checkout.sample("street.avi"), "-o", folder.file(name), "--duration", "1"] + what + extra)
      #expect(result.status == 0, "\(result.errors)")
      return folder.file(name)
    }
    let plain = try run("plain.mkv", ["--draw", "boxes,labels,ids"])
    let drawn = try run("drawn.mkv", [])
    let rows = try changedRows(plain, drawn, column: 20)
    #expect(rows.contains(250) && rows.allSatisfy { (246...254).contains($0) }, "\(rows)")
    #expect(try changedRows(plain, run("only.mkv", ["--draw", "zones"]), column: 20) == rows)
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [String]
    let expected: String
  }

  @Test func `without tracks, counting is refused`() throws {
    try Program.ffmpeg(["-i", Checkout.sample("street.avi"), "-frames:v", "1", folder.file("photo.png")])
    let result = try Program.vstream(
      ["photo.png", "-o", "out.png", "--zone", "all:0,0;100%,0;100%,100%"], folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains("--mode single-image"), "\(result.errors)")
    #expect(folder.names.contains("out.png") == false)
  }

  @Test(arguments: [
    Fault(testDescription: "a zone without a name", arguments: ["--zone", "1,2;3,4;5,6"], expected: "has no name"),
    Fault(testDescription: "a zone of two corners", arguments: ["--zone", "a:1,2;3,4"], expected: "has 2 corners"),
    Fault(
      testDescription: "a corner of one number", arguments: ["--zone", "a:1,2;3;5,6"], expected: "'3' is not a point"),
    Fault(
      testDescription: "a corner of words", arguments: ["--zone", "a:1,2;x,y;5,6"], expected: "'x,y' is not a point"),
    Fault(
      testDescription: "a coordinate that is not a number", arguments: ["--zone", "a:1,2;nan,1;5,6"],
      expected: "is not a point"),
    Fault(
      testDescription: "a line of three points", arguments: ["--line", "a:1,2;3,4;5,6"], expected: "is not a line"),
    Fault(testDescription: "a line of one point", arguments: ["--line", "a:1,2;1,2"], expected: "is not a line"),
    Fault(
      testDescription: "a name given twice", arguments: ["--line", "a:1,2;3,4", "--line", "a:1,2;5,6"],
      expected: "is named twice"),
  ])
  func `an invalid zone or line is refused with an example`(_ fault: Fault) throws {
    let result = try Program.vstream([Checkout.sample("street.avi"), "-o", "null"] + fault.arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(fault.expected), "\(result.errors)")
    #expect(oneLine(result.errors))
  }
}

import Testing
import VStreamCore

@testable import VStreamMedia

/// Lines of subtitle scripts in files.
struct SubtitleLineTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let start: Int64
    let end: Int64
    var base = Rational.milliseconds
    var shift = 0.0
    /// The start and end that are written; `nil` for a line that is omitted.
    let times: String?
  }

  @Test(arguments: [
    Row(testDescription: "whole hundredths", start: 40, end: 80, times: "0:00:00.04,0:00:00.08"),
    Row(
      testDescription: "thirds are rounded down, so that no line is late", start: 1, end: 2,
      base: Rational(1, 30) ?? .milliseconds, times: "0:00:00.03,0:00:00.06"),
    Row(
      testDescription: "the next third", start: 2, end: 3, base: Rational(1, 30) ?? .milliseconds,
      times: "0:00:00.06,0:00:00.10"),
    Row(testDescription: "hours", start: 3_723_450, end: 36_000_000, times: "1:02:03.45,10:00:00.00"),
    Row(testDescription: "moved back", start: 1500, end: 1600, shift: 1, times: "0:00:00.50,0:00:00.60"),
    Row(testDescription: "moved forward", start: -20, end: 20, shift: -0.02, times: "0:00:00.00,0:00:00.04"),
    Row(testDescription: "before zero", start: -50, end: 20, times: "0:00:00.00,0:00:00.02"),
    Row(testDescription: "shorter than the resolution", start: 41, end: 49, times: nil),
    Row(testDescription: "at the largest time", start: .max, end: .max, times: nil),
  ])
  func `times are written in hundredths of a second`(row: Row) {
    let line = SubtitleLine(
      start: Time(ticks: row.start, base: row.base), end: Time(ticks: row.end, base: row.base), layer: 1,
      style: "Label", text: "{\\pos(1,2)}a, b")
    let expected = row.times.map { "Dialogue: 1,\($0),Label,,0,0,0,,{\\pos(1,2)}a, b" }
    #expect(line.scriptLine(offsetBy: row.shift) == expected)
  }

  @Test func `a Matroska packet has a line's number, and no times`() {
    let time = Time(ticks: 0, base: .milliseconds)
    let line = SubtitleLine(start: time, end: time, layer: 0, style: "Box", text: "x")
    #expect(String(decoding: line.payload(number: 7), as: UTF8.self) == "7,0,Box,,0,0,0,,x")
  }

  @Test(arguments: [
    ("out.mp4", "out.ass"), ("a.b/out", "a.b/out.ass"), ("a.b/c.d.mov", "a.b/c.d.ass"), (".mp4", ".mp4.ass"),
  ])
  func `the script's file is named after the output's`(output: String, script: String) throws {
    // Of folders that do not exist, only the name is used.
    let name = output.split(separator: "/").last.map(String.init) ?? output
    let destination = try OutputDestination(name, format: "mp4", overwrite: true)
    #expect(destination.scriptPath == script.split(separator: "/").last.map(String.init))
    #expect(!destination.holdsScripts)
  }
}

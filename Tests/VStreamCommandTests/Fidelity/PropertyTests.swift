import Foundation
import Synchronization
import Testing
import VStreamTestSupport

/// Each property of an input in each container: kept, converted, or named in one warning.
struct PropertyTests {
  /// The files that are written, with the options that they need.
  static let containers = [
    ("mp4", ""), ("mov", ""), ("mkv", ""), ("webm", "--codec libvpx-vp9"), ("nut", ""), ("avi", ""), ("ts", ""),
    ("mpg", "--codec mpeg2video"), ("m4v", ""), ("flv", ""), ("wmv", ""), ("ogv", ""), ("mxf", "--codec mpeg2video"),
    ("y4m", ""),
  ]

  /// Writes the input in each container, and compares the results with the table of docs/guarantees.md, which is that of
  /// FFmpeg 5. `VSTREAM_RECORD=1` records it again.
  @Test(arguments: PropertyRow.all)
  func `a property is kept, converted or named in one warning`(row: PropertyRow) throws {
    let folder = try row.folder()
    let before = row.value(try ReadBack(folder.file(row.input)))
    #expect(before == row.expected, "the input has the property")
    let results = try Self.containers.map { ending, options in
      try Self.result(of: row, output: "out.\(ending)", options: options, in: folder)
    }
    if ProcessInfo.processInfo.environment["VSTREAM_RECORD"] == "1" {
      try PropertyTable.record(row.name, results)
    } else if Program.ffmpegVersion == 5 {
      #expect(try PropertyTable.rows()[row.name] == results, "VSTREAM_RECORD=1 records it again")
    }
  }

  private static func result(
    of row: PropertyRow, output: String, options: String, in folder: TemporaryFolder
  ) throws -> String {
    let words = FidelityRun.words("\(row.input) -o \(output) --detect none \(options) \(row.options)")
    let run = try Program.vstream(words, folder: folder.path)
    #expect(run.status == 0, "\(output): \(run.errors)")
    let found = row.value(try ReadBack(folder.file(output)))
    let warnings = run.errors.split(separator: "\n").filter { $0.contains("warning: ") }
    let naming = warnings.filter { $0.contains(row.warning) }
    let isOmitted = warnings.contains { $0.contains("stream \(row.stream) (") && $0.contains("is omitted: ") }
    if naming.count == 1 || isOmitted {
      #expect(found != row.expected, "\(output) is false to warn: \(run.errors)")
      return "warning"
    }
    #expect(naming.isEmpty, "\(output): \(run.errors)")
    if found == row.expected, !row.isConverted { return "kept" }
    #expect(
      found.map(row.converted.contains) == true, "\(output) has lost \(row.name): \(found ?? "nothing"), \(run.errors)")
    return "converted"
  }

  /// The table as it is printed: each row has a name, and a result for each container.
  @Test func `the table has a row for each property and a column for each container`() throws {
    let rows = try PropertyTable.rows()
    #expect(Set(rows.keys) == Set(PropertyRow.all.map(\.name)))
    #expect(rows.values.allSatisfy { $0.count == Self.containers.count })
  }

  /// Video that is copied has the metadata that fits it.
  @Test(arguments: [("mp4", true), ("mkv", true), ("mov", false), ("ts", false)])
  func `Dolby Vision of copied video is kept or named`(ending: String, isKept: Bool) throws {
    let row = try #require(PropertyRow.all.first { $0.name == "Dolby Vision" })
    let folder = try row.folder()
    let run = try Program.vstream([row.input, "-o", "out.\(ending)", "--overlay-track", "ass"], folder: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect((row.value(try ReadBack(folder.file("out.\(ending)"))) != nil) == isKept)
    #expect(run.errors.contains("Dolby Vision is not kept: ") != isKept, "\(run.errors)")
  }

  @Test(arguments: [
    ("01:00:00:12", "25", "50", "01:00:00:24"), ("01:00:00:12", "25", "30000/1001", "01:00:00:14"),
    ("00:01:00;20", "30000/1001", "25", "00:01:00:16"), ("00:01:00;20", "30000/1001", "60000/1001", "00:01:00;40"),
    ("00:01:00;20", "30000/1001", "30", "00:01:00:20"),
  ])
  func `a timecode is that of the output's frame rate`(text: String, rate: String, other: String, expected: String)
    throws
  {
    let folder = try TemporaryFolder()
    let make = "-f lavfi -i testsrc2=size=64x48:rate=\(rate):duration=1 -c:v libx264 -timecode \(text) in.mov"
    try Program.ffmpeg(FidelityRun.words(make), folder: folder.path)
    let run = try Program.vstream(
      FidelityRun.words("in.mov -o out.mov --detect none --fps \(other)"), folder: folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Probe(folder.file("out.mov")).video?.tags?["timecode"] == expected)
  }
}

/// A file as ffprobe reads it.
struct ReadBack {
  let streams: [JSONValue]
  private let path: String
  private let whole: JSONValue

  init(_ path: String) throws {
    self.path = path
    whole = try Self.read(
      "-show_streams -show_format -show_chapters -show_packets -show_entries packet=stream_index,pts_time,dts_time",
      path)
    streams = whole["streams"]?.list ?? []
  }

  private static func read(_ arguments: String, _ path: String) throws -> JSONValue {
    let words = FidelityRun.words("ffprobe -v error \(arguments) -of json \(path)")
    return try JSONValue(json: Program.run("/usr/bin/env", words).text)
  }

  /// Read where it is asked for: a process takes longer to start than to read.
  private var frame: JSONValue? {
    try? Self.read("-select_streams v:0 -show_frames -read_intervals %+#1", path)["frames"]?.list?.first
  }

  var video: JSONValue? { streams.first { $0["codec_type"]?.text == "video" } }
  var audio: [JSONValue] { streams.filter { $0["codec_type"]?.text == "audio" } }
  var chapters: [String] { (whole["chapters"]?.list ?? []).compactMap { Self.tag("title", of: $0) } }
  var start: Double? { whole["format"]?["start_time"]?.text.flatMap(Double.init) }

  /// A tag of the file or of one of its streams.
  func tag(_ name: String) -> String? {
    ([whole["format"]].compactMap { $0 } + streams).lazy.compactMap { Self.tag(name, of: $0) }.first
  }

  static func tag(_ name: String, of part: JSONValue) -> String? {
    part["tags"]?.members?.first { $0.key.lowercased() == name }?.value.text
  }

  /// A member of side data of the streams or of the first frame.
  func sideData(_ type: String, _ member: String) -> String? {
    func value(in part: JSONValue) -> JSONValue? {
      part["side_data_list"]?.list?.first { $0["side_data_type"]?.text?.contains(type) == true }?[member]
    }
    let found = streams.lazy.compactMap(value).first ?? frame.flatMap(value)
    return found?.text ?? found?.number.map { "\($0)" }
  }

  /// Seconds from the first packet of the video to that of the audio.
  var delay: Double? {
    func first(_ kind: String) -> Double? {
      let index = streams.first { $0["codec_type"]?.text == kind }?["index"]
      let packets = (whole["packets"]?.list ?? []).filter { $0["stream_index"] == index }
      return packets.compactMap { ($0["pts_time"] ?? $0["dts_time"])?.text.flatMap(Double.init) }.min()
    }
    guard let audio = first("audio"), let video = first("video") else { return nil }
    return audio - video
  }
}

/// The table in docs/guarantees.md.
enum PropertyTable {
  private static let path = Checkout.root.appending(path: "docs/guarantees.md").path
  private static let lock = Mutex(())
  private static let header = ["Property"] + PropertyTests.containers.map { $0.0.uppercased() }

  static func rows() throws -> [String: [String]] { try read().rows }

  /// Replaces the results of a property, and keeps those of the others.
  static func record(_ name: String, _ results: [String]) throws {
    try lock.withLock { _ in
      var (before, rows, after) = try read()
      rows[name] = results
      let lines = PropertyRow.all.compactMap { row in rows[row.name].map { line([row.name] + $0) } }
      let table = [line(header), "|" + String(repeating: "---|", count: header.count)] + lines
      try (before + table + after).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

  /// The lines before the table, its rows, and the lines after it.
  private static func read() throws -> (before: [String], rows: [String: [String]], after: [String]) {
    let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    let first = try #require(lines.firstIndex { $0.hasPrefix("| Property |") }, "docs/guarantees.md has the table")
    let end = lines[first...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    let rows = lines[first..<end].dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    let named = rows.compactMap { row in row.first.map { ($0, Array(row.dropFirst())) } }
    return (Array(lines[..<first]), [String: [String]](named) { $1 }, Array(lines[end...]))
  }
}

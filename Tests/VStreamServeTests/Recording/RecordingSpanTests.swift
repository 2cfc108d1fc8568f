import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

@testable import VStreamServe

/// Spans of recordings, cut without encoding.
struct RecordingSpanTests {
  private let folder: TemporaryFolder
  private let store: RecordingStore
  private let clip: TestFragments

  init() throws {
    folder = try TemporaryFolder()
    store = try TestRecordings.store(folder)
    clip = try TestFragments(folder)
  }

  private func cut(_ from: Double, _ to: Double) -> RecordingSpan? {
    let span = TestRecordings.start + from...TestRecordings.start + to
    return RecordingSpan(store.files(of: "front", in: span).map { ($0, store.path(of: $0)) }, in: span)
  }

  private func file(_ bytes: [UInt8], _ name: String = "x.mp4") throws -> String {
    try Data(bytes).write(to: URL(filePath: folder.file(name)))
    return folder.file(name)
  }

  /// The hashes of a file's frames, decoded without a message.
  private func hashes(_ path: String) throws -> [String] {
    let result = try Program.run(
      "/usr/bin/env",
      ["ffmpeg", "-v", "warning", "-nostdin", "-i", path, "-map", "0:a", "-f", "null", "/dev/null"]
        + ["-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    }
  }

  // MARK: One file

  @Test func `a file's fragments have their kinds and times`() throws {
    let file = try FragmentedFile(ReadableFile(file(clip.bytes(0..<6))))
    #expect(file.start == 0..<clip.start.count)
    #expect(file.fragments.count == clip.all.count)
    let video = file.fragments.filter(\.isVideo)
    #expect(video.count == 60)
    #expect(video.indices.filter { video[$0].isKey } == [0, 10, 20, 30, 40, 50])
    for (index, fragment) in video.enumerated() { #expect(abs(fragment.seconds - Double(index) / 10) < 0.001) }
    let times = try #require(file.times)
    #expect(abs(times.lowerBound) < 0.001 && abs(times.upperBound - 5.9) < 0.001)
    #expect(file.fragments.last?.bytes.upperBound == clip.bytes(0..<6).count)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Seconds from the start of the recording.
    let from: Double
    let to: Double
    /// Indices of the clip's frames.
    let frames: Range<Int>
  }

  @Test(arguments: [
    Row(testDescription: "all", from: -100, to: 100, frames: 0..<60),
    Row(testDescription: "between two key frames", from: 2.5, to: 4.05, frames: 20..<41),
    Row(testDescription: "from a key frame to another", from: 3, to: 4.001, frames: 30..<41),
    Row(testDescription: "the beginning", from: -1, to: 0.35, frames: 0..<4),
    Row(testDescription: "the end", from: 5.5, to: 9, frames: 50..<60),
  ]) func `a span begins at the key frame before it`(row: Row) throws {
    try TestRecordings.add(clip.bytes(0..<6), to: store, seconds: 6)
    let span = try #require(cut(row.from, row.to))
    let bytes = try span.contents()
    #expect(abs(span.start - TestRecordings.start - Double(row.frames.lowerBound) / 10) < 0.001)
    let path = try file(bytes)
    #expect(try hashes(path) == Array(hashes(folder.file("96x64.mp4"))[row.frames]))
    for (index, time) in try Probe(path).frameTimes().enumerated() { #expect(abs(time - Double(index) / 10) < 0.001) }
    let sound = try Probe(path).frameTimes("a:0")
    #expect(try #require(sound.first) < 0.1 && abs(try #require(sound.last) - Double(row.frames.count) / 10) < 0.2)
  }

  @Test(arguments: [(-10.0, -5.0), (6.5, 9), (100, 200)])
  func `there is no span where nothing was recorded`(from: Double, to: Double) throws {
    try TestRecordings.add(clip.bytes(0..<6), to: store, seconds: 6)
    #expect(cut(from, to) == nil)
  }

  @Test func `a file that was deleted meanwhile ends the video with an error`() throws {
    let file = try TestRecordings.add(clip.bytes(0..<6), to: store, seconds: 6)
    let span = try #require(cut(0, 6))
    PartFile.remove(store.path(of: file))
    #expect(throws: VStreamError.self) { try span.contents() }
    #expect(cut(0, 6) == nil)
  }

  // MARK: More files

  @Test func `files that follow each other are one continuous span`() throws {
    try TestRecordings.add(clip.bytes(0..<3), to: store, seconds: 3)
    // Clocks differ a little.
    try TestRecordings.add(clip.bytes(3..<6), to: store, at: 3.2, seconds: 3)
    let span = try #require(cut(1.5, 4.75))
    let path = try file(span.contents())
    #expect(try hashes(path) == Array(hashes(folder.file("96x64.mp4"))[10..<46]))
    for (index, time) in try Probe(path).frameTimes().enumerated() { #expect(abs(time - Double(index) / 10) < 0.001) }
    let sound = try Probe(path).packets("a:0").compactMap(\.time)
    for (one, next) in zip(sound, sound.dropFirst()) { #expect(abs(next - one - 1024 / 44100) < 0.001) }
  }

  @Test func `after a gap, times are those of the clock`() throws {
    try TestRecordings.add(clip.bytes(0..<2), to: store, seconds: 2)
    // The video of another run begins at 0 again.
    try TestRecordings.add(clip.bytes(0..<2), to: store, at: 20, seconds: 2)
    let span = try #require(cut(1, 30))
    let path = try file(span.contents())
    let times = try Probe(path).frameTimes()
    let expected = (0..<10).map { Double($0) / 10 } + (0..<20).map { 19 + Double($0) / 10 }
    #expect(times.count == 30)
    for (time, expected) in zip(times, expected) { #expect(abs(time - expected) < 0.002, "\(time) for \(expected)") }
  }

  @Test func `a file with other streams ends the span`() throws {
    let other = try TestFragments(folder, "128x64", seconds: 2)
    try TestRecordings.add(clip.bytes(0..<2), to: store, seconds: 2)
    try TestRecordings.add(other.bytes(0..<2), to: store, at: 2, seconds: 2)
    try TestRecordings.add(clip.bytes(0..<2), to: store, at: 4, seconds: 2)
    for (from, count, width) in [(0.0, 20, 96), (2.5, 20, 128), (4.5, 20, 96)] {
      let path = try file(#require(cut(from, 10)).contents())
      #expect(try hashes(path).count == count && Probe(path).video?.width == width, "from \(from)")
    }
  }

  @Test func `a damaged file between others is omitted`() throws {
    try TestRecordings.add(clip.bytes(0..<2), to: store, seconds: 2)
    try TestRecordings.add(Array("no recording".utf8), to: store, at: 2, seconds: 2)
    try TestRecordings.add(clip.bytes(4..<6), to: store, at: 4, seconds: 2)
    #expect(try hashes(file(#require(cut(0, 10)).contents())).count == 40)
  }

  // MARK: Damaged files

  @Test func `a file that was cut off anywhere has whole fragments`() throws {
    let bytes = clip.bytes(0..<6)
    let whole = try FragmentedFile(ReadableFile(file(bytes))).fragments
    var numbers = SeededNumbers(seed: 1)
    for _ in 0..<200 {
      let count = numbers.below(bytes.count)
      let file = try? FragmentedFile(ReadableFile(file(Array(bytes[..<count]))))
      #expect((file != nil) == (count >= clip.start.count))
      #expect(file?.fragments ?? [] == whole.filter { $0.bytes.upperBound <= count })
    }
  }

  @Test func `a span of a file that was cut off decodes`() throws {
    let bytes = clip.bytes(0..<6)
    try TestRecordings.add(Array(bytes[..<(bytes.count / 2)]), to: store, seconds: 6)
    let span = try #require(cut(1, 6))
    #expect(try (1..<40).contains(hashes(file(span.contents())).count))
  }

  @Test func `changed bytes crash nothing`() throws {
    let bytes = clip.bytes(0..<2)
    var numbers = SeededNumbers(seed: 2)
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<20 { damaged[numbers.below(bytes.count)] = UInt8(numbers.below(256)) }
      let path = try file(damaged)
      let recorded = RecordedFile(camera: "front", name: "x.mp4", start: 0, end: 2)
      guard let span = RecordingSpan([(recorded, path)], in: 0...1e11) else { continue }
      #expect(try !span.contents().isEmpty)
    }
  }

  struct Garbage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
  }

  /// The header of a box of a length of 64 bits.
  private static func header(_ type: String, _ size: UInt64) -> [UInt8] {
    [0, 0, 0, 1] + Array(type.utf8) + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * UInt64($0))) }
  }

  @Test(arguments: [
    Garbage(testDescription: "nothing", bytes: []),
    Garbage(testDescription: "a text", bytes: Array("This is no recording.".utf8)),
    Garbage(testDescription: "zeros", bytes: [UInt8](repeating: 0, count: 1000)),
    Garbage(testDescription: "a box of no size", bytes: [0, 0, 0, 0] + Array("moov".utf8)),
    Garbage(
      testDescription: "a box after one, of the greatest size",
      bytes: [0, 0, 0, 8] + Array("free".utf8) + header("mdat", .max >> 1)),
    Garbage(testDescription: "a box of more than the greatest size", bytes: header("moov", .max)),
  ]) func `garbage is no recording`(row: Garbage) throws {
    let path = try file(row.bytes)
    let error = #expect(throws: VStreamError.self) { try FragmentedFile(ReadableFile(path)) }
    #expect(error?.code == .unreadableInput)
  }

  @Test func `a fragment of the greatest time is omitted`() throws {
    var bytes = clip.bytes(0..<2)
    let whole = try FragmentedFile(ReadableFile(file(bytes)))
    let last = try #require(whole.fragments.last { $0.isVideo })
    for index in 0..<8 { bytes[last.timeOffset + index] = 0xFF }
    try TestRecordings.add(bytes, to: store, seconds: 2)
    #expect(try hashes(file(#require(cut(0, 1e10)).contents())).count == 19)
  }

  // MARK: Boxes

  @Test func `the boxes of files have a line about each, and whole records`() throws {
    let (one, other) = ("{\"type\":\"video\"}\n{\"frame\":1}\n", "{\"frame\":2}\n{\"fra")
    try TestRecordings.add(clip.bytes(3..<6), boxes: one, to: store, seconds: 3)
    let last = try TestRecordings.add(Array("no video".utf8), boxes: other, to: store, at: 3, seconds: 3)
    func lines() throws -> [JSONValue] {
      let files = store.files(of: "front", in: 0...1e11).map { file in
        (file, store.path(of: file), "\(store.path)/front/\(file.boxesName)")
      }
      let text = String(decoding: try RecordedBoxes(files).contents(), as: UTF8.self)
      #expect(text.hasSuffix("}\n"))
      return try text.split(separator: "\n").map { try JSONValue(json: $0) }
    }
    let all = try lines()
    #expect(all.map { $0["type"]?.text } == ["file", "video", nil, "file", nil])
    #expect(all.map { $0["frame"]?.number } == [nil, nil, 1, nil, 2])
    #expect(all[0]["start"]?.number == TestRecordings.start && all[0]["end"]?.number == TestRecordings.start + 3)
    #expect(abs((all[0]["time"]?.number ?? 0) - 3) < 0.001 && all[3]["time"] == nil)
    PartFile.remove("\(store.path)/front/\(last.boxesName)")
    #expect(try lines().map { $0["type"]?.text } == ["file", "video", nil, "file"])
  }
}

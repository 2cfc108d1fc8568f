import Foundation
import Testing
import VStreamTestSupport

/// `--start` and `--duration` give the frames of that part, whether the container can seek or not.
struct PartTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// FFmpeg's options for the file, whose video has 25 frames of 40 ms.
    let make: String
    var testDescription: String { name }

    init(_ name: String, _ make: String) {
      self.name = name
      self.make = make
    }
  }

  static let rows = [
    Row("in.mp4", "-c:v libx264 -g 10 -c:a aac"),
    Row("in.mkv", "-c:v libx264 -g 10 -c:a aac"),
    Row("in.ts", "-c:v libx264 -g 10 -c:a aac"),
    Row("index.m3u8", "-c:v libx264 -g 10 -c:a aac -f hls -hls_time 0.4 -hls_list_size 0"),
    Row("in.avi", "-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le"),
    Row("raw.avi", "-c:v rawvideo -pix_fmt bgr24"),
    Row("in.flv", "-c:v flv -c:a libmp3lame -ar 44100"),
    Row("h264.flv", "-c:v libx264 -g 10 -c:a aac"),
    Row("in.swf", "-an -c:v flv"),
    Row("in.h264", "-an -c:v libx264 -g 10"),
    Row("in.hevc", "-an -c:v libx265 -x265-params log-level=none"),
    Row("in.m2v", "-an -c:v mpeg2video -g 10"),
    Row("in.mjpeg", "-an -c:v mjpeg -pix_fmt yuvj420p"),
    Row("in.y4m", "-an -pix_fmt yuv420p"),
  ]

  private static func times(_ name: String, _ options: [String], in folder: TemporaryFolder) throws -> [Double] {
    let records = folder.file("r.jsonl")
    let result = try Program.vstream(
      [name, "-o", "null", "--records", records, "--detect", "none", "-y"] + options, folder: folder.path)
    #expect(result.status == 0, "\(options): \(result.errors)")
    guard result.status == 0 else { return [] }
    return try RecordedRun(String(contentsOfFile: records, encoding: .utf8)).frames.compactMap(\.["pts"].double)
  }

  @Test(arguments: rows)
  func `a part has all frames from its start to its end`(row: Row) throws {
    let folder = try TemporaryFolder()
    let inputs = "-f lavfi -i testsrc2=d=1:r=25:s=96x64 -f lavfi -i sine=d=1 -pix_fmt yuv420p"
    try Program.ffmpeg(FidelityRun.words("\(inputs) \(row.make) \(row.name)"), folder: folder.path)
    let whole = try Self.times(row.name, [], in: folder)
    #expect(whole.count == 25)
    #expect(try Self.times(row.name, ["--start", "0"], in: folder) == whole)
    for start in [0.1, 0.5] {
      let times = try Self.times(row.name, ["--start", "\(start)"], in: folder)
      // Sound may start before the video, from whose start the part is counted.
      let expected = Int((start / 0.04).rounded(.up))
      #expect(
        times == Array(whole.suffix(times.count)) && (expected - 3...expected).contains(25 - times.count), "\(times)")
    }
    let part = try Self.times(row.name, ["--start", "0.3", "--duration", "0.2"], in: folder)
    #expect(part.count == 5 && whole.contains(part), "\(part)")
  }

  @Test(arguments: [
    ("--start 9", "'in.mkv' ends before 9.0 s (--start); start earlier"),
    ("--duration 0.2", "'in.mkv' has no frame from 0.000 s to 0.200 s (--start, --duration); choose another part"),
    ("--start 0.1 --duration 0.2", "'in.mkv' has no frame from 0.100 s to 0.300 s (--start, --duration)"),
  ])
  func `a part without a frame is a wrong option`(options: String, message: String) throws {
    let folder = try TemporaryFolder()
    let late = "-f lavfi -i sine=d=1 -itsoffset 0.5 -f lavfi -i testsrc2=d=0.5:s=96x64 -c:v libx264 in.mkv"
    try Program.ffmpeg(FidelityRun.words(late), folder: folder.path)
    let result = try Program.vstream(
      FidelityRun.words("in.mkv -o out.mp4 --detect none \(options)"), folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(folder.names == ["in.mkv"])
  }

  @Test func `a part of an input of which no frame can be decoded is unreadable`() throws {
    let folder = try TemporaryFolder()
    let make = "-f lavfi -i testsrc2=d=1:s=96x64 -c:v mpeg2video -bsf:v noise=amount=1 in.mkv"
    try Program.ffmpeg(FidelityRun.words(make), folder: folder.path)
    let result = try Program.vstream(
      ["in.mkv", "-o", "out.mp4", "--detect", "none", "--start", "0.2"], folder: folder.path)
    #expect(result.status == 65)
    #expect(result.errors.contains("no frame of 'in.mkv' could be decoded"), "\(result.errors)")
  }
}

import Foundation
import Testing
import VStreamTestSupport

/// Single packets that cannot be true or that the output refuses: the rest of the file is processed, and the summary counts
/// them.
struct DamagedPacketsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// FFmpeg's options for the file.
    let make: String
    let input: String
    let output: String
    var change: @Sendable (inout Data) throws -> Void = { _ in }
    let frames: ClosedRange<Int>
    /// Texts on standard error.
    let expected: [String]
    /// Whether `--strict` fails.
    var isDamage = true
    var testDescription: String { name }
  }

  private static let video = "-f lavfi -i testsrc2=d=1:s=96x64"
  private static let both = "\(video) -f lavfi -i sine=d=1"

  static let rows = [
    Row(
      name: "a packet of 4 GB", make: "\(video) -c:v libvpx -deadline realtime", input: "in.ivf", output: "out.mkv",
      change: { bytes in
        var header = 32
        for _ in 0..<10 { header += 12 + size(at: header, of: bytes) }
        bytes.replaceSubrange(header..<header + 4, with: [0xF0, 0xFF, 0xFF, 0xFF])
      }, frames: 10...25, expected: ["damaged packets"]),
    Row(
      name: "a copied packet that the output refuses", make: "\(both) -c:v libx264 -c:a aac", input: "in.mp4",
      output: "out.ts",
      change: { bytes in
        // The size of the tenth packet of the sound.
        let sizes = try #require(bytes.range(of: Data("stsz".utf8), options: .backwards)).upperBound
        bytes.replaceSubrange(sizes + 12 + 40..<sizes + 12 + 44, with: [0, 0, 0, 1])
      }, frames: 25...25, expected: ["1 damaged packet of a copied stream is omitted: ", "AAC packet too short"]),
    Row(
      name: "a Matroska file that ends within a packet", make: "\(both) -c:v libx264 -c:a aac", input: "in.mkv",
      output: "out.mkv", change: { bytes in bytes.removeLast(bytes.count / 4) }, frames: 5...24,
      expected: ["the input is truncated: it ends within a packet"]),
    Row(
      name: "a damaged packet of copied sound", make: "\(both) -c:v mjpeg -c:a pcm_s16le", input: "in.avi",
      output: "out.mkv", change: { bytes in bytes.removeLast(bytes.count / 2) }, frames: 5...24,
      expected: ["damaged packet"]),
    Row(
      name: "a larger video without a frame",
      make: "\(video) -map 0 -map 0 -c:v mjpeg -pix_fmt yuvj420p -s:v:1 128x96 -bsf:v:1 noise=drop=1", input: "in.mkv",
      output: "out.mp4", frames: 25...25, expected: [], isDamage: false),
  ]

  @Test(arguments: ["mpeg2video", "libx264"])
  func `an output that refuses most packets is closed, and the error names it`(codec: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.both) -c:v mpeg4 -c:a aac in.mp4"), folder: folder.path)
    let file = URL(filePath: folder.file("in.mp4"))
    var bytes = try Data(contentsOf: file)
    let sizes = try #require(bytes.range(of: Data("stsz".utf8), options: .backwards)).upperBound
    for index in 0..<43 { bytes.replaceSubrange(sizes + 12 + 4 * index..<sizes + 16 + 4 * index, with: [0, 0, 0, 1]) }
    try bytes.write(to: file)
    let result = try Program.vstream(
      ["in.mp4", "-o", "out.ts", "--detect", "none", "--codec", codec], folder: folder.path)
    #expect(result.status == 74)
    #expect(result.errors.contains("AAC packet too short"), "\(result.errors)")
    #expect(result.errors.hasSuffix("; what was written plays: 'out.ts.part'\n"), "\(result.errors)")
    #expect(folder.names == ["in.mp4", "out.ts.part"])
    #expect(try Probe(folder.file("out.ts.part")).frameTimes().count > 0)
  }

  /// The little-endian number of four bytes.
  private static func size(at position: Int, of bytes: Data) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  @Test(arguments: rows)
  func `a damaged packet does not end the run`(row: Row) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(row.make) \(row.input)"), folder: folder.path)
    let file = URL(filePath: folder.file(row.input))
    var bytes = try Data(contentsOf: file)
    try row.change(&bytes)
    try bytes.write(to: file)
    let result = try Program.vstream([row.input, "-o", row.output, "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    for text in row.expected { #expect(result.errors.contains(text), "\(result.errors)") }
    #expect(row.frames.contains(try Probe(folder.file(row.output)).frameTimes().count))
    let strict = try Program.vstream(
      [row.input, "-o", row.output, "--detect", "none", "--strict", "-y"], folder: folder.path)
    #expect(strict.status == (row.isDamage ? 65 : 0), "\(strict.errors)")
  }
}

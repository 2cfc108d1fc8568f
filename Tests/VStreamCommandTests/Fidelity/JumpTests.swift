import Foundation
import Testing
import VStreamTestSupport

/// Inputs whose clocks wrap, jump or restart.
struct JumpTests {
  /// Three seconds of video and audio as a transport stream whose clock starts at `offset`.
  private func stream(_ name: String, offset: Double, in folder: TemporaryFolder) throws -> String {
    let path = folder.file(name)
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x48:r=25", "-f", "lavfi", "-i", "sine", "-t", "3", "-c:v", "libx264", "-g",
      "10",
      "-c:a", "aac", "-output_ts_offset", "\(offset)", path,
    ])
    return path
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The clock at the start of each part.
    let parts: [Double]
    /// When the first frame of each part is shown, after that of the first part.
    let begins: [Double]
  }

  static let rows = [
    Row(testDescription: "a clock of 33 bits that wraps", parts: [95_442], begins: [0]),
    Row(testDescription: "a recording joined to itself", parts: [0, 0], begins: [0, 3]),
    Row(testDescription: "three parts, the clock going back and ahead", parts: [500, 100, 506], begins: [0, 3, 6]),
    Row(testDescription: "a gap", parts: [0, 60], begins: [0, 60]),
  ]

  @Test(arguments: rows, ["mp4", "mkv"])
  func `times increase, no frame is lost, nothing counts as damaged, and audio and video stay in sync`(
    row: Row, kind: String
  ) throws {
    let folder = try TemporaryFolder()
    var joined = Data()
    for (index, offset) in row.parts.enumerated() {
      joined += try Data(contentsOf: URL(filePath: try stream("\(index).ts", offset: offset, in: folder)))
    }
    try joined.write(to: URL(filePath: folder.file("in.ts")))
    let result = try Program.vstream(
      ["in.ts", "-o", "out.\(kind)", "--detect", "none", "--strict"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let probe = try Probe(folder.file("out.\(kind)"))
    let times = try probe.frameTimes()
    try #require(times.count == 75 * row.parts.count)
    for (part, begin) in row.begins.enumerated() {
      for frame in 0..<75 {
        // The audio of each part may end a little after its video.
        let expected = begin + Double(frame) / 25
        #expect(
          abs(times[75 * part + frame] - times[0] - expected) < 0.1 * Double(max(1, part)),
          "part \(part), frame \(frame)")
      }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let sound = try probe.packets("a:0").compactMap(\.time)
    #expect(abs((sound.last ?? 0) - (times.last ?? 0)) < 0.15)
    #expect(abs((sound.first ?? 0) - (times.first ?? 0)) < 0.15)
  }
}

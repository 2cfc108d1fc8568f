import Foundation
import Testing
import VStreamTestSupport

/// Redaction where the detector does not run on every frame: what happened meanwhile is not known for long.
struct RedactionIntervalTests {
  private static let size = (width: 640, height: 480)

  /// The luma of every frame.
  private func lumas(_ path: String) throws -> [[UInt8]] {
    let raw = try Program.ffmpeg(["-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"]).output
    let size = Self.size.width * Self.size.height
    return stride(from: 0, to: raw.count, by: size).map { [UInt8](raw[$0..<$0 + size]) }
  }

  /// The boxes of the only face of a generated clip, frame by frame: left, top, width, height.
  private func faces(of clip: String) throws -> [[Int]] {
    let path = Checkout.sample(clip.replacing(".mp4", with: ".txt"))
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: ",")[1..<5].map { Int(Double($0) ?? 0) }
    }
  }

  /// The fraction of a box that is black.
  private func covered(_ box: [Int], in luma: [UInt8]) -> Double {
    let columns = max(0, box[0])..<min(Self.size.width, box[0] + box[2])
    let rows = max(0, box[1])..<min(Self.size.height, box[1] + box[3])
    let black = rows.map { row in columns.count { luma[row * Self.size.width + $0] < 24 } }.reduce(0, +)
    return Double(black) / Double(max(1, rows.count * columns.count))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let clip: String
    let options: [String]
    /// Whether frames are covered whole, and the user warned.
    let isWarned: Bool
    var testDescription: String { "\(clip) \(options.joined(separator: " "))" }
  }

  @Test(arguments: [
    Row(clip: "face-panning.mp4", options: ["--detect-every", "15"], isWarned: false),
    Row(clip: "face-panning.mp4", options: ["--detect-every", "40"], isWarned: true),
    Row(clip: "face-panning.mp4", options: ["--detect-every", "16", "--look-back", "0"], isWarned: true),
  ])
  func `no face is left in view between detections, however long that is`(row: Row) throws {
    let folder = try TemporaryFolder()
    let result = try Program.vstream(
      [
        Checkout.sample(row.clip), "-o", folder.file("out.mkv"), "--redact", "fill", "--face-mode", "fast",
        "--duration", "2",
      ] + row.options)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("are covered whole, as it is not known what moved in them") == row.isWarned)
    let frames = try lumas(folder.file("out.mkv"))
    let truth = try faces(of: row.clip)
    #expect(frames.count == 60)
    for (index, (frame, face)) in zip(frames, truth).enumerated() {
      let fraction = covered(face, in: frame)
      #expect(fraction >= 0.8, "frame \(index): \(fraction)")
    }
    #expect(frames.contains { $0[0] > 24 }, "not all frames are covered whole")
  }

  @Test func `records that state detections of the first frame alone cover the others whole`() throws {
    let folder = try TemporaryFolder()
    let arguments = [Checkout.sample("face-panning.mp4"), "--duration", "1", "--redact", "fill"]
    let recorded = try Program.vstream(
      arguments + ["-o", "a.mkv", "--face-mode", "fast", "--records", "r.jsonl", "--record-detections"],
      folder: folder.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    let lines = try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8).split(separator: "\n")
    let thinned = lines.map { line in
      guard line.contains("\"type\":\"frame\""), !line.contains("\"frame\":0,") else { return String(line) }
      let shortened = line.replacing(/,"detections":.*/, with: "}")
      return String(shortened.replacing("\"detected\"", with: "\"predicted\""))
    }
    _ = try folder.write("t.jsonl", thinned.joined(separator: "\n") + "\n")
    let replayed = try Program.vstream(arguments + ["-o", "b.mkv", "--from-records", "t.jsonl"], folder: folder.path)
    #expect(replayed.status == 0 && replayed.errors.contains("are covered whole"), "\(replayed.errors)")
    for (index, (frame, face)) in zip(try lumas(folder.file("b.mkv")), try faces(of: "face-panning.mp4")).enumerated() {
      #expect(covered(face, in: frame) >= 0.8, "frame \(index)")
    }
  }
}

import Foundation
import Testing
import VStreamTestSupport

/// Inputs and runs with which something could stay visible.
struct RedactionGapTests {
  private let folder: TemporaryFolder
  private static let face = Checkout.sample("face.mp4")

  init() throws { folder = try TemporaryFolder() }

  private func vstream(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(arguments, folder: folder.path)
  }

  /// Recorders store half of the columns, or of the rows; players show the picture as it was.
  @Test(arguments: ["2/1", "1/2"]) func `pixels that are not square`(aspect: String) throws {
    let parts = aspect.split(separator: "/").compactMap { Int($0) }
    let (wide, high) = (parts[0], parts[1])
    try Program.ffmpeg(
      ["-i", Self.face, "-t", "0.5", "-vf"]
        + ["scale=528:432,scale=iw/\(wide):ih/\(high),setsar=\(aspect)", "-c:v", "libx264", "-crf", "12", "in.mp4"],
      folder: folder.path)
    let result = try vstream(["in.mp4", "-o", "out.mp4", "--redact", "fill"])
    #expect(result.status == 0 && result.errors.contains("15 frames redacted"), "\(result.errors)")
    // The face is black where players show it: about the middle of the picture.
    let shown = try Program.ffmpeg(
      [
        "-i", "out.mp4", "-vf", "scale=176:144,crop=40:40:64:44,scale=1:1:flags=area,format=gray", "-f", "rawvideo",
        "-",
      ],
      folder: folder.path)
    #expect(shown.output.count == 15 && shown.output.allSatisfy { $0 < 60 }, "\(Array(shown.output))")
  }

  /// A viewer that ignores the ratio shows a face that is found by nobody as it is displayed.
  @Test(arguments: ["3/1", "1/3"]) func `pixels that are far from square are an error`(aspect: String) throws {
    try Program.ffmpeg(
      ["-i", Self.face, "-t", "0.2", "-vf", "setsar=\(aspect)", "-c:v", "libx264", "in.mp4"], folder: folder.path)
    let result = try vstream(["in.mp4", "-o", "out.mp4", "--redact", "fill", "--receipt", "r.json"])
    #expect(result.status == 65 && result.errors.contains("more than twice as long as wide"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.mp4")))
    #expect(try vstream(["in.mp4", "-o", "plain.mp4", "--detect", "none"]).status == 0, "without redaction")
  }

  @Test func `a face that only the alpha channel draws`() throws {
    try Program.ffmpeg(
      [
        "-i", Self.face, "-frames:v", "1", "-filter_complex",
        "scale=704:576,format=gray,negate,split[a][b];[a]lutyuv=y=0,format=rgba[c];[c][b]alphamerge", "in.png",
      ], folder: folder.path)
    let result = try vstream(["in.png", "-o", "out.png", "--redact", "fill", "--receipt", "r.json"])
    #expect(result.status == 0 && result.errors.contains("1 frame redacted"), "\(result.errors)")
    #expect(result.errors.contains("the alpha channel is omitted"), "\(result.errors)")
    #expect(try Probe(folder.file("out.png")).video?.pix_fmt == "rgb24")
  }

  @Test func `resuming makes again what has no clean receipt`() throws {
    try FileManager.default.copyItem(atPath: Self.face, toPath: folder.file("face.mp4"))
    let part = ["face.mp4", "--output-dir", "out", "--duration", "0.3"]
    #expect(try vstream(part).status == 0)
    let without = try vstream(part + ["--redact", "fill", "--resume"])
    #expect(without.status == 64 && without.errors.contains("--receipt"), "\(without.errors)")
    let safe = part + ["--redact", "fill", "--resume", "--receipt", "{name}.json"]
    let first = try vstream(safe)
    #expect(first.status == 0 && first.errors.contains("9 frames redacted"), "\(first.errors)")
    // Done, with this receipt; not with other options, nor if the output is another.
    #expect(try vstream(safe).errors == "")
    #expect(try vstream(safe + ["--face-search", "0.5"]).errors.contains("9 frames redacted"))
    try Data("other".utf8).write(to: URL(filePath: folder.file("out/face.mp4")))
    #expect(try vstream(safe + ["--face-search", "0.5"]).errors.contains("9 frames redacted"))
  }

  @Test func `segments and images of a longer run do not stay`() throws {
    let segmented = [Self.face, "-o", "a.m3u8", "--output-option", "hls_time=0.5", "--encoder-option", "g=10"]
    #expect(try vstream(segmented + ["--detect", "none", "--duration", "2"]).status == 0)
    #expect(folder.names.count == 5)
    #expect(try vstream(segmented + ["--redact", "fill", "--duration", "0.5", "-y"]).status == 0)
    #expect(folder.names == ["a.m3u8", "a0.ts"] || folder.names == ["a.m3u8", "a0.ts", "a1.ts"], "\(folder.names)")
    let images = [Self.face, "-o", "%d.jpg"]
    #expect(try vstream(images + ["--detect", "none", "--duration", "0.3"]).status == 0)
    let fewer = try vstream(images + ["--redact", "fill", "--duration", "0.1", "-y"])
    #expect(fewer.errors.contains("'4.jpg' and what follows it are of an earlier run"), "\(fewer.errors)")
  }

  @Test func `a higher score is no reason to overlook people`() throws {
    let clip = try ClipFolder(person: 2)
    let options = ["in.avi", "-o", "a.mkv", "--redact", "fill", "--redact-what", "person", "--verify"]
    #expect(try clip.vstream(options).status == 0)
    let few = try clip.vstream(options + ["--min-score", "1", "-y"])
    #expect(few.status == 1 && few.errors.contains("person visible"), "\(few.errors)")
  }

  @Test func `records of two runs in one file`() throws {
    let recording = ["-o", "null", "--detect", "faces", "--record-detections", "--duration", "0.3"]
    #expect(try vstream([Self.face] + recording + ["--records", "a.jsonl"]).status == 0)
    let lines = try String(contentsOfFile: folder.file("a.jsonl"), encoding: .utf8).split(separator: "\n")
    let frames = lines.filter { $0.contains(#""type":"frame""#) }
    let empty = frames.map {
      $0.replacing(/"faces":\[.*\],"detections".*/, with: #""faces":[],"detections":{"faces":[]}}"#)
    }
    _ = try folder.write("b.jsonl", ([lines[0]] + empty + frames.map(Substring.init)).map { $0 + "\n" }.joined())
    let result = try vstream([
      Self.face, "-o", "out.mp4", "--from-records", "b.jsonl", "--redact", "fill", "--duration", "0.3",
    ])
    #expect(result.status == 65 && result.errors.contains("not later than the one before"), "\(result.errors)")
    #expect(!folder.names.contains("out.mp4"))
  }

  @Test func `a playlist for a server that is not there`() throws {
    let port = try LocalPort.unused()
    let result = try vstream([
      Self.face, "-o", "http://127.0.0.1:\(port)/a.m3u8", "--detect", "none", "--duration", "0.2",
    ])
    #expect(result.status == 74 || result.status == 73, "\(result.errors)")
  }
}

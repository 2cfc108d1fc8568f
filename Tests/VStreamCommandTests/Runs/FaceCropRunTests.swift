import Foundation
import Testing
import VStreamTestSupport

/// `--save-faces` through the whole program.
struct FaceCropRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(arguments + ["--detect", "faces"], folder: folder.path)
  }

  /// The table of saved faces: the fields of each row by name.
  private func table(_ name: String = "faces") throws -> [[String: String]] {
    let text = try String(contentsOfFile: folder.file("\(name)/faces.csv"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let heading = try #require(lines.first).map(String.init)
    return lines.dropFirst().map { fields in Dictionary(uniqueKeysWithValues: zip(heading, fields.map(String.init))) }
  }

  private func names(_ name: String = "faces") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.file(name)).sorted()
  }

  /// The faces that the program detects in an image.
  private func faces(in image: String) throws -> [JSON] {
    let result = try run([image, "-o", "null", "--records", "crop.jsonl", "-y"])
    #expect(result.status == 0, "\(result.errors)")
    let run = try RecordedRun(String(contentsOfFile: folder.file("crop.jsonl"), encoding: .utf8))
    return run.frames.first?["faces"].list ?? []
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let input: String
    var options: [String] = []
    let file: String
    let id: String
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "a man talking", input: Checkout.sample("face.mp4"), file: "face-0001.jpg", id: "1"),
    Row(
      name: "a face that rotates in the plane", input: Checkout.sample("face-turning.mp4"),
      options: ["--crop-format", "png"], file: "face-0001.png", id: "1"),
    Row(
      name: "from its maximum tilt", input: Checkout.sample("face-turning.mp4"),
      options: ["--start", "1", "--duration", "0.4"], file: "face-0001.jpg", id: "1"),
    Row(
      name: "a still", input: Checkout.root.appending(path: ".deps/footage/astronaut.png").path,
      file: "face-0001.jpg", id: ""),
  ]

  /// Detects the face in its crop: centred, upright, and of the size that the margin leaves.
  @Test(arguments: rows) func `the best crop of a face is upright and well framed`(row: Row) throws {
    let result = try run([row.input, "-o", "null", "--save-faces", "faces"] + row.options)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try names() == [row.file, "faces.csv"])
    let lines = try table()
    let line = try #require(lines.first)
    #expect(lines.count == 1)
    #expect(line["file"] == row.file)
    #expect(line["id"] == row.id)
    let sizes = ["width", "height"].compactMap { line[$0].flatMap { Double($0) } }
    let crop = try Probe(folder.file("faces/\(row.file)")).video
    #expect([crop?.width, crop?.height] == sizes.map { Int((min(512, $0 * 1.6)).rounded()) })
    // Padded with gray, as a face that fills the frame may not be detected.
    let padded = ["-vf", "scale=200:200,pad=400:400:100:100:gray", folder.file("padded.png")]
    try Program.ffmpeg(["-i", folder.file("faces/\(row.file)")] + padded)
    let found = try faces(in: "padded.png")
    #expect(found.count == 1)
    let box = found.first?["box"].list?.compactMap(\.double) ?? []
    try #require(box.count == 4)
    let angle = try #require(found.first?["angles"]["z"].double)
    #expect(abs(angle) < 5, "it is not upright: \(angle)")
    #expect(abs(box[0] + box[2] / 2 - 200) < 20 && abs(box[1] + box[3] / 2 - 200) < 20, "\(box)")
    // Half to three quarters of the crop; quantised on another processor, the network returns boxes that differ by a percent.
    #expect((98...152).contains(box[2]), "\(box)")
  }

  @Test func `crops have no overlay, and are written in the same run as the annotated video`() throws {
    let input = Checkout.sample("face.mp4")
    let options = ["--crop-format", "png", "--duration", "0.7"]
    let drawn = ["--face-contours", "--face-landmarks"]
    #expect(try run([input, "-o", "out.mp4", "--save-faces", "a"] + options + drawn).status == 0)
    #expect(try run([input, "-o", "null", "--save-faces", "b"] + options).status == 0)
    let crops = ["a", "b"].map { FileManager.default.contents(atPath: folder.file("\($0)/face-0001.png")) }
    #expect(crops[0] != nil)
    #expect(crops[0] == crops[1])
    #expect(try table("a") == table("b"))
    #expect(try !Probe(folder.file("out.mp4")).frameTimes().isEmpty)
  }

  @Test func `a face that leaves and one that appears later are two faces`() throws {
    let hidden = "drawbox=color=gray:thickness=fill:enable='between(n,12,23)'"
    try Program.ffmpeg([
      "-i", Checkout.sample("face.mp4"), "-frames:v", "36", "-vf", hidden, folder.file("in.mp4"),
    ])
    let result = try run(["in.mp4", "-o", "null", "--save-faces", "faces", "--lost-after", "0.2"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try names() == ["face-0001.jpg", "face-0002.jpg", "faces.csv"])
    let lines = try table()
    #expect(lines.map { $0["id"] } == ["1", "2"])
    let frames = lines.compactMap { $0["frame"].flatMap { Int($0) } }
    #expect((0..<12).contains(frames.first ?? -1) && (24..<36).contains(frames.last ?? -1), "\(frames)")
  }

  @Test func `saved faces are replaced only with overwrite`() throws {
    let still = Checkout.root.appending(path: ".deps/footage/astronaut.png").path
    let arguments = [still, "-o", "null", "--save-faces", "faces/"]
    #expect(try run(arguments).status == 0)
    let before = FileManager.default.contents(atPath: folder.file("faces/face-0001.jpg"))
    let refused = try run(arguments)
    #expect(refused.status == 73)
    #expect(refused.errors.contains("'faces/face-0001.jpg' exists already"), "\(refused.errors)")
    #expect(try run(arguments + ["--crop-format", "png"]).status == 73, "the table is there")
    #expect(try run(arguments + ["-y"]).status == 0)
    #expect(FileManager.default.contents(atPath: folder.file("faces/face-0001.jpg")) == before)
    #expect(try names() == ["face-0001.jpg", "faces.csv"])
  }

  @Test func `images that are read are not overwritten`() throws {
    let still = Checkout.root.appending(path: ".deps/footage/astronaut.png").path
    try FileManager.default.createDirectory(atPath: folder.file("faces"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: still, toPath: folder.file("faces/face-0001.png"))
    let save = ["-o", "null", "--save-faces", "./faces", "--crop-format", "png", "-y"]
    for input in ["faces/face-0001.png", "faces"] {
      let result = try run([input] + save)
      #expect(result.status == 64)
      #expect(result.errors.contains("--save-faces ./faces might overwrite it"), "\(result.errors)")
    }
    #expect(try names() == ["face-0001.png"])
  }

  @Test func `the table of a video without a face has only the heading`() throws {
    try Program.ffmpeg(["-f", "lavfi", "-i", "color=gray:size=96x64:rate=10:duration=0.5", folder.file("in.mp4")])
    #expect(try run(["in.mp4", "-o", "null", "--save-faces", "faces"]).status == 0)
    #expect(try names() == ["faces.csv"])
    #expect(try table() == [])
  }
}

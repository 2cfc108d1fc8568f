import Foundation
import Testing
import VStreamTestSupport

/// The programs of the package in Examples, as they are built beside the tests.
struct ExampleTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Street.cut(frames: 10, to: folder.file("street.avi"))
    try Program.ffmpeg(["-i", folder.file("street.avi"), "-frames:v", "1", folder.file("street.png")])
    try Program.ffmpeg(["-i", Checkout.sample("face.mp4"), "-frames:v", "1", folder.file("face.png")])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// In the test's folder.
    let files: [String]
    /// Regular expressions that lines of what it prints match as a whole.
    let lines: [String]
    /// The number of frames of the last file, a video.
    var frames: Int?
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "still", files: ["street.png"], lines: [#"person 0\.\d+ .*"#]),
    Row(
      name: "live", files: ["street.avi", "live.mkv"],
      lines: ["running for .*", #"0\.\d detected 1 person .*"#, #"10 frames: .*"person".*"#], frames: 10),
    Row(name: "newest", files: ["street.avi"], lines: ["0.9 s .* after \\d dropped frames"]),
    Row(
      name: "detector", files: ["street.avi", "lamps.mkv"], lines: [#"10 frames: .*"lamp".*"#], frames: 10),
    Row(name: "marks", files: ["street.avi", "trails.mkv"], lines: ["10 frames, [1-9]\\d* visitors"], frames: 10),
    Row(
      name: "frames", files: ["street.avi", "frames.mp4"],
      lines: [#"0\.8 [1-9]\d* people"#, "5 frames in frames.mp4"], frames: 5),
    Row(name: "faces", files: ["face.png", ""], lines: ["face-1.jpg .*", "1 faces covered in covered.jpg"]),
    Row(name: "requests", files: ["face.png"], lines: [#"face 0\.\d+ .*"#, #"nose 0\.\d+ .*"#]),
  ])
  func `an example prints what its first line says`(row: Row) throws {
    let program = Bundle.main.executableURL.map { $0.deletingLastPathComponent() } ?? Checkout.root
    let path = try #require(
      [program, Checkout.root.appending(path: ".build/debug")].map { $0.appending(path: "example-\(row.name)").path }
        .first { FileManager.default.isExecutableFile(atPath: $0) })
    let result = try Program.run(path, row.files.map(folder.file))
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n")
    for pattern in row.lines {
      let expression = try Regex(pattern)
      #expect(lines.contains { $0.wholeMatch(of: expression) != nil }, "\(pattern): \(result.text)")
    }
    guard let frames = row.frames, let file = row.files.last else { return }
    #expect(try Probe(folder.file(file)).frameTimes().count == frames)
  }
}

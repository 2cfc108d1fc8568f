import Foundation
import Testing
import VStreamTestSupport

/// Photos and image sequences as inputs and outputs.
struct StillTests {
  /// A folder with a photo: a frame of the street.
  private func folder(with photo: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-ss", "20", "-i", Checkout.sample("street.avi"), "-frames:v", "1", "-q:v", "2", folder.file(photo),
    ])
    return folder
  }

  @Test(arguments: ["jpg", "png", "webp", "bmp", "tiff"])
  func `a photo is annotated with all detections, without IDs`(kind: String) throws {
    let folder = try folder(with: "in.\(kind)")
    let result = try Program.vstream(
      ["in.\(kind)", "-o", "out.\(kind)", "--records", "r.jsonl", "--records", "r.txt"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("person"))
    let run = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    let objects = try #require(run.objects.first)
    #expect(run.frames.count == 1)
    #expect(objects.count >= 5)
    #expect(objects.allSatisfy { $0["id"].isAbsent && ($0["score"].double ?? 0) >= 0.5 })
    let lines = try String(contentsOfFile: folder.file("r.txt"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == objects.count)
    #expect(lines.allSatisfy { $0.hasPrefix("1,-1,") })
    let (before, after) = (try Probe(folder.file("in.\(kind)")), try Probe(folder.file("out.\(kind)")))
    #expect(after.video?.codec_name == before.video?.codec_name)
    #expect(after.video?.width == 768)
    #expect(after.video?.height == 576)
    #expect(folder.names == ["in.\(kind)", "out.\(kind)", "r.jsonl", "r.txt"])
  }

  @Test func `a photo from a pipe to one image is treated as a photo`() throws {
    let folder = try folder(with: "in.jpg")
    let result = try Program.run(
      "/bin/sh", ["-c", "cat in.jpg | '\(Program.vstreamPath)' - -o out.jpg --records r.jsonl"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let run = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    #expect((run.objects.first?.count ?? 0) >= 5)
  }

  @Test func `--mode determines whether a video is detected frame by frame, or a photo as a stream`() throws {
    let street = try ClipFolder(street: 5)
    let each = try street.vstream(["in.avi", "-o", "null", "--mode", "single-image", "--records", "a.jsonl"])
    #expect(each.status == 0)
    let objects = try RecordedRun(street.text("a.jsonl")).objects
    #expect(objects.count == 5)
    #expect(objects.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0["id"].isAbsent } })
    let wrong = try street.vstream(["in.avi", "-o", "null", "--mode", "photo"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("--mode photo"))
  }

  @Test func `a folder of images is read as a video, and images are written with numbers`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "12", "-start_number", "3", folder.file("in/im%d.png"),
    ])
    let video = try Program.vstream(
      ["in", "-o", "out.mkv", "--detect", "none", "--codec", "ffv1", "--input-option", "framerate=10"],
      folder: folder.path)
    #expect(video.status == 0, "\(video.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes() == (0..<12).map { Double($0) / 10 })
    let numbered = try Program.vstream(
      ["in/im%d.png", "-o", "o-%03d.png", "--detect", "none", "--output-option", "start_number=7"],
      folder: folder.path)
    #expect(numbered.status == 0, "\(numbered.errors)")
    #expect(folder.names.filter { $0.hasPrefix("o-") } == (7..<19).map { "o-0\($0 < 10 ? "0" : "")\($0).png" })
    let hash = { (path: String) in
      try Program.ffmpeg(["-i", path, "-f", "framemd5", "-"]).text.split(separator: "\n").last?.split(separator: ",")
        .last
    }
    #expect(try hash(folder.file("o-007.png")) == (try hash(folder.file("in/im3.png"))))
    #expect(try hash(folder.file("o-018.png")) == (try hash(folder.file("in/im14.png"))))
    let again = try Program.vstream(
      ["in", "-o", "o-%03d.png", "--detect", "none", "--output-option", "start_number=7"], folder: folder.path)
    #expect(again.status == 73)
    #expect(again.errors.contains("o-007.png"))
  }

  @Test func `several frames to one image are exit code 64, with a remedy and no file left`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "3", folder.file("in.mkv")])
    let result = try Program.vstream(["in.mkv", "-o", "out.png", "--detect", "none"], folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains("out-%05d.png"))
    #expect(folder.names == ["in.mkv"])
  }

  @Test func `a rotated photo is made upright, and so is its Exif orientation`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1", folder.file("plain.jpg")])
    let exif =
      Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    let plain = try Data(contentsOf: URL(filePath: folder.file("plain.jpg")))
    let rotated = plain.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain.dropFirst(2)
    try rotated.write(to: URL(filePath: folder.file("in.jpg")))
    let result = try Program.vstream(
      ["in.jpg", "-o", "out.jpg", "--detect", "none", "--records", "r.jsonl"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let header = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8)).header
    #expect(header["input"]["rotation"].int == 90)
    #expect(header["input"]["width"].int == 48)
    let written = try Data(contentsOf: URL(filePath: folder.file("out.jpg")))
    var upright = exif
    upright[24] = 1
    #expect(written.range(of: Data(upright)) != nil)
    #expect(try Probe(folder.file("out.jpg")).video?.width == 48)
  }

  /// A JPEG's bytes with an Exif block of the orientation alone, padded with zeros.
  private static func jpeg(_ plain: Data, orientation: UInt8, length: Int = 26) -> Data {
    var exif = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    exif += [UInt8](repeating: 0, count: length - exif.count)
    let size = exif.count + 8
    return plain.prefix(2) + [0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + Data("Exif\0\0".utf8) + exif
      + plain.dropFirst(2)
  }

  struct Sequence: CustomTestStringConvertible, Sendable {
    let name: String
    let output: String
    let warns: String?
    var testDescription: String { name }
  }

  static let sequences = [
    Sequence(name: "to a video", output: "out.mkv", warns: "the Exif data of 'in/2.jpg' and other images is omitted"),
    Sequence(
      name: "to images", output: "out-%d.jpg", warns: "the Exif data of 'in/2.jpg' and other images is omitted"),
    Sequence(name: "to null", output: "null", warns: nil),
  ]

  @Test(arguments: sequences)
  func `the Exif of an image sequence is omitted with one warning`(row: Sequence) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "4", folder.file("in/%d.jpg")])
    for number in 2...3 {
      let url = URL(filePath: folder.file("in/\(number).jpg"))
      try Self.jpeg(try Data(contentsOf: url), orientation: 1).write(to: url)
    }
    let result = try Program.vstream(["in", "-o", row.output, "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.components(separatedBy: "Exif").count == (row.warns == nil ? 1 : 2))
    #expect(row.warns.map(result.errors.contains) != false, "\(result.errors)")
  }

  @Test(arguments: [("out.jpg", true), ("out.bmp", true), ("out.png", false)])
  func `Exif that an image cannot hold is omitted with a warning`(output: String, isOmitted: Bool) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1", folder.file("plain.webp")])
    // The input has the largest Exif of a JPEG; WebP's can be larger.
    let plain = try Data(contentsOf: URL(filePath: folder.file("plain.webp")))
    let exif = Data("II*\0".utf8) + [8, 0, 0, 0, 0, 0] + Data(repeating: 0, count: 70_000)
    func bytes(_ number: Int) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) }
    let extended = Data("VP8X".utf8) + bytes(10) + [8, 0, 0, 0, 63, 0, 0, 47, 0, 0]
    let chunks = extended + plain.dropFirst(12) + Data("EXIF".utf8) + bytes(exif.count) + exif
    try (Data("RIFF".utf8) + bytes(chunks.count + 4) + Data("WEBP".utf8) + chunks)
      .write(to: URL(filePath: folder.file("in.webp")))
    let result = try Program.vstream(["in.webp", "-o", output, "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("'\(output)' cannot hold the input's Exif (\(exif.count) bytes)") == isOmitted)
    let written = try Data(contentsOf: URL(filePath: folder.file(output)))
    #expect((written.range(of: exif) == nil) == isOmitted)
  }

  @Test func `images of several aspect ratios keep theirs on black, with a warning`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    for (name, size) in [("1", "64x48"), ("2", "48x64"), ("3", "128x96"), ("4", "64x16")] {
      try Program.ffmpeg(
        ["-f", "lavfi", "-i", "color=red:s=\(size)", "-frames:v", "1", folder.file("in/\(name).png")])
    }
    let result = try Program.vstream(
      ["in", "-o", "out-%d.png", "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("the frame size changed from 64×48 to 48×64"))
    // The red rows and columns.
    let expected = [(64, 48), (36, 48), (64, 48), (64, 16)]
    for (index, (width, height)) in expected.enumerated() {
      let raw = try Program.ffmpeg([
        "-i", folder.file("out-\(index + 1).png"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
      ]).output
      try #require(raw.count == 64 * 48 * 3)
      let isRed = { (x: Int, y: Int) in raw[3 * (64 * y + x)] > 200 }
      #expect((0..<64).filter { isRed($0, 24) } == Array((64 - width) / 2..<(64 + width) / 2))
      #expect((0..<48).filter { isRed(32, $0) } == Array((48 - height) / 2..<(48 + height) / 2))
    }
  }

  @Test func `an image's format follows from its contents, not from its name`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "3", "-c:v", "png", folder.file("in/%d.jpg"),
    ])
    let result = try Program.vstream(
      ["in", "-o", "out.mkv", "--detect", "none", "--input-option", "framerate=10"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes() == [0, 0.1, 0.2])
  }

  static let overInput: [[String]] = [
    ["in", "-o", "in/im%d.png"], ["in", "-o", "in/im%d.png", "--output-option", "start_number=9"],
    ["in", "-o", "in/im2.png", "--duration", "0.01"], ["in/im%d.png", "-o", "in/im%d.png"],
    ["in/im1.png", "-o", "in/im%d.png"], ["in/im1.png", "-o", "in/im1.png"],
  ]

  @Test(arguments: overInput)
  func `images that are read are never overwritten`(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("in"), withIntermediateDirectories: false)
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "3", folder.file("in/im%d.png")])
    let before = try Data(contentsOf: URL(filePath: folder.file("in/im2.png")))
    let result = try Program.vstream(arguments + ["-y", "--detect", "none"], folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains("would be overwritten"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(filePath: folder.file("in/im2.png"))) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("in")).count == 3)
  }

  @Test func `an existing image is unchanged by a run that is refused`() throws {
    let folder = try folder(with: "keep.jpg")
    let before = try Data(contentsOf: URL(filePath: folder.file("keep.jpg")))
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "3", folder.file("in.mkv")])
    let result = try Program.vstream(["in.mkv", "-o", "keep.jpg", "-y", "--detect", "none"], folder: folder.path)
    #expect(result.status == 64)
    #expect(try Data(contentsOf: URL(filePath: folder.file("keep.jpg"))) == before)
    #expect(folder.names == ["in.mkv", "keep.jpg"])
  }

  @Test func `folders and pipes in a folder of images are skipped`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "3", folder.file("im%d.png")])
    try FileManager.default.createDirectory(atPath: folder.file("im4.png"), withIntermediateDirectories: false)
    #expect(mkfifo(folder.file("im5.png"), 0o600) == 0)
    let result = try Program.vstream([folder.path, "-o", "out.mkv", "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 3)
  }

  @Test func `an image that cannot be written whole is removed`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=640x480", "-frames:v", "1", folder.file("in.png")])
    // Files of at most 4 kB, as on a full disk.
    let command = "trap '' XFSZ; ulimit -f 8; exec '\(Program.vstreamPath)' in.png -o out.png --detect none"
    let result = try Program.run("/bin/sh", ["-c", command], folder: folder.path)
    #expect(result.status == 74)
    #expect(result.errors.contains("File too large"), "\(result.errors)")
    #expect(folder.names == ["in.png"])
  }
}

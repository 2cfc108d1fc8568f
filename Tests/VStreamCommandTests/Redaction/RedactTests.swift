import Foundation
import Testing
import VStreamPipeline
import VStreamTestSupport

/// Redaction through the built program.
struct RedactTests {
  private static let people = ["--redact", "mosaic", "--redact-what", "person"]

  struct Wrong: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    let expected: [String]
    var output = "out.mp4"
    var testDescription: String { name }
  }

  static let wrong = [
    Wrong(
      name: "an unknown style", options: ["--redact", "pixels"], expected: ["--redact pixels", "mosaic, blur or fill"]),
    Wrong(
      name: "faces, which are not detected", options: ["--redact", "blur", "--detect", "objects"],
      expected: ["--redact-what faces", "--detect objects", "add faces to it"]),
    Wrong(
      name: "an unknown class", options: ["--redact", "blur", "--redact-what", "person,dragon"],
      expected: ["--redact-what person,dragon", "'dragon'"]),
    Wrong(
      name: "a kind instead of a class", options: ["--redact", "blur", "--redact-what", "objects"],
      expected: ["--redact-what objects", "'objects' is not a class"]),
    Wrong(
      name: "no class", options: ["--redact", "blur", "--redact-what", ","], expected: ["--redact-what", "is empty"]),
    Wrong(
      name: "a class that is not detected", options: people + ["--classes", "car"],
      expected: ["--redact-what person", "--classes"]),
    Wrong(name: "no detection", options: people + ["--detect", "none"], expected: ["--redact", "--detect none"]),
    Wrong(
      name: "single images that are not detected", options: people + ["--mode", "single-image", "--detect-every", "2"],
      expected: ["--redact", "--detect-every"]),
    Wrong(
      name: "a negative look-back window", options: people + ["--look-back=-1"],
      expected: ["--look-back -1.0", "0 seconds"]),
    Wrong(
      name: "classes without a style", options: ["--redact-what", "person"],
      expected: ["--redact-what person", "--redact"]),
    Wrong(name: "a look-back window alone", options: ["--look-back", "1"], expected: ["--look-back 1.0", "--redact"]),
    Wrong(name: "keeping alone", options: ["--keep-unredacted"], expected: ["--keep-unredacted", "--redact"]),
    Wrong(name: "verifying alone", options: ["--verify"], expected: ["--verify", "--redact"]),
    Wrong(name: "a receipt alone", options: ["--receipt", "r.json"], expected: ["--receipt r.json", "--redact"]),
    Wrong(
      name: "verifying standard output", options: people + ["--verify"], expected: ["--verify", "'-'", "a file"],
      output: "-"),
    Wrong(
      name: "a receipt of nothing", options: people + ["--receipt", "r.json"],
      expected: ["--receipt r.json", "'null'"],
      output: "null"),
    Wrong(
      name: "a receipt that is the output", options: people + ["--receipt", "out.mp4"],
      expected: ["'out.mp4' is named for two outputs"]),
  ]

  @Test(arguments: wrong)
  func `a wrong command line is exit code 64, with a remedy and no file left`(row: Wrong) throws {
    let street = try ClipFolder(street: 3)
    let result = try street.vstream(["in.avi", "-o", row.output] + row.options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(oneLine(result.errors), "\(result.errors)")
    for part in row.expected { #expect(result.errors.contains(part), "\(result.errors)") }
    #expect(street.folder.names == ["in.avi"])
  }

  @Test func `people are black in every sample, and distant pixels are unchanged`() throws {
    let street = try ClipFolder(street: 20)
    let arguments = ["in.avi", "-o", "out.mkv", "--codec", "ffv1", "--confirm-after", "1", "--records", "r.jsonl"]
    // In longer gaps covers grow with the uncertainty of where somebody is.
    let result = try street.vstream(arguments + ["--redact", "fill", "--redact-what", "person", "--lost-after", "0.5"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("20 frames redacted"))

    let run = try RecordedRun(try street.text("r.jsonl"))
    let people = run.objects.map { objects in
      objects.filter { $0["label"].string == "person" }.compactMap { $0["box"].list?.compactMap(\.double) }
    }
    #expect(people.joined().count > 20)
    let (before, after) = (try frames(street.input), try frames(street.folder.file("out.mkv")))
    #expect(before.count == 20)
    #expect(after.count == 20)
    for (index, boxes) in people.enumerated() {
      for box in boxes { #expect(isBlack(box, in: after[index]), "frame \(index), \(box)") }
      let changed = (0..<Self.width * Self.height).filter { before[index][$0] != after[index][$0] }
      let near = changed.filter { position in
        people.joined().contains { isNear(position % Self.width, position / Self.width, $0) }
      }
      #expect(!changed.isEmpty)
      #expect(near.count == changed.count, "frame \(index): \(changed.count - near.count) samples far from anybody")
    }
  }

  private static let width = 768
  private static let height = 576

  /// The planes of every frame, one after the other, in 4:2:0.
  private func frames(_ path: String) throws -> [[UInt8]] {
    let raw = try Program.ffmpeg(["-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]).output
    let size = Self.width * Self.height * 3 / 2
    return stride(from: 0, to: raw.count, by: size).map { [UInt8](raw[$0..<$0 + size]) }
  }

  private func isBlack(_ box: [Double], in frame: [UInt8]) -> Bool {
    let (left, top) = (max(0, Int(box[0])), max(0, Int(box[1])))
    let (right, bottom) = (min(Self.width, Int(box[0] + box[2])), min(Self.height, Int(box[1] + box[3])))
    let luma = (top..<bottom).allSatisfy { y in (left..<right).allSatisfy { frame[y * Self.width + $0] == 16 } }
    let chroma = (top / 2..<bottom / 2).allSatisfy { y in
      (left / 2..<right / 2).allSatisfy { x in
        [0, 1].allSatisfy { plane in
          frame[Self.width * Self.height * (4 + plane) / 4 + y * Self.width / 2 + x] == 128
        }
      }
    }
    return luma && chroma
  }

  /// Whether a pixel is nearer to a box than the box's own size.
  private func isNear(_ x: Int, _ y: Int, _ box: [Double]) -> Bool {
    let (x, y) = (Double(x), Double(y))
    return x > box[0] - box[2] && x < box[0] + 2 * box[2] && y > box[1] - box[3] && y < box[1] + 2 * box[3]
  }

  @Test func `heads of persons are covered where faces are redacted and objects detected, in a replay as well`() throws
  {
    let street = try ClipFolder(street: 4)
    let redaction = ["--redact", "fill", "--redact-what", "faces"]
    let recording = ["--detect", "faces,objects", "--records", "r.jsonl", "--record-detections"]
    let runs: [(arguments: [String], covered: String)] = [
      (["-o", "a.mkv"] + recording, "4 frames redacted"),
      (["-o", "b.mkv", "--from-records", "r.jsonl"], "4 frames redacted"),
      (["-o", "c.mkv", "--detect", "faces,objects", "--classes", "car"], "0 frames redacted"),
      (["-o", "d.mkv"], "0 frames redacted"),
    ]
    for run in runs {
      let result = try street.vstream(["in.avi"] + run.arguments + redaction)
      #expect(result.status == 0 && result.errors.contains(run.covered), "\(run.arguments): \(result.errors)")
    }
  }

  /// The check runs the accurate detector, down to 20 pixels, on the whole output.
  @Test(arguments: ["face.mp4", "face-turning.mp4", "face-panning.mp4", "face-resizing.mp4"])
  func `no face is left unredacted`(clip: String) throws {
    let folder = try TemporaryFolder()
    let receipt = folder.file("r.json")
    let result = try Program.vstream(
      [Checkout.sample(clip), "-o", folder.file("out.mkv"), "--duration", "1", "--redact", "mosaic"]
        + ["--receipt", receipt])
    #expect(result.status == 0, "\(result.errors)")
    let counts = try JSON(String(contentsOfFile: receipt, encoding: .utf8))
    #expect(counts["framesRedacted"].int == 30)
    #expect(counts["residuals"].list?.isEmpty == true)
  }

  /// The detections of a run are recorded, 30 % of them are removed at random, and the rest are redacted. With all of every
  /// frame searched, false positives of the check are covered as well; otherwise only true faces are checked.
  @Test(arguments: ["face.mp4", "face-turning.mp4", "face-panning.mp4", "face-resizing.mp4"], ["0", "0.2"])
  func `no face is left unredacted with 30 % of the detections removed`(clip: String, search: String) throws {
    let folder = try TemporaryFolder()
    let (records, thinned, receipt) = (folder.file("r.jsonl"), folder.file("thinned.jsonl"), folder.file("r.json"))
    let arguments = [Checkout.sample(clip), "--duration", "1", "--redact", "mosaic"]
    let recorded = try Program.vstream(
      arguments + [
        "-o", folder.file("all.mkv"), "--records", records, "--record-detections", "--face-search", search,
      ])
    #expect(recorded.status == 0, "\(recorded.errors)")
    var numbers = SeededNumbers(seed: 30)
    var suppressed = 0
    let lines = try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n").map { line in
      var object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      guard var detections = object["detections"] as? [String: Any], let faces = detections["faces"] as? [Any] else {
        return String(line)
      }
      let remaining = faces.filter { _ in numbers.below(10) >= 3 }
      suppressed += faces.count - remaining.count
      detections["faces"] = remaining
      object["detections"] = detections
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    #expect(suppressed >= 5)
    try (lines.joined(separator: "\n") + "\n").write(toFile: thinned, atomically: true, encoding: .utf8)

    let result = try Program.vstream(
      arguments + ["-o", folder.file("out.mkv"), "--from-records", thinned, "--receipt", receipt])
    let counts = try JSON(String(contentsOfFile: receipt, encoding: .utf8))
    let residuals = try #require(counts["residuals"].list)
    #expect(result.status == (residuals.isEmpty ? 0 : 1), "\(result.errors)")
    #expect(counts["framesRedacted"].int == 30)
    // What the check takes for faces elsewhere differs from processor to processor.
    let truth = try Self.trueFaces(of: clip)
    #expect(residuals.allSatisfy { !Self.box($0).overlaps(truth, at: $0["frame"].int) }, "\(result.errors)")
    #expect(counts["options"]["fromRecords"].string == "thinned.jsonl")
    #expect(counts["options"]["faceMode"].isAbsent, "the records know")
  }

  /// The box of the only face of a generated clip on each frame; empty for other clips.
  private static func trueFaces(of clip: String) throws -> [CGRect] {
    let path = Checkout.sample(clip.replacingOccurrences(of: ".mp4", with: ".txt"))
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let numbers = line.split(separator: ",").compactMap { Double($0) }
      return CGRect(x: numbers[1], y: numbers[2], width: numbers[3], height: numbers[4])
    }
  }

  private static func box(_ residual: JSON) -> CGRect {
    let numbers = residual["box"].list?.compactMap(\.double) ?? []
    return CGRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// The check finds faces that the run's options exclude, and an earlier receipt is removed.
  @Test func `the check detects smaller faces than the run's options`() throws {
    let folder = try TemporaryFolder()
    let receipt = folder.file("r.json")
    try "an earlier one".write(toFile: receipt, atomically: true, encoding: .utf8)
    let result = try Program.vstream(
      [Checkout.sample("face.mp4"), "-o", folder.file("out.mkv"), "--duration", "0.5", "--redact", "fill", "-y"]
        + ["--face-mode", "accurate", "--min-face-size", "0.9", "--receipt", receipt])
    #expect(result.status == 1, "\(result.errors)")
    #expect(try JSON(String(contentsOfFile: receipt, encoding: .utf8))["residuals"].list?.isEmpty == false)
  }

  @Test func `no overlay is drawn on redacted video by default`() throws {
    let street = try ClipFolder(street: 4)
    let arguments = ["in.avi", "--codec", "ffv1"] + Self.people
    for (name, more) in [("a.mkv", []), ("b.mkv", ["--draw", "none"]), ("c.mkv", ["--draw", "boxes"])] {
      #expect(try street.vstream(arguments + ["-o", name] + more).status == 0)
    }
    let pixels = try ["a.mkv", "b.mkv", "c.mkv"].map { try frames(street.folder.file($0)) }
    #expect(pixels[0] == pixels[1])
    #expect(pixels[0] != pixels[2])
  }

  @Test func `recorded detections give the same redaction, and records of tracks are refused`() throws {
    let street = try ClipFolder(street: 8)
    let arguments = ["in.avi", "--codec", "ffv1"]
    let recording = ["--records", "r.jsonl", "--record-detections"]
    #expect(try street.vstream(arguments + ["-o", "a.mkv"] + Self.people + recording).status == 0)
    let replayed = try street.vstream(
      arguments + ["-o", "b.mkv", "--from-records", "r.jsonl", "--verify"] + Self.people)
    #expect(replayed.status == 0, "\(replayed.errors)")
    #expect(replayed.errors.contains("verified, 8 frames"))
    #expect(try frames(street.folder.file("a.mkv")) == (try frames(street.folder.file("b.mkv"))))

    #expect(try street.vstream(["in.avi", "-o", "null", "--records", "t.jsonl"]).status == 0)
    let refused = try street.vstream(arguments + ["-o", "c.mkv", "--from-records", "t.jsonl"] + Self.people)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("--redact") && refused.errors.contains("--record-detections"))
  }

  // MARK: Other streams and metadata with images

  /// A film with a second video track, a cover image, an attached font and text, audio and subtitles.
  private func film(in street: ClipFolder) throws {
    let file = street.folder.file
    try "1\n00:00:00,000 --> 00:00:01,000\nHello\n".write(toFile: file("s.srt"), atomically: true, encoding: .utf8)
    try FileManager.default.copyItem(atPath: LabelFont.path, toPath: file("f.ttf"))
    try "note".write(toFile: file("n.txt"), atomically: true, encoding: .utf8)
    try Program.ffmpeg(["-i", street.input, "-frames:v", "1", file("cover.jpg")])
    try Program.ffmpeg([
      "-i", street.input, "-i", street.input, "-f", "lavfi", "-i", "sine=duration=0.5", "-i", file("s.srt"),
      "-map", "0:v", "-map", "1:v", "-map", "2:a", "-map", "3:s", "-c:v", "copy", "-c:a", "flac",
      "-attach", file("f.ttf"), "-metadata:s:t:0", "mimetype=application/x-truetype-font",
      "-attach", file("n.txt"), "-metadata:s:t:1", "mimetype=text/plain",
      "-attach", file("cover.jpg"), "-metadata:s:t:2", "mimetype=image/jpeg",
      "-attach", file("cover.jpg"), "-metadata:s:t:3", "mimetype=application/x-truetype-font",
      "-metadata", "METADATA_BLOCK_PICTURE=AAAA", "-metadata", "location=+48.1374+011.5755/", file("film.mkv"),
    ])
  }

  @Test func `other streams with images or text are omitted with a warning each, and audio is kept`() throws {
    let street = try ClipFolder(street: 5)
    try film(in: street)
    let safe = try street.vstream(["film.mkv", "-o", "safe.mkv"] + Self.people)
    #expect(safe.status == 0, "\(safe.errors)")
    let kinds = try Probe(street.folder.file("safe.mkv")).streams.map(\.codec_type)
    #expect(kinds == ["video", "audio"])
    #expect(safe.errors.components(separatedBy: "as it is not redacted").count == 6, "\(safe.errors)")
    for part in ["#1 (video", "#3 (subtitle", "(attachment", "--keep-unredacted", "--keep-metadata", "--keep-text"] {
      #expect(safe.errors.contains(part))
    }
    let tags = try Probe(street.folder.file("safe.mkv")).formatTags.keys.map { $0.lowercased() }
    #expect(!tags.contains("metadata_block_picture") && !tags.contains("location"))

    let keeping = ["--keep-unredacted", "--keep-metadata", "--keep-text"]
    let kept = try street.vstream(["film.mkv", "-o", "kept.mkv"] + keeping + Self.people)
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(!kept.errors.contains("omitted"))
    #expect(try Probe(street.folder.file("kept.mkv")).streams.count == 8)
  }

  /// H.264 with closed captions (ATSC A/53, in SEI messages), a text track and chapters' titles.
  private func captioned(in street: ClipFolder) throws {
    let file = street.folder.file
    try Program.ffmpeg(["-i", street.input, "-c:v", "libx264", "-g", "1", "-bf", "0", "-f", "h264", file("plain.h264")])
    let plain = [UInt8](try Data(contentsOf: URL(filePath: file("plain.h264"))))
    // Two characters of field 1 before each picture.
    let captions: [UInt8] = [0xB5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0x41, 0xFF, 0xFC, 0xC8, 0xE5, 0xFF]
    let message: [UInt8] = [0, 0, 1, 6, 4, UInt8(captions.count)] + captions + [0x80]
    var stream: [UInt8] = []
    for (index, byte) in plain.enumerated() {
      // The start codes of slices of key frames.
      if plain[index...].starts(with: [0, 0, 1, 0x65]) { stream += message }
      stream.append(byte)
    }
    try Data(stream).write(to: URL(filePath: file("captions.h264")))
    try "1\n00:00:00,000 --> 00:00:01,000\nGPS(11.57,48.13)\n".write(
      toFile: file("s.srt"), atomically: true, encoding: .utf8)
    try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=4\ntitle=Our house\n".write(
      toFile: file("chapters.txt"), atomically: true, encoding: .utf8)
    try Program.ffmpeg([
      "-r", "10", "-i", file("captions.h264"), "-i", file("s.srt"), "-i", file("chapters.txt"), "-map", "0", "-map",
      "1",
      "-map_chapters", "2", "-c", "copy", file("film.mkv"),
    ])
  }

  @Test(arguments: [false, true])
  func `text is omitted unless it is asked for, and the receipt names it: subtitles, captions, titles`(keeps: Bool)
    throws
  {
    let street = try ClipFolder(street: 5)
    try captioned(in: street)
    let options = ["-o", "safe.mkv", "--receipt", "r.json"] + (keeps ? ["--keep-text"] : []) + Self.people
    let run = try street.vstream(["film.mkv"] + options)
    #expect([0, 1].contains(run.status), "\(run.errors)")
    let receipt = try JSON(try street.text("r.json"))
    let (omitted, kept) = (receipt["omitted"].list ?? [], receipt["keptText"].list ?? [])
    let parts = ["chapters' titles", "stream #1 (subtitle, subrip)"]
    #expect(Set(omitted.map(\.string)) == (keeps ? [] : Set(parts + ["closed captions"])))
    #expect(Set(kept.map(\.string)) == (keeps ? Set(parts) : []))
    #expect(run.errors.contains("--keep-text") == !keeps)
    let probe = try Program.run(
      "/usr/bin/env",
      ["ffprobe", "-v", "error", "-show_streams", "-show_chapters", "-show_frames", street.folder.file("safe.mkv")])
    let text = String(decoding: probe.output, as: UTF8.self)
    #expect(text.contains("ATSC A53 Part 4 Closed Captions") == keeps)
    #expect(text.contains("Our house") == keeps)
    #expect(text.contains("codec_type=subtitle") == keeps)
    #expect(text.contains("[CHAPTER]"), "chapters stay, without titles")
  }

  @Test func `of a photo's Exif, images are omitted, and makers unless they are asked for`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(["-ss", "20", "-i", Checkout.sample("street.avi"), "-frames:v", "1", folder.file("plain.jpg")])
    try Program.ffmpeg(["-i", folder.file("plain.jpg"), "-vf", "scale=64:48", folder.file("small.jpg")])
    let thumbnail = [UInt8](try Data(contentsOf: URL(filePath: folder.file("small.jpg"))))
    let exif = Self.exif(maker: "a camera", thumbnail: thumbnail)
    let plain = try Data(contentsOf: URL(filePath: folder.file("plain.jpg")))
    let size = exif.count + 8
    let segment = [0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 255)] + Array("Exif\0\0".utf8) + exif
    try (plain.prefix(2) + segment + plain.dropFirst(2)).write(to: URL(filePath: folder.file("in.jpg")))

    let rows = [
      (name: "safe", more: [], image: false, maker: false),
      (name: "described", more: ["--keep-metadata"], image: false, maker: true),
      // What is rebuilt has no images.
      (name: "images", more: ["--keep-unredacted"], image: false, maker: false),
      (name: "whole", more: ["--keep-unredacted", "--keep-metadata"], image: true, maker: true),
    ]
    for row in rows {
      for ending in ["jpg", "png", "webp"] {
        let name = "\(row.name).\(ending)"
        let result = try Program.vstream(["in.jpg", "-o", name] + Self.people + row.more, folder: folder.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("thumbnails") == !row.more.contains("--keep-unredacted"))
        #expect(result.errors.contains("--keep-metadata") == !row.maker)
        let written = try Data(contentsOf: URL(filePath: folder.file(name)))
        #expect((written.range(of: Data(thumbnail.suffix(64))) != nil) == row.image)
        #expect((written.range(of: Data("a camera".utf8)) != nil) == row.maker)
      }
    }
  }

  /// An Exif block with the camera's maker, and a thumbnail in its second directory.
  private static func exif(maker: String, thumbnail: [UInt8]) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
    }
    let text = Array(maker.utf8) + [0]
    let second = 8 + 2 + 12 + 4
    let textPlace = second + 2 + 24 + 4
    return Array("II*\0".utf8) + number(8, 4) + number(1, 2) + entry(0x010F, 2, text.count, textPlace)
      + number(second, 4) + number(2, 2) + entry(0x0201, 4, 1, textPlace + text.count)
      + entry(0x0202, 4, 1, thumbnail.count) + number(0, 4) + text + thumbnail
  }

  // MARK: Verification

  struct Format: CustomTestStringConvertible, Sendable {
    let output: String
    var hasHash = true
    var testDescription: String { output }
  }

  static let formats = [
    Format(output: "a.mp4"), Format(output: "a.mkv"), Format(output: "a.avi"), Format(output: "a.webm"),
    Format(output: "a.gif"), Format(output: "a.ts"), Format(output: "a-%03d.png", hasHash: false),
    Format(output: "a.m3u8", hasHash: false),
  ]

  @Test(arguments: formats)
  func `the output is verified in every format`(row: Format) throws {
    let street = try ClipFolder(street: 6)
    let result = try street.vstream(["in.avi", "-o", row.output, "--receipt", "r.json"] + Self.people)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("\(row.output): verified, 6 frames, 0 visible"))
    let receipt = try JSON(try street.text("r.json"))
    #expect(receipt["type"].string == "receipt")
    #expect(receipt["input"].string == "in.avi")
    #expect(receipt["output"].string == row.output)
    #expect(receipt["frames"].int == 6)
    #expect(receipt["framesRedacted"].int == 6)
    #expect(receipt["residuals"].list?.isEmpty == true)
    #expect(receipt["options"]["redact"].string == "mosaic")
    #expect(receipt["options"]["redactWhat"].list?.compactMap(\.string) == ["person"])
    let hash =
      row.hasHash ? try Program.run("/usr/bin/sha256sum", [street.folder.file(row.output)]).text.prefix(64) : nil
    #expect(receipt["outputSHA256"].string == hash.map(String.init))
  }

  @Test func `residuals are listed, and the exit code is 1`() throws {
    let street = try ClipFolder(street: 9)
    // A part of the first three frames shows nobody; the detector runs on the first frame and on frame 6, 0.15 s later.
    try Program.ffmpeg([
      "-r", "40", "-i", street.input, "-vf", "drawbox=x=iw*0.6:w=iw*0.3:color=gray:t=fill:enable='lt(n,3)'", "-c:v",
      "ffv1",
      street.folder.file("late.mkv"),
    ])
    let arguments = ["late.mkv", "-y", "--codec", "ffv1", "--detect-every", "6", "--receipt", "r.json"] + Self.people
    let clear = try street.vstream(arguments + ["-o", "a.mkv", "--look-back", "0"])
    #expect(clear.status == 1)
    #expect(clear.errors.contains("vstream: a.mkv: person visible at 0.1 s (frame 3, score "), "\(clear.errors)")
    let residuals = try #require(try JSON(try street.text("r.json"))["residuals"].list)
    #expect(Set(residuals.compactMap { $0["frame"].int }) == [3, 4, 5])
    for residual in residuals {
      #expect(residual["label"].string == "person")
      #expect((residual["score"].double ?? 0) >= 0.5)
      #expect((residual["covered"].double ?? 1) < 0.8)
      #expect(residual["box"].list?.count == 4)
    }

    let covered = try street.vstream(arguments + ["-o", "b.mkv"])
    #expect(covered.status == 0, "the look-back window reaches the previous detection: \(covered.errors)")
  }
}

extension CGRect {
  /// Whether it overlaps the box of a frame; always true without boxes.
  fileprivate func overlaps(_ boxes: [CGRect], at frame: Int?) -> Bool {
    guard let frame, boxes.indices.contains(frame) else { return true }
    return intersects(boxes[frame])
  }
}

import Foundation
import Testing
import VStreamTestSupport

/// Poses through the whole program.
struct PoseRunTests {
  private let folder: TemporaryFolder
  private static let portrait = Checkout.root.appending(path: ".deps/footage/astronaut.png").path

  init() throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-loop", "1", "-framerate", "25", "-i", Self.portrait, "-vf",
      "scale=400:400,pad=1100:480:400:40:gray,crop=640:480:'300-4*n':0", "-frames:v", "12", "-preset", "ultrafast",
      "-crf", "12",
      "-pix_fmt", "yuv420p", folder.file("in.mp4"),
    ])
  }

  private func run(_ options: [String]) throws -> RecordedRun {
    let arguments = ["in.mp4", "-o", "null", "--detect", "poses", "--records", "r.jsonl", "-y"] + options
    let result = try Program.vstream(arguments, folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    return try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
  }

  @Test(arguments: ["base", "accurate"])
  func `a pose has one ID and 33 landmarks, on every frame from the second`(mode: String) throws {
    let run = try run(["--pose-mode", mode, "--max-poses", "3"])
    #expect(run.header["options"]["detect"].list?.compactMap(\.string) == ["poses"])
    #expect(run.header["options"]["poseMode"].string == mode)
    #expect(run.header["options"]["maxPoses"].int == 3)
    #expect(run.frames.count == 12)
    #expect(run.frames.first?["poses"].list?.isEmpty == true)
    for (index, frame) in run.frames.enumerated().dropFirst() {
      let poses = try #require(frame["poses"].list)
      #expect(poses.map { $0["id"].int } == [1])
      #expect(frame["objects"].isAbsent && frame["faces"].isAbsent)
      #expect(poses[0].keys == ["id", "score", "box", "landmarks"])
      let landmarks = try #require(poses[0]["landmarks"].list)
      #expect(landmarks.count == 33)
      #expect(landmarks.allSatisfy { $0.keys == ["type", "x", "y", "z", "inFrameLikelihood"] })
      let nose = landmarks[0]
      #expect(nose["type"].string == "nose")
      // In the portrait it is at 223,128.
      let (x, y) = (nose["x"].double ?? 0, nose["y"].double ?? 0)
      #expect(abs(x - (274.2 + 4 * Double(index))) < 8 && abs(y - 140) < 8, "\(x),\(y) on frame \(index)")
    }
  }

  @Test func `poses are detected only on request`() throws {
    let result = try Program.vstream(
      ["in.mp4", "-o", "null", "--records", "r.jsonl", "--duration", "0.1"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let run = try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    #expect(run.frames.allSatisfy { $0["poses"].isAbsent && $0["faces"].list != nil })
  }

  @Test func `the same file and options give the same bytes of records, with one thread and with two`() throws {
    var texts: [String] = []
    for threads in ["1", "2", "2"] {
      _ = try run(["--threads", threads, "--max-poses", "2"])
      texts.append(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    }
    #expect(texts[0] == texts[1] && texts[1] == texts[2])
  }

  @Test func `poses are replayed from records with all their fields`() throws {
    _ = try run(["--record-detections"])
    let recorded = folder.file("recorded.jsonl")
    try FileManager.default.moveItem(atPath: folder.file("r.jsonl"), toPath: recorded)
    _ = try run(["--record-detections", "--from-records", recorded])
    #expect(
      try Data(contentsOf: URL(filePath: folder.file("r.jsonl"))) == Data(contentsOf: URL(filePath: recorded)))
    let none = try Program.vstream(
      ["in.mp4", "-o", "null", "--from-records", recorded, "--detect", "faces"], folder: folder.path)
    #expect(none.status == 64)
    #expect(none.errors.contains("holds poses, and --detect asks for faces"), "\(none.errors)")
  }

  @Test func `between detections poses are predicted`() throws {
    let run = try run(["--detect-every", "3"])
    let predicted = try #require(run.frames[5]["poses"].list?.first)
    #expect(run.frames[5]["source"].string == "predicted")
    #expect(predicted["predicted"].int == 1 && predicted["landmarks"].list?.count == 33)
  }

  /// The summary counts poses, and a skeleton is drawn in the colours of left and right.
  @Test func `a still is annotated with a skeleton`() throws {
    for draw in [["--draw", "skeleton"], ["--draw", "none"]] {
      let result = try Program.vstream(
        [Self.portrait, "-o", "\(draw[1]).png", "--detect", "poses"] + draw, folder: folder.path)
      #expect(result.status == 0 && result.errors.contains("found 1 pose"), "\(result.errors)")
    }
    let pixels = try ["skeleton", "none"].map { name in
      let raw = folder.file("\(name).rgb")
      try Program.ffmpeg(["-i", folder.file("\(name).png"), "-f", "rawvideo", "-pix_fmt", "rgb24", raw])
      return [UInt8](try Data(contentsOf: URL(filePath: raw)))
    }
    let changed = stride(from: 0, to: pixels[0].count, by: 3).filter {
      pixels[0][$0..<($0 + 3)] != pixels[1][$0..<($0 + 3)]
    }
    #expect(changed.count > 300 && changed.count < 20000, "\(changed.count)")
    // The line from the right shoulder to the right elbow is blue.
    let (x, y) = (90, 310)
    let arm = (x - 12..<x + 12).map { 3 * (512 * y + $0) }.filter {
      Int(pixels[0][$0 + 2]) > Int(pixels[1][$0 + 2]) + 40
    }
    #expect(!arm.isEmpty)
  }

  @Test func `both networks are listed with the models`() throws {
    let result = try Program.vstream(["models"])
    #expect(result.text.contains("pose-detector (poses)") && result.text.contains("pose-landmarks (poses)"))
  }
}

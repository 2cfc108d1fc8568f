import Foundation
import Testing
import VStreamTestSupport

/// Faces through the built program.
struct FaceRunTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-i", Checkout.sample("face.mp4"), "-c", "copy", "-frames:v", "20", folder.file("in.mp4"),
    ])
  }

  private func run(_ options: [String]) throws -> RecordedRun {
    let arguments = ["in.mp4", "-o", "null", "--records", "r.jsonl", "-y"] + options
    let result = try Program.vstream(arguments, folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    return try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
  }

  @Test func `a face has one ID and all requested fields on every frame from the second`() throws {
    let run = try run(["--detect", "faces", "--face-landmarks", "--face-contours", "--face-classification"])
    #expect(run.header["options"]["detect"].list?.compactMap(\.string) == ["faces"])
    #expect(run.header["options"]["faceParts"].list?.count == 3)
    #expect(run.frames.first?["faces"].list?.isEmpty == true)
    for frame in run.frames.dropFirst() {
      let faces = try #require(frame["faces"].list)
      #expect(faces.map { $0["id"].int } == [1])
      #expect(frame["objects"].isAbsent)
      let face = faces[0]
      let all: Set = [
        "id", "score", "box", "angles", "landmarks", "contours", "smiling", "leftEyeOpen", "rightEyeOpen",
      ]
      #expect(face.keys == all)
      #expect(face["landmarks"].keys.count == 10)
      #expect(face["contours"].keys.count == 15)
      #expect(face["contours"]["faceOval"].list?.count == 36)
    }
  }

  @Test func `objects and faces are detected together by default`() throws {
    let both = try run([])
    #expect(both.frames.allSatisfy { $0["objects"].list != nil && $0["faces"].list != nil })
    #expect(both.frames.last?["faces"].list?.first?.keys == ["id", "score", "box", "angles"])
    let objects = try run(["--detect", "objects"])
    #expect(objects.frames.allSatisfy { $0["faces"].isAbsent })
  }

  @Test(arguments: [
    [], ["--draw", "none"], ["--mode", "single-image"], ["--draw", "boxes,angles"], ["--face-landmarks"],
    ["--face-classification", "--mode", "single-image"],
  ])
  func `records have the angles of a head`(options: [String]) throws {
    let run = try run(["--detect", "faces"] + options)
    let face = try #require(run.frames.last?["faces"].list?.first)
    #expect(face["angles"].keys == ["x", "y", "z"])
    #expect(face["box"].list?.count == 4)
  }

  @Test func `the same file and options give the same bytes of records, with one thread and with two`() throws {
    for options in [["--face-contours"], ["--detect", "faces"]] {
      var texts: [String] = []
      for threads in ["1", "2"] {
        _ = try run(options + ["--threads", threads])
        texts.append(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
      }
      #expect(texts[0] == texts[1])
    }
  }

  /// With a rotation of a quarter turn in the container, the man is upright in the records.
  @Test func `a rotated input gives upright coordinates`() throws {
    let upright = try run(["--detect", "faces"])
    try Program.ffmpeg([
      "-i", Checkout.sample("face.mp4"), "-frames:v", "20", "-vf", "transpose=1", "-crf", "10",
      folder.file("coded.mp4"),
    ])
    try Program.ffmpeg(Program.rotating("coded.mp4", by: 90) + ["in.mp4"], folder: folder.path)
    let rotated = try run(["--detect", "faces"])
    #expect(rotated.header["input"]["rotation"].int != 0)
    for (one, other) in zip(upright.frames, rotated.frames).dropFirst() {
      let boxes = [one, other].map { $0["faces"].list?.first?["box"].list?.compactMap(\.double) ?? [] }
      #expect(boxes[0].count == 4 && boxes[1].count == 4)
      for (a, b) in zip(boxes[0], boxes[1]) { #expect(abs(a - b) < 3, "\(boxes)") }
    }
  }

  @Test func `the summary counts faces`() throws {
    let result = try Program.vstream(["in.mp4", "-o", "out.mp4", "--detect", "faces"], folder: folder.path)
    #expect(result.errors.contains("tracked 1 face"), "\(result.errors)")
  }
}

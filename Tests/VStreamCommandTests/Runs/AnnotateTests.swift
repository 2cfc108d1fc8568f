import Foundation
import Testing
import VStreamTestSupport

/// Annotation of real footage, through the built program.
struct AnnotateTests {
  @Test func `a video is annotated: every frame, records, statistics and a summary of one line`() throws {
    let street = try ClipFolder(street: 20)
    let result = try street.vstream([
      "in.avi", "-o", "out.mp4", "--records", "r.jsonl", "--records", "r.txt", "--stats", "s.json",
    ])
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(oneLine(result.errors), "\(result.errors)")
    #expect(result.errors.hasPrefix("out.mp4: 20 frames in "))
    #expect(result.errors.contains("person"))
    #expect(street.folder.names == ["in.avi", "out.mp4", "r.jsonl", "r.txt", "s.json"])

    let (before, after) = (try Probe(street.input), try Probe(street.folder.file("out.mp4")))
    #expect(after.video?.codec_name == "h264")
    #expect(after.video?.width == 768)
    #expect(after.video?.height == 576)
    #expect(try after.frameTimes() == (try before.frameTimes()))

    try checkRecords(RecordedRun(try street.text("r.jsonl")))
    try checkMOTChallenge(try street.text("r.txt"), like: RecordedRun(try street.text("r.jsonl")))
    try checkStatistics(try JSON(try street.text("s.json")), like: RecordedRun(try street.text("r.jsonl")).summary)
  }

  private func checkRecords(_ run: RecordedRun) throws {
    #expect(run.header["version"].int == 1)
    #expect(run.header["input"]["name"].string == "in.avi")
    #expect(run.header["input"]["width"].int == 768)
    #expect(run.header["input"]["height"].int == 576)
    #expect(run.header["input"]["rotation"].int == 0)
    #expect(run.header["input"]["timeBase"].string == "1/10")
    #expect(run.header["input"]["frameRate"].string == "10/1")
    #expect(!run.header["options"].isAbsent)
    #expect(run.frames.map { $0["frame"].int } == Array(0..<20))
    #expect(run.frames.map { $0["ticks"].int } == Array(0..<20))
    #expect(run.frames.map { $0["pts"].double } == (0..<20).map { Double($0) / 10 })
    #expect(run.frames.allSatisfy { $0["source"].string == "detected" })
    #expect(run.objects.joined().count > 20, "people walk through every frame")
    for objects in run.objects {
      let ids = objects.map { $0["id"].int ?? 0 }
      #expect(ids.allSatisfy { $0 > 0 })
      #expect(Set(ids).count == ids.count)
      for object in objects {
        #expect(object["box"].list?.count == 4)
        #expect((0.1...1).contains(object["score"].double ?? 0))
        #expect(object["label"].string?.isEmpty == false)
        #expect(object["predicted"].isAbsent || object["predicted"].int == 1)
      }
    }
  }

  private func checkMOTChallenge(_ text: String, like run: RecordedRun) throws {
    let lines = text.split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
    let objects = zip(run.frames, run.objects).flatMap { frame, objects in objects.map { (frame, $0) } }
    #expect(lines.count == objects.count)
    for (line, (frame, object)) in zip(lines, objects) {
      #expect(line.count == 9)
      let box = object["box"].list?.compactMap(\.double) ?? []
      let score = object["score"].double ?? -1
      #expect(Array(line.prefix(2)) == [Double((frame["frame"].int ?? -2) + 1), Double(object["id"].int ?? -1)])
      #expect(Array(line.dropFirst(2).prefix(5)) == box + [score])
      #expect(line.last == 1)
      if object["label"].string == "person" { #expect(line.dropLast().last == 1) }
    }
  }

  /// The invariants of the contract.
  private func checkStatistics(_ statistics: JSON, like summary: JSON) throws {
    func count(_ name: String) -> Int { statistics[name].int ?? .min }
    #expect(count("framesIn") == 20)
    #expect(count("framesOut") == 20)
    #expect(count("framesDetected") + count("framesPredicted") == count("framesOut"))
    #expect(count("framesIn") == count("framesOut") + count("framesDropped") - count("framesRepeated"))
    #expect(count("framesLateForDetector") <= count("framesPredicted"))
    #expect(count("detectorRuns") == 20)
    #expect(count("corruptPackets") == 0)
    for name in summary.keys where name != "type" { #expect(summary[name].int == statistics[name].int, "\(name)") }
    #expect((statistics["wallSeconds"].double ?? 0) > 0)
    #expect((statistics["fps"].double ?? 0) > 0)
    #expect((statistics["firstFrameSeconds"].double ?? 0) > 0)
    #expect((statistics["peakRSSBytes"].int ?? 0) > 10_000_000)
    #expect(
      statistics["stages"].keys == ["demux", "decode", "sample", "infer", "track", "draw", "encode", "mux"])
    for stage in ["track", "draw"] { #expect(statistics["stages"][stage]["count"].int == 20) }
    // One inference for each region that is searched for objects; for faces, of which there are none, one in five frames.
    let passes = count("detectorPasses")
    #expect((20...40).contains(passes), "as much as one a frame, crops with a smaller input among them")
    for stage in ["sample", "infer"] { #expect(statistics["stages"][stage]["count"].int == 4 + passes) }
  }

  @Test func `the same file and options give the same bytes of records, with one thread and with two`() throws {
    let street = try ClipFolder(street: 15)
    for threads in ["1", "2"] {
      let records = ["--records", "\(threads).jsonl", "--records", "\(threads).txt"]
      let result = try street.vstream(["in.avi", "-o", "null", "--threads", threads] + records)
      #expect(result.status == 0)
    }
    #expect(try street.text("1.jsonl") == (try street.text("2.jsonl")))
    #expect(try street.text("1.txt") == (try street.text("2.txt")))
    #expect(try street.text("1.txt").isEmpty == false)
    #expect(street.folder.names == ["1.jsonl", "1.txt", "2.jsonl", "2.txt", "in.avi"], "null creates no file")
  }

  @Test func `only the requested classes are reported, in any letter case`() throws {
    let street = try ClipFolder(street: 8)
    let arguments = ["in.avi", "-o", "null", "--min-score", "0.3"]
    for (name, classes) in [("all", []), ("cars", ["--classes", "Car, truck"]), ("people", ["--classes", "person"])] {
      #expect(try street.vstream(arguments + classes + ["--records", "\(name).jsonl"]).status == 0)
    }
    func labels(_ name: String) throws -> Set<String> {
      Set(try RecordedRun(try street.text("\(name).jsonl")).objects.joined().compactMap { $0["label"].string })
    }
    #expect(try labels("all").isSuperset(of: ["person", "car"]))
    #expect(try labels("people") == ["person"])
    #expect(try labels("cars").isSubset(of: ["car", "truck"]))
    #expect(try labels("cars").contains("car"))
  }

  @Test func `with detect none the pixels are the input's, and the records have no objects`() throws {
    let street = try ClipFolder(street: 10)
    let arguments = ["in.avi", "-o", "out.mkv", "--codec", "ffv1", "--detect", "none", "--records", "r.jsonl"]
    #expect(try street.vstream(arguments).status == 0)
    #expect(try frameHashes(street.folder.file("out.mkv")) == (try frameHashes(street.input)))
    let run = try RecordedRun(try street.text("r.jsonl"))
    #expect(run.frames.count == 10)
    #expect(run.frames.allSatisfy { $0["objects"].isAbsent })
    #expect(run.summary["detectorRuns"].int == 0)
  }

  @Test func `with draw none the pixels are the input's, and the records have the objects`() throws {
    let street = try ClipFolder(street: 6)
    let arguments = ["in.avi", "-o", "out.mkv", "--codec", "ffv1", "--records", "r.jsonl"]
    #expect(try street.vstream(arguments + ["--draw", "none"]).status == 0)
    #expect(try frameHashes(street.folder.file("out.mkv")) == (try frameHashes(street.input)))
    #expect(try RecordedRun(try street.text("r.jsonl")).objects.joined().isEmpty == false)

    #expect(try street.vstream(arguments + ["-y"]).status == 0)
    let (before, after) = (try frameHashes(street.input), try frameHashes(street.folder.file("out.mkv")))
    #expect(after.count == before.count)
    #expect(after.first == before.first, "no track is confirmed on the first frame")
    #expect(zip(before, after).dropFirst().allSatisfy { $0 != $1 }, "boxes are drawn on the others")
  }

  /// A hash of each decoded frame's pixels, in the input's own pixel format.
  private func frameHashes(_ path: String) throws -> [String] {
    let result = try Program.ffmpeg(["-i", path, "-pix_fmt", "yuv420p", "-f", "framemd5", "-"])
    return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func `between detections, positions are predicted`() throws {
    let street = try ClipFolder(street: 13)
    let arguments = ["in.avi", "-o", "out.mp4", "--detect-every", "4", "--records", "r.jsonl"]
    #expect(try street.vstream(arguments).status == 0)
    let run = try RecordedRun(try street.text("r.jsonl"))
    let sources = run.frames.map { $0["source"].string }
    #expect(sources == (0..<13).map { $0 % 4 == 0 ? "detected" : "predicted" })
    #expect(run.summary["detectorRuns"].int == 4)
    #expect(run.summary["framesPredicted"].int == 9)
    let predicted = run.frames.filter { $0["source"].string == "predicted" }.flatMap { $0["objects"].list ?? [] }
    #expect(!predicted.isEmpty)
    #expect(predicted.allSatisfy { $0["predicted"].int == 1 })
    #expect(try Probe(street.folder.file("out.mp4")).frameTimes().count == 13)
  }

  /// The cuts of the clip.
  private static let cuts = [30, 76, 137, 187, 242]

  @Test func `at a cut no ID goes on, nothing is predicted, and detection begins at once`() throws {
    let folder = try TemporaryFolder()
    let options = ["-o", "null", "--detect", "objects,faces", "--detect-every", "7", "--record-detections"]
    let clip = Checkout.sample("bikes.mp4")
    #expect(try Program.vstream([clip, "--records", folder.file("r.jsonl")] + options).status == 0)
    let run = try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    let shots = run.frames.map { $0["shot"].int ?? 0 }
    #expect(shots == (0..<250).map { frame in Self.cuts.count { $0 <= frame } })
    for cut in Self.cuts { #expect(run.frames[cut]["source"].string == "detected", "frame \(cut)") }
    for kind in ["objects", "faces"] {
      var shotsOfID: [Int: Set<Int>] = [:]
      for (frame, shot) in zip(run.frames, shots) {
        for id in (frame[kind].list ?? []).compactMap({ $0["id"].int }) { shotsOfID[id, default: []].insert(shot) }
      }
      #expect(!shotsOfID.isEmpty && shotsOfID.values.allSatisfy { $0.count == 1 }, "\(kind): \(shotsOfID)")
    }
    let replay = ["--from-records", folder.file("r.jsonl"), "--records", folder.file("again.jsonl")]
    #expect(try Program.vstream([clip, "-o", "null"] + replay).status == 0)
    let again = try RecordedRun(try String(contentsOfFile: folder.file("again.jsonl"), encoding: .utf8))
    #expect(again.objects.map { $0.map { $0["id"].int } } == run.objects.map { $0.map { $0["id"].int } })
  }

  @Test func `standard output has only the media`() throws {
    let street = try ClipFolder(street: 5)
    let result = try street.vstream(["in.avi", "-o", "-", "--detect", "none"])
    #expect(result.status == 0)
    try result.output.write(to: URL(filePath: street.folder.file("got.nut")))
    #expect(result.output.prefix(4) == Data("nut/".utf8))
    #expect(try Probe(street.folder.file("got.nut")).frameTimes().count == 5)
    #expect(oneLine(result.errors))
  }

  @Test func `--quiet prints nothing, and --verbose prints the stages' times`() throws {
    let street = try ClipFolder(street: 3)
    let quiet = try street.vstream(["in.avi", "-o", "a.mp4", "--detect", "none", "--quiet"])
    #expect(quiet.status == 0)
    #expect(quiet.errors == "")
    #expect(quiet.output.isEmpty)
    let verbose = try street.vstream(["in.avi", "-o", "b.mp4", "--detect", "none", "--verbose"])
    #expect(verbose.errors.contains("b.mp4: 3 frames"))
    #expect(verbose.errors.contains("decode"))
  }

  @Test func `progress is shown on request, and by default only on a terminal`() throws {
    let street = try ClipFolder(street: 3)
    let shown = try street.vstream(["in.avi", "-o", "a.mp4", "--detect", "none", "--progress", "always"])
    #expect(shown.errors.contains("100 %  3 of 3 frames"))
    let silent = try street.vstream(["in.avi", "-o", "b.mp4", "--detect", "none"])
    #expect(!silent.errors.contains("%"))
  }

  @Test func `audio is copied or omitted`() throws {
    let street = try ClipFolder(street: 10)
    let sounding = street.folder.file("sounding.mkv")
    try Program.ffmpeg(["-i", street.input, "-f", "lavfi", "-i", "sine=duration=1", "-c:v", "copy", sounding])
    for (name, options) in [("a.mp4", []), ("b.mp4", ["--audio", "none"])] {
      #expect(try street.vstream(["sounding.mkv", "-o", name, "--detect", "none"] + options).status == 0)
    }
    #expect(try Probe(street.folder.file("a.mp4")).audio.count == 1)
    #expect(try Probe(street.folder.file("b.mp4")).audio.isEmpty)
  }

  @Test func `a rotated video is upright in the output`() throws {
    let street = try ClipFolder(street: 3)
    let upright = street.folder.file("h264.mp4")
    try Program.ffmpeg(["-i", street.input, upright])
    try Program.ffmpeg(Program.rotating(upright, by: 90) + [street.folder.file("rotated.mp4")])
    let result = try street.vstream(["rotated.mp4", "-o", "out.mp4", "--detect", "none", "--records", "r.jsonl"])
    #expect(result.status == 0)
    let video = try #require(try Probe(street.folder.file("out.mp4")).video)
    #expect([video.width, video.height] == [576, 768])
    let header = try RecordedRun(try street.text("r.jsonl")).header
    // The header counts clockwise.
    #expect(header["input"]["rotation"].int == 270)
    #expect(header["input"]["width"].int == 576)
  }

  struct OddInput: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    let frames: Int
    var testDescription: String { name }
  }

  static let oddInputs = [
    OddInput(name: "one-frame.mp4", options: ["-frames:v", "1"], frames: 1),
    OddInput(name: "still.png", options: ["-frames:v", "1"], frames: 1),
    OddInput(name: "still.jpg", options: ["-frames:v", "1", "-pix_fmt", "yuvj420p"], frames: 1),
    OddInput(name: "animation.gif", options: [], frames: 3),
    OddInput(name: "motion.mjpeg", options: ["-pix_fmt", "yuvj420p"], frames: 3),
    OddInput(name: "web.webm", options: ["-c:v", "libvpx"], frames: 3),
    OddInput(name: "ten-bit.mkv", options: ["-pix_fmt", "yuv420p10le"], frames: 3),
    OddInput(name: "portrait.mp4", options: ["-vf", "scale=48:96"], frames: 3),
    OddInput(name: "tiny.mkv", options: ["-vf", "scale=2:2", "-c:v", "ffv1"], frames: 3),
    OddInput(name: "odd-size.mkv", options: ["-vf", "scale=51:33", "-c:v", "ffv1", "-pix_fmt", "yuv420p"], frames: 3),
    OddInput(name: "gray.mkv", options: ["-c:v", "ffv1", "-pix_fmt", "gray"], frames: 3),
  ]

  @Test(arguments: oddInputs)
  func `video of every kind is annotated`(input: OddInput) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(input.name)
    let testPattern = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=0.3"]
    try Program.ffmpeg(testPattern + input.options + [path])
    let result = try Program.vstream([path, "-o", folder.file("out.mp4"), "--min-score", "0.2"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("out.mp4")).frameTimes().count == input.frames)
  }
}

import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Cameras whose pictures must not leave as they are: what is masked or redacted is so in everything.
@Suite(.serialized) struct LiveHiddenTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The mean brightness of a part of an image or of a video's frames, by ffmpeg; 16 is black.
  private func brightness(_ path: String, _ crop: String) throws -> Double {
    let result = try Program.ffmpeg(
      ["-i", path, "-vf", "crop=\(crop),scale=1:1:flags=area,format=gray", "-f", "rawvideo", "-"])
    let values = result.output.map(Double.init)
    return values.reduce(0, +) / Double(max(1, values.count))
  }

  /// Saves the live video of a camera, of at least so many fragments, and its newest frame.
  private func save(_ program: ServeProgram, _ camera: String, fragments: Int) throws -> (video: String, image: String)
  {
    let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/\(camera)/live")
    var file: [UInt8] = []
    var count = 0
    while count < fragments, let message = socket.next() {
      guard case .binary(let bytes) = message else { continue }
      // A video that starts again is saved from there.
      if bytes.dropFirst(4).starts(with: "ftyp".utf8) { (file, count) = ([], 0) }
      file += bytes
      count += 1
    }
    let paths = (video: folder.file("\(camera).mp4"), image: folder.file("\(camera).jpg"))
    try Data(file).write(to: URL(filePath: paths.video))
    let image = try program.request("GET", "/api/v1/cameras/\(camera)/frame.jpg")
    #expect(image.status == 200 && image.headers["content-type"] == "image/jpeg")
    try Data(image.body).write(to: URL(filePath: paths.image))
    return paths
  }

  @Test func `a mask is black in the live view, in images, and in what is detected`() throws {
    let clip = try Clips.street(in: folder)
    let camera = try RTSPServer(clip)
    let configuration = try folder.write(
      "c.yaml", "cameras: {front: {source: '\(camera.url)', masks: ['50%,0%;100%,0%;100%,100%;50%,100%']}}\n")
    let program = try ServeProgram([configuration])
    try program.waitUntil("front") { $0["state"]?.text == "live" }
    let saved = try save(program, "front", fragments: 20)
    for path in [saved.video, saved.image] {
      #expect(try brightness(path, "180:280:200:4") < 20, "\(path)")
      #expect(try brightness(path, "180:280:4:4") > 60, "\(path)")
    }
    let annotated = try program.request("GET", "/api/v1/cameras/front/frame.jpg?annotated=1")
    #expect(annotated.status == 200)
    // Nothing is found in what is black; somebody who walks into it is predicted there for a while.
    let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/front/records")
    for _ in 0..<20 {
      let objects = try socket.next("frame")?["objects"]?.list ?? []
      for object in objects where object["predicted"] == nil {
        #expect((object["box"]?.list?[0].number ?? 0) < 200, "\(object)")
      }
    }
    #expect(program.stop() == 130)
  }

  @Test func `what is redacted is so in the live view and in images`() throws {
    let clip = try Clips.street(in: folder, width: 768, height: 576)
    let camera = try RTSPServer(clip)
    let settings = "source: '\(camera.url)', redact: fill, redact-what: [person]"
    let configuration = try folder.write(
      "c.yaml", "cameras: {front: {\(settings)}, open: {source: '\(camera.url)', detect: none}}\n")
    let program = try ServeProgram([configuration])
    try program.waitUntil("front") { ($0["frames"]?["detected"]?.number ?? 0) > 10 }
    let saved = try save(program, "front", fragments: 10)
    let open = try save(program, "open", fragments: 10)
    // Its video is not the camera's: it was encoded again.
    #expect(try Probe(saved.video).video?.codec_name == "h264")
    // A person that is still detected is a cover: the middle of its box is black.
    for object in try objects(in: saved.image) {
      let box = (object["box"]?.list ?? []).compactMap { $0.number }
      try #require(box.count == 4)
      let (width, height) = (max(2, Int(box[2] / 3)), max(2, Int(box[3] / 3)))
      let middle = "\(width):\(height):\(Int(box[0]) + width):\(Int(box[1]) + height)"
      #expect(try brightness(saved.image, middle) < 30, "\(object)")
    }
    #expect(try !objects(in: open.image).isEmpty)
    #expect(program.stop() == 130)
  }

  /// The people that the command finds in an image.
  private func objects(in image: String) throws -> [JSONValue] {
    let records = folder.file("found.jsonl")
    let result = try Program.vstream(
      [image, "-o", "null", "--records", records, "-y", "--detect", "objects", "--classes", "person"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n")
    return try lines.flatMap { try JSONValue(json: $0)["objects"]?.list ?? [] }
  }

  @Test func `a codec that browsers do not play is encoded, while somebody watches`() throws {
    let clip = folder.file("mpeg4.mkv")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=60", "-c:v", "mpeg4", "-q:v", "4", clip])
    let program = try ServeProgram([clip, "--detect", "none"])
    try program.waitUntil("mpeg4") { $0["state"]?.text == "live" }
    for _ in 0..<2 {
      let saved = try save(program, "mpeg4", fragments: 15)
      let times = try Probe(saved.video).frameTimes()
      #expect(times.count >= 14 && zip(times, times.dropFirst()).allSatisfy { $1 > $0 })
    }
    #expect(program.stop() == 130)
  }
}

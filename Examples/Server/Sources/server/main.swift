import Hummingbird
import VStream

// server [PORT]: covers the faces of an uploaded image and returns it:
//
//     curl --data-binary @people.jpg http://127.0.0.1:8080/cover -o covered.jpg
let detector = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage))
let router = Router()
router.post("cover") { request, _ in
  let upload = try await request.body.collect(upTo: 20_000_000)
  do {
    let frame = try VideoFrame(encoded: Array(buffer: upload))
    let covered = try frame.redacting(try await detector.process(frame), style: .fill)
    return Response(
      status: .ok, headers: [.contentType: "image/jpeg"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try covered.encoded(as: .jpeg()))))
  } catch let error as VStreamError {
    throw HTTPError(.badRequest, message: error.message)
  }
}
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()

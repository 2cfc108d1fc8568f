import Foundation
import VStream

// requests IMAGE: prints the faces and joints of an image, as Vision's requests find them.
let handler = ImageRequestHandler(URL(filePath: CommandLine.arguments[1]))
let (faces, bodies) = try await handler.perform(DetectFaceLandmarksRequest(), DetectHumanBodyPoseRequest())
for face in faces { print("face", face.boundingBox.origin.x, face.boundingBox.origin.y, face.yaw ?? 0) }
for body in bodies {
  guard let nose = body.joint(for: .nose) else { continue }
  print("nose", nose.location.x, nose.location.y, nose.confidence)
}

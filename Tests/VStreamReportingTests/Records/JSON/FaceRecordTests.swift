import Testing
import VStreamScene

@testable import VStreamReporting

/// Faces in the lines of a `.jsonl` file.
struct FaceRecordTests {
  private func line(_ face: DetectedFace, _ source: AnnotationSource = .detected) -> String {
    jsonLine(
      FrameRecord(
        FrameAnnotations(
          frame: 0, time: Time(ticks: 0, base: .milliseconds), source: source, found: Observations(faces: [face]))))
  }

  private let start = #"{"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"#

  @Test func `a face has the contract's members in their order`() {
    var face = DetectedFace(id: 1, score: 0.98126, box: Box(x: 1, y: 2, width: 30.126, height: 40))
    face.angles = HeadAngles(x: -2.1, y: 13.00004, z: 1.4)
    face.landmarks = [
      FaceLandmark(.leftEye, at: Point(x: 20.5, y: 10)), FaceLandmark(.noseBase, at: Point(x: 15, y: 20)),
    ]
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 15, y: 12), Point(x: 15, y: 18.555)])]
    face.smiling = 0.91
    face.leftEyeOpen = 0.99
    face.rightEyeOpen = 0.98
    #expect(
      line(face) == start + #""detected","faces":[{"id":1,"score":0.9813,"box":[1.0,2.0,30.13,40.0],"#
        + #""angles":{"x":-2.1,"y":13.0,"z":1.4},"landmarks":{"leftEye":[20.5,10.0],"noseBase":[15.0,20.0]},"#
        + #""contours":{"noseBridge":[[15.0,12.0],[15.0,18.56]]},"smiling":0.91,"leftEyeOpen":0.99,"rightEyeOpen":0.98}]}"#
    )
  }

  @Test func `what was not requested is absent, and a predicted face is marked`() {
    let face = DetectedFace(score: 0.5, box: Box(x: 1, y: 2, width: 3, height: 4))
    #expect(
      line(face, .predicted) == start
        + #""predicted","faces":[{"score":0.5,"box":[1.0,2.0,3.0,4.0],"predicted":true}]}"#)
  }
}

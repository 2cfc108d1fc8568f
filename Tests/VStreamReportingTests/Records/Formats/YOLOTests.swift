import Testing
import VStreamCore

@testable import VStreamReporting

struct YOLOTests {
  @Test func `the scene of a video has a line for each object, which starts with the frame number`() throws {
    #expect(
      try RecordScene.text(".yolo.txt") == """
        0 2 0.066675 0.19998 0.13335 0.39996 0.9124
        0 80 0.975 0.95 0.05 0.1 0.5
        0 5 0.5 0.5 1.0 1.0 1.0
        5000000000 2 0.066675 0.19998 0.13335 0.39996 0.9124

        """)
  }

  @Test func `the labels of a still image have no frame number`() throws {
    var header = RecordScene.header
    header.isStillImage = true
    #expect(
      try RecordScene.text(".yolo.txt", header: header, [RecordScene.frames[0]]) == """
        2 0.066675 0.19998 0.13335 0.39996 0.9124
        80 0.975 0.95 0.05 0.1 0.5
        5 0.5 0.5 1.0 1.0 1.0

        """)
  }

  @Test(arguments: [
    Box(x: -30, y: 0, width: 20, height: 20), Box(x: 200, y: 0, width: 20, height: 20),
    Box(x: 10, y: 10, width: 0, height: 20), Box(x: .nan, y: 10, width: 10, height: 20),
  ])
  func `an object without area in the frame is omitted`(box: Box) throws {
    let object = DetectedObject(classIndex: 0, label: "person", score: 0.5, box: box)
    let record = FrameRecord(RecordScene.frame(0, ticks: 0, .detected, Detections(objects: [object])))
    #expect(try RecordScene.text(".yolo.txt", [record]).isEmpty)
  }

  @Test func `the ending is not taken for MOTChallenge's`() throws {
    #expect(try RecordFormat(path: "labels/a.yolo.txt").name == "YOLO")
  }
}

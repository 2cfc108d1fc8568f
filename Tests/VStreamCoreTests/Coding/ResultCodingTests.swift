import Foundation
import Testing
import VStreamCore

/// Results as JSON, in the form of records.
struct ResultCodingTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let json: String
    /// Whether the coded value equals the decoded one, and has these members.
    let check: @Sendable (Data) throws -> Void

    init<Value: Codable & Equatable & Sendable>(_ name: String, _ value: Value, _ json: String) {
      (testDescription, self.json) = (name, json)
      check = { data in
        let decoded = try JSONDecoder().decode(Value.self, from: data)
        #expect(decoded == value)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let coded = String(decoding: try encoder.encode(value), as: UTF8.self)
        #expect(coded == json)
      }
    }
  }

  private static let box = Box(x: 1, y: 2.5, width: 3, height: 4)

  private static let object: DetectedObject = {
    var object = DetectedObject(id: 7, classIndex: 2, label: "car", score: 0.5, box: box)
    object.category = CategoryLabel(.homeGood, score: 0.25)
    object.isPredicted = true
    return object
  }()

  private static let face: DetectedFace = {
    var face = DetectedFace(score: 0.5, box: box)
    face.angles = HeadAngles(x: 1, y: -2, z: 3)
    face.landmarks = [FaceLandmark(.leftEye, at: Point(x: 1, y: 2))]
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 1, y: 2), Point(x: 3, y: 4)])]
    face.smiling = 0.25
    return face
  }()

  private static let pose = DetectedPose(
    id: 1, score: 0.5, box: box,
    landmarks: [PoseLandmark(.nose, at: Point(x: 1, y: 2), z: -3, inFrameLikelihood: 0.5)])

  static let rows = [
    Row("a point", [Point(x: 1, y: 2.5)], "[[1,2.5]]"),
    Row("a box", [box], "[[1,2.5,3,4]]"),
    Row(
      "an object", object,
      #"{"box":[1,2.5,3,4],"category":"home good","categoryScore":0.25,"classIndex":2,"id":7,"label":"car","predicted":true,"score":0.5}"#
    ),
    Row(
      "a face", face,
      #"{"angles":{"x":1,"y":-2,"z":3},"box":[1,2.5,3,4],"contours":{"noseBridge":[[1,2],[3,4]]},"landmarks":{"leftEye":[1,2]},"score":0.5,"smiling":0.25}"#
    ),
    Row(
      "a pose", pose,
      #"{"box":[1,2.5,3,4],"id":1,"landmarks":[{"inFrameLikelihood":0.5,"type":"nose","x":1,"y":2,"z":-3}],"score":0.5}"#
    ),
    Row(
      "an event", TrackEvent(kind: .confirm, id: 3, classIndex: 1, label: "car", time: 0.5),
      #"{"classIndex":1,"event":"confirm","id":3,"label":"car","pts":0.5,"type":"event"}"#),
    Row(
      "a frame",
      FrameAnnotations(
        frame: 4, time: Time(ticks: 500, base: .milliseconds), source: .predicted,
        found: Detections(
          objects: [],
          objectSearch: FrameSearch(frame: PixelSize(width: 8, height: 6), regions: [.init(box: box, scale: 2)]))),
      #"{"frame":4,"objectSearch":{"frame":{"height":6,"width":8},"regions":[[1,2.5,3,4,2]]},"objects":[],"pts":0.5,"source":"predicted","ticks":500,"timeBase":"1\/1000","type":"frame"}"#
    ),
    Row(
      "a frame of a later shot",
      {
        var frame = FrameAnnotations(frame: 5, time: Time(ticks: 2, base: .milliseconds), source: .detected)
        frame.shot = 3
        return frame
      }(),
      #"{"frame":5,"pts":0.002,"shot":3,"source":"detected","ticks":2,"timeBase":"1\/1000","type":"frame"}"#),
  ]

  @Test(arguments: rows)
  func `a result is the same after coding, and has the members of records`(row: Row) throws {
    try row.check(Data(row.json.utf8))
  }

  @Test func `what later versions may add is skipped or unknown`() throws {
    func decoded<Value: Decodable>(_ json: String, as type: Value.Type) throws -> Value {
      try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }
    let object = try decoded(
      #"{"label":"car","score":1,"box":[0,0,1,1],"category":"vehicle","wheels":4}"#, as: DetectedObject.self)
    #expect(object.category?.category == .unknown && object.classIndex == 0 && !object.isPredicted)
    let face = try decoded(
      #"{"score":1,"box":[0,0,1,1],"landmarks":{"beard":[1,2],"leftEye":[3,4]}}"#, as: DetectedFace.self)
    #expect(face.landmarks == [FaceLandmark(.leftEye, at: Point(x: 3, y: 4))])
    let pose = try decoded(#"{"score":1,"box":[0,0,1,1],"landmarks":[{"type":"tail","x":1}]}"#, as: DetectedPose.self)
    #expect(pose.landmarks.isEmpty)
  }

  @Test func `a line of records without a time base has its time in microseconds`() throws {
    let line = #"{"type":"frame","frame":1,"pts":0.041667,"ticks":1,"source":"detected"}"#
    let frame = try JSONDecoder().decode(FrameAnnotations.self, from: Data(line.utf8))
    #expect(frame.time == Time(ticks: 41_667, base: .microseconds))
    #expect(frame.found == Detections())
  }

  @Test func `a line is read with the time base and the size of its header`() throws {
    let line = #"{"type":"detections","pts":0.5,"ticks":25,"shot":2,"objects":[],"searched":[[0,0,8,6,1.5]]}"#
    let size = PixelSize(width: 8, height: 6)
    let base = try #require(Rational(1, 50))
    let decoder = JSONDecoder()
    decoder.userInfo[try #require(CodingUserInfoKey.records)] = RecordContext(timeBase: base, size: size)
    let late = try decoder.decode(TimedObservations.self, from: Data(line.utf8))
    #expect(late.time == Time(ticks: 25, base: base) && late.found.shot == 2)
    let region = FrameSearch.Region(box: Box(x: 0, y: 0, width: 8, height: 6), scale: 1.5)
    #expect(late.found.objectSearch == FrameSearch(frame: size, regions: [region]))
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let json: String
    let member: String
    let problem: String

    init(_ name: String, _ json: String, _ member: String, _ problem: String) {
      (testDescription, self.json, self.member, self.problem) = (name, json, member, problem)
    }
  }

  @Test(arguments: [
    Fault("three numbers", #"{"score":1,"box":[0,0,1]}"#, "box", "does not have four numbers"),
    Fault("a huge box", #"{"score":1,"box":[0,0,1,1e12]}"#, "box", "is out of range: 1000000000000.0"),
    Fault("a huge score", #"{"score":1e12,"box":[0,0,1,1]}"#, "score", "is out of range: 1000000000000.0"),
    Fault(
      "a point of one number", #"{"score":1,"box":[0,0,1,1],"landmarks":{"leftEye":[1]}}"#, "leftEye",
      "does not have two numbers"),
    Fault("an ID with decimals", #"{"id":1.5,"score":1,"box":[0,0,1,1]}"#, "id", "is not a whole number"),
    Fault(
      "a huge angle", #"{"score":1,"box":[0,0,1,1],"angles":{"x":0,"y":1e10,"z":0}}"#, "y",
      "is out of range: 10000000000.0"),
  ])
  func `a face that cannot be is not decoded, and the error names the member`(fault: Fault) {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DetectedFace.self, from: Data(fault.json.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.last?.stringValue == fault.member)
    #expect(context.debugDescription == fault.problem)
  }

  @Test(arguments: [
    (#"{"type":"event","frame":1,"pts":0,"source":"detected"}"#, "type"),
    (#"{"frame":1,"ticks":0,"timeBase":"1/0","source":"detected"}"#, "timeBase"),
    (#"{"frame":1,"ticks":0,"timeBase":"one","source":"detected"}"#, "timeBase"),
  ])
  func `a line of another type or without a time is no frame`(json: String, member: String) {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FrameAnnotations.self, from: Data(json.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.last?.stringValue == member)
  }
}

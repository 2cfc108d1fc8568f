import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamTestSupport

/// Detections compared with those of the same network run from Python, as recorded by `scripts/fixtures/record-reference`.
@Suite struct ReferenceTests {
  /// The same tensor in the same network: compares the reading of its outputs.
  @Test func sameTensorGivesTheSameBoxes() throws {
    guard let folder = ProcessInfo.processInfo.environment["VSTREAM_RECORD"] else {
      let agreement = try Reference(named: "same-tensor.json").compare(
        minimumIoU: 0.99, maximumScoreDifference: 0.001, inTensors: true)
      #expect(agreement.referenceCount > 100, "the recording holds hardly anything")
      #expect(agreement.found >= 0.999, "\(agreement)")
      #expect(agreement.justified >= 0.999, "\(agreement)")
      return
    }
    try Reference.writeTensors(to: folder)
    Issue.record("recorded the tensors to \(folder); run again without VSTREAM_RECORD to test")
  }

  /// From the file to boxes, against OpenCV's decoding and bilinear scaling.
  @Test func endToEndIsAsWithOpenCV() throws {
    let agreement = try Reference(named: "end-to-end.json").compare(
      minimumIoU: 0.8, maximumScoreDifference: 0.1, inTensors: false)
    #expect(agreement.referenceCount > 100, "the recording holds hardly anything")
    #expect(agreement.found >= 0.95, "\(agreement)")
  }
}

/// Detections of a Python program in frames of the sample videos.
struct Reference: Decodable {
  struct Frame: Decodable {
    let clip: String
    let frame: Int
    /// Means of the red, green and blue values of the network's input.
    let mean: [Double]
    let objects: [Object]
  }

  struct Object: Decodable {
    let label: String
    let score: Double
    /// Left, top, width, height: pixels of the tensor, or of the frame when from end to end.
    let box: [Double]
  }

  struct Agreement: CustomStringConvertible {
    var referenceCount = 0
    var missing: [String] = []
    var ourCount = 0
    var extra: [String] = []

    /// The fraction of the reference's objects that we detect.
    var found: Double { 1 - Double(missing.count) / Double(max(1, referenceCount)) }
    /// The fraction of our objects that the reference has as well.
    var justified: Double { 1 - Double(extra.count) / Double(max(1, ourCount)) }

    var description: String {
      "\(missing.count) of \(referenceCount) missing: \(missing); \(extra.count) of our \(ourCount) extra: \(extra)"
    }
  }

  /// Score from which objects must agree. The recording has lower ones as well, so that an object just above the score on one
  /// side and just below on the other is not a difference.
  static let minimumScore = 0.5

  /// The compared frames: 40 of three clips.
  static let frames: KeyValuePairs = [
    "street.avi": Array(stride(from: 0, to: 795, by: 40)),
    "bikes.mp4": Array(stride(from: 5, to: 250, by: 25)),
    "animation.avi": Array(stride(from: 10, to: 270, by: 27)),
  ]

  let frames: [Frame]

  init(named name: String) throws {
    self = try JSONDecoder().decode(Reference.self, from: Data(contentsOf: URL(filePath: Checkout.fixture(name))))
  }

  /// Writes the network's inputs as 32-bit floats, for Python to read: `street.avi-40.tensor` and so on.
  static func writeTensors(to folder: String) throws {
    var detector = try SharedModel.detector()
    for (clip, numbers) in frames {
      for (number, frame) in zip(numbers, try SampleFrames.read(clip, at: numbers)) {
        _ = try detector.objects(in: frame, timer: NoTimer())
        let tensor = try detector.lastInput()
        let data = tensor.withUnsafeBytes { Data($0) }
        try data.write(to: URL(filePath: "\(folder)/\(clip)-\(number).tensor"))
      }
    }
  }

  func compare(minimumIoU: Double, maximumScoreDifference: Double, inTensors: Bool) throws -> Agreement {
    var detector = try SharedModel.detector()
    var agreement = Agreement()
    let wanted = Dictionary(grouping: frames, by: \.clip)
    for (clip, numbers) in Self.frames {
      let references = wanted[clip] ?? []
      #expect(references.map(\.frame) == numbers, "the recording is of other frames of \(clip)")
      for (reference, frame) in zip(references, try SampleFrames.read(clip, at: references.map(\.frame))) {
        var ours = try detector.objects(in: frame, timer: NoTimer())
        let tensor = try detector.lastInput()
        // OpenCV's conversion to RGB rounds down at each step, which makes up to 2 of 255.
        reference.check(tensor, tolerance: inTensors ? 0.05 : 2.5)
        if inTensors { ours = try detector.detect(inTensor: tensor) }
        agreement.add(reference, ours) {
          $0.classIndex == $1.classIndex && $0.box.iou($1.box) >= minimumIoU
            && abs($0.score - $1.score) <= maximumScoreDifference
        }
      }
    }
    return agreement
  }
}

extension Reference.Frame {
  /// Checks that our input is the recorded one; with another, the boxes could not be compared.
  fileprivate func check(_ tensor: [Float], tolerance: Double) {
    for channel in 0..<3 {
      let values = stride(from: channel, to: tensor.count, by: 3).lazy.map { Double(tensor[$0]) }
      let difference = abs(values.reduce(0, +) / Double(tensor.count / 3) - mean[channel])
      #expect(difference <= tolerance, "the input of \(clip), frame \(frame) is not as it was when it was recorded")
    }
  }

  fileprivate var found: [DetectedObject] {
    objects.map { object in
      DetectedObject(
        classIndex: ClassList.coco.names.firstIndex(of: object.label) ?? -1, label: object.label, score: object.score,
        box: Box(x: object.box[0], y: object.box[1], width: object.box[2], height: object.box[3]))
    }
  }
}

extension Reference.Agreement {
  fileprivate mutating func add(
    _ reference: Reference.Frame, _ ours: [DetectedObject], isSame: (DetectedObject, DetectedObject) -> Bool
  ) {
    let theirs = reference.found
    let certain = theirs.filter { $0.score > Reference.minimumScore }
    let ourCertain = ours.filter { $0.score > Reference.minimumScore }
    let position = "\(reference.clip) \(reference.frame)"
    referenceCount += certain.count
    missing += certain.filter { object in !ours.contains { isSame(object, $0) } }.map { "\(position) \($0)" }
    ourCount += ourCertain.count
    extra += ourCertain.filter { object in !theirs.contains { isSame(object, $0) } }.map { "\(position) \($0)" }
  }
}

import Foundation
import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// Detectors of users: recognised, described by a file beside them, or refused with a remedy.
struct ObjectModelTests {
  private static let configuration = ModelConfiguration(threads: 1, precision: .float32, usesCache: false)
  private static let image = [[1, 3, 64, 64]]

  private func load(_ network: ConstantNetwork) throws -> ObjectModel {
    try ObjectModel(path: network.path, configuration: Self.configuration)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var inputs = image
    let outputs: [(name: String, shape: [Int], values: [Float])]
    let description: String
    /// In a frame of 768 × 576.
    let box: Box
  }

  /// Boxes of a network of 64 × 64 are mapped to the frame by its fit: 12 pixels of the frame are one of the network.
  @Test(arguments: [
    Case(
      testDescription: "centred, as for YOLO", outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"]}"#, box: Box(x: 96, y: 96, width: 192, height: 288)),
    Case(
      testDescription: "at the top left, if described", outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"fit":"top-left"}}"#,
      box: Box(x: 96, y: 192, width: 192, height: 288)),
    Case(
      testDescription: "stretched, if described", outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"fit":"stretch"}}"#,
      box: Box(x: 96, y: 144, width: 192, height: 216)),
    Case(
      testDescription: "an open batch size", inputs: [[-1, 3, 64, 64]],
      outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"]}"#, box: Box(x: 96, y: 96, width: 192, height: 288)),
    Case(
      testDescription: "an open size, and one is named", inputs: [[-1, 3, -1, -1]],
      outputs: [("out", [1, 3, 6], [8, 4, 24, 28, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"size":[64,40],"fit":"top-left"}}"#,
      box: Box(x: 115.2, y: 57.6, width: 230.4, height: 345.6)),
    Case(
      testDescription: "an open size and number of channels", inputs: [[-1, -1, -1, -1]],
      outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"size":[64,64]}}"#,
      box: Box(x: 96, y: 96, width: 192, height: 288)),
    Case(
      testDescription: "beside rows with invalid values",
      outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1, .nan, .nan, .nan, .nan, .nan, .nan, 0, 0, 0, 0, 0, 0.5])],
      description: #"{"labels":["cat","dog"]}"#, box: Box(x: 96, y: 96, width: 192, height: 288)),
    Case(
      testDescription: "another size than the file's, interleaved", inputs: [[1, 32, 32, 3]],
      outputs: [("out", [1, 3, 6], [8, 16, 24, 40, 0.75, 1])],
      description: #"{"labels":["cat","dog"],"input":{"size":[64,64]}}"#,
      box: Box(x: 96, y: 96, width: 192, height: 288)),
    Case(
      testDescription: "with an input for the image's size, as for D-FINE", inputs: [[1, 3, 64, 64], [1, 2]],
      outputs: [
        ("labels", [1, 2], [1, 0]), ("boxes", [1, 2, 4], [8, 16, 24, 40]), ("scores", [1, 2], [0.75, 0]),
      ],
      description: #"{"labels":["cat","dog"]}"#, box: Box(x: 96, y: 144, width: 192, height: 216)),
    Case(
      testDescription: "interleaved, classes from 1, as for TensorFlow", inputs: [[1, 64, 64, 3]],
      outputs: [
        ("detection_scores", [1, 2], [0.75, 0]), ("detection_boxes", [1, 2, 4], [0.25, 0.125, 0.625, 0.375]),
        ("detection_classes", [1, 2], [2, 0]), ("num_detections", [1], [1]),
      ], description: #"{"labels":["cat","dog"]}"#, box: Box(x: 96, y: 144, width: 192, height: 216)),
    Case(
      testDescription: "logits, two outputs in either order",
      outputs: [
        ("logits", [1, 2, 2], [-9, 1.0986123, -9, -9]), ("pred_boxes", [1, 2, 4], [0.25, 0.4375, 0.25, 0.375]),
      ],
      description: #"{"labels":["cat","dog"],"input":{"deviation":[255]}}"#,
      box: Box(x: 96, y: 144, width: 192, height: 216)),
  ])
  func `boxes are mapped to the frame`(_ row: Case) throws {
    let network = try ConstantNetwork(
      inputs: row.inputs,
      outputs: row.outputs.map { ConstantNetwork.Output(name: $0.name, shape: $0.shape, values: $0.values) },
      description: row.description)
    var detector = try ObjectDetectionStage(try load(network))
    let frame = try SampleFrames.read("street.avi", at: [0])[0]
    let found = try detector.objects(in: frame, timer: NoTimer())
    #expect(found.map(\.label) == ["dog"])
    #expect(found.map(\.classIndex) == [1])
    #expect(abs((found.first?.score ?? 0) - 0.75) < 1e-6)
    #expect((found.first?.box.iou(row.box) ?? 0) > 0.9999, "\(found)")
  }

  @Test func `without a description, 80 classes are COCO's and others are numbered`() throws {
    let grid = 8 * 8 + 4 * 4 + 2 * 2
    let coco = try load(try ConstantNetwork(inputs: Self.image, outputs: [.init(name: "o", shape: [1, grid, 85])]))
    #expect(coco.layout.name == "yolox")
    #expect(coco.labels == .coco)
    let three = try load(try ConstantNetwork(inputs: Self.image, outputs: [.init(name: "o", shape: [1, 7, grid])]))
    #expect(three.layout.name == "yolov8")
    #expect(three.labels.names == ["class 0", "class 1", "class 2"])
  }

  /// Padding beside a centred image is of the network's grey level, unless the description has another.
  @Test(arguments: [(nil, 114), (0, 0), (255, 255)] as [(padding: Int?, level: Float)])
  func `padding has the described grey level`(row: (padding: Int?, level: Float)) throws {
    let padding = row.padding.map { #""padding":\#($0),"# } ?? ""
    let network = try ConstantNetwork(
      inputs: Self.image, outputs: [.init(name: "out", shape: [1, 3, 6])],
      description: #"{"labels":["cat","dog"],"input":{\#(padding)"fit":"center","mean":[10],"deviation":[2]}}"#)
    var detector = try ObjectDetectionStage(try load(network))
    _ = try detector.objects(in: try SampleFrames.read("street.avi", at: [0])[0], timer: NoTimer())
    let input = try detector.lastInput()
    // 48 of 64 rows show the frame.
    #expect(input.prefix(8 * 64).allSatisfy { abs($0 - (row.level - 10) / 2) < 1e-4 }, "\(input[0])")
  }

  @Test func `scores instead of class numbers reveal another layout`() throws {
    let network = try ConstantNetwork(
      inputs: Self.image,
      outputs: [.init(name: "out", shape: [1, 2, 6], values: [0.5, 0.5, 0.25, 0.25, 0.75, 0.02])],
      description: #"{"labels":["cat","dog"]}"#)
    var detector = try ObjectDetectionStage(try load(network))
    let frame = try SampleFrames.read("street.avi", at: [0])[0]
    let error = #expect(throws: VStreamError.self) { try detector.objects(in: frame, timer: NoTimer()) }
    for part in ["out [1, 2, 6]", "the layout is not 'yolo-end-to-end', as a class has the number 0.02"] {
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    #expect(error?.remedy.contains("rt-detr-joined") == true)
  }

  @Test func `a joined layout can have one class`() throws {
    let network = try ConstantNetwork(
      inputs: Self.image, outputs: [.init(name: "out", shape: [1, 2, 5], values: [0.5, 0.5, 0.25, 0.25, 0.75])],
      description: #"{"layout":"rt-detr-joined","labels":["cat"]}"#)
    var detector = try ObjectDetectionStage(try load(network))
    let found = try detector.objects(in: try SampleFrames.read("street.avi", at: [0])[0], timer: NoTimer())
    #expect(found.map(\.label) == ["cat"])
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var inputs = image
    let outputs: [[Int]]
    var description: String?
    let expected: [String]
  }

  @Test(arguments: [
    Refusal(
      testDescription: "a classifier", outputs: [[1, 1000]],
      expected: ["takes in0 [1, 3, 64, 64] and gives out0 [1, 1000]", "of no known layout", "model.json", "yolox, "]),
    Refusal(
      testDescription: "two layouts in question", outputs: [[1, 84, 11]],
      expected: ["the layout may be yolox or yolov8", "model.json"]
    ),
    Refusal(
      testDescription: "classes that the outputs do not determine", outputs: [[1, 300, 6]],
      expected: ["do not determine its classes", #"{"labels":"coco"}"#]),
    Refusal(
      testDescription: "an unknown input preset", outputs: [[1, 300, 4], [1, 300, 5]],
      expected: ["not clear how its input is computed", #""deviation":[255]"#]),
    Refusal(
      testDescription: "no image", inputs: [[1, 2]], outputs: [[1, 300, 6]], expected: ["no image of a fixed size"]),
    Refusal(
      testDescription: "an image of an open size", inputs: [[1, 3, -1, -1]], outputs: [[1, 300, 6]],
      expected: ["no image of a fixed size", #"{"input":{"size":[640,640]}}"#, "export it with fixed sizes"]),
    Refusal(
      testDescription: "a size of no width", inputs: [[1, 3, -1, -1]], outputs: [[1, 300, 6]],
      description: #"{"input":{"size":[0,640]}}"#, expected: ["size is not a width and a height"]),
    Refusal(
      testDescription: "three inputs", inputs: [[1, 3, 64, 64], [1, 2], [1, 2]], outputs: [[1, 300, 6]],
      expected: ["inputs other than an image"]),
    Refusal(
      testDescription: "another layout's name", outputs: [[1, 300, 6]], description: #"{"layout":"detr"}"#,
      expected: ["are not those of 'detr', [1,boxes,4] and [1,boxes,classes]"]),
    Refusal(
      testDescription: "an unknown layout's name", outputs: [[1, 300, 6]], description: #"{"layout":"yolo"}"#,
      expected: ["model.json' is invalid: layout 'yolo' is not known", "layouts: ssd-mobilenet-v2, yolox"]),
    Refusal(
      testDescription: "no JSON", outputs: [[1, 300, 6]], description: "layout: yolox", expected: ["it is not JSON"]),
    Refusal(
      testDescription: "another number of labels", outputs: [[1, 7, 84]], description: #"{"labels":["cat"]}"#,
      expected: ["3 classes, and 1 labels"]),
    Refusal(
      testDescription: "an unknown list of labels", outputs: [[1, 7, 84]], description: #"{"labels":"voc"}"#,
      expected: ["'voc' is neither coco nor coco-91"]),
    Refusal(
      testDescription: "an unknown channel order", outputs: [[1, 7, 84]], description: #"{"input":{"order":"gbr"}}"#,
      expected: ["'gbr' is neither rgb nor bgr"]),
    Refusal(
      testDescription: "two means", outputs: [[1, 7, 84]], description: #"{"input":{"mean":[1,2]}}"#,
      expected: ["mean is not one number or three"]),
    Refusal(
      testDescription: "divided by 0", outputs: [[1, 7, 84]], description: #"{"input":{"deviation":[1,0,1]}}"#,
      expected: ["deviation is 0"]),
    Refusal(
      testDescription: "divided by a number without a reciprocal", outputs: [[1, 7, 84]],
      description: #"{"input":{"deviation":[1e-45]}}"#, expected: ["deviation is too small"]),
    Refusal(
      testDescription: "pixels that become infinite", outputs: [[1, 7, 84]],
      description: #"{"input":{"mean":[3e38],"deviation":[0.1]}}"#, expected: ["mean and deviation are invalid"]),
    Refusal(
      testDescription: "a padding outside 0 to 255", outputs: [[1, 7, 84]], description: #"{"input":{"padding":300}}"#,
      expected: ["padding is not 0 to 255"]),
    Refusal(
      testDescription: "a class before the first", outputs: [[1, 7, 84]], description: #"{"firstClass":-1}"#,
      expected: ["firstClass is not 0 to 1000"]),
    Refusal(
      testDescription: "a score above 1", outputs: [[1, 7, 84]], description: #"{"score":1.5}"#,
      expected: ["score is not more than 0 and at most 1"]),
    Refusal(
      testDescription: "a score of 0", outputs: [[1, 7, 84]], description: #"{"score":0}"#,
      expected: ["score is not more than 0"]),
    Refusal(
      testDescription: "an unknown key", outputs: [[1, 7, 84]], description: #"{"lables":["a","b","c"]}"#,
      expected: ["has the unknown key 'lables'"]),
    Refusal(
      testDescription: "an unknown key of the input", outputs: [[1, 7, 84]],
      description: #"{"input":{"colour":"bgr"}}"#, expected: ["has the unknown key 'colour'"]),
    Refusal(
      testDescription: "cells of another input size", outputs: [[1, 85, 85]], description: #"{"layout":"yolox"}"#,
      expected: ["are not those of 'yolox', [1,cells,5+classes]"]),
    Refusal(
      testDescription: "rows described as columns", outputs: [[1, 84, 83]],
      description: #"{"layout":"yolov8","labels":"coco"}"#,
      expected: ["are not those of 'yolov8', [1,4+classes,cells]"]),
    Refusal(
      testDescription: "fewer boxes than the input has cells", outputs: [[1, 84, 85]],
      description: #"{"layout":"yolov5"}"#,
      expected: ["are not those of 'yolov5', [1,3*cells,5+classes]"]),
    Refusal(
      testDescription: "too few values for a box", outputs: [[1, 300, 5]],
      description: #"{"layout":"yolo-end-to-end","labels":["cat"]}"#, expected: ["are not those of 'yolo-end-to-end'"]),
  ])
  func `a model that cannot be read is refused, with its shapes and a remedy`(_ row: Refusal) throws {
    let outputs = row.outputs.enumerated().map { ConstantNetwork.Output(name: "out\($0.offset)", shape: $0.element) }
    let network = try ConstantNetwork(inputs: row.inputs, outputs: outputs, description: row.description)
    let error = #expect(throws: VStreamError.self) { try load(network) }
    #expect(error?.code == .missingDependency)
    #expect(error?.remedy.isEmpty == false)
    for part in row.expected {
      #expect(error?.description.contains(part) == true, "\(part): \(error?.description ?? "")")
    }
    #expect(error?.description.contains("\n") == false)
  }
}

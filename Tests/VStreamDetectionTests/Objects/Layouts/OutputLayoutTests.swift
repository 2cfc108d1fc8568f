import Foundation
import Testing
import VStreamCore
import VStreamInference
import VStreamTestSupport

@testable import VStreamDetection

/// Layouts on tensors whose detections NumPy computed, and their recognition by shapes.
struct OutputLayoutTests {
  struct Recorded: Decodable, CustomTestStringConvertible, Sendable {
    struct Found: Decodable, Sendable {
      let `class`: Int
      let score: Double
      let box: [Double]
    }

    struct Output: Decodable, Sendable {
      let shape: [Int]
      let values: [Float]
    }

    let layout: String
    let width: Int
    let height: Int
    let minimumScore: Float
    let found: [Found]
    let outputs: [Output]
    var testDescription: String { layout }
    var tables: [OutputTable] { outputs.map { OutputTable(shape: $0.shape, values: $0.values) } }

    /// What the layout reads in tables like the recorded ones.
    func read(_ tables: [OutputTable]) throws -> [RawDetection] {
      let layout = try #require(OutputLayoutRegistry.named(layout) as? any RawDetectionLayout)
      return layout.read(tables, input: PixelSize(width: width, height: height), minimumScore: minimumScore)
    }
  }

  static let recorded = Result {
    try JSONDecoder().decode([Recorded].self, from: Data(contentsOf: URL(filePath: Checkout.fixture("layouts.json"))))
  }

  /// All but the built-in model's, which `SSDDecoderTests` cover.
  static let rawLayouts = OutputLayoutRegistry.all.filter { $0 is any RawDetectionLayout }.map(\.name)

  @Test func `every layout is recorded`() throws {
    #expect(try Set(Self.recorded.get().map(\.layout)) == Set(Self.rawLayouts))
    #expect(OutputLayoutRegistry.all.map(\.name).filter { !Self.rawLayouts.contains($0) } == ["ssd-mobilenet-v2"])
  }

  @Test func `every layout has a name and shapes of its own`() {
    #expect(Set(OutputLayoutRegistry.all.map(\.name)).count == OutputLayoutRegistry.all.count)
    #expect(Set(OutputLayoutRegistry.all.map(\.shapes)).count == OutputLayoutRegistry.all.count)
    #expect(OutputLayoutRegistry.named("yolo") == nil)
  }

  @Test(arguments: rawLayouts)
  func `outputs are read as NumPy reads them`(_ layout: String) throws {
    let recorded = try #require(try Self.recorded.get().first { $0.layout == layout })
    let found = try recorded.read(recorded.tables)
    #expect(recorded.found.count >= 2)
    try #require(found.count == recorded.found.count)
    for (one, other) in zip(found, recorded.found) {
      #expect(one.classIndex == other.class)
      #expect(abs(Double(one.score) - other.score) < 1e-4)
      let box = [one.box.x, one.box.y, one.box.width, one.box.height]
      #expect(zip(box, other.box).allSatisfy { abs($0 - $1) < 0.01 }, "\(box) \(other.box)")
    }
  }

  @Test(arguments: rawLayouts)
  func `invalid values, and too few of them, are skipped`(_ layout: String) throws {
    let recorded = try #require(try Self.recorded.get().first { $0.layout == layout })
    for invalid in [Float.nan, .infinity, -.infinity, 1e30, -1e30] {
      let tables = recorded.tables.map {
        OutputTable(shape: $0.shape, values: [Float](repeating: invalid, count: $0.values.count))
      }
      #expect(try recorded.read(tables).allSatisfy { !$0.box.isEmpty && $0.score <= 1 && $0.classIndex >= 0 })
    }
    let short = recorded.tables.map { OutputTable(shape: $0.shape, values: Array($0.values.prefix(7))) }
    #expect(try recorded.read(short).count <= 2)
  }

  @Test func `scores of DETR are a distribution that includes no object`() {
    let boxes = OutputTable(shape: [1, 2, 4], values: [0.5, 0.5, 0.2, 0.4, 0.5, 0.5, 0.2, 0.4])
    let logits = OutputTable(shape: [1, 2, 3], values: [2, 0, 0, 0, 0, 5])
    let found = DETRLayout().read(
      boxes: boxes, logits: logits, input: PixelSize(width: 100, height: 50), minimumScore: 0.5, hasNoObjectClass: true)
    #expect(found.map(\.classIndex) == [0])
    #expect(abs(Double(found.first?.score ?? 0) - exp(2.0) / (exp(2.0) + 2)) < 1e-5)
    #expect((found.first?.box.iou(Box(x: 40, y: 15, width: 20, height: 20)) ?? 0) > 0.9999)
  }

  struct Shapes: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let outputs: [[Int]]
    var size = (width: 640, height: 640)
    let layouts: [String]
  }

  @Test(arguments: [
    Shapes(testDescription: "YOLOX-Nano", outputs: [[1, 3549, 85]], size: (416, 416), layouts: ["yolox"]),
    Shapes(testDescription: "YOLOX of a wide input", outputs: [[1, 4620, 85]], size: (640, 352), layouts: ["yolox"]),
    Shapes(testDescription: "YOLOv5", outputs: [[1, 25200, 85]], layouts: ["yolov5"]),
    Shapes(testDescription: "YOLOv5 of one class", outputs: [[1, 25200, 6]], layouts: ["yolov5"]),
    Shapes(testDescription: "YOLOv8", outputs: [[1, 84, 8400]], layouts: ["yolov8"]),
    Shapes(testDescription: "YOLOv8 of one class", outputs: [[1, 5, 8400]], layouts: ["yolov8"]),
    Shapes(testDescription: "YOLOv10", outputs: [[1, 300, 6]], layouts: ["yolo-end-to-end"]),
    Shapes(
      testDescription: "YOLO with NMS, an open number of boxes", outputs: [[1, -1, 6]], layouts: ["yolo-end-to-end"]),
    Shapes(testDescription: "RT-DETR of Ultralytics", outputs: [[1, 300, 84]], layouts: ["rt-detr-joined"]),
    Shapes(testDescription: "RF-DETR", outputs: [[1, 300, 4], [1, 300, 91]], layouts: ["detr"]),
    Shapes(testDescription: "RT-DETR of transformers", outputs: [[1, 300, 80], [1, 300, 4]], layouts: ["detr"]),
    Shapes(testDescription: "D-FINE", outputs: [[1, 300], [1, 300, 4], [1, 300]], layouts: ["rt-detr"]),
    Shapes(testDescription: "SSD of OpenVINO", outputs: [[1, 1, 200, 7]], layouts: ["ssd"]),
    Shapes(
      testDescription: "SSD of TensorFlow", outputs: [[1, 100, 4], [1, 100], [1, 100], [1]], layouts: ["ssd-tensorflow"]
    ),
    Shapes(
      testDescription: "the built-in model", outputs: [[1, 1917, 4], [1, 1917, 80]], layouts: ["ssd-mobilenet-v2"]),
    Shapes(testDescription: "NanoDet-Plus", outputs: [[1, 3598, 112]], size: (416, 416), layouts: ["nanodet-plus"]),
    Shapes(
      testDescription: "PicoDet",
      outputs: [
        [1, 2704, 80], [1, 676, 80], [1, 169, 80], [1, 49, 80], [1, 2704, 32], [1, 676, 32], [1, 169, 32], [1, 49, 32],
      ], size: (416, 416), layouts: ["picodet"]),
    Shapes(
      testDescription: "PicoDet of another input",
      outputs: [
        [1, 2704, 80], [1, 676, 80], [1, 169, 80], [1, 49, 80], [1, 2704, 32], [1, 676, 32], [1, 169, 32], [1, 49, 32],
      ], size: (320, 320), layouts: []),
    Shapes(
      testDescription: "PicoDet without NMS", outputs: [[1, 3598, 4], [1, 80, 3598]], size: (416, 416),
      layouts: ["picodet-boxes"]),
    Shapes(testDescription: "PP-YOLOE without NMS", outputs: [[1, 8400, 4], [1, 80, 8400]], layouts: []),
    Shapes(testDescription: "PaddleDetection with NMS", outputs: [[-1, 6], [1]], layouts: ["paddledetection"]),
    Shapes(
      testDescription: "five of one layout or six of another", outputs: [[1, 8400, 11]], layouts: ["yolox", "yolov8"]),
    Shapes(testDescription: "a classifier", outputs: [[1, 1000]], layouts: []),
    Shapes(testDescription: "segmentation", outputs: [[1, 116, 8400], [1, 32, 160, 160]], layouts: []),
    Shapes(testDescription: "an image", outputs: [[1, 3, 640, 640]], layouts: []),
    Shapes(testDescription: "nothing", outputs: [], layouts: []),
  ])
  func `layouts are recognised by the outputs' shapes`(_ shapes: Shapes) {
    let ports = shapes.outputs.map { Model.Port(name: "", shape: $0, element: .float32) }
    let size = PixelSize(width: shapes.size.width, height: shapes.size.height)
    let layouts = OutputLayoutRegistry.recognised(ModelOutputs(ports: ports), input: size)
    #expect(layouts.map(\.name) == shapes.layouts)
  }
}

import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Networks' outputs, read as NumPy reads them (`scripts/fixtures/record-layouts`), and told apart by their shapes.
struct OutputReaderTests {
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

    let layout: OutputLayout
    let width: Int
    let height: Int
    let minimumScore: Float
    let found: [Found]
    let outputs: [Output]
    var testDescription: String { layout.rawValue }
    var tables: [OutputTable] { outputs.map { OutputTable(shape: $0.shape, values: $0.values) } }
    var reader: OutputReader {
      OutputReader(layout: layout, width: width, height: height, minimumScore: minimumScore)
    }
  }

  static let recorded = Result {
    let path = Checkout.root.appending(path: "Tests/VStreamDetectionTests/Fixtures/layouts.json")
    return try JSONDecoder().decode([Recorded].self, from: Data(contentsOf: path))
  }

  @Test func `every layout but the built-in model's is recorded`() throws {
    let layouts = Set(try Self.recorded.get().map(\.layout))
    #expect(layouts == Set(OutputLayout.allCases).subtracting([.ssdMobileNetV2]))
  }

  @Test(arguments: OutputLayout.allCases.filter { $0 != .ssdMobileNetV2 })
  func `is read as NumPy reads it`(_ layout: OutputLayout) throws {
    let recorded = try #require(try Self.recorded.get().first { $0.layout == layout })
    let found = recorded.reader.read(recorded.tables)
    #expect(recorded.found.count >= 2)
    try #require(found.count == recorded.found.count)
    for (one, other) in zip(found, recorded.found) {
      #expect(one.classIndex == other.class)
      #expect(abs(Double(one.score) - other.score) < 1e-4)
      let box = [one.box.x, one.box.y, one.box.width, one.box.height]
      #expect(zip(box, other.box).allSatisfy { abs($0 - $1) < 0.01 }, "\(box) \(other.box)")
    }
  }

  @Test(arguments: OutputLayout.allCases.filter { $0 != .ssdMobileNetV2 })
  func `numbers without sense, and too few of them, are passed over`(_ layout: OutputLayout) throws {
    let recorded = try #require(try Self.recorded.get().first { $0.layout == layout })
    for strange in [Float.nan, .infinity, -.infinity, 1e30, -1e30] {
      let tables = recorded.tables.map {
        OutputTable(shape: $0.shape, values: [Float](repeating: strange, count: $0.values.count))
      }
      #expect(recorded.reader.read(tables).allSatisfy { !$0.box.isEmpty && $0.score <= 1 && $0.classIndex >= 0 })
    }
    let short = recorded.tables.map { OutputTable(shape: $0.shape, values: Array($0.values.prefix(7))) }
    #expect(recorded.reader.read(short).count <= 2)
  }

  @Test func `a class for nothing takes its share of the scores`() {
    let boxes = OutputTable(shape: [1, 2, 4], values: [0.5, 0.5, 0.2, 0.4, 0.5, 0.5, 0.2, 0.4])
    let logits = OutputTable(shape: [1, 2, 3], values: [2, 0, 0, 0, 0, 5])
    let reader = OutputReader(layout: .detr, width: 100, height: 50, minimumScore: 0.5, hasNoObjectClass: true)
    let found = reader.read([boxes, logits])
    #expect(found.map(\.classIndex) == [0])
    #expect(abs(Double(found.first?.score ?? 0) - exp(2.0) / (exp(2.0) + 2)) < 1e-5)
    #expect((found.first?.box.iou(Box(x: 40, y: 15, width: 20, height: 20)) ?? 0) > 0.9999)
  }

  struct Shapes: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let outputs: [[Int]]
    var size = (width: 640, height: 640)
    let layouts: [OutputLayout]
  }

  @Test(arguments: [
    Shapes(testDescription: "YOLOX-Nano", outputs: [[1, 3549, 85]], size: (416, 416), layouts: [.yolox]),
    Shapes(testDescription: "YOLOX of a wide input", outputs: [[1, 4620, 85]], size: (640, 352), layouts: [.yolox]),
    Shapes(testDescription: "YOLOv5", outputs: [[1, 25200, 85]], layouts: [.yolov5]),
    Shapes(testDescription: "YOLOv5 of one class", outputs: [[1, 25200, 6]], layouts: [.yolov5]),
    Shapes(testDescription: "YOLOv8", outputs: [[1, 84, 8400]], layouts: [.yolov8]),
    Shapes(testDescription: "YOLOv8 of one class", outputs: [[1, 5, 8400]], layouts: [.yolov8]),
    Shapes(testDescription: "YOLOv10", outputs: [[1, 300, 6]], layouts: [.yoloEndToEnd]),
    Shapes(testDescription: "YOLO with NMS, as many as there are", outputs: [[1, -1, 6]], layouts: [.yoloEndToEnd]),
    Shapes(testDescription: "RT-DETR of Ultralytics", outputs: [[1, 300, 84]], layouts: [.rtdetrJoined]),
    Shapes(testDescription: "RF-DETR", outputs: [[1, 300, 4], [1, 300, 91]], layouts: [.detr]),
    Shapes(testDescription: "RT-DETR of transformers", outputs: [[1, 300, 80], [1, 300, 4]], layouts: [.detr]),
    Shapes(testDescription: "D-FINE", outputs: [[1, 300], [1, 300, 4], [1, 300]], layouts: [.rtdetr]),
    Shapes(testDescription: "SSD of OpenVINO", outputs: [[1, 1, 200, 7]], layouts: [.ssd]),
    Shapes(
      testDescription: "SSD of TensorFlow", outputs: [[1, 100, 4], [1, 100], [1, 100], [1]], layouts: [.tensorFlowSSD]),
    Shapes(
      testDescription: "the built-in model", outputs: [[1, 1917, 4], [1, 1917, 80]], layouts: [.ssdMobileNetV2]),
    Shapes(testDescription: "NanoDet-Plus", outputs: [[1, 3598, 112]], size: (416, 416), layouts: [.nanodet]),
    Shapes(
      testDescription: "five of one layout or six of another", outputs: [[1, 8400, 11]], layouts: [.yolox, .yolov8]),
    Shapes(testDescription: "a classifier", outputs: [[1, 1000]], layouts: []),
    Shapes(testDescription: "segmentation", outputs: [[1, 116, 8400], [1, 32, 160, 160]], layouts: []),
    Shapes(testDescription: "a picture", outputs: [[1, 3, 640, 640]], layouts: []),
    Shapes(testDescription: "nothing", outputs: [], layouts: []),
  ])
  func `outputs are recognised by their shapes`(_ shapes: Shapes) {
    #expect(OutputLayout.recognised(outputs: shapes.outputs, input: shapes.size) == shapes.layouts)
  }
}

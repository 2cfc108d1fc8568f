import Testing
import VStreamCore
import VStreamInference

@testable import VStreamDetection

/// Which output is which, by shapes, names and element types.
struct OutputArrangementTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let layout: String
    let ports: [Model.Port]
    let indices: [Int]?

    init(_ testDescription: String, _ layout: String, _ ports: [Model.Port], _ indices: [Int]?) {
      (self.testDescription, self.layout, self.ports, self.indices) = (testDescription, layout, ports, indices)
    }
  }

  private static func port(_ name: String, _ shape: [Int], _ element: Model.Element = .float32) -> Model.Port {
    Model.Port(name: name, shape: shape, element: element)
  }

  /// The outputs of PicoDet at 64 × 64: those at the positions, of scores by stride and then distances by stride.
  private static func picoDet(classes: Int, _ positions: [Int], names: String = "") -> [Model.Port] {
    let cells = [64, 16, 4, 1]
    return positions.map { port("\(names)\($0)", [1, cells[$0 % 4], $0 < 4 ? classes : 32]) }
  }

  static let rows = [
    Row("logits first", "detr", [port("logits", [1, 9, 3]), port("boxes", [1, 9, 4])], [1, 0]),
    Row("four classes, named", "detr", [port("dets", [1, 9, 4]), port("labels", [1, 9, 4])], [0, 1]),
    Row("four classes without names", "detr", [port("", [1, 9, 4]), port("", [1, 9, 4])], nil),
    Row("no boxes", "detr", [port("a", [1, 9, 5]), port("b", [1, 9, 6])], nil),
    Row(
      "integers are labels", "rt-detr",
      [port("a", [1, 9]), port("b", [1, 9, 4]), port("c", [1, 9], .int64)], [2, 1, 0]),
    Row(
      "labels by name", "rt-detr",
      [port("boxes", [1, 9, 4]), port("scores", [1, 9]), port("Labels", [1, 9])], [2, 0, 1]),
    Row("labels without a name", "rt-detr", [port("", [1, 9]), port("", [1, 9, 4]), port("", [1, 9])], nil),
    Row(
      "classes by name", "ssd-tensorflow",
      [port("num", [1]), port("detection_classes", [1, 9]), port("detection_scores", [1, 9]), port("b", [1, 9, 4])],
      [3, 1, 2, 0]),
    Row("no count", "ssd-tensorflow", [port("classes", [1, 9]), port("s", [1, 9]), port("b", [1, 9, 4])], nil),
    Row("an open number of boxes", "ssd", [port("", [1, 1, -1, 7])], [0]),
    Row("six values a box", "ssd", [port("", [1, 1, 9, 6])], nil),
    Row("swapped", "ssd-mobilenet-v2", [port("", [1, 1917, 80]), port("", [1, 1917, 4])], nil),
    Row("an open number of columns", "yolox", [port("", [1, 84, -1])], nil),
    Row("another rank", "yolov8", [port("", [84, 100])], nil),
    Row("two outputs", "yolov5", [port("", [1, 252, 8]), port("", [1, 252, 8])], nil),
    Row("no outputs", "nanodet-plus", [], nil),
    Row(
      "DEIMv2", "rt-detr", [port("labels", [1, 9], .int64), port("boxes", [1, 9, 4]), port("scores", [1, 9])],
      [0, 1, 2]
    ),
    Row(
      "scores, then distances", "picodet", picoDet(classes: 80, [0, 1, 2, 3, 4, 5, 6, 7]), [0, 1, 2, 3, 4, 5, 6, 7]),
    Row("stride by stride", "picodet", picoDet(classes: 3, [0, 4, 1, 5, 2, 6, 3, 7]), [0, 2, 4, 6, 1, 3, 5, 7]),
    Row("distances first", "picodet", picoDet(classes: 3, [4, 5, 6, 7, 0, 1, 2, 3]), [4, 5, 6, 7, 0, 1, 2, 3]),
    Row("32 classes", "picodet", picoDet(classes: 32, [3, 2, 1, 0, 7, 6, 5, 4]), [3, 2, 1, 0, 7, 6, 5, 4]),
    Row("a NanoDet of the same shapes", "picodet", picoDet(classes: 80, Array(0..<8), names: "dis_pred_stride"), nil),
    Row("without distances", "picodet", Array(picoDet(classes: 80, Array(0..<8)).prefix(4)), nil),
    Row("scores first", "picodet-boxes", [port("", [1, 3, 85]), port("", [1, 85, 4])], [1, 0]),
    Row("without the fourth stride", "picodet-boxes", [port("", [1, 84, 4]), port("", [1, 3, 84])], nil),
    Row("the count first", "paddledetection", [port("", [1], .int32), port("", [-1, 6])], [1, 0]),
  ]

  @Test(arguments: rows) func `outputs are arranged in the layout's order`(_ row: Row) throws {
    let layout = try #require(OutputLayoutRegistry.named(row.layout))
    let size = PixelSize(width: 64, height: 64)
    #expect(layout.arrangement(of: ModelOutputs(ports: row.ports), input: size) == row.indices)
  }

  @Test func `an open class dimension of DETR leaves the classes to the description`() throws {
    let layout = DETRLayout()
    #expect(layout.classCount([[1, 9, 4], [1, 9, -1]]) == nil)
    #expect(layout.inputPreset(classCount: nil) == nil)
    #expect(layout.classCount([[1, 9, 4], [1, 9, 92]]) == 92 && layout.hasNoObjectClass(classCount: 92))
  }

  @Test(
    arguments: [
      ("yolox", [[1, 84, 85]], 80), ("yolov5", [[1, 252, 6]], 1), ("yolov8", [[1, 84, 84]], 80),
      ("rt-detr-joined", [[1, 300, 7]], 3), ("nanodet-plus", [[1, 85, 112]], 80),
      ("yolo-end-to-end", [[1, 9, 6]], nil), ("picodet", [[1, 64, 80]], 80), ("paddledetection", [[9, 6], [1]], nil),
      ("picodet-boxes", [[1, 85, 4], [1, 3, 85]], 3), ("picodet-boxes", [[1, 85, 4], [1, -1, 85]], nil),
      ("ssd", [[1, 1, 9, 7]], nil), ("ssd-mobilenet-v2", [[1, 1917, 4], [1, 1917, 80]], 80),
    ] as [(String, [[Int]], Int?)])
  func `the number of classes follows from the shapes`(layout: String, shapes: [[Int]], count: Int?) throws {
    #expect(try #require(OutputLayoutRegistry.named(layout)).classCount(shapes) == count)
  }

  @Test func `cells are counted at all strides, rounded up`() {
    #expect(CellGrid(PixelSize(width: 416, height: 416)).count == 3549)
    #expect(CellGrid(PixelSize(width: 65, height: 1), strides: [8, 64]).count == 9 + 2)
    var cells: [[Int]] = []
    CellGrid(PixelSize(width: 16, height: 9), strides: [8, 16]).forEach {
      cells.append([$0.stride, $0.row, $0.column])
    }
    #expect(cells == [[8, 0, 0], [8, 0, 1], [8, 1, 0], [8, 1, 1], [16, 0, 0]])
  }
}

internal import VStreamInference

/// How a detector's outputs are to be read. K is a number of boxes, C of classes, G of cells: those of the grids of an
/// input of width × height at strides 8, 16 and 32.
public enum OutputLayout: String, Hashable, Sendable, CaseIterable, Codable {
  /// The built-in model: `[1,1917,4]` encodings relative to anchors, `[1,1917,80]` scores.
  case ssdMobileNetV2 = "ssd-mobilenet-v2"
  /// `[1,G,5+C]`: centre relative to the cell, logarithm of the size, objectness, class scores.
  case yolox
  /// `[1,3·G,5+C]`: centre and size in the input's pixels, objectness, class scores.
  case yolov5
  /// `[1,4+C,G]`: centre and size in the input's pixels, class scores. YOLOv8, v9, v11, v12.
  case yolov8
  /// `[1,K,6]`: corners in the input's pixels, score, class; nothing is found twice. YOLOv10, 26, and exports with NMS.
  case yoloEndToEnd = "yolo-end-to-end"
  /// `[1,K,4+C]`: centre and size as shares of the input, class scores. RT-DETR as Ultralytics exports it.
  case rtdetrJoined = "rt-detr-joined"
  /// `[1,K,4]` centre and size as shares of the input, and `[1,K,C]` logits. DETR, RF-DETR, and RT-DETR of transformers.
  case detr
  /// `[1,K]` labels, `[1,K,4]` corners in the input's pixels, `[1,K]` scores. RT-DETR and D-FINE as published.
  case rtdetr = "rt-detr"
  /// `[1,1,K,7]`: image, class, score, corners as shares of the input. SSD by OpenVINO's `DetectionOutput`.
  case ssd
  /// `[1,K,4]` corners as shares, top first, `[1,K]` classes, `[1,K]` scores, `[1]` how many. SSD of TensorFlow.
  case tensorFlowSSD = "ssd-tensorflow"
  /// `[1,G',C+32]`, G' with stride 64 as well: class scores, and distances to the four sides as distributions over 8 bins.
  case nanodet = "nanodet-plus"

  /// What its outputs look like, for people.
  public var shapes: String {
    switch self {
    case .ssdMobileNetV2: "[1,1917,4] and [1,1917,80]"
    case .yolox: "[1,cells,5+classes]"
    case .yolov5: "[1,3*cells,5+classes]"
    case .yolov8: "[1,4+classes,cells]"
    case .yoloEndToEnd: "[1,boxes,6]"
    case .rtdetrJoined: "[1,boxes,4+classes]"
    case .detr: "[1,boxes,4] and [1,boxes,classes]"
    case .rtdetr: "labels [1,boxes], boxes [1,boxes,4], scores [1,boxes]"
    case .ssd: "[1,1,boxes,7]"
    case .tensorFlowSSD: "[1,boxes,4], [1,boxes], [1,boxes], [1]"
    case .nanodet: "[1,cells with stride 64,classes+32]"
    }
  }

  /// Whether the first output, with numbers enough for its boxes, is of this shape; the others follow from it.
  func canRead(_ shape: [Int], input: (width: Int, height: Int)) -> Bool {
    let (rows, columns) = (shape.dropLast().last ?? 0, shape.last ?? 0)
    let cells = Self.grid(input, strides: [8, 16, 32])
    return switch self {
    case .yolox: rows == cells && columns > 5
    case .nanodet: rows == Self.grid(input, strides: [8, 16, 32, 64]) && columns > 32
    // Some have grids of other strides beside these.
    case .yolov5: rows >= 3 * cells && columns > 5
    case .yolov8: columns >= cells && rows > 4
    case .yoloEndToEnd: columns == 6
    case .rtdetrJoined: columns > 4
    case .ssdMobileNetV2, .detr, .rtdetr, .ssd, .tensorFlowSSD: true
    }
  }

  /// Whether the network itself takes care that nothing is found twice.
  var hasNoDoubles: Bool {
    switch self {
    case .yoloEndToEnd, .rtdetrJoined, .detr, .rtdetr, .ssd, .tensorFlowSSD: true
    case .ssdMobileNetV2, .yolox, .yolov5, .yolov8, .nanodet: false
    }
  }

  /// The one layout that outputs of these shapes can have, as far as that is beyond doubt; else those they might have.
  ///
  /// A number of classes that is not among the usual makes some shapes ambiguous: 5 + C of one layout is 4 + C' of
  /// another.
  static func recognised(outputs: [[Int]], input: (width: Int, height: Int)) -> [OutputLayout] {
    let cells = grid(input, strides: [8, 16, 32])
    let cellsPlus = grid(input, strides: [8, 16, 32, 64])
    let shapes = outputs.sorted { $0.count < $1.count }
    let ranks = shapes.map(\.count)
    switch ranks {
    case [3]:
      return single(shapes[0], cells: cells, cellsPlus: cellsPlus)
    case [4]:
      return shapes[0].last == 7 && shapes[0].prefix(2) == [1, 1] ? [.ssd] : []
    case [3, 3]:
      guard shapes[0][1] == shapes[1][1], shapes.contains(where: { $0[2] == 4 }) else { return [] }
      if Set(shapes) == [[1, 1917, 4], [1, 1917, 80]] { return [.ssdMobileNetV2] }
      return shapes[0][1] <= Self.maximumQueries ? [.detr] : []
    case [2, 2, 3]:
      return shapes[2][2] == 4 ? [.rtdetr] : []
    case [1, 2, 2, 3]:
      return shapes[3][2] == 4 ? [.tensorFlowSSD] : []
    default: return []
    }
  }

  /// More boxes than a network gives that finds nothing twice.
  private static let maximumQueries = 1000

  private static func single(_ shape: [Int], cells: Int, cellsPlus: Int) -> [OutputLayout] {
    let (first, second) = (shape[1], shape[2])
    if second == cells, first > 4, first < cells { return [.yolov8] }
    if first == 3 * cells, second > 5 { return [.yolov5] }
    if first == cellsPlus, second > 32 { return second == 85 ? [.yolox, .nanodet] : [.nanodet] }
    if first == cells, second > 5 {
      // YOLOv8's outputs are sometimes transposed; by the usual 80 classes they are told apart.
      return second == 85 ? [.yolox] : [.yolox, .yolov8]
    }
    if second == 6, first <= maximumQueries || first < 0 { return [.yoloEndToEnd] }
    if second > 6, first <= maximumQueries, first > 0 { return [.rtdetrJoined] }
    return []
  }

  static func grid(_ input: (width: Int, height: Int), strides: [Int]) -> Int {
    strides.map { ((input.width + $0 - 1) / $0) * ((input.height + $0 - 1) / $0) }.reduce(0, +)
  }
}

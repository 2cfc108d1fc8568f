internal import VStreamInference
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A box that a network found, in the pixels of its input.
struct RawDetection: Hashable, Sendable {
  /// As the network numbers them.
  var classIndex: Int
  var score: Float
  var box: Box
}

/// Numbers of an output, row by row: the last dimension of its shape is a row's length.
struct OutputTable {
  let shape: [Int]
  let values: [Float]
}

/// Reads boxes out of a network's outputs. Pure: the same numbers give the same boxes.
///
/// Sources: the papers and export formats named at each function. All scores are 0…1.
struct OutputReader: Hashable, Sendable {
  let layout: OutputLayout
  /// Of the network's input, in pixels.
  let width: Int
  let height: Int
  /// Boxes with lower scores are not read.
  let minimumScore: Float
  /// Whether the last class of logits stands for nothing (DETR): then the scores are a distribution over all of them.
  var hasNoObjectClass = false

  /// - Parameter outputs: in the layout's order, see `OutputLayout`.
  /// - Returns: what was found, in no particular order; rows that make no sense are passed over.
  func read(_ outputs: [OutputTable]) -> [RawDetection] {
    switch layout {
    case .ssdMobileNetV2: []  // `SSDDecoder` reads it
    case .yolox: readYOLOX(outputs[0])
    case .yolov5: readRows(outputs[0], hasObjectness: true, scale: (1, 1))
    case .yolov8: readColumns(outputs[0])
    case .yoloEndToEnd: readEndToEnd(outputs[0])
    case .rtdetrJoined: readRows(outputs[0], hasObjectness: false, scale: (Double(width), Double(height)))
    case .detr: readDETR(boxes: outputs[0], logits: outputs[1])
    case .rtdetr: readTriple(labels: outputs[0], boxes: outputs[1], scores: outputs[2])
    case .ssd: readDetectionOutput(outputs[0])
    case .tensorFlowSSD:
      readTensorFlow(boxes: outputs[0], classes: outputs[1], scores: outputs[2], count: outputs[3])
    case .nanodet: readNanoDet(outputs[0])
    }
  }

  /// How far a class's number may be from a whole one in a network of few bits.
  private static let roundingError: Float = 0.001

  /// What shows that the outputs are of another layout, of the same shape; `nil` if nothing does.
  ///
  /// Classes of `[1,K,6]` are numbers; where they are not whole, they are scores: RT-DETR's of two classes, for example.
  func contradiction(in outputs: [OutputTable]) -> String? {
    guard layout == .yoloEndToEnd else { return nil }
    var other: Float?
    forEachRow(outputs[0]) { row in
      let (score, number) = (row[row.startIndex + 4], row[row.startIndex + 5])
      guard score >= minimumScore, number.isFinite, abs(number - number.rounded()) > Self.roundingError else { return }
      other = other ?? number
    }
    return other.map { "a class has the number \($0)" }
  }

  /// Z. Ge et al., "YOLOX: Exceeding YOLO Series in 2021", 2021.
  private func readYOLOX(_ table: OutputTable) -> [RawDetection] {
    var found: [RawDetection] = []
    forEachCell(strides: [8, 16, 32], table) { row, cell in
      let objectness = row[row.startIndex + 4]
      guard objectness >= minimumScore, let best = best(row.dropFirst(5)) else { return }
      let stride = Double(cell.stride)
      let center = Point(
        x: (Double(row[row.startIndex]) + Double(cell.column)) * stride,
        y: (Double(row[row.startIndex + 1]) + Double(cell.row)) * stride)
      let box = Box(
        center: center, width: exp(Double(row[row.startIndex + 2])) * stride,
        height: exp(Double(row[row.startIndex + 3])) * stride)
      add(best.index, objectness * best.score, box, to: &found)
    }
    return found
  }

  /// A row for each box: centre and size, objectness where there is one, class scores.
  private func readRows(
    _ table: OutputTable, hasObjectness: Bool, scale: (x: Double, y: Double)
  ) -> [RawDetection] {
    var found: [RawDetection] = []
    forEachRow(table) { row in
      let start = row.startIndex
      let objectness = hasObjectness ? row[start + 4] : 1
      guard objectness >= minimumScore, let best = best(row.dropFirst(hasObjectness ? 5 : 4)) else { return }
      let box = Box(
        center: Point(x: Double(row[start]) * scale.x, y: Double(row[start + 1]) * scale.y),
        width: Double(row[start + 2]) * scale.x, height: Double(row[start + 3]) * scale.y)
      add(best.index, objectness * best.score, box, to: &found)
    }
    return found
  }

  /// A column for each box: centre and size, class scores (Ultralytics' anchor-free exports).
  private func readColumns(_ table: OutputTable) -> [RawDetection] {
    let (rows, cells) = (table.shape[table.shape.count - 2], table.shape[table.shape.count - 1])
    guard rows > 4, cells > 0, table.values.count == rows * cells else { return [] }
    var best = [Float](repeating: -.infinity, count: cells)
    var classes = [Int](repeating: 0, count: cells)
    for row in 4..<rows {
      for cell in 0..<cells where table.values[row * cells + cell] > best[cell] {
        best[cell] = table.values[row * cells + cell]
        classes[cell] = row - 4
      }
    }
    var found: [RawDetection] = []
    for cell in 0..<cells where best[cell] >= minimumScore {
      let side = { (row: Int) in Double(table.values[row * cells + cell]) }
      let box = Box(center: Point(x: side(0), y: side(1)), width: side(2), height: side(3))
      add(classes[cell], best[cell], box, to: &found)
    }
    return found
  }

  /// Corners, score, class.
  private func readEndToEnd(_ table: OutputTable) -> [RawDetection] {
    var found: [RawDetection] = []
    forEachRow(table) { row in
      let at = { (index: Int) in Double(row[row.startIndex + index]) }
      add(
        at(5), row[row.startIndex + 4], Box(left: at(0), top: at(1), right: at(2), bottom: at(3)), to: &found)
    }
    return found
  }

  /// N. Carion et al., "End-to-End Object Detection with Transformers", 2020; its followers score each class by itself.
  private func readDETR(boxes: OutputTable, logits: OutputTable) -> [RawDetection] {
    let classes = logits.shape.last ?? 0
    guard classes > 0, boxes.values.count / 4 == logits.values.count / classes else { return [] }
    var found: [RawDetection] = []
    for index in 0..<boxes.values.count / 4 {
      let row = logits.values[index * classes..<(index + 1) * classes]
      let best: (index: Int, score: Float)?
      if hasNoObjectClass {
        let highest = row.max() ?? 0
        let sum = row.reduce(0) { $0 + expf($1 - highest) }
        best = self.best(row.dropLast()).map { ($0.index, expf($0.score - highest) / sum) }
      } else {
        best = self.best(row).map { ($0.index, 1 / (1 + expf(-$0.score))) }
      }
      guard let best else { continue }
      let side = { (place: Int) in Double(boxes.values[index * 4 + place]) }
      let box = Box(
        center: Point(x: side(0) * Double(width), y: side(1) * Double(height)), width: side(2) * Double(width),
        height: side(3) * Double(height))
      add(best.index, best.score, box, to: &found)
    }
    return found
  }

  /// Y. Zhao et al., "DETRs Beat YOLOs on Real-time Object Detection", 2024; Y. Peng et al., "D-FINE", 2024.
  private func readTriple(labels: OutputTable, boxes: OutputTable, scores: OutputTable) -> [RawDetection] {
    guard labels.values.count == scores.values.count, boxes.values.count == 4 * scores.values.count else { return [] }
    var found: [RawDetection] = []
    for index in scores.values.indices {
      let side = { (place: Int) in Double(boxes.values[index * 4 + place]) }
      let box = Box(left: side(0), top: side(1), right: side(2), bottom: side(3))
      add(Double(labels.values[index]), scores.values[index], box, to: &found)
    }
    return found
  }

  /// W. Liu et al., "SSD: Single Shot MultiBox Detector", 2016; a row whose image is negative ends the list.
  private func readDetectionOutput(_ table: OutputTable) -> [RawDetection] {
    var found: [RawDetection] = []
    var hasEnded = false
    forEachRow(table) { row in
      let at = { (index: Int) in Double(row[row.startIndex + index]) }
      hasEnded = hasEnded || at(0) < 0
      guard !hasEnded else { return }
      let box = Box(
        left: at(3) * Double(width), top: at(4) * Double(height), right: at(5) * Double(width),
        bottom: at(6) * Double(height))
      add(at(1), row[row.startIndex + 2], box, to: &found)
    }
    return found
  }

  private func readTensorFlow(
    boxes: OutputTable, classes: OutputTable, scores: OutputTable, count: OutputTable
  ) -> [RawDetection] {
    guard boxes.values.count == 4 * scores.values.count, classes.values.count == scores.values.count else { return [] }
    let number = count.values.first.map { $0.isFinite ? Int(max(0, min($0, 1e6))) : 0 } ?? 0
    var found: [RawDetection] = []
    for index in scores.values.indices.prefix(number) {
      let side = { (place: Int) in Double(boxes.values[index * 4 + place]) }
      let box = Box(
        left: side(1) * Double(width), top: side(0) * Double(height), right: side(3) * Double(width),
        bottom: side(2) * Double(height))
      add(Double(classes.values[index]), scores.values[index], box, to: &found)
    }
    return found
  }

  /// X. Li et al., "Generalized Focal Loss", 2020 (distances as distributions), as NanoDet-Plus exports it: the centres
  /// of its cells are their top left corners.
  private func readNanoDet(_ table: OutputTable) -> [RawDetection] {
    let classes = (table.shape.last ?? 0) - 32
    guard classes > 0 else { return [] }
    var found: [RawDetection] = []
    forEachCell(strides: [8, 16, 32, 64], table) { row, cell in
      guard let best = best(row.prefix(classes)), best.score >= minimumScore else { return }
      let distances = (0..<4).map { side -> Double in
        let bins = row.dropFirst(classes + 8 * side).prefix(8)
        let highest = bins.max() ?? 0
        let weights = bins.map { exp(Double($0 - highest)) }
        let mean = weights.enumerated().map { Double($0.offset) * $0.element }.reduce(0, +) / weights.reduce(0, +)
        return mean * Double(cell.stride)
      }
      let (x, y) = (Double(cell.column * cell.stride), Double(cell.row * cell.stride))
      let box = Box(
        left: x - distances[0], top: y - distances[1], right: x + distances[2], bottom: y + distances[3])
      add(best.index, best.score, box, to: &found)
    }
    return found
  }

  /// A class that is given as a number, as it is in exports.
  private func add(_ number: Double, _ score: Float, _ box: Box, to found: inout [RawDetection]) {
    guard number.rounded() >= 0, number < 1e6 else { return }
    add(Int(number.rounded()), score, box, to: &found)
  }

  private func add(_ index: Int, _ score: Float, _ box: Box, to found: inout [RawDetection]) {
    guard score >= minimumScore, score <= 1.001, !box.isEmpty else { return }
    found.append(RawDetection(classIndex: index, score: min(1, score), box: box))
  }

  private func best(_ scores: ArraySlice<Float>) -> (index: Int, score: Float)? {
    guard let place = scores.indices.max(by: { scores[$0] < scores[$1] }) else { return nil }
    return (place - scores.startIndex, scores[place])
  }

  private func forEachRow(_ table: OutputTable, _ body: (ArraySlice<Float>) -> Void) {
    guard let length = table.shape.last, length > 4 else { return }
    for row in 0..<table.values.count / length { body(table.values[row * length..<(row + 1) * length]) }
  }

  private func forEachCell(
    strides: [Int], _ table: OutputTable,
    _ body: (ArraySlice<Float>, (stride: Int, column: Int, row: Int)) -> Void
  ) {
    guard let length = table.shape.last, length > 5,
      table.values.count == length * OutputLayout.grid((width, height), strides: strides)
    else { return }
    var next = 0
    for stride in strides {
      for row in 0..<(height + stride - 1) / stride {
        for column in 0..<(width + stride - 1) / stride {
          body(table.values[next..<next + length], (stride, column, row))
          next += length
        }
      }
    }
  }
}

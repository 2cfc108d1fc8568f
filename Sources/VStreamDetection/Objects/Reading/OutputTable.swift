internal import VStreamCore

/// An output's values, row by row: the last dimension of its shape is the length of a row.
struct OutputTable {
  let shape: [Int]
  let values: [Float]

  /// Rows of less than five values are skipped.
  func forEachRow(_ body: (ArraySlice<Float>) -> Void) {
    guard let length = shape.last, length > 4 else { return }
    for row in 0..<values.count / length { body(values[row * length..<(row + 1) * length]) }
  }

  /// Nothing, unless there is a row of more than five values for each cell.
  func forEachCell(of grid: CellGrid, _ body: (ArraySlice<Float>, CellGrid.Cell) -> Void) {
    guard let length = shape.last, length > 5, values.count == length * grid.count else { return }
    var next = 0
    grid.forEach { cell in
      body(values[next..<next + length], cell)
      next += length
    }
  }

  /// Boxes from rows of centre, size, objectness where there is one, and class scores.
  ///
  /// - Parameter scale: the input's pixels in one unit of the boxes.
  func centeredBoxes(
    hasObjectness: Bool, scale: (x: Double, y: Double), minimumScore: Float
  ) -> [RawDetection] {
    var found = RawDetectionList(minimumScore: minimumScore)
    forEachRow { row in
      let start = row.startIndex
      let objectness = hasObjectness ? row[start + 4] : 1
      guard objectness >= minimumScore, let best = row.dropFirst(hasObjectness ? 5 : 4).best else { return }
      let box = Box(
        center: Point(x: Double(row[start]) * scale.x, y: Double(row[start + 1]) * scale.y),
        width: Double(row[start + 2]) * scale.x, height: Double(row[start + 3]) * scale.y)
      found.append(best.index, objectness * best.score, box)
    }
    return found.detections
  }
}

extension ArraySlice<Float> {
  /// The highest score and its index from 0.
  var best: (index: Int, score: Float)? {
    guard let index = indices.max(by: { self[$0] < self[$1] }) else { return nil }
    return (index - startIndex, self[index])
  }
}

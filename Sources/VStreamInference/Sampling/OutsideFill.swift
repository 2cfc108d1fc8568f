internal import VStreamScene

/// Sets the pixels of a tensor whose centres lie outside the frame.
struct OutsideFill {
  let frame: PixelSize
  let region: RotatedBox
  let format: TensorFormat

  /// - Parameter level: 0…255.
  func fill(_ target: UnsafeMutableBufferPointer<Float>, with level: Float) {
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { region.point(across: $0.0, down: $0.1) }
    if corners.allSatisfy(isInside) { return }
    let size = format.size
    let values = level * format.scale + format.offset
    let (step, plane) = format.layout == .interleaved ? (3, 1) : (1, format.pixelCount)
    let origin = region.point(across: 0, down: 0)
    let right = region.point(across: 1 / Double(size.width), down: 0)
    let below = region.point(across: 0, down: 1 / Double(size.height))
    func center(_ row: Int, _ column: Int) -> Point {
      let (i, j) = (Double(column) + 0.5, Double(row) + 0.5)
      return Point(
        x: origin.x + i * (right.x - origin.x) + j * (below.x - origin.x),
        y: origin.y + i * (right.y - origin.y) + j * (below.y - origin.y))
    }
    for row in 0..<size.height {
      // The frame is convex: between two pixels inside, all are inside.
      if isInside(center(row, 0)), isInside(center(row, size.width - 1)) { continue }
      for column in 0..<size.width where !isInside(center(row, column)) {
        let first = (row * size.width + column) * step
        for channel in 0..<3 { target[first + channel * plane] = values[channel] }
      }
    }
  }

  /// Sets them to what lies as far inside the frame's edge, where the region contains that.
  func mirror(_ target: UnsafeMutableBufferPointer<Float>) {
    guard region.angle == 0 else { return }
    let box = region.upright
    let columns = Self.mirrored(count: format.size.width, from: box.x, length: box.width, limit: frame.width)
    let rows = Self.mirrored(count: format.size.height, from: box.y, length: box.height, limit: frame.height)
    let (step, plane) = format.layout == .interleaved ? (3, 1) : (1, format.pixelCount)
    for (row, sourceRow) in rows.enumerated() {
      for (column, sourceColumn) in columns.enumerated() where (row, column) != (sourceRow, sourceColumn) {
        let to = (row * columns.count + column) * step
        let from = (sourceRow * columns.count + sourceColumn) * step
        for channel in 0..<3 { target[to + channel * plane] = target[from + channel * plane] }
      }
    }
  }

  /// For each index along an axis, the index of what it shows: its own inside the frame, and where the mirrored one lies
  /// outside the region.
  private static func mirrored(count: Int, from start: Double, length: Double, limit: Int) -> [Int] {
    let scale = length / Double(count)
    return (0..<count).map { index in
      let position = start + (Double(index) + 0.5) * scale
      let shown = position < 0 ? -position : position > Double(limit) ? 2 * Double(limit) - position : position
      let source = Int(((shown - start) / scale - 0.5).rounded())
      let isFound = (0..<count).contains(source) && shown >= 0 && shown <= Double(limit)
      return isFound ? source : index
    }
  }

  private func isInside(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
  }
}

internal import VStreamScene

/// Sets the pixels of a tensor whose centres lie outside the frame to a level.
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

  private func isInside(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
  }
}

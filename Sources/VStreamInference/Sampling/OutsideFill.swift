internal import VStreamCore

/// Sets the pixels of a tensor whose centres lie outside the frame.
struct OutsideFill {
  let frame: PixelSize
  let region: RotatedBox
  let format: TensorFormat

  /// - Parameter level: 0…255.
  func fill(_ target: UnsafeMutableBufferPointer<Float>, with level: Float) {
    let values = level * format.scale + format.offset
    forEachOutside { pixel in
      for channel in 0..<3 { target[offset(of: pixel, channel)] = values[channel] }
    }
  }

  private func offset(of pixel: (row: Int, column: Int), _ channel: Int) -> Int {
    let index = pixel.row * format.size.width + pixel.column
    return format.layout == .interleaved ? index * 3 + channel : index + channel * format.pixelCount
  }

  /// Calls `body` for each pixel whose centre lies outside the frame.
  private func forEachOutside(_ body: (_ pixel: (row: Int, column: Int)) -> Void) {
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { region.point(across: $0.0, down: $0.1) }
    if corners.allSatisfy(isInside) { return }
    let size = format.size
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
      for column in 0..<size.width {
        if !isInside(center(row, column)) { body((row, column)) }
      }
    }
  }

  private func isInside(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
  }
}

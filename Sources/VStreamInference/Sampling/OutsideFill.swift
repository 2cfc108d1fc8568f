internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Sets the pixels of a tensor whose centres lie outside the frame.
struct OutsideFill {
  let frame: PixelSize
  let region: RotatedBox
  let format: TensorFormat

  /// - Parameters:
  ///   - level: 0…255.
  ///   - isFilled: whether a pixel at a position in the frame is set.
  func fill(
    _ target: UnsafeMutableBufferPointer<Float>, with level: Float, where isFilled: (Point) -> Bool = { _ in true }
  ) {
    let values = level * format.scale + format.offset
    forEachOutside { pixel, point in
      guard isFilled(point) else { return }
      for channel in 0..<3 { target[offset(of: pixel, channel)] = values[channel] }
    }
  }

  /// Sets them to what lies as far inside the frame's edge, where the region contains that.
  func mirror(_ target: UnsafeMutableBufferPointer<Float>) {
    let (width, height) = (Double(frame.width), Double(frame.height))
    let (cosine, sine) = (cos(region.angle), sin(region.angle))
    func mirrored(_ position: Double, _ limit: Double) -> Double {
      position < 0 ? -position : position > limit ? 2 * limit - position : position
    }
    forEachOutside { pixel, point in
      let shown = Point(x: mirrored(point.x, width), y: mirrored(point.y, height))
      guard isInside(shown) else { return }
      let (x, y) = (shown.x - region.center.x, shown.y - region.center.y)
      let column = ((x * cosine + y * sine) / region.width + 0.5) * Double(format.size.width) - 0.5
      let row = ((y * cosine - x * sine) / region.height + 0.5) * Double(format.size.height) - 0.5
      // As `rounded`, which is a call for each pixel without SSE 4.1.
      guard row > -0.5, column > -0.5 else { return }
      let source = (row: Int(row + 0.5), column: Int(column + 0.5))
      guard (0..<format.size.width).contains(source.column), (0..<format.size.height).contains(source.row) else {
        return
      }
      for channel in 0..<3 { target[offset(of: pixel, channel)] = target[offset(of: source, channel)] }
    }
  }

  private func offset(of pixel: (row: Int, column: Int), _ channel: Int) -> Int {
    let index = pixel.row * format.size.width + pixel.column
    return format.layout == .interleaved ? index * 3 + channel : index + channel * format.pixelCount
  }

  /// Calls `body` for each pixel whose centre lies outside the frame, with the centre's position in the frame.
  private func forEachOutside(_ body: (_ pixel: (row: Int, column: Int), _ center: Point) -> Void) {
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
        let point = center(row, column)
        if !isInside(point) { body((row, column), point) }
      }
    }
  }

  private func isInside(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
  }
}

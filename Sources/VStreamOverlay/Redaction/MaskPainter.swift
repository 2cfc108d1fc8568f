package import VStreamCore
package import VStreamMedia

/// Fills fixed polygons of frames with black, irreversibly: every sample that a polygon touches. One owner at a time.
package struct MaskPainter: Sendable {
  private let polygons: @Sendable (PixelSize) -> [[Point]]
  /// The masks of frames of one size and format.
  private var prepared: (size: PixelSize, format: PixelFormat, masks: [Mask])?

  /// Pixels around a polygon that are filled as well: a chroma sample may belong to four.
  private static let margin = 4.0

  /// - Parameter polygons: the corners of each, in frames of a size.
  package init(polygons: @escaping @Sendable (PixelSize) -> [[Point]]) { self.polygons = polygons }

  /// - Throws: `VStreamError.library` if there is no memory for a copy, or the pixels cannot be addressed.
  package mutating func paint(on frame: inout VideoFrame) throws {
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be masked")
    }
    if prepared?.size != frame.size || prepared?.format != frame.format {
      prepared = (frame.size, frame.format, polygons(frame.size).compactMap { Self.mask(of: $0, frame.size, layout) })
    }
    guard let masks = prepared?.masks, !masks.isEmpty else { return }
    let black = StoredColor(
      .black, layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: frame.size.height)
    try frame.withMutablePlanes { planes in
      let canvas = Canvas(planes, layout: layout)
      for mask in masks { canvas.paint(mask, black) }
    }
  }

  /// - Returns: `nil` for a polygon outside the frame.
  private static func mask(of corners: [Point], _ size: PixelSize, _ layout: PixelLayout) -> Mask? {
    let (x, y) = (corners.map(\.x), corners.map(\.y))
    guard let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else { return nil }
    let bounds = Box(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)
    var mask = Mask()
    guard
      mask.reset(
        covering: bounds, frame: size, chromaShiftX: layout.chromaShiftX, chromaShiftY: layout.chromaShiftY)
    else { return nil }
    for row in 0..<mask.height {
      for column in 0..<mask.width {
        let point = Point(x: Double(mask.left + column) + 0.5, y: Double(mask.top + row) + 0.5)
        if isInside(point, corners) || isNear(point, corners) { mask.cover(column, row, 255) }
      }
    }
    return mask
  }

  /// Whether a ray from the point crosses an odd number of edges.
  private static func isInside(_ point: Point, _ corners: [Point]) -> Bool {
    var isInside = false
    for (start, end) in edges(corners) where (start.y > point.y) != (end.y > point.y) {
      let crossing = start.x + (point.y - start.y) / (end.y - start.y) * (end.x - start.x)
      if point.x < crossing { isInside.toggle() }
    }
    return isInside
  }

  /// Whether an edge is nearer than the margin.
  private static func isNear(_ point: Point, _ corners: [Point]) -> Bool {
    edges(corners).contains { start, end in
      let (across, down) = (end.x - start.x, end.y - start.y)
      let length = across * across + down * down
      let along = length > 0 ? ((point.x - start.x) * across + (point.y - start.y) * down) / length : 0
      let part = min(max(along, 0), 1)
      let (x, y) = (start.x + part * across - point.x, start.y + part * down - point.y)
      return x * x + y * y < margin * margin
    }
  }

  private static func edges(_ corners: [Point]) -> [(Point, Point)] {
    Array(zip(corners, Array(corners.dropFirst()) + corners.prefix(1)))
  }
}

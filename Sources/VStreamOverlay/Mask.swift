internal import VStreamScene

/// How much of each pixel of a small part of the frame a shape covers: 0 none, 255 all.
///
/// Its memory is reused from shape to shape. The part's corner lies on the chroma grid, so that each chroma sample's
/// coverage is the mean of its pixels'.
struct Mask {
  private(set) var left = 0
  private(set) var top = 0
  private(set) var width = 0
  private(set) var height = 0
  private(set) var coverage: [UInt8] = []

  /// Makes the mask empty, of the part of the frame that holds a box.
  ///
  /// - Returns: `false` if the box lies outside the frame.
  mutating func reset(covering box: Box, frame: PixelSize, chromaShiftX: Int, chromaShiftY: Int) -> Bool {
    guard let inside = box.clipped(to: frame) else { return false }
    left = (Int(inside.x) >> chromaShiftX) << chromaShiftX
    top = (Int(inside.y) >> chromaShiftY) << chromaShiftY
    width = min(frame.width, Int(inside.right.rounded(.up))) - left
    height = min(frame.height, Int(inside.bottom.rounded(.up))) - top
    guard width > 0, height > 0 else { return false }
    coverage.removeAll(keepingCapacity: true)
    coverage.append(contentsOf: repeatElement(0, count: width * height))
    return true
  }

  /// Covers the area of `outer` that is not in `hole`, to the fraction of a pixel.
  mutating func fill(_ outer: Box, hole: Box? = nil) {
    func overlap(_ pixel: Int, _ low: Double, _ high: Double) -> Double {
      max(0, min(Double(pixel) + 1, high) - max(Double(pixel), low))
    }
    for row in 0..<height {
      let outerY = overlap(top + row, outer.y, outer.bottom)
      let holeY = hole.map { overlap(top + row, $0.y, $0.bottom) } ?? 0
      guard outerY > 0 else { continue }
      for column in 0..<width {
        var share = outerY * overlap(left + column, outer.x, outer.right)
        if let hole, holeY > 0 { share -= holeY * overlap(left + column, hole.x, hole.right) }
        coverage[row * width + column] = UInt8(max(0, min(255, (share * 255).rounded())))
      }
    }
  }

  /// Covers a pixel of the part at least this much.
  mutating func cover(_ column: Int, _ row: Int, _ share: UInt8) {
    coverage[row * width + column] = max(coverage[row * width + column], share)
  }

  /// Covers what a glyph does, its top left corner at a pixel of the frame.
  mutating func stamp(_ glyph: Glyph, x: Int, y: Int) {
    let firstColumn = max(0, left - x)
    let columns = firstColumn..<max(firstColumn, min(glyph.width, left + width - x))
    let firstRow = max(0, top - y)
    for row in firstRow..<max(firstRow, min(glyph.height, top + height - y)) {
      let target = (y + row - top) * width + x - left
      for column in columns {
        let value = glyph.coverage[row * glyph.width + column]
        coverage[target + column] = max(coverage[target + column], value)
      }
    }
  }
}

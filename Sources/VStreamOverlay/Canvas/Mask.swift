internal import VStreamCore

/// The coverage of each pixel in a region of the frame by a shape: 0 none, 255 all.
///
/// The memory is reused from shape to shape. The region's edges lie on the chroma grid or the frame's edges, so that the
/// coverage of each chroma sample is the mean of its pixels'.
struct Mask {
  private(set) var left = 0
  private(set) var top = 0
  private(set) var width = 0
  private(set) var height = 0
  /// The distance between rows of `coverage`, a multiple of 16; values beyond `width` are 0.
  private(set) var stride = 0
  private(set) var coverage: [UInt8] = []

  /// Clears the mask and sets its region to the part of the frame that holds a box.
  ///
  /// - Returns: `false` if the box lies outside the frame.
  mutating func reset(covering box: Box, frame: PixelSize, chromaShiftX: Int, chromaShiftY: Int) -> Bool {
    guard let inside = box.clipped(to: frame) else { return false }
    left = (Int(inside.x) >> chromaShiftX) << chromaShiftX
    top = (Int(inside.y) >> chromaShiftY) << chromaShiftY
    func end(_ edge: Double, _ shift: Int) -> Int { ((Int(edge.rounded(.up)) + (1 << shift) - 1) >> shift) << shift }
    width = min(frame.width, end(inside.right, chromaShiftX)) - left
    height = min(frame.height, end(inside.bottom, chromaShiftY)) - top
    guard width > 0, height > 0 else { return false }
    stride = (width + 15) & ~15
    coverage.removeAll(keepingCapacity: true)
    coverage.append(contentsOf: repeatElement(0, count: stride * height))
    return true
  }

  /// Replaces the coverage by that of a box, with fractions of pixels at its edges.
  mutating func fill(_ box: Box) {
    func overlap(_ pixel: Int, _ low: Double, _ high: Double) -> Double {
      max(0, min(Double(pixel) + 1, high) - max(Double(pixel), low))
    }
    var last: Double?
    for row in 0..<height {
      let rowCoverage = overlap(top + row, box.y, box.bottom)
      let start = row * stride
      if rowCoverage == last {
        // Most rows of a box are equal.
        for column in 0..<width { coverage[start + column] = coverage[start - stride + column] }
      } else {
        for column in 0..<width {
          let value = rowCoverage * overlap(left + column, box.x, box.right)
          coverage[start + column] = UInt8(value * 255 + 0.5)
        }
      }
      last = rowCoverage
    }
  }

  /// Raises the coverage of a pixel of the region to at least `value`.
  mutating func cover(_ column: Int, _ row: Int, _ value: UInt8) {
    coverage[row * stride + column] = max(coverage[row * stride + column], value)
  }

  /// Adds a glyph, with its top left corner at a pixel of the frame.
  mutating func stamp(_ glyph: Glyph, x: Int, y: Int) {
    let firstColumn = max(0, left - x)
    let columns = firstColumn..<max(firstColumn, min(glyph.width, left + width - x))
    let firstRow = max(0, top - y)
    for row in firstRow..<max(firstRow, min(glyph.height, top + height - y)) {
      let target = (y + row - top) * stride + x - left
      for column in columns {
        let value = glyph.coverage[row * glyph.width + column]
        coverage[target + column] = max(coverage[target + column], value)
      }
    }
  }
}

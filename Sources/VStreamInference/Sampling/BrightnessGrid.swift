package import VStreamCore
package import VStreamMedia

/// The mean brightness of the cells of a grid over a frame, from some of each cell's pixels.
///
/// One owner at a time; its memory is reused from frame to frame.
package struct BrightnessGrid {
  /// Cells in a row and in a column.
  package private(set) var size = PixelSize(width: 0, height: 0)
  /// Pixels of the frame along each side of a cell.
  package private(set) var cell = 1
  /// 0…255, row by row, eight cells each; 0 after the last cell.
  package private(set) var values: [SIMD8<Float>] = []
  private var frame = PixelSize(width: 0, height: 0)
  /// For each column of the frame, the sum of some rows of a row of cells.
  private var sums: [UInt32] = []

  /// Cells along the longer side of a large frame.
  private static let cells = 160
  /// The side of a cell in a small frame, in pixels.
  private static let smallestCell = 4
  /// Rows and columns of pixels that are read of a cell.
  private static let lines = 2
  private static let columns = 4

  package init() {}

  /// Reads a frame: `values` are those of its luma, or of red where there is none.
  ///
  /// - Returns: whether the grid is another than before.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  package mutating func read(_ frame: VideoFrame) throws(VStreamError) -> Bool {
    guard let component = frame.format.layout?.components.first else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be sampled")
    }
    let isOther = frame.size != self.frame
    if isOther { resize(to: frame.size) }
    frame.withPlanes { planes in
      guard let base = planes.bases[component.plane] else { return }
      let first = base.advanced(by: component.offset)
      let stride = planes.strides[component.plane]
      if component.depth + component.shift > 8 {
        read(UInt16.self, first, component, stride: stride)
      } else {
        read(UInt8.self, first, component, stride: stride)
      }
    }
    return isOther
  }

  private mutating func resize(to frame: PixelSize) {
    self.frame = frame
    cell = max(Self.smallestCell, (max(frame.width, frame.height) + Self.cells - 1) / Self.cells)
    size = PixelSize(width: max(1, frame.width / cell), height: max(1, frame.height / cell))
    values = [SIMD8<Float>](repeating: .zero, count: (size.width * size.height + 7) / 8)
    sums = [UInt32](repeating: 0, count: frame.width)
  }

  @inline(__always)
  private mutating func read<Sample: FixedWidthInteger & UnsignedInteger>(
    _: Sample.Type, _ base: UnsafeRawPointer, _ component: PixelLayout.Component, stride: Int
  ) {
    let (columns, rows, cell, width) = (size.width, size.height, cell, frame.width)
    let step = component.step / MemoryLayout<Sample>.size
    // A cell is larger than a frame of a few pixels.
    let (across, down) = (min(cell, width), min(cell, frame.height))
    let (pixels, lines) = (min(Self.columns, across), min(Self.lines, down))
    let spacing = across / max(1, pixels)
    let unit = Float(1 << max(0, component.depth - 8 + component.shift))
    let factor = 1 / (Float(pixels * lines) * unit)
    values.withUnsafeMutableBytes { bytes in
      sums.withUnsafeMutableBufferPointer { sums in
        let values = bytes.assumingMemoryBound(to: Float.self)
        for row in 0..<rows {
          for line in 0..<lines {
            let y = row &* cell &+ line &* down / lines
            let samples = base.advanced(by: y &* stride).assumingMemoryBound(to: Sample.self)
            Self.add(samples, step: step, isFirst: line == 0, count: width, to: sums)
          }
          for column in 0..<columns {
            var sum: UInt32 = 0
            let first = column &* cell
            for pixel in 0..<pixels { sum &+= sums[first &+ pixel &* spacing] }
            values[row &* columns &+ column] = Float(sum) * factor
          }
        }
      }
    }
  }

  @inline(__always)
  private static func add<Sample: FixedWidthInteger & UnsignedInteger>(
    _ samples: UnsafePointer<Sample>, step: Int, isFirst: Bool, count: Int, to sums: UnsafeMutableBufferPointer<UInt32>
  ) {
    // `sums` has `count` elements; pointers let the compiler vectorise the loops.
    guard let target = sums.baseAddress else { return }
    switch (step == 1, isFirst) {
    case (true, true): for x in 0..<count { target[x] = UInt32(truncatingIfNeeded: samples[x]) }
    case (true, false): for x in 0..<count { target[x] &+= UInt32(truncatingIfNeeded: samples[x]) }
    case (false, true): for x in 0..<count { target[x] = UInt32(truncatingIfNeeded: samples[x &* step]) }
    case (false, false): for x in 0..<count { target[x] &+= UInt32(truncatingIfNeeded: samples[x &* step]) }
    }
  }
}

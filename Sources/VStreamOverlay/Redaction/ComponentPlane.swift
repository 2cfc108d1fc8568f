internal import VStreamCore
internal import VStreamMedia

/// One component of a frame that is redacted. Valid only inside `withMutablePlanes`.
struct ComponentPlane {
  let base: UnsafeMutableRawPointer
  let stride: Int
  let component: PixelLayout.Component
  let grid: MosaicGrid
  /// The value that `fill` writes.
  let fill: Int

  private var width: Int { (grid.frame.width + (1 << component.shiftX) - 1) >> component.shiftX }
  private var height: Int { (grid.frame.height + (1 << component.shiftY) - 1) >> component.shiftY }

  /// - Parameters:
  ///   - cells: the means of the grid's cells, or where the new ones are put.
  ///   - isHeld: whether `cells` has them.
  func redact<Sample: FixedWidthInteger & UnsignedInteger>(
    _ ellipse: Ellipse, _ style: RedactionStyle, _ cells: inout CellMeans, isHeld: Bool, _: Sample.Type
  ) {
    let rows = samples(ellipse.center.y, ellipse.radiusY, shift: component.shiftY, count: height)
    let widest = samples(ellipse.center.x, ellipse.radiusX, shift: component.shiftX, count: width)
    guard !rows.isEmpty, !widest.isEmpty else { return }
    if style == .fill {
      for row in rows { write(row, columns(of: ellipse, row: row), fill, Sample.self) }
      return
    }
    if !isHeld {
      // One more cell on each side, for the interpolation.
      cells.set(columns: cellRange(widest, across), rows: cellRange(rows, down)) {
        mean(column: $0, row: $1, Sample.self)
      }
    }
    if style == .mosaic {
      for row in rows { writeMosaic(row, columns(of: ellipse, row: row), cells, Sample.self) }
    } else {
      cells.setPositions(of: widest) { position(of: $0, across) }
      for row in rows {
        cells.setLine(at: position(of: row, down))
        writeBlur(row, columns(of: ellipse, row: row), cells, Sample.self)
      }
    }
  }

  // MARK: Samples in the ellipse

  /// The samples of a row whose area intersects an ellipse.
  private func columns(of ellipse: Ellipse, row: Int) -> Range<Int> {
    let (top, bottom) = (Double(row << component.shiftY), Double((row + 1) << component.shiftY))
    let distance = max(0, top - ellipse.center.y, ellipse.center.y - bottom) / ellipse.radiusY
    guard distance <= 1 else { return 0..<0 }
    let half = ellipse.radiusX * (1 - distance * distance).squareRoot()
    return samples(ellipse.center.x, half, shift: component.shiftX, count: width)
  }

  /// The samples, of `count` in a line, whose area lies within a distance of a position.
  private func samples(_ center: Double, _ distance: Double, shift: Int, count: Int) -> Range<Int> {
    let size = Double(1 << shift)
    let first = min(max(0, Int(clamping: ((center - distance) / size).rounded(.down))), count)
    let end = min(max(first, Int(clamping: ((center + distance) / size).rounded(.up))), count)
    return first..<end
  }

  // MARK: Cells

  /// The cells and the samples along one direction.
  private struct Axis {
    let cells: Range<Int>
    /// Of the cell 0, in pixels.
    let origin: Int
    let shift: Int
    /// Samples.
    let length: Int
  }

  private var across: Axis {
    Axis(cells: grid.columns, origin: grid.origin.x, shift: component.shiftX, length: width)
  }
  private var down: Axis { Axis(cells: grid.rows, origin: grid.origin.y, shift: component.shiftY, length: height) }

  /// The column or row of the cell that contains a sample.
  private func cell(of sample: Int, _ axis: Axis) -> Int {
    min(
      max(axis.cells.lowerBound, ((sample << axis.shift) - axis.origin).flooredQuotient(by: grid.cell)),
      axis.cells.upperBound - 1)
  }

  /// The cells of a range of samples, and one more on each side.
  private func cellRange(_ samples: Range<Int>, _ axis: Axis) -> Range<Int> {
    let (first, last) = (cell(of: samples.lowerBound, axis), cell(of: samples.upperBound - 1, axis))
    return max(axis.cells.lowerBound, first - 1)..<min(axis.cells.upperBound, last + 2)
  }

  /// The position of a sample's centre between the centres of cells: the preceding cell, and the distance to the next in
  /// 1/256.
  private func position(of sample: Int, _ axis: Axis) -> (cell: Int, part: Int) {
    let doubled = ((2 * sample + 1) << axis.shift) - 2 * axis.origin
    let position = max(axis.cells.lowerBound << 8, (doubled * 128).flooredQuotient(by: grid.cell) - 128)
    let cell = position >> 8
    return cell >= axis.cells.upperBound - 1 ? (axis.cells.upperBound - 1, 0) : (cell, position & 255)
  }

  /// The range of samples in a column or row of cells.
  private func samples(ofCell cell: Int, _ axis: Axis) -> Range<Int> {
    func edge(_ cell: Int) -> Int { min(max(0, (cell * grid.cell + axis.origin) >> axis.shift), axis.length) }
    let first = cell == axis.cells.lowerBound ? 0 : edge(cell)
    return first..<max(first, cell == axis.cells.upperBound - 1 ? axis.length : edge(cell + 1))
  }

  private func mean<Sample: FixedWidthInteger & UnsignedInteger>(column: Int, row: Int, _: Sample.Type) -> Int {
    let (across, down) = (samples(ofCell: column, self.across), samples(ofCell: row, self.down))
    let step = component.step / MemoryLayout<Sample>.size
    var sum = 0
    for y in down {
      let line = (base + y * stride).assumingMemoryBound(to: Sample.self)
      if step == 1 {
        // The sum of a cell's row fits 32 bits.
        var lineSum: UInt32 = 0
        for x in across { lineSum &+= UInt32(truncatingIfNeeded: line[x]) }
        sum += Int(lineSum)
      } else {
        for x in across { sum += Int(truncatingIfNeeded: line[x * step]) }
      }
    }
    let count = across.count * down.count
    return count == 0 ? fill : (sum / count) >> component.shift
  }

  // MARK: Writing

  /// Sets samples of a row to one value of the component's depth.
  private func write<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: Int, _ columns: Range<Int>, _ value: Int, _: Sample.Type
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let line = (base + row * stride).assumingMemoryBound(to: Sample.self)
    let stored = Sample(truncatingIfNeeded: value << component.shift)
    if step == 1 {
      (line + columns.lowerBound).update(repeating: stored, count: columns.count)
    } else {
      for column in columns { line[column * step] = stored }
    }
  }

  /// Sets samples of a row to their cells' means.
  private func writeMosaic<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: Int, _ span: Range<Int>, _ cells: CellMeans, _: Sample.Type
  ) {
    guard !span.isEmpty else { return }
    let cellRow = cell(of: row, down)
    let axis = across
    for column in cell(of: span.lowerBound, axis)...cell(of: span.upperBound - 1, axis) {
      let samples = samples(ofCell: column, axis)
      write(row, samples.clamped(to: span), cells[column, cellRow], Sample.self)
    }
  }

  /// Sets samples of a row to the interpolated means.
  private func writeBlur<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: Int, _ span: Range<Int>, _ cells: CellMeans, _: Sample.Type
  ) {
    let step = component.step / MemoryLayout<Sample>.size
    let line = (base + row * stride).assumingMemoryBound(to: Sample.self)
    for column in span {
      line[column * step] = Sample(truncatingIfNeeded: cells.value(of: column) << component.shift)
    }
  }
}

extension Int {
  /// The quotient rounded down. `divisor` is positive.
  fileprivate func flooredQuotient(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}

public import VStreamMedia
public import VStreamScene

/// How a redacted part of a frame looks.
public enum RedactionStyle: String, Hashable, Sendable, CaseIterable {
  /// Cells of one colour each.
  case mosaic
  /// The colours of the same cells, flowing into each other.
  case blur
  /// Black.
  case fill
}

/// A part of a frame that is to be made unrecognisable.
public struct RedactionRegion: Hashable, Sendable {
  public var ellipse: Ellipse
  /// The longer side of what is to be hidden, in pixels, which the cells' size goes by.
  public var extent: Double

  public init(_ ellipse: Ellipse, extent: Double) {
    self.ellipse = ellipse
    self.extent = extent
  }
}

/// Makes parts of frames unrecognisable for good.
///
/// Nothing but the means of large cells is left of a part, of every component, chroma and alpha included: at most five
/// cells across what is hidden, and none smaller than 8 × 8 pixels. A sample that lies in an ellipse by any of its area is
/// inside, so that a chroma sample which straddles the edge is; all others stay as they are. The cells lie on a grid of the
/// frame's own and have few sizes, so that frames of a subject that hardly moves tell no more of it than one does.
/// One owner at a time.
public struct RedactionStage: Sendable {
  private let style: RedactionStyle
  private var means = CellMeans()

  public init(_ style: RedactionStyle) { self.style = style }

  /// Redacts parts of a frame; a frame without any is not copied. Parts may reach past the frame's edges.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy, or the pixels cannot be addressed.
  public mutating func redact(_ regions: [RedactionRegion], in frame: inout VideoFrame) throws {
    let size = frame.size
    func isVisible(_ region: RedactionRegion) -> Bool { region.ellipse.bounds.clipped(to: size) != nil }
    guard regions.contains(where: isVisible) else { return }
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be redacted")
    }
    let black = StoredColor(
      .black, layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: size.height)
    try frame.withMutablePlanes { planes in
      for region in regions where isVisible(region) {
        let grid = CellGrid(size, extent: region.extent)
        for (index, component) in layout.components.enumerated() {
          let fill = Int(black.values[index]) >> component.shift
          redact(region, component, grid, fill, layout.bytesPerSample, planes)
        }
        guard let alpha = layout.alpha else { continue }
        redact(region, alpha, grid, (1 << alpha.depth) - 1, layout.bytesPerSample, planes)
      }
    }
  }

  /// Redacts a part of one component.
  ///
  /// - Parameter fill: what black is made of, or what is opaque.
  private mutating func redact(
    _ region: RedactionRegion, _ component: PixelLayout.Component, _ grid: CellGrid, _ fill: Int, _ bytesPerSample: Int,
    _ planes: borrowing VideoFrame.MutablePlanes
  ) {
    guard let base = planes.bases[component.plane] else { return }
    let plane = ComponentPlane(
      base: base + component.offset, stride: planes.strides[component.plane], component: component, grid: grid,
      fill: fill)
    if bytesPerSample == 2 {
      plane.redact(region.ellipse, style, &means, UInt16.self)
    } else {
      plane.redact(region.ellipse, style, &means, UInt8.self)
    }
  }
}

/// The cells of a frame: squares from its top left corner on; those at the right and bottom edges take in what is left.
struct CellGrid {
  let frame: PixelSize
  /// Pixels of a side; a multiple of what the chroma samples of any format are apart.
  let cell: Int
  let columns: Int
  let rows: Int

  /// Cells in the longer side of what is hidden, at most.
  static let cellsAcross = 5.0

  init(_ frame: PixelSize, extent: Double) {
    self.frame = frame
    let wanted = min(extent / Self.cellsAcross, Double(max(frame.width, frame.height)))
    // 8, 12, 16, 24, 32, 48, …: few sizes, so that the grid of a subject seldom changes.
    var cell = 8
    while Double(cell) < wanted { cell = cell & (cell - 1) == 0 ? cell * 3 / 2 : cell * 4 / 3 }
    self.cell = cell
    columns = max(1, frame.width / cell)
    rows = max(1, frame.height / cell)
  }
}

/// One component of a frame that is redacted. Valid only while its plane is lent.
private struct ComponentPlane {
  let base: UnsafeMutableRawPointer
  let stride: Int
  let component: PixelLayout.Component
  let grid: CellGrid
  /// What it is filled with.
  let fill: Int

  private var width: Int { (grid.frame.width + (1 << component.shiftX) - 1) >> component.shiftX }
  private var height: Int { (grid.frame.height + (1 << component.shiftY) - 1) >> component.shiftY }

  func redact<Sample: FixedWidthInteger & UnsignedInteger>(
    _ ellipse: Ellipse, _ style: RedactionStyle, _ cells: inout CellMeans, _: Sample.Type
  ) {
    let rows = touched(ellipse.center.y, ellipse.radiusY, shift: component.shiftY, count: height)
    let widest = touched(ellipse.center.x, ellipse.radiusX, shift: component.shiftX, count: width)
    guard !rows.isEmpty, !widest.isEmpty else { return }
    if style == .fill {
      for row in rows { write(row, columns(of: ellipse, row: row), fill, Sample.self) }
      return
    }
    // One more cell on each side, into which a blur reaches.
    cells.set(
      columns: cellRange(widest, shift: component.shiftX, count: grid.columns),
      rows: cellRange(rows, shift: component.shiftY, count: grid.rows)
    ) { mean(column: $0, row: $1, Sample.self) }
    if style == .mosaic {
      for row in rows { writeMosaic(row, columns(of: ellipse, row: row), cells, Sample.self) }
    } else {
      cells.setPlaces(of: widest) { place(of: $0, shift: component.shiftX, count: grid.columns) }
      for row in rows {
        cells.setLine(at: place(of: row, shift: component.shiftY, count: grid.rows))
        writeBlur(row, columns(of: ellipse, row: row), cells, Sample.self)
      }
    }
  }

  // MARK: Samples in the ellipse

  /// The samples of a row that touch an ellipse by any of their area.
  private func columns(of ellipse: Ellipse, row: Int) -> Range<Int> {
    let (top, bottom) = (Double(row << component.shiftY), Double((row + 1) << component.shiftY))
    let distance = max(0, top - ellipse.center.y, ellipse.center.y - bottom) / ellipse.radiusY
    guard distance <= 1 else { return 0..<0 }
    let half = ellipse.radiusX * (1 - distance * distance).squareRoot()
    return touched(ellipse.center.x, half, shift: component.shiftX, count: width)
  }

  /// The samples, of `count` in a line, that touch what lies within a distance of a place.
  private func touched(_ center: Double, _ distance: Double, shift: Int, count: Int) -> Range<Int> {
    let size = Double(1 << shift)
    let first = min(max(0, Int(clamping: ((center - distance) / size).rounded(.down))), count)
    let end = min(max(first, Int(clamping: ((center + distance) / size).rounded(.up))), count)
    return first..<end
  }

  // MARK: Cells

  /// The cell that a sample lies in, across or down.
  private func cell(of sample: Int, shift: Int, count: Int) -> Int { min((sample << shift) / grid.cell, count - 1) }

  /// The cells of some samples, and one more on each side.
  private func cellRange(_ samples: Range<Int>, shift: Int, count: Int) -> Range<Int> {
    let first = cell(of: samples.lowerBound, shift: shift, count: count)
    let last = cell(of: samples.upperBound - 1, shift: shift, count: count)
    return max(0, first - 1)..<min(count, last + 2)
  }

  /// Where a sample's middle lies between the middles of cells: the one before it, and 1/256ths of the way to the next.
  private func place(of sample: Int, shift: Int, count: Int) -> (cell: Int, part: Int) {
    let doubled = (2 * sample + 1) << shift
    let place = max(0, (doubled * 128 / grid.cell) - 128)
    let cell = place >> 8
    return cell >= count - 1 ? (count - 1, 0) : (cell, place & 255)
  }

  /// The samples of a cell, across or down.
  private func samples(ofCell cell: Int, shift: Int, count: Int, length: Int) -> Range<Int> {
    let first = (cell * grid.cell) >> shift
    return first..<(cell == count - 1 ? length : ((cell + 1) * grid.cell) >> shift)
  }

  private func mean<Sample: FixedWidthInteger & UnsignedInteger>(column: Int, row: Int, _: Sample.Type) -> Int {
    let across = samples(ofCell: column, shift: component.shiftX, count: grid.columns, length: width)
    let down = samples(ofCell: row, shift: component.shiftY, count: grid.rows, length: height)
    let step = component.step / MemoryLayout<Sample>.size
    var sum = 0
    for y in down {
      let line = (base + y * stride).assumingMemoryBound(to: Sample.self)
      if step == 1 {
        // No row of a cell has a sum that 32 bits do not hold.
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

  /// Gives samples of a row one value, of which the component's significant bits are counted.
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

  /// Gives samples of a row their cells' means.
  private func writeMosaic<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: Int, _ span: Range<Int>, _ cells: CellMeans, _: Sample.Type
  ) {
    guard !span.isEmpty else { return }
    let cellRow = cell(of: row, shift: component.shiftY, count: grid.rows)
    let first = cell(of: span.lowerBound, shift: component.shiftX, count: grid.columns)
    let last = cell(of: span.upperBound - 1, shift: component.shiftX, count: grid.columns)
    for column in first...last {
      let samples = samples(ofCell: column, shift: component.shiftX, count: grid.columns, length: width)
      write(row, samples.clamped(to: span), cells[column, cellRow], Sample.self)
    }
  }

  /// Gives samples of a row what the means around them flow into.
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

/// The means of a rectangle of cells, and what lies between them. Its memory is used again.
private struct CellMeans {
  private var columns = 0..<0
  private var rows = 0..<0
  private var means: [Int] = []
  /// For each sample of the widest row the cell before its middle, and 1/256ths of the way to the next.
  private var places: [(cell: Int, part: Int)] = []
  private var firstPlace = 0
  /// For each column of cells 256 times the value at a row of samples.
  private var line: [Int] = []

  mutating func set(columns: Range<Int>, rows: Range<Int>, _ mean: (_ column: Int, _ row: Int) -> Int) {
    self.columns = columns
    self.rows = rows
    means.removeAll(keepingCapacity: true)
    for row in rows {
      for column in columns { means.append(mean(column, row)) }
    }
  }

  subscript(column: Int, row: Int) -> Int {
    means[(row - rows.lowerBound) * columns.count + column - columns.lowerBound]
  }

  mutating func setPlaces(of samples: Range<Int>, _ place: (Int) -> (cell: Int, part: Int)) {
    places.removeAll(keepingCapacity: true)
    firstPlace = samples.lowerBound
    for sample in samples { places.append(place(sample)) }
  }

  /// Goes to a row of samples.
  mutating func setLine(at place: (cell: Int, part: Int)) {
    line.removeAll(keepingCapacity: true)
    for column in columns {
      let upper = self[column, place.cell]
      line.append(
        place.part == 0 ? upper * 256 : upper * (256 - place.part) + self[column, place.cell + 1] * place.part)
    }
  }

  /// The value at a sample of the row, between the middles of four cells.
  func value(of sample: Int) -> Int {
    let (cell, part) = places[sample - firstPlace]
    let left = line[cell - columns.lowerBound]
    return (part == 0 ? left * 256 : left * (256 - part) + line[cell - columns.lowerBound + 1] * part) >> 16
  }
}

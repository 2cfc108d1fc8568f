public import VStreamMedia
public import VStreamScene

/// What is drawn.
public struct OverlayOptions: Hashable, Sendable {
  public enum Element: String, CaseIterable, Hashable, Sendable {
    case boxes
    case labels
    case ids
    case landmarks
    case contours
    /// The limbs of poses.
    case skeleton
    /// Which way heads are turned, as a small axis.
    case angles
    /// Zones and lines in which things are counted, with their counts.
    case zones
  }

  public var elements: Set<Element>

  public init(elements: Set<Element> = Set(Element.allCases)) { self.elements = elements }

  /// Whether letters are needed.
  public var needsFont: Bool { !elements.isDisjoint(with: [.labels, .ids, .zones]) }
}

/// Draws a frame's annotations on it. One owner at a time.
public struct OverlayStage {
  private let options: OverlayOptions
  private let glyphs: GlyphCache?
  private var mask = Mask()
  /// What this frame's boxes and labels are of.
  private var marks: [Mark] = []
  /// Where its labels are, so that they do not cover each other.
  private var labels: [Box] = []
  /// What is written, and its letters.
  private var text = ""
  private var letters: [Glyph] = []

  /// - Parameter fontPath: a TrueType font; not looked at if nothing is written.
  /// - Throws: `VStreamError.missingDependency` if the font is needed and cannot be read.
  public init(_ options: OverlayOptions, fontPath: String) throws(VStreamError) {
    self.options = options
    glyphs = options.needsFont ? try GlyphCache(fontPath: fontPath) : nil
  }

  /// Draws on the frame; a frame on which nothing is drawn is not copied.
  ///
  /// - Parameter regions: where things are counted; drawn below what is found.
  /// - Throws: `VStreamError.library` if there is no memory for the copy, or the pixels cannot be addressed.
  public mutating func draw(
    _ annotations: FrameAnnotations, regions: [RegionMark] = [], on frame: inout VideoFrame
  ) throws {
    Mark.list(annotations.found, in: &marks)
    let regions = options.elements.contains(.zones) ? regions : []
    guard !marks.isEmpty || !regions.isEmpty, !options.elements.isEmpty else { return }
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be drawn on")
    }
    let palette = Palette(
      layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: frame.size.height)
    let metrics = Metrics(frame.size)
    glyphs?.setSize(metrics.fontSize)
    labels.removeAll(keepingCapacity: true)
    try frame.withMutablePlanes { planes in
      let canvas = Canvas(planes, layout: layout)
      for stroke in regions.flatMap({ $0.strokes(lineWidth: metrics.lineWidth) }) {
        drawTiled(stroke, palette, on: canvas)
      }
      if options.elements.contains(.boxes) {
        for mark in marks { outline(mark, metrics, palette, on: canvas) }
      }
      for face in annotations.found.faces ?? [] {
        draw(FaceStrokes(face, options.elements, lineWidth: metrics.lineWidth).all, palette, on: canvas)
      }
      for pose in annotations.found.poses ?? [] {
        draw(PoseStrokes(pose, options.elements, lineWidth: metrics.lineWidth).all, palette, on: canvas)
      }
      // Labels come last, so that no box crosses one.
      for region in regions {
        text = region.text
        writeLabel(region.color, at: region.anchor, metrics, palette, on: canvas)
      }
      let (withLabel, withID) = (options.elements.contains(.labels), options.elements.contains(.ids))
      for mark in withLabel || withID ? marks : [] {
        mark.write(&text, withLabel: withLabel, withID: withID)
        writeLabel(mark.color, at: mark.box, metrics, palette, on: canvas)
      }
    }
  }

  private mutating func outline(
    _ mark: Mark, _ metrics: Metrics, _ palette: Palette, on canvas: borrowing Canvas
  ) {
    let color = palette.stored(mark.color)
    let half = metrics.lineWidth / 2
    let box = mark.box
    let outer = Box(left: box.x - half, top: box.y - half, right: box.right + half, bottom: box.bottom + half)
    let inner = Box(left: box.x + half, top: box.y + half, right: box.right - half, bottom: box.bottom - half)
    guard !inner.isEmpty else {
      paint(outer, color, on: canvas)
      return
    }
    // Four bars, so that the inside is not gone through.
    paint(Box(left: outer.x, top: outer.y, right: outer.right, bottom: inner.y), color, on: canvas)
    paint(Box(left: outer.x, top: inner.bottom, right: outer.right, bottom: outer.bottom), color, on: canvas)
    paint(Box(left: outer.x, top: inner.y, right: inner.x, bottom: inner.bottom), color, on: canvas)
    paint(Box(left: inner.right, top: inner.y, right: outer.right, bottom: inner.bottom), color, on: canvas)
  }

  private mutating func paint(_ box: Box, _ color: StoredColor, opacity: Int32 = 256, on canvas: borrowing Canvas) {
    guard
      mask.reset(
        covering: box, frame: canvas.size, chromaShiftX: canvas.chromaShiftX, chromaShiftY: canvas.chromaShiftY)
    else { return }
    mask.fill(box)
    canvas.paint(mask, color, opacity: opacity)
  }

  /// Writes `text`.
  private mutating func writeLabel(
    _ color: Color, at box: Box, _ metrics: Metrics, _ palette: Palette, on canvas: borrowing Canvas
  ) {
    guard let glyphs else { return }
    glyphs.list(text, in: &letters)
    let width = letters.reduce(0) { $0 + $1.advance } / 64 + 2 * metrics.padding
    let ground = metrics.place(labelOfWidth: width, at: box, avoiding: labels)
    labels.append(ground)
    paint(ground, palette.stored(color), opacity: 216, on: canvas)

    guard
      mask.reset(
        covering: ground, frame: canvas.size, chromaShiftX: canvas.chromaShiftX, chromaShiftY: canvas.chromaShiftY)
    else { return }
    var pen = (Int(ground.x) + metrics.padding) * 64
    let baseline = Int(ground.y) + metrics.baseline
    for glyph in letters {
      mask.stamp(glyph, x: pen / 64 + glyph.left, y: baseline - glyph.top)
      pen += glyph.advance
    }
    canvas.paint(mask, palette.ink(on: color))
  }

  /// Draws a stroke that may go all over the frame, tile by tile, so that no mask of the whole frame is gone through.
  private mutating func drawTiled(_ stroke: Stroke, _ palette: Palette, on canvas: borrowing Canvas) {
    let color = palette.stored(stroke.color)
    for tile in stroke.tiles(in: canvas.size, side: Self.tileSide) {
      guard
        mask.reset(
          covering: tile, frame: canvas.size, chromaShiftX: canvas.chromaShiftX, chromaShiftY: canvas.chromaShiftY)
      else { continue }
      mask.draw(stroke)
      canvas.paint(mask, color)
    }
  }

  /// A multiple of every format's chroma grid.
  private static let tileSide = 32

  private mutating func draw(_ strokes: [Stroke], _ palette: Palette, on canvas: borrowing Canvas) {
    for stroke in strokes {
      guard
        mask.reset(
          covering: stroke.bounds, frame: canvas.size, chromaShiftX: canvas.chromaShiftX,
          chromaShiftY: canvas.chromaShiftY)
      else { continue }
      mask.draw(stroke)
      canvas.paint(mask, palette.stored(stroke.color), opacity: Int32((256 * stroke.opacity).rounded()))
    }
  }
}

/// Sizes that grow with the frame, in pixels.
struct Metrics {
  let frame: PixelSize
  let lineWidth: Double
  let fontSize: Int
  /// Between the letters and the edge of their ground.
  let padding: Int
  let labelHeight: Int
  /// From the ground's top to the letters' base line.
  let baseline: Int

  init(_ frame: PixelSize) {
    self.frame = frame
    let extent = Double(min(frame.width, frame.height))
    lineWidth = max(1.5, extent / 280)
    fontSize = max(10, Int((extent / 42).rounded()))
    padding = max(2, fontSize / 4)
    labelHeight = fontSize + fontSize / 4 + 2
    baseline = fontSize + 1
  }

  /// Where a label goes: on top of its box, else below it, else inside; always in the frame, and where there is a
  /// choice, not on another label.
  func place(labelOfWidth width: Int, at box: Box, avoiding others: [Box]) -> Box {
    let above = box.y - lineWidth / 2 - Double(labelHeight)
    let below = box.bottom + lineWidth / 2
    let inside = box.y + lineWidth / 2
    let lowest = Double(frame.height - labelHeight)
    let x = max(0, min(box.x - lineWidth / 2, Double(frame.width - width))).rounded()
    func label(_ y: Double) -> Box {
      Box(x: x, y: max(0, min(y, lowest)).rounded(), width: Double(width), height: Double(labelHeight))
    }
    func fits(_ y: Double) -> Bool { y >= 0 && y <= lowest }
    func isFree(_ y: Double) -> Bool { fits(y) && !others.contains { $0.intersection(label(y)) != nil } }
    let places: InlineArray<3, Double> = [above, below, inside]
    for index in places.indices where isFree(places[index]) { return label(places[index]) }
    for index in places.indices where fits(places[index]) { return label(places[index]) }
    return label(inside)
  }
}

/// Colours as a frame stores them.
private struct Palette {
  let layout: PixelLayout
  let description: ColorDescription
  let isFullRange: Bool
  let height: Int

  /// Black or white, whichever can be read on a colour.
  func ink(on color: Color) -> StoredColor { stored(color.brightness > 0.45 ? .black : .white) }

  func stored(_ color: Color) -> StoredColor {
    StoredColor(color, layout: layout, description: description, isFullRange: isFullRange, height: height)
  }
}

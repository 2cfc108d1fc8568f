package import VStreamCore
package import VStreamMedia

/// Draws a frame's annotations on the frame. Not thread-safe.
package struct OverlayPainter {
  private let options: OverlayOptions
  private let glyphs: GlyphCache?
  private var mask = Mask()
  /// The current frame's marks.
  private var marks: [Mark] = []
  /// The backgrounds of the current frame's labels, which are placed without overlap.
  private var labels: [Box] = []
  /// The current label's text, and its glyphs.
  private var text = ""
  private var line: [Glyph] = []

  /// - Parameters:
  ///   - fontPath: a TrueType font; not opened if there is no text.
  ///   - hasOwnMarks: whether the user's own marks are drawn.
  /// - Throws: `VStreamError.missingDependency` if the font is needed and cannot be read.
  package init(_ options: OverlayOptions, fontPath: String, hasOwnMarks: Bool = false) throws(VStreamError) {
    self.options = options
    glyphs = options.needsFont || hasOwnMarks ? try GlyphCache(fontPath: fontPath) : nil
  }

  /// Draws on the frame; a frame on which nothing is drawn is not copied.
  ///
  /// - Parameters:
  ///   - regions: zones and lines, drawn below the observations.
  ///   - own: the user's marks, drawn above them.
  /// - Throws: `VStreamError.library` if there is no memory for the copy, or the pixels cannot be addressed.
  package mutating func draw(
    _ annotations: FrameAnnotations, regions: [RegionMark] = [], own: [OverlayMark] = [], on frame: inout VideoFrame
  ) throws {
    Mark.list(annotations.found, in: &marks)
    let regions = options.elements.contains(.zones) ? regions : []
    let hasElements = (!marks.isEmpty || !regions.isEmpty) && !options.elements.isEmpty
    guard hasElements || !own.isEmpty else { return }
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be drawn on")
    }
    let palette = Palette(
      layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: frame.size.height)
    let metrics = OverlayMetrics(frame.size)
    glyphs?.setSize(metrics.fontSize)
    labels.removeAll(keepingCapacity: true)
    try frame.withMutablePlanes { planes in
      let canvas = Canvas(planes, layout: layout)
      drawShapes(of: annotations.found, regions, metrics, palette, on: canvas)
      for stroke in own.compactMap({ $0.stroke(boxWidth: metrics.lineWidth) }) {
        drawTiled(stroke, palette, on: canvas)
      }
      // Labels are drawn last, so that no box crosses one.
      drawLabels(of: regions, metrics, palette, on: canvas)
      for mark in own {
        guard let anchor = mark.anchor else { continue }
        text = mark.text
        drawLabel(mark.color, at: anchor, metrics, palette, on: canvas)
      }
    }
  }

  private mutating func drawShapes(
    of observations: Detections, _ regions: [RegionMark], _ metrics: OverlayMetrics, _ palette: Palette,
    on canvas: borrowing Canvas
  ) {
    for stroke in regions.flatMap({ $0.strokes(lineWidth: metrics.lineWidth) }) {
      drawTiled(stroke, palette, on: canvas)
    }
    if options.elements.contains(.boxes) {
      for mark in marks { outline(mark, metrics, palette, on: canvas) }
    }
    for kind in DetectionKind.allCases {
      guard let kind = kind.detectionType as? any DetailedObservation.Type else { continue }
      drawDetails(of: observations, kind, metrics, palette, on: canvas)
    }
  }

  private mutating func drawDetails(
    of observations: Detections, _ kind: (some DetailedObservation).Type, _ metrics: OverlayMetrics,
    _ palette: Palette, on canvas: borrowing Canvas
  ) {
    for observation in observations[kind] ?? [] {
      draw(observation.strokes(options.elements, lineWidth: metrics.lineWidth), palette, on: canvas)
    }
  }

  private mutating func drawLabels(
    of regions: [RegionMark], _ metrics: OverlayMetrics, _ palette: Palette, on canvas: borrowing Canvas
  ) {
    for region in regions {
      text = region.text
      drawLabel(region.color, at: region.anchor, metrics, palette, on: canvas)
    }
    let (withLabel, withID) = (options.elements.contains(.labels), options.elements.contains(.ids))
    for mark in withLabel || withID ? marks : [] {
      mark.write(&text, withLabel: withLabel, withID: withID)
      drawLabel(mark.color, at: mark.box, metrics, palette, on: canvas)
    }
  }

  private mutating func outline(
    _ mark: Mark, _ metrics: OverlayMetrics, _ palette: Palette, on canvas: borrowing Canvas
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
    // Four bars, so that the inside is not processed.
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

  /// Draws `text` as a label.
  private mutating func drawLabel(
    _ color: Color, at box: Box, _ metrics: OverlayMetrics, _ palette: Palette, on canvas: borrowing Canvas
  ) {
    guard let glyphs else { return }
    glyphs.list(text, in: &line)
    let width = line.reduce(0) { $0 + $1.advance } / 64 + 2 * metrics.padding
    let background = metrics.background(labelOfWidth: width, at: box, avoiding: labels)
    labels.append(background)
    paint(background, palette.stored(color), opacity: 216, on: canvas)

    guard
      mask.reset(
        covering: background, frame: canvas.size, chromaShiftX: canvas.chromaShiftX, chromaShiftY: canvas.chromaShiftY)
    else { return }
    var pen = (Int(background.x) + metrics.padding) * 64
    let baseline = Int(background.y) + metrics.baseline
    for glyph in line {
      mask.stamp(glyph, x: pen / 64 + glyph.left, y: baseline - glyph.top)
      pen += glyph.advance
    }
    canvas.paint(mask, palette.textColor(on: color))
  }

  /// Draws a stroke that may span the frame tile by tile, so that no mask of the whole frame is processed.
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

/// Converts colours to a frame's stored values.
private struct Palette {
  let layout: PixelLayout
  let description: ColorDescription
  let isFullRange: Bool
  let height: Int

  /// Black or white, whichever is readable on a background colour.
  func textColor(on color: Color) -> StoredColor { stored(color.brightness > 0.45 ? .black : .white) }

  func stored(_ color: Color) -> StoredColor {
    StoredColor(color, layout: layout, description: description, isFullRange: isFullRange, height: height)
  }
}

/// The elements of an overlay.
public struct OverlayOptions: Hashable, Sendable {
  /// A part of an overlay.
  public enum Element: String, CaseIterable, Hashable, Sendable {
    case boxes
    case labels
    case ids
    case landmarks
    case contours
    /// The limbs of poses.
    case skeleton
    /// The rotation of heads, as a small axis.
    case angles
    /// Zones and lines with their counts.
    case zones
  }

  /// The drawn elements; empty for none.
  public var elements: Set<Element>

  public init(elements: Set<Element> = Set(Element.allCases)) { self.elements = elements }

  /// Whether any of the elements has text.
  package var needsFont: Bool { !elements.isDisjoint(with: [.labels, .ids, .zones]) }
}

/// The sizes of lines and labels in pixels, proportional to the frame's size.
struct OverlayMetrics {
  let frame: PixelSize
  let lineWidth: Double
  let fontSize: Int
  /// The distance between a label's text and the edge of its background.
  let padding: Int
  let labelHeight: Int
  /// The distance from the top of a label's background to the baseline of its text.
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

  /// The background of a label: above its box, else below it, else inside; always in the frame, and if possible without
  /// overlapping another label.
  func background(labelOfWidth width: Int, at box: Box, avoiding others: [Box]) -> Box {
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
    let candidates: InlineArray<3, Double> = [above, below, inside]
    for index in candidates.indices where isFree(candidates[index]) { return label(candidates[index]) }
    for index in candidates.indices where fits(candidates[index]) { return label(candidates[index]) }
    return label(inside)
  }
}

/// An observation that has more to draw than its box and its score.
protocol DetailedObservation: KnownDetection {
  /// The score on the label with its caption (`"smiling "`); `nil` for the detection's score.
  var labelScore: (note: String, score: Double)? { get }

  /// Its strokes, in drawing order.
  ///
  /// - Parameter lineWidth: of boxes in this frame, in pixels.
  func strokes(_ elements: Set<OverlayOptions.Element>, lineWidth: Double) -> [Stroke]
}

extension DetailedObservation {
  var labelScore: (note: String, score: Double)? { nil }
}

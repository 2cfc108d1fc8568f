public import VStreamMedia
public import VStreamScene

/// An ellipse of a frame that is made unrecognisable.
public struct RedactedEllipse: Hashable, Sendable {
  public var ellipse: Ellipse
  /// The subject's longer side in pixels, which determines the cells' size.
  public var extent: Double

  public init(_ ellipse: Ellipse, extent: Double) {
    self.ellipse = ellipse
    self.extent = extent
  }
}

/// Makes regions of frames unrecognisable, irreversibly.
///
/// Of each component, chroma and alpha included, only the means of large cells remain: at most five cells across the subject,
/// and none smaller than 8 × 8 pixels. A sample is redacted if any of its area lies in an ellipse, also a chroma sample that
/// straddles the edge; all others remain unchanged. The cells lie on a fixed grid of the frame and have few sizes, so that
/// several frames of a subject that hardly moves reveal no more than one frame does. Not thread-safe.
public struct RedactionPainter: Sendable {
  private let style: RedactionStyle
  private var means = CellMeans()

  public init(_ style: RedactionStyle) { self.style = style }

  /// Redacts regions of a frame; a frame without any is not copied. Regions may extend beyond the frame.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy, or the pixels cannot be addressed.
  public mutating func redact(_ regions: [RedactedEllipse], in frame: inout VideoFrame) throws {
    let size = frame.size
    func isVisible(_ region: RedactedEllipse) -> Bool { region.ellipse.bounds.clipped(to: size) != nil }
    guard regions.contains(where: isVisible) else { return }
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be redacted")
    }
    let black = StoredColor(
      .black, layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: size.height)
    try frame.withMutablePlanes { planes in
      for region in regions where isVisible(region) {
        let grid = MosaicGrid(size, extent: region.extent)
        for (index, component) in layout.components.enumerated() {
          let fill = Int(black.values[index]) >> component.shift
          redact(region, component, grid, fill, layout.bytesPerSample, planes)
        }
        guard let alpha = layout.alpha else { continue }
        redact(region, alpha, grid, (1 << alpha.depth) - 1, layout.bytesPerSample, planes)
      }
    }
  }

  /// Redacts a region of one component.
  ///
  /// - Parameter fill: the component's value of black, or of opaque alpha.
  private mutating func redact(
    _ region: RedactedEllipse, _ component: PixelLayout.Component, _ grid: MosaicGrid, _ fill: Int,
    _ bytesPerSample: Int,
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

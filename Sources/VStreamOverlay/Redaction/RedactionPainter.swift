package import VStreamCore
package import VStreamMedia

/// An ellipse of a frame that is made unrecognisable.
package struct RedactedEllipse: Hashable, Sendable {
  /// The subject, the same in each frame; `nil` if it is not known.
  package var id: Int?
  package var ellipse: Ellipse
  /// The subject's longer side in pixels, which determines the cells' size.
  package var extent: Double

  package init(_ ellipse: Ellipse, extent: Double, id: Int? = nil) {
    self.id = id
    self.ellipse = ellipse
    self.extent = extent
  }
}

/// Makes regions of frames unrecognisable, irreversibly.
///
/// Of each component, chroma and alpha included, only the means of large cells remain: at most five cells across the subject,
/// and none smaller than 8 × 8 pixels. A sample is redacted if any of its area lies in an ellipse, also a chroma sample that
/// straddles the edge; all others remain unchanged.
///
/// The means of a subject's first frame move with it, and cover its later ones: the means of other places of the same subject,
/// frame after frame, would add up to an image of it. New ones are computed when it has grown or shrunk to another size of
/// cells, which have few. Not thread-safe.
package struct RedactionPainter: Sendable {
  private let style: RedactionStyle
  private var means = CellMeans()
  private var held: [Int: HeldMosaic] = [:]
  private var frameCount = 0

  /// The number of frames without a subject after which its means are forgotten.
  private static let forgottenAfter = 250

  /// The kept mosaic of a subject.
  private struct HeldMosaic {
    let grid: MosaicGrid
    let format: PixelFormat
    /// Centre of its ellipse when the means were computed.
    let center: Point
    /// Of each component; alpha last.
    var means: [CellMeans] = []
    var lastFrame: Int

    /// Whether it suits the subject as it is now; a little growth is none.
    func suits(_ region: RedactedEllipse, in frame: VideoFrame) -> Bool {
      let relative = region.extent / (MosaicGrid.maximumCells * Double(grid.cell))
      return grid.frame == frame.size && format == frame.format && relative < 1.5 && (relative > 0.4 || grid.cell == 8)
    }

    /// The grid at the subject's new place.
    func grid(of component: Int, at center: Point) -> MosaicGrid {
      func steps(_ distance: Double) -> Int {
        Int((min(max(distance, -1e6), 1e6) / Double(MosaicGrid.step)).rounded()) * MosaicGrid.step
      }
      return grid.moved(
        by: (steps(center.x - self.center.x), steps(center.y - self.center.y)), columns: means[component].columns,
        rows: means[component].rows)
    }
  }

  package init(_ style: RedactionStyle) { self.style = style }

  /// Redacts regions of a frame; a frame without any is not copied. Regions may extend beyond the frame.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy, or the pixels cannot be addressed.
  package mutating func redact(_ regions: [RedactedEllipse], in frame: inout VideoFrame) throws {
    let size = frame.size
    frameCount += 1
    if frameCount % Self.forgottenAfter == 0 {
      held = held.filter { frameCount - $0.value.lastFrame < Self.forgottenAfter }
    }
    func isVisible(_ region: RedactedEllipse) -> Bool { region.ellipse.bounds.clipped(to: size) != nil }
    guard regions.contains(where: isVisible) else { return }
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be redacted")
    }
    let black = StoredColor(
      .black, layout: layout, description: frame.color, isFullRange: frame.color.isFullRange(format: frame.format),
      height: size.height)
    for region in regions where isVisible(region) { prepare(region, in: frame) }
    try frame.withMutablePlanes { planes in
      for region in regions where isVisible(region) {
        for (index, component) in layout.components.enumerated() {
          let fill = Int(black.values[index]) >> component.shift
          redact(region, component, index, size, fill, layout.bytesPerSample, planes)
        }
        guard let alpha = layout.alpha else { continue }
        redact(region, alpha, layout.components.count, size, (1 << alpha.depth) - 1, layout.bytesPerSample, planes)
      }
    }
  }

  /// Determines whether a subject gets new means.
  private mutating func prepare(_ region: RedactedEllipse, in frame: VideoFrame) {
    guard style != .fill, let id = region.id else { return }
    if held[id]?.suits(region, in: frame) == true {
      held[id]?.lastFrame = frameCount
    } else {
      held[id] = HeldMosaic(
        grid: MosaicGrid(frame.size, extent: region.extent), format: frame.format, center: region.ellipse.center,
        lastFrame: frameCount)
    }
  }

  /// Redacts a region of one component.
  ///
  /// - Parameters:
  ///   - index: of the component.
  ///   - fill: the component's value of black, or of opaque alpha.
  private mutating func redact(
    _ region: RedactedEllipse, _ component: PixelLayout.Component, _ index: Int, _ size: PixelSize, _ fill: Int,
    _ bytesPerSample: Int, _ planes: borrowing VideoFrame.MutablePlanes
  ) {
    guard let base = planes.bases[component.plane] else { return }
    func redact(_ grid: MosaicGrid, _ cells: inout CellMeans, isHeld: Bool) {
      let plane = ComponentPlane(
        base: base + component.offset, stride: planes.strides[component.plane], component: component, grid: grid,
        fill: fill)
      if bytesPerSample == 2 {
        plane.redact(region.ellipse, style, &cells, isHeld: isHeld, UInt16.self)
      } else {
        plane.redact(region.ellipse, style, &cells, isHeld: isHeld, UInt8.self)
      }
    }
    guard let id = region.id, let mosaic = held[id] else {
      return redact(MosaicGrid(size, extent: region.extent), &means, isHeld: false)
    }
    if index < mosaic.means.count {
      redact(mosaic.grid(of: index, at: region.ellipse.center), &held[id, default: mosaic].means[index], isHeld: true)
    } else {
      redact(mosaic.grid, &means, isHeld: false)
      held[id]?.means.append(means)
    }
  }
}

/// How a redacted region is made unrecognisable.
public enum RedactionStyle: String, Hashable, Sendable, CaseIterable {
  /// Cells of one colour each.
  case mosaic
  /// The cells' colours, interpolated.
  case blur
  /// Black.
  case fill
}

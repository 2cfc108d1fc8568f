/// The regions of a frame that were searched for objects.
public struct FrameSearch: Hashable, Sendable, Codable {
  /// The input of one pass of the network.
  public struct Region: Hashable, Sendable {
    /// Pixels of the upright frame, without parts beyond its edges.
    public var box: Box
    /// Pixels of the network's input for a pixel of the frame: the smaller, the larger an object has to be.
    public var scale: Double

    public init(box: Box, scale: Double) {
      self.box = box
      self.scale = scale
    }

    /// - Parameter input: size of the network's input, which shows the box as large as it can or stretched.
    package init(_ box: Box, input: PixelSize) {
      self.init(box: box, scale: min(Double(input.width) / box.width, Double(input.height) / box.height))
    }
  }

  /// The upright frame's size.
  public var frame: PixelSize
  /// The inputs of the network's passes; empty if objects were not searched for on the frame.
  public var regions: [Region]

  public init(frame: PixelSize, regions: [Region]) {
    self.frame = frame
    self.regions = regions
  }

  /// A box is cut by a region if it is nearer to an edge of it, inside the frame, than this fraction of the region's side.
  package static let cutMargin = 0.02
  /// The fraction of an object's visible part that has to lie in a region, without its margins, for the object to be found.
  private static let visibleFraction = 0.95
  /// The longest side of an object that is found in a region that is a part of the frame, in sides of the region.
  private static let largestFraction = 0.9

  /// The finest scale at which a box was searched.
  ///
  /// - Returns: `nil` if it was not; infinity for a box that is outside the frame, where there is nothing to find.
  package func scale(of box: Box) -> Double? {
    guard let visible = box.clipped(to: frame) else { return .infinity }
    return regions.lazy.filter { contains(visible, $0.box) }.map(\.scale).max()
  }

  /// Whether a box was searched on the whole frame, and on no part of it.
  package func isOnWholeOnly(_ box: Box) -> Bool {
    guard let visible = box.clipped(to: frame) else { return false }
    let containing = regions.filter { contains(visible, $0.box) }
    return containing.count == 1 && isWhole(containing[0].box)
  }

  /// Whether an edge of a region that lies inside the frame may have cut the object in a box.
  package func isCut(_ box: Box, by region: Box) -> Bool {
    let inner = uncutPart(of: region)
    return box.x < inner.x || box.y < inner.y || box.right > inner.right || box.bottom > inner.bottom
  }

  private func contains(_ visible: Box, _ region: Box) -> Bool {
    guard let common = visible.intersection(uncutPart(of: region)) else { return false }
    return common.area >= Self.visibleFraction * visible.area
      && (isWhole(region)
        || max(visible.width / region.width, visible.height / region.height) <= Self.largestFraction)
  }

  /// Whether a region is the whole frame.
  package func isWhole(_ region: Box) -> Bool {
    region.x <= 0 && region.y <= 0 && region.right >= Double(frame.width) && region.bottom >= Double(frame.height)
  }

  /// The region without the margins at its edges inside the frame, and without limit beyond the frame's edges.
  private func uncutPart(of region: Box) -> Box {
    let (across, down) = (Self.cutMargin * region.width, Self.cutMargin * region.height)
    let (width, height) = (Double(frame.width), Double(frame.height))
    return Box(
      left: region.x <= 0 ? -width : region.x + across, top: region.y <= 0 ? -height : region.y + down,
      right: region.right >= width - 0.5 ? 2 * width : region.right - across,
      bottom: region.bottom >= height - 0.5 ? 2 * height : region.bottom - down)
  }

  /// The same parts of a frame that is `horizontal` times as wide and `vertical` times as high.
  func scaled(x horizontal: Double, y vertical: Double) -> FrameSearch {
    FrameSearch(
      frame: PixelSize(
        width: Int((Double(frame.width) * horizontal).rounded()),
        height: Int((Double(frame.height) * vertical).rounded())),
      regions: regions.map {
        Region(box: $0.box.scaled(x: horizontal, y: vertical), scale: $0.scale / max(horizontal, vertical))
      })
  }
}

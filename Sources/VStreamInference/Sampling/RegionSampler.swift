package import VStreamCore
package import VStreamMedia

/// Computes a network's input from a region of a frame: scaled, in RGB and normalised, directly from the planes.
///
/// One owner at a time; its memory is reused from frame to frame.
package struct RegionSampler {
  package let format: TensorFormat
  /// The values beyond the frame's edges; at first those of the format.
  package var outside: TensorFormat.Outside
  private var uprightResamplers: [PlaneResampler] = []
  private var rotatedResamplers: [RotatedPlaneResampler] = []
  /// The key of `uprightResamplers`.
  private var geometry: Geometry?

  private struct Geometry: Equatable {
    let frame: PixelSize
    let pixels: PixelFormat
    let region: Box
  }

  /// Coordinates and lengths of a region are less, in pixels.
  private static let regionLimit = 1e6

  package init(_ format: TensorFormat) {
    self.format = format
    outside = format.outside
  }

  /// Fills `tensor` with the region of the frame, stretched to the tensor's size.
  ///
  /// - Parameters:
  ///   - region: pixels of the frame; beyond its edges, values are as `outside` says.
  ///   - tensor: as many floats as `format` has pixels, times 3.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed, or the tensor has another size.
  package mutating func sample(
    _ frame: VideoFrame, region: Box, into tensor: inout MutableSpan<Float>
  ) throws(VStreamError) {
    try sample(frame, region: RotatedBox(region), into: &tensor)
  }

  /// The same, into an array.
  package mutating func sample(
    _ frame: VideoFrame, region: RotatedBox, into values: inout [Float]
  ) throws(VStreamError) {
    var tensor = values.mutableSpan
    try sample(frame, region: region, into: &tensor)
  }

  /// Fills `tensor` with the region of the frame, rotated upright and stretched to the tensor's size.
  ///
  /// A rotated region is sampled bilinearly, whatever the format's filter.
  /// - Parameters: as above.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed, or the tensor has another size.
  package mutating func sample(
    _ frame: VideoFrame, region: RotatedBox, into tensor: inout MutableSpan<Float>
  ) throws(VStreamError) {
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be sampled")
    }
    guard tensor.count == format.pixelCount * 3 else {
      throw VStreamError(.library, "a tensor of \(tensor.count) floats for \(format.size) pixels")
    }
    let box = region.upright
    let extent = max(abs(box.x), abs(box.y), box.width, box.height)
    guard !box.isEmpty, region.angle.isFinite, extent < Self.regionLimit else {
      throw VStreamError(
        .library,
        "\(box.width)×\(box.height) pixels at (\(box.x), \(box.y)) are not a valid region of a frame")
    }
    let region = format.alignment == .centers ? region : shiftedToCorners(region)
    // The triangle's many samples lie in rows if the region is upright; bilinear ones are four in any case.
    let usesTriangle = region.angle == 0 && format.filter == .triangle
    if usesTriangle { resampleUpright(frame, layout, region.upright) } else { resampleRotated(frame, layout, region) }
    let last = layout.components.count - 1
    func component(_ index: Int) -> [Float] {
      usesTriangle ? uprightResamplers[index].result : rotatedResamplers[index].result
    }
    let converter = ColorConverter(frame: frame, layout: layout, format: format)
    tensor.withUnsafeMutableBufferPointer { target in
      converter.convert(
        component(0), component(min(1, last)), component(last), isGray: last == 0, count: format.pixelCount,
        to: target)
      if case .level(let level) = outside {
        OutsideFill(frame: frame.size, region: region, format: format).fill(target, with: level)
      }
    }
  }

  /// The region whose pixels have their centres where this one's pixels have their corners, counted as centres.
  private func shiftedToCorners(_ region: RotatedBox) -> RotatedBox {
    var shifted = region
    let center = region.point(
      across: 0.5 - 0.5 / Double(format.size.width), down: 0.5 - 0.5 / Double(format.size.height))
    shifted.center = Point(x: center.x + 0.5, y: center.y + 0.5)
    return shifted
  }

  /// Sets the results of `uprightResamplers`, one for each component.
  private mutating func resampleUpright(_ frame: VideoFrame, _ layout: PixelLayout, _ region: Box) {
    let geometry = Geometry(frame: frame.size, pixels: frame.format, region: region)
    if geometry != self.geometry {
      uprightResamplers = layout.components.map {
        PlaneResampler(component: $0, frame: frame.size, region: region, target: format.size)
      }
      self.geometry = geometry
    }
    frame.withPlanes { planes in
      for index in uprightResamplers.indices { uprightResamplers[index].run(planes) }
    }
  }

  /// Sets the results of `rotatedResamplers`, one for each component.
  private mutating func resampleRotated(_ frame: VideoFrame, _ layout: PixelLayout, _ region: RotatedBox) {
    while rotatedResamplers.count < layout.components.count {
      rotatedResamplers.append(RotatedPlaneResampler(target: format.size))
    }
    frame.withPlanes { planes in
      for (index, component) in layout.components.enumerated() {
        rotatedResamplers[index].run(planes, component, region: region, target: format.size)
      }
    }
  }
}

/// Sets the pixels of a tensor whose centres lie outside the frame.
struct OutsideFill {
  let frame: PixelSize
  let region: RotatedBox
  let format: TensorFormat

  /// - Parameter level: 0…255.
  func fill(_ target: UnsafeMutableBufferPointer<Float>, with level: Float) {
    let values = level * format.scale + format.offset
    forEachOutside { pixel in
      for channel in 0..<3 { target[offset(of: pixel, channel)] = values[channel] }
    }
  }

  private func offset(of pixel: (row: Int, column: Int), _ channel: Int) -> Int {
    let index = pixel.row * format.size.width + pixel.column
    return format.layout == .interleaved ? index * 3 + channel : index + channel * format.pixelCount
  }

  /// Calls `body` for each pixel whose centre lies outside the frame.
  private func forEachOutside(_ body: (_ pixel: (row: Int, column: Int)) -> Void) {
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { region.point(across: $0.0, down: $0.1) }
    if corners.allSatisfy(isInside) { return }
    let size = format.size
    let origin = region.point(across: 0, down: 0)
    let right = region.point(across: 1 / Double(size.width), down: 0)
    let below = region.point(across: 0, down: 1 / Double(size.height))
    func center(_ row: Int, _ column: Int) -> Point {
      let (i, j) = (Double(column) + 0.5, Double(row) + 0.5)
      return Point(
        x: origin.x + i * (right.x - origin.x) + j * (below.x - origin.x),
        y: origin.y + i * (right.y - origin.y) + j * (below.y - origin.y))
    }
    for row in 0..<size.height {
      // The frame is convex: between two pixels inside, all are inside.
      if isInside(center(row, 0)), isInside(center(row, size.width - 1)) { continue }
      for column in 0..<size.width {
        if !isInside(center(row, column)) { body((row, column)) }
      }
    }
  }

  private func isInside(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
  }
}

internal import VStreamCore
internal import VStreamMedia

/// Resamples a rectangle, which may be rotated, in one component of a frame: each target sample is interpolated from the
/// four source samples around its centre. Positions are as in `PlaneResampler`; beyond the frame's edge, its samples
/// are repeated.
struct RotatedPlaneResampler {
  /// Target height × width values, in the plane's own range.
  private(set) var result: [Float]
  /// The columns of an upright rectangle.
  private var columns: [SampleColumn] = []

  init(target: PixelSize) { result = [Float](repeating: 0, count: target.width * target.height) }

  /// - Parameter region: pixels of the frame.
  mutating func run(
    _ planes: borrowing VideoFrame.Planes, _ component: PixelLayout.Component, region: RotatedBox, target: PixelSize
  ) {
    guard let base = planes.bases[component.plane] else { return }
    let first = base.advanced(by: component.offset)
    let grid = SampleGrid(component, frame: planes.size, region: region, target: target)
    let stride = planes.strides[component.plane]
    let isWide = component.depth + component.shift > 8
    if grid.isUpright, !isWide, component.step == 1, grid.hasTwoColumns {
      grid.setColumns(&columns)
      return result.withUnsafeMutableBufferPointer { result in
        grid.interpolateUpright(
          first, columns, unshift: 1 / Float(1 << component.shift), stride: stride, into: result)
      }
    }
    result.withUnsafeMutableBufferPointer { result in
      if isWide {
        grid.interpolate(UInt16.self, first, component, stride: stride, into: result)
      } else {
        grid.interpolate(UInt8.self, first, component, stride: stride, into: result)
      }
    }
  }
}

/// The position of a target column between two samples of a row, both in the plane.
struct SampleColumn {
  /// Index of the left sample.
  let left: Int32
  /// Weight of the right sample.
  let fraction: Float
}

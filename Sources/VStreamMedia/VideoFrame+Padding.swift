internal import CVStreamLibAV
internal import VStreamScene

extension VideoFrame {
  /// The frame on a larger one, its right and bottom edge repeated.
  ///
  /// - Parameter size: not smaller than the frame's.
  /// - Throws: `VStreamError.library` if there is no memory, or the pixels cannot be addressed.
  func padded(to size: PixelSize) throws(VStreamError) -> VideoFrame {
    guard let layout = format.layout else {
      throw VStreamError(.library, "frames of format \(format) cannot be padded to \(size)")
    }
    let result = try VideoFrame(format: format, size: size, time: time)
    try requireLibAV(.library, "padding") { av_frame_copy_props(result.av, av) }
    withPlanes { source in
      result.withPlanes { target in
        for component in layout.components {
          Self.pad(component, bytes: layout.bytesPerSample, from: source, to: target)
        }
      }
    }
    return result
  }

  /// Copies one component, sample by sample; only odd sizes come here, and most are small.
  private static func pad(
    _ component: PixelLayout.Component, bytes: Int, from source: borrowing Planes, to target: borrowing Planes
  ) {
    guard let from = source.bases[component.plane], let to = target.bases[component.plane] else { return }
    let (lastColumn, lastRow) = last(component, source.size)
    let (endColumn, endRow) = last(component, target.size)
    for y in 0...endRow {
      let fromRow = from + min(y, lastRow) * source.strides[component.plane] + component.offset
      let toRow = to + y * target.strides[component.plane] + component.offset
      for x in 0...endColumn {
        (toRow + x * component.step).copyMemory(
          from: fromRow + min(x, lastColumn) * component.step, byteCount: bytes)
      }
    }
  }

  /// The last sample's column and row in a component.
  private static func last(_ component: PixelLayout.Component, _ size: PixelSize) -> (column: Int, row: Int) {
    ((size.width - 1) >> component.shiftX, (size.height - 1) >> component.shiftY)
  }
}

internal import CVStreamLibAV
internal import VStreamCore

extension VideoFrame {
  /// The frame enlarged by repeating its last column and row.
  ///
  /// - Parameter size: Not smaller than the frame's.
  /// - Throws: `VStreamError.library` if there is no memory, or the format has no layout.
  func padded(to size: PixelSize) throws(VStreamError) -> VideoFrame {
    guard let layout = format.layout else {
      throw VStreamError(.library, "frames of format \(format) cannot be padded to \(size)")
    }
    var result = try VideoFrame(format: format, size: size, time: time)
    try requireLibAV(.library, "padding") { av_frame_copy_props(result.av, av) }
    try result.withMutablePlanes { target in
      withPlanes { source in
        for component in layout.components {
          Self.pad(component, bytes: layout.bytesPerSample, from: source, to: target)
        }
      }
    }
    return result
  }

  /// The frame in the middle of a larger black one.
  ///
  /// - Parameter size: Not smaller than the frame's.
  /// - Throws: `VStreamError.library` if there is no memory, or libav defines no black for the format.
  func centred(on size: PixelSize) throws(VStreamError) -> VideoFrame {
    let result = try VideoFrame(format: format, size: size, time: time)
    try requireLibAV(.library, "a black frame") { av_frame_copy_props(result.av, av) }
    let range = color.isFullRange(format: format) ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    // The frame starts on a whole chroma sample.
    let (gridX, gridY) = (1 << (format.layout?.chromaShiftX ?? 0), 1 << (format.layout?.chromaShiftY ?? 0))
    let (left, top) = (
      (size.width - self.size.width) / 2 / gridX * gridX, (size.height - self.size.height) / 2 / gridY * gridY
    )
    let (source, target) = (av.pointee, result.av.pointee)
    var to = [target.data.0, target.data.1, target.data.2, target.data.3]
    var strides = [target.linesize.0, target.linesize.1, target.linesize.2, target.linesize.3]
    var from: [UnsafePointer<UInt8>?] = [source.data.0, source.data.1, source.data.2, source.data.3].map { plane in
      plane.map { UnsafePointer($0) }
    }
    let sourceStrides = [source.linesize.0, source.linesize.1, source.linesize.2, source.linesize.3]
    let wide = strides.map { Int($0) }
    try requireLibAV(.library, "a black frame") {
      av_image_fill_black(&to, wide, format.av, range, Int32(size.width), Int32(size.height))
    }
    for plane in to.indices where to[plane] != nil {
      let row = plane == 1 || plane == 2 ? top / gridY : top
      let column = Int(av_image_get_linesize(format.av, Int32(left), Int32(plane)))
      to[plane]? += row * wide[plane] + column
    }
    av_image_copy(
      &to, &strides, &from, sourceStrides, format.av, Int32(self.size.width), Int32(self.size.height))
    return result
  }

  /// Copies one component sample by sample, which is fast enough: only frames of odd sizes are padded.
  private static func pad(
    _ component: PixelLayout.Component, bytes: Int, from source: borrowing Planes, to target: borrowing MutablePlanes
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

  /// The column and row of a component's last sample.
  private static func last(_ component: PixelLayout.Component, _ size: PixelSize) -> (column: Int, row: Int) {
    ((size.width - 1) >> component.shiftX, (size.height - 1) >> component.shiftY)
  }
}

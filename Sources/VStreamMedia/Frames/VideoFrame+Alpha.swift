internal import VStreamCore

extension VideoFrame {
  /// Blends transparent pixels with medium grey: each component moves towards its middle value, as far as the pixel is
  /// transparent. The alpha channel itself stays.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func blendOverGray() throws(VStreamError) {
    guard let layout = format.layout, let alpha = layout.alpha else { return }
    let frame = size
    try withMutablePlanes { planes in
      for component in layout.components {
        let (samples, gray) = (component.extent(of: frame), 1 << (component.depth - 1))
        let (columns, rows) = (frame.width / max(1, samples.width), frame.height / max(1, samples.height))
        for y in 0..<samples.height {
          for x in 0..<samples.width {
            let opacity = planes.value(
              alpha, min(frame.width - 1, x * columns), min(frame.height - 1, y * rows), layout)
            let most = (1 << alpha.depth) - 1
            if opacity == most { continue }
            let value = planes.value(component, x, y, layout)
            planes.set(gray + (value - gray) * opacity / most, component, x, y, layout)
          }
        }
      }
    }
  }
}

extension VideoFrame.MutablePlanes {
  fileprivate func sample(_ component: PixelLayout.Component, _ x: Int, _ y: Int) -> UnsafeMutableRawPointer? {
    bases[component.plane].map { $0 + y * strides[component.plane] + component.offset + x * component.step }
  }

  fileprivate func value(_ component: PixelLayout.Component, _ x: Int, _ y: Int, _ layout: PixelLayout) -> Int {
    guard let sample = sample(component, x, y) else { return 0 }
    let stored = layout.bytesPerSample == 2 ? Int(sample.load(as: UInt16.self)) : Int(sample.load(as: UInt8.self))
    return stored >> component.shift
  }

  fileprivate func set(
    _ value: Int, _ component: PixelLayout.Component, _ x: Int, _ y: Int, _ layout: PixelLayout
  ) {
    let (sample, stored) = (sample(component, x, y), value << component.shift)
    if layout.bytesPerSample == 2 {
      sample?.storeBytes(of: UInt16(truncatingIfNeeded: stored), as: UInt16.self)
    } else {
      sample?.storeBytes(of: UInt8(truncatingIfNeeded: stored), as: UInt8.self)
    }
  }
}

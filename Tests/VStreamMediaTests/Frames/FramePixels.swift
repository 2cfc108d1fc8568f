import Testing
import VStreamCore

@testable import VStreamMedia

extension VideoFrame {
  /// A frame of a function of component, column and row; values have the depth of the format.
  static func filled(
    _ formatName: String, _ size: PixelSize, time: Int64 = 0, _ value: (_ component: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> VideoFrame {
    let format = try #require(PixelFormat(name: formatName))
    let layout = try #require(format.layout)
    var frame = try VideoFrame(format: format, size: size, time: Time(ticks: time, base: .milliseconds))
    try frame.withMutablePlanes { planes in
      for (index, component) in layout.components.enumerated() {
        guard let base = planes.bases[component.plane] else { continue }
        let samples = component.extent(of: size)
        for y in 0..<samples.height {
          for x in 0..<samples.width {
            let sample = base + y * planes.strides[component.plane] + component.offset + x * component.step
            let stored = value(index, x, y) << component.shift
            if layout.bytesPerSample == 2 {
              sample.storeBytes(of: UInt16(truncatingIfNeeded: stored), as: UInt16.self)
            } else {
              sample.storeBytes(of: UInt8(truncatingIfNeeded: stored), as: UInt8.self)
            }
          }
        }
      }
    }
    return frame
  }

  /// The values of a component, row by row.
  func values(_ component: Int) throws -> [[Int]] {
    let layout = try #require(format.layout)
    let described = layout.components[component]
    let samples = described.extent(of: size)
    return withPlanes { planes in
      guard let base = planes.bases[described.plane] else { return [] }
      return (0..<samples.height).map { y in
        (0..<samples.width).map { x in
          let sample = base + y * planes.strides[described.plane] + described.offset + x * described.step
          let stored =
            layout.bytesPerSample == 2 ? Int(sample.loadUnaligned(as: UInt16.self)) : Int(sample.load(as: UInt8.self))
          return stored >> described.shift
        }
      }
    }
  }
}

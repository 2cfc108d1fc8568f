import VStreamCore
import VStreamMedia

/// The size of most steps' frames.
let frameSize = PixelSize(width: 768, height: 576)

/// The luma of middle grey.
let grey: UInt8 = 126

/// A grey frame.
///
/// - Parameter luma: the luma of each column.
func makeFrame(size: PixelSize = frameSize, luma: (_ x: Int) -> UInt8) throws -> VideoFrame {
  guard let format = PixelFormat(name: "yuv420p") else {
    throw VStreamError(.library, "the pixel format yuv420p is missing")
  }
  var frame = try VideoFrame(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
  try frame.withMutablePlanes { planes in
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      guard let base = planes.bases[plane] else { continue }
      for y in 0..<size.height >> shift {
        let line = (base + y * planes.strides[plane]).assumingMemoryBound(to: UInt8.self)
        for x in 0..<size.width >> shift { line[x] = plane == 0 ? luma(x) : 128 }
      }
    }
  }
  return frame
}

/// A sample of a frame's luma.
func luma(_ frame: VideoFrame, at point: Point) -> UInt8? {
  frame.withPlanes { planes in
    planes.bases[0].map { ($0 + Int(point.y) * planes.strides[0] + Int(point.x)).load(as: UInt8.self) }
  }
}

/// Objects with IDs, with their boxes in a grid.
func trackedObjects(_ count: Int, columns: Int) -> [DetectedObject] {
  (0..<count).map { index in
    let (column, row) = (index % columns, index / columns)
    let box = Box(x: 20.25 + 145.5 * Double(column), y: 40.5 + 133.25 * Double(row), width: 80.75, height: 100.5)
    let label = index % 2 == 0 ? "person" : "bicycle"
    return DetectedObject(
      id: index + 1, classIndex: index % 2, label: label, score: 0.5 + 0.02 * Double(index), box: box)
  }
}

func annotations(_ objects: [DetectedObject]) -> FrameAnnotations {
  FrameAnnotations(
    frame: 12345, time: Time(ticks: 493_800, base: .milliseconds), source: .detected,
    found: Detections(objects: objects))
}

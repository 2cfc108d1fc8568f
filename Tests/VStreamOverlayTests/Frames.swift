import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamOverlay

/// An object with a box.
func object(_ box: Box, id: Int? = 1, label: String = "person", score: Double = 0.9) -> DetectedObject {
  DetectedObject(id: id, classIndex: 0, label: label, score: score, box: box)
}

func annotations(_ objects: [DetectedObject]) -> FrameAnnotations {
  FrameAnnotations(
    frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .detected, found: Detections(objects: objects))
}

/// A frame whose every sample is 100.
func filled(_ format: PixelFormat, size: PixelSize) throws -> VideoFrame {
  try VideoFrame(format: format, size: size) { _, _, _ in 100 }
}

extension Mask {
  /// A clear mask of a whole frame without chroma subsampling.
  init(ofWhole frame: PixelSize) throws {
    self.init()
    let whole = Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
    let isInside = reset(covering: whole, frame: frame, chromaShiftX: 0, chromaShiftY: 0)
    try #require(isInside)
  }
}

extension VideoFrame {
  /// A frame of values by component and place among its samples.
  init(
    format: PixelFormat, size: PixelSize, value: (_ component: PixelLayout.Component, _ x: Int, _ y: Int) -> Int
  ) throws {
    try self.init(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
    try withMutablePlanes { planes in
      for component in components(format) {
        for y in 0..<rows(component, size) {
          for x in 0..<columns(component, size) {
            store(planes, component, x, y, UInt16(value(component, x, y) << component.shift))
          }
        }
      }
    }
  }
}

/// All components of a pixel, alpha last.
private func components(_ format: PixelFormat) -> [PixelLayout.Component] {
  guard let layout = format.layout else { return [] }
  return layout.components + (layout.alpha.map { [$0] } ?? [])
}

/// A stored number, and the part of the frame that it is for.
struct Sample: Equatable {
  let value: Int
  let x: Double
  let y: Double
  let width: Double
  let height: Double
}

/// All samples of a frame, component by component, row by row.
func samples(_ frame: VideoFrame) -> [Sample] {
  components(frame.format).flatMap { component in
    (0..<rows(component, frame.size)).flatMap { y in
      (0..<columns(component, frame.size)).map { x in
        Sample(
          value: frame.withPlanes { load($0, component, x, y) } >> component.shift, x: Double(x << component.shiftX),
          y: Double(y << component.shiftY), width: Double(1 << component.shiftX), height: Double(1 << component.shiftY))
      }
    }
  }
}

func sample(_ frame: VideoFrame, _ component: Int, x: Int, y: Int) -> Int32? {
  guard let layout = frame.format.layout else { return nil }
  return Int32(frame.withPlanes { load($0, layout.components[component], x, y) })
}

private func columns(_ component: PixelLayout.Component, _ size: PixelSize) -> Int {
  (size.width + (1 << component.shiftX) - 1) >> component.shiftX
}

private func rows(_ component: PixelLayout.Component, _ size: PixelSize) -> Int {
  (size.height + (1 << component.shiftY) - 1) >> component.shiftY
}

func load(_ planes: borrowing VideoFrame.Planes, _ component: PixelLayout.Component, _ x: Int, _ y: Int) -> Int {
  guard let base = planes.bases[component.plane] else { return -1 }
  let place = base + y * planes.strides[component.plane] + component.offset + x * component.step
  return component.depth + component.shift > 8
    ? Int(place.loadUnaligned(as: UInt16.self)) : Int(place.load(as: UInt8.self))
}

private func store(
  _ planes: borrowing VideoFrame.MutablePlanes, _ component: PixelLayout.Component, _ x: Int, _ y: Int, _ value: UInt16
) {
  guard let base = planes.bases[component.plane] else { return }
  let place = base + y * planes.strides[component.plane] + component.offset + x * component.step
  if component.depth + component.shift > 8 {
    place.storeBytes(of: value, as: UInt16.self)
  } else {
    place.storeBytes(of: UInt8(value), as: UInt8.self)
  }
}

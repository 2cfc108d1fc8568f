import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// The pixels of a frame are shared until one of its copies is written to.
struct VideoFrameTests {
  private func frame(_ value: UInt8) throws -> VideoFrame {
    let format = try #require(PixelFormat(name: "yuv420p"))
    var frame = try VideoFrame(
      format: format, size: PixelSize(width: 17, height: 9), time: Time(ticks: 3, base: .milliseconds))
    try frame.fill(with: value)
    return frame
  }

  @Test func `a frame has the size, format and time that it was made with`() throws {
    let frame = try frame(0)
    #expect(frame.size == PixelSize(width: 17, height: 9))
    #expect(frame.format.description == "yuv420p")
    #expect(frame.time == Time(ticks: 3, base: .milliseconds))
    #expect(frame.pixels.count == 17 * 9 + 2 * 9 * 5)
  }

  @Test func `a copy shares its pixels until it is written to`() throws {
    let original = try frame(10)
    let copy = original
    #expect(copy.address == original.address)
    #expect(original.pixels.allSatisfy { $0 == 10 })
  }

  @Test func `writing to a copy does not change the original`() throws {
    let original = try frame(10)
    var copy = original
    try copy.fill(with: 200)
    #expect(copy.address != original.address)
    #expect(original.pixels.allSatisfy { $0 == 10 })
    #expect(copy.pixels.allSatisfy { $0 == 200 })
    #expect(copy.time == original.time)
  }

  @Test func `writing to the original does not change a copy`() throws {
    var original = try frame(10)
    let copy = original
    try original.fill(with: 200)
    #expect(copy.pixels.allSatisfy { $0 == 10 })
    #expect(original.pixels.allSatisfy { $0 == 200 })
  }

  @Test func `writing to a frame that is not shared copies nothing`() throws {
    var frame = try frame(10)
    let before = frame.address
    try frame.fill(with: 20)
    #expect(frame.address == before)
    do {
      let other = frame
      #expect(other.address == before)
    }
    try frame.fill(with: 30)
    #expect(frame.address == before)
  }

  @Test func `only the first write to a shared frame copies`() throws {
    let original = try frame(10)
    var copy = original
    try copy.fill(with: 20)
    let afterFirst = copy.address
    try copy.fill(with: 30)
    #expect(copy.address == afterFirst)
    #expect(original.pixels.allSatisfy { $0 == 10 })
  }

  @Test func `a size that no memory can hold is an error`() throws {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let error = failure {
      _ = try VideoFrame(
        format: format, size: PixelSize(width: 1 << 30, height: 1 << 30), time: Time(ticks: 0, base: .milliseconds))
    }
    #expect(error?.code == .library)
  }

  @Test(
    arguments: [
      (1, 1, nil), (16, 15, nil), (0, 1, nil), (2, 1, (200, 50)), (1, 2, (100, 100)), (64, 45, (142, 50)),
      (8, 1, (400, 25)), (1, 8, (50, 200)), (1000, 1, (566, 18)),
    ] as [(Int32, Int32, (width: Int, height: Int)?)])
  func `a size in which pixels are square`(wide: Int32, high: Int32, expected: (width: Int, height: Int)?) throws {
    let frame = try VideoFrame(
      format: try #require(PixelFormat(name: "gray")), size: PixelSize(width: 100, height: 50),
      time: Time(ticks: 0, base: .milliseconds))
    frame.av.pointee.sample_aspect_ratio = AVRational(num: wide, den: high)
    #expect(frame.squarePixelSize == expected.map { PixelSize(width: $0.width, height: $0.height) })
  }

  @Test(arguments: [(1, 1, 1.0), (0, 1, 1), (3, 1, 3), (1, 4, 4), (16, 11, 16.0 / 11)] as [(Int32, Int32, Double)])
  func `how elongated pixels are`(wide: Int32, high: Int32, expected: Double) throws {
    let frame = try VideoFrame(
      format: try #require(PixelFormat(name: "gray")), size: PixelSize(width: 100, height: 50),
      time: Time(ticks: 0, base: .milliseconds))
    frame.av.pointee.sample_aspect_ratio = AVRational(num: wide, den: high)
    #expect(abs(frame.pixelElongation - expected) < 1e-9)
  }
}

extension VideoFrame {
  /// Sets every byte of an 8-bit planar frame.
  mutating func fill(with value: UInt8) throws {
    let layout = try #require(format.layout)
    try withMutablePlanes { planes in
      for component in layout.components {
        guard let base = planes.bases[component.plane] else { continue }
        let rows = (planes.size.height + (1 << component.shiftY) - 1) >> component.shiftY
        let width = (planes.size.width + (1 << component.shiftX) - 1) >> component.shiftX
        for row in 0..<rows {
          let start = base + row * planes.strides[component.plane]
          start.initializeMemory(as: UInt8.self, repeating: value, count: width)
        }
      }
    }
  }
}

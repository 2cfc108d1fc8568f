import Testing
import VStreamCore

@testable import VStreamMedia

/// The conversions of a stream, and the notices of them.
struct FrameNormaliserTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Width and height of each frame.
    let sizes: [(width: Int, height: Int)]
    /// The frames that cause a notice.
    let noticed: [Int]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "one size", sizes: [(64, 48), (64, 48), (64, 48)], noticed: []),
    Row(name: "another from the third on", sizes: [(64, 48), (64, 48), (32, 24), (32, 24), (32, 24)], noticed: [2]),
    Row(name: "alternating", sizes: [(64, 48), (32, 24), (64, 48), (32, 24)], noticed: [1]),
    Row(name: "a third size", sizes: [(64, 48), (32, 24), (48, 64), (32, 24), (48, 64)], noticed: [1, 2]),
  ]

  @Test(arguments: rows)
  func `each other size is noticed once`(row: Row) throws {
    let format = try #require(PixelFormat(name: "gray"))
    let normaliser = FrameNormaliser(orientation: .upright) { _ in FrameTarget(format: format) }
    var noticed: [Int] = []
    for (index, (width, height)) in row.sizes.enumerated() {
      let size = PixelSize(width: width, height: height)
      let time = Time(ticks: Int64(index), base: .milliseconds)
      let frames = try normaliser.normalise(try VideoFrame(format: format, size: size, time: time))
      #expect(frames.map(\.size) == [PixelSize(width: 64, height: 48)])
      #expect(frames.map(\.isAltered) == [width != 64], "\(index)")
      if !normaliser.takeNotices().isEmpty { noticed.append(index) }
    }
    #expect(noticed == row.noticed)
  }

  @Test(arguments: Orientation.allCases)
  func `frames of a turned stream are upright, and turned like all of it`(orientation: Orientation) throws {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let normaliser = FrameNormaliser(orientation: orientation) { _ in FrameTarget(format: format) }
    let size = PixelSize(width: 64, height: 48)
    let isQuarterTurn = [.clockwise, .counterClockwise, .transposed, .transversed].contains(orientation)
    for ticks in 0..<3 {
      let time = Time(ticks: Int64(ticks), base: .milliseconds)
      for frame in try normaliser.normalise(try VideoFrame(format: format, size: size, time: time)) {
        #expect(frame.size == (isQuarterTurn ? PixelSize(width: 48, height: 64) : size))
        #expect(!frame.isAltered)
      }
    }
  }

  struct Alpha: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let opaque: String?

    init(_ name: String, _ opaque: String?) { (testDescription, self.opaque) = (name, opaque) }
  }

  static let alphas = [
    Alpha("rgba", "rgb24"), Alpha("bgra", "bgr24"), Alpha("argb", "rgb24"), Alpha("abgr", "bgr24"),
    Alpha("ya8", "gray"),
    Alpha("ya16le", "gray16le"), Alpha("rgba64le", "rgb48le"), Alpha("gbrap", "gbrp"), Alpha("gbrap12le", "gbrp12le"),
    Alpha("yuva420p", "yuv420p"), Alpha("yuva444p10le", "yuv444p10le"), Alpha("yuv420p", nil), Alpha("rgb24", nil),
  ]

  /// What is black and drawn by the alpha channel alone becomes visible, to detectors as to viewers.
  @Test(arguments: alphas) func `what is transparent is shown before grey, without an alpha channel`(row: Alpha) throws
  {
    let format = try #require(PixelFormat(name: row.testDescription))
    #expect(format.opaque == row.opaque.flatMap { PixelFormat(name: $0) })
    guard let opaque = format.opaque, let alpha = format.layout?.alpha else { return }
    let size = PixelSize(width: 16, height: 8)
    var frame = try VideoFrame.filled(row.testDescription, size) { component, _, _ in
      // Black, whose chroma is in the middle.
      format.layout?.model == .yuv && component > 0 ? 1 << (alpha.depth - 1) : 0
    }
    try frame.withMutablePlanes { planes in
      guard let base = planes.bases[alpha.plane] else { return }
      for y in 0..<8 {
        for x in 0..<16 {
          let opacity = (x < 8 ? (1 << alpha.depth) - 1 : 0) << alpha.shift
          let sample = base + y * planes.strides[alpha.plane] + alpha.offset + x * alpha.step
          if alpha.depth > 8 {
            sample.storeBytes(of: UInt16(opacity), as: UInt16.self)
          } else {
            sample.storeBytes(of: UInt8(opacity), as: UInt8.self)
          }
        }
      }
    }
    let normaliser = FrameNormaliser(orientation: .upright, removesHidden: true) { FrameTarget(format: $0.format) }
    let result = try #require(try normaliser.normalise(frame).first)
    #expect(result.format == opaque && normaliser.takeNotices().count == 1)
    let luma = try result.values(0)[4]
    #expect(luma[2] == 0 && abs(luma[13] - 1 << (alpha.depth - 1)) <= 1, "\(luma)")
    // Without redaction it stays.
    let plain = FrameNormaliser(orientation: .upright) { FrameTarget(format: $0.format) }
    #expect(try plain.normalise(frame).first?.format == format)
  }
}

import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// Properties of the layouts of all formats that libav has.
struct PixelLayoutTests {
  /// Every format with a layout.
  static let formats = (0..<AV_PIX_FMT_NB.rawValue).map { PixelFormat(rawValue: $0) }.filter { $0.layout != nil }

  @Test func `most formats of cameras and codecs have a layout`() {
    #expect(Self.formats.count > 60)
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 5), (16, 9), (17, 33)] as [(Int, Int)])
  func `in frames of any size every sample lies in its row, and rows do not overlap`(width: Int, height: Int) throws {
    let size = PixelSize(width: width, height: height)
    for format in Self.formats {
      let layout = try #require(format.layout)
      let frame = try VideoFrame(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
      frame.withPlanes { planes in
        for component in layout.components + (layout.alpha.map { [$0] } ?? []) {
          let samples = component.extent(of: size)
          let end = component.offset + (samples.width - 1) * component.step + layout.bytesPerSample
          #expect(planes.bases[component.plane] != nil, "\(format)")
          #expect(end <= planes.strides[component.plane], "\(format)")
        }
      }
    }
  }

  @Test func `every layout is consistent`() throws {
    for format in Self.formats {
      let layout = try #require(format.layout)
      #expect(layout.components.count == (layout.model == .gray ? 1 : 3), "\(format)")
      #expect(layout.bytesPerSample == (layout.depth + layout.components[0].shift > 8 ? 2 : 1), "\(format)")
      let subsampled = layout.components.filter { $0.shiftX + $0.shiftY > 0 }
      if layout.model != .yuv { #expect(subsampled.isEmpty, "\(format)") }
      if layout.isPlanar {
        #expect(Set(layout.components.map(\.plane)).count == layout.components.count, "\(format)")
      }
    }
  }

  @Test(arguments: [
    ("yuv420p", "yuv420p"), ("nv12", "nv12"), ("bgra", "bgra"), ("yuv420p10be", "yuv420p10le"),
    ("gray16be", "gray16le"),
    ("monow", "gray"), ("rgb565le", "gbrp"), ("pal8", "gbrp"), ("grayf32le", "gray16le"),
  ])
  func `a format without a layout is replaced by the nearest one that has one`(name: String, expected: String) throws {
    let format = try #require(PixelFormat(name: name))
    #expect(format.addressable.description == expected)
  }

  @Test func `every format has an addressable one`() {
    for number in 0..<AV_PIX_FMT_NB.rawValue {
      #expect(PixelFormat(rawValue: number).addressable.layout != nil, "\(PixelFormat(rawValue: number))")
    }
  }

  @Test(arguments: [Int32(-1), AV_PIX_FMT_NB.rawValue, .max])
  func `a format that libav does not have is unknown, and has no layout`(number: Int32) {
    let format = PixelFormat(rawValue: number)
    #expect(format.description == "unknown(\(number))")
    #expect(format.layout == nil)
  }
}
